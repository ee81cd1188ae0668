/**
 * What a client remembers of its session, and says with each message.
 */
import * as Revision from "@effect-mcp/core/Revision"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Values } from "./wire.ts"

/** LHTTP-19. It may be a token, and long. */
const visible = /^[\x21-\x7e]+$/

export class Session {
  #id: string | undefined
  #revision: Revision.Revision | undefined
  #version: string | undefined

  get id(): string | undefined {
    return this.#id
  }

  get hasBatches(): boolean {
    return Revision.hasBatches(this.#revision)
  }

  /** LHTTP-20, LHTTP-25, and what `more` says. */
  headers(more?: Values): Values {
    return { ...more, "mcp-session-id": this.#id, "mcp-protocol-version": this.#version }
  }

  /** Takes the id out of the response to `initialize`. `false` if there is one, and it cannot be used. */
  begin(response: HttpClientResponse.HttpClientResponse, maxBytes: number): boolean {
    const id = response.headers["mcp-session-id"]
    // Servers without sessions may send the header empty.
    if (id === undefined || id === "") return true
    if (!visible.test(id) || id.length > maxBytes) return false
    this.#id = id
    return true
  }

  /**
   * Revisions before 2025-06-18 do not know the header, and a server takes its absence for 2025-03-26 (LHTTP-26). Sent to
   * it, a browser would have to ask first, and an old server would refuse it.
   */
  open(revision: Revision.Revision): void {
    this.#revision = revision
    this.#version = Revision.order(revision, "2025-06-18") < 0 ? undefined : revision
  }

  forget(): void {
    this.#id = undefined
    this.#revision = undefined
    this.#version = undefined
  }
}
