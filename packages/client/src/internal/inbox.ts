/**
 * What arrives for a request of the legacy era, on its own stream or outside of any: given to its callbacks one by one.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { RequestOptions } from "../RequestOptions.ts"
import { callbackOf, severity } from "./incoming.ts"
import type { Pending } from "./pending.ts"

export class Inbox {
  readonly pending: Pending
  readonly #token: JsonRpc.Id | undefined
  readonly #options: RequestOptions<unknown> | undefined
  readonly #context: Context.Context<never>
  readonly #max: number
  readonly #severity: number
  readonly #turn: Semaphore.Semaphore | undefined
  #waiting = 0

  constructor(
    pending: Pending,
    token: JsonRpc.Id | undefined,
    options: RequestOptions<unknown> | undefined,
    context: Context.Context<never>,
    max: number
  ) {
    this.pending = pending
    this.#token = token
    this.#options = options
    this.#context = context
    this.#max = max
    this.#severity = severity(levelOf(options) ?? "debug")
    const calls = options?.onProgress !== undefined || options?.onLog !== undefined
    this.#turn = calls ? Semaphore.makeUnsafe(1) : undefined
  }

  /** Whether a notification on the request's own stream is for its callbacks. */
  takes({ method }: JsonRpc.Notification): boolean {
    return method === Method.progress.name || (method === Method.message.name && this.#options?.onLog !== undefined)
  }

  /** Takes what comes on the request's own stream, which waits. */
  take(message: JsonRpc.Notification): Effect.Effect<void> {
    return Effect.suspend(() => this.#call(message) ?? Effect.void)
  }

  /** Takes what comes outside of any request. It must not pile up here: whoever brings it waits where that is said. */
  push(message: JsonRpc.Notification): void {
    const call = this.#call(message)
    if (call === undefined) return
    if (this.#waiting >= this.#max) {
      const error = new McpClientError.LimitExceeded({ limit: "streamBuffer", max: this.#max })
      return this.pending.end(Exit.fail(McpClientError.make(error)))
    }
    this.#waiting++
    Effect.runForkWith(this.#context)(Effect.ensuring(call, Effect.sync(() => this.#waiting--)))
  }

  /** Whether there is no room for another message. */
  get isFull(): boolean {
    return this.#waiting >= this.#max && this.pending.ended === undefined
  }

  /** Waits until the callbacks have had what came before. */
  get drained(): Effect.Effect<void> {
    const turn = this.#turn
    // What came just before the answer may still be on its way from a stream of its own.
    return turn === undefined ? Effect.void : Effect.andThen(Effect.yieldNow, turn.withPermit(Effect.void))
  }

  #call(message: JsonRpc.Notification): Effect.Effect<void> | undefined {
    const callback = callbackOf(message, this.pending, this.#token, this.#options, this.#severity)
    return callback === undefined ? undefined : this.#turn?.withPermit(this.pending.call(this.#context, callback))
  }
}

/** The least level of the messages a request wants, if it wants any. */
export const levelOf = (options: RequestOptions<unknown> | undefined) =>
  options?.onLog === undefined ? undefined : options.logLevel ?? "info"
