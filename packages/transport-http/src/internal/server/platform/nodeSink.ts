/**
 * The way back to the peer on Node: straight onto its own response.
 */
import type * as Limits from "@effect-mcp/core/Limits"
import * as Effect from "effect/Effect"
import { Buffer } from "node:buffer"
import type * as Http from "node:http"
import { json } from "../../negotiate.ts"
import type { ExtraHeaders, Reply } from "../reply.ts"
import { isFull, type Sink } from "./sink.ts"

/** What is sent in one go leaves in one write, up to this many events. */
const batch = 32

/** A sink that writes to Node's response. `done` is called when the answer has been handed over as a whole. */
export class NodeSink implements Sink {
  readonly #limits: Limits.Values
  readonly #response: Http.ServerResponse
  readonly #closing: { readonly now: boolean }
  readonly #done: (status: number) => void
  #frames: Array<string> = []
  /** The length of what waits for a peer that does not read. */
  #size = 0
  #scheduled = false
  #full = false
  #producers: Array<() => void> = []

  constructor(
    limits: Limits.Values,
    closing: { readonly now: boolean },
    response: Http.ServerResponse,
    done: (status: number) => void
  ) {
    this.#limits = limits
    this.#closing = closing
    this.#response = response
    this.#done = done
  }

  reply({ body, headers, status }: Reply): void {
    const response = this.#response
    if (!response.destroyed && !response.headersSent) {
      if (this.#closing.now) response.shouldKeepAlive = false
      if (body === undefined) {
        response.writeHead(status, { ...headers, "content-length": 0 })
        response.end()
      } else {
        // With its length known, Node sends head and text in one write.
        response.writeHead(status, {
          "content-type": json,
          "content-length": Buffer.byteLength(body),
          ...headers
        })
        response.end(body)
      }
    }
    this.#done(status)
  }

  open(headers: ExtraHeaders, long?: boolean): void {
    if (this.#response.destroyed) return
    if (long === true || this.#closing.now) this.#response.shouldKeepAlive = false
    this.#response.writeHead(200, headers)
    this.#response.on("drain", this.#drain)
  }

  write(frame: string): boolean {
    if (this.#full) {
      if (isFull(this.#frames.length, this.#size, this.#limits)) return false
      this.#frames.push(frame)
      this.#size += frame.length
      return true
    }
    this.#frames.push(frame)
    if (this.#frames.length >= batch) this.#flush()
    else if (!this.#scheduled) {
      this.#scheduled = true
      queueMicrotask(this.#flushLater)
    }
    return true
  }

  end(frame: string): void {
    const rest = this.#frames.join("") + frame
    this.#frames = []
    if (!this.#response.destroyed) {
      const { req, socket } = this.#response
      // Node waits for a connection that was promised to be kept, though nothing can come over it any more.
      if (this.#closing.now && req.httpVersionMajor === 1) this.#response.end(rest, () => socket?.destroySoon())
      else this.#response.end(rest)
    }
    this.#wake()
    this.#done(200)
  }

  abort(): void {
    this.#frames = []
    this.#wake()
    this.#response.destroy()
    this.#done(200)
  }

  release(): void {
    this.#wake()
  }

  get pending(): boolean {
    return this.#full || this.#frames.length > 0
  }

  get drained(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (!this.#full) this.#flush()
      return this.#full
        ? Effect.callback<void>((resume) => {
          this.#producers.push(() => resume(Effect.void))
        })
        : Effect.void
    })
  }

  #flush(): void {
    if (this.#frames.length === 0) return
    const text = this.#frames.length === 1 ? this.#frames[0] : this.#frames.join("")
    this.#frames = []
    this.#size = 0
    if (!this.#response.destroyed) this.#full = !this.#response.write(text)
  }

  readonly #flushLater = (): void => {
    this.#scheduled = false
    if (!this.#full) this.#flush()
  }

  readonly #drain = (): void => {
    this.#full = false
    this.#flush()
    if (!this.#full) this.#wake()
  }

  #wake(): void {
    this.#full = false
    const producers = this.#producers
    this.#producers = []
    for (const resume of producers) resume()
  }
}
