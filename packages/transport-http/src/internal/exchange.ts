/**
 * One request on its way to an answer: as one body, or as a stream once something is sent before it.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type { Call, Exchange } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { KeepAlive, Silent } from "./keepAlive.ts"
import type { Accepts } from "./negotiate.ts"
import { type ExtraHeaders, noHeaders, refused, Reply } from "./reply.ts"
import { comment, event, type Sink, streamHeaders } from "./sink.ts"

/** What all exchanges of a server share. */
export interface Shared {
  /** The calls of the server that have not ended. A stream that stays open is none of them. */
  readonly inFlight: { count: number }
  readonly keepAlive: KeepAlive | undefined
  /** Tells the operator about a message that could not be written. */
  readonly unprintable: (method: string, cause: unknown) => void
  /** Tells the operator that a peer did not read its stream. */
  readonly overflow: (method: string) => void
}

/** The exchange of a request. */
export class RequestExchange implements Exchange, Silent {
  readonly transport = "http"
  readonly ask = undefined
  readonly context: Context.Context<never>
  readonly mirrored: Inbound.Mirrored
  touched = 0
  readonly #shared: Shared
  readonly #sink: Sink
  readonly #accepts: Accepts
  readonly #cors: ExtraHeaders
  readonly #method: string
  #call: Call | undefined
  #state: "waiting" | "streaming" | "ended" = "waiting"

  constructor(
    shared: Shared,
    request: {
      readonly method: string
      readonly context: Context.Context<never>
      readonly mirrored: Inbound.Mirrored
      readonly accepts: Accepts
      readonly cors: ExtraHeaders
    },
    sink: Sink
  ) {
    this.#shared = shared
    this.#sink = sink
    this.#method = request.method
    this.context = request.context
    this.mirrored = request.mirrored
    this.#accepts = request.accepts
    this.#cors = request.cors
  }

  /** Takes the call that was started with this exchange. */
  start(call: Call, counts: boolean): void {
    if (call.response !== undefined) return this.#finish(call.response)
    this.#call = call
    if (counts) {
      const { inFlight } = this.#shared
      inFlight.count++
      // A call that is cancelled runs until its finalizers have ended.
      call.onEnd(() => inFlight.count--)
    }
    // The peer may have been given up while the call was started: it emitted more than anybody could read.
    if (this.#state === "ended") return call.cancel()
    if (this.#accepts.stream) this.#shared.keepAlive?.add(this)
    call.onEnd((response) => this.#finish(response))
  }

  emit(notification: JsonRpc.Notification): void {
    // A client that takes no stream gets the answer alone (HTTP-6).
    if (this.#state === "ended" || !this.#accepts.stream) return
    const printed = JsonRpc.print(notification)
    if (Result.isFailure(printed)) return this.#shared.unprintable(this.#method, printed.failure.cause)
    this.#write(event(printed.success))
  }

  get drained(): Effect.Effect<void> {
    return this.#state === "streaming" ? this.#sink.drained : Effect.void
  }

  /** Nothing was sent for as long as a proxy can be trusted to wait. */
  keepAlive(): void {
    if (!this.#sink.pending) this.#write(comment)
  }

  /** The peer is gone: that is its cancellation (HTTP-15). */
  cancel(): void {
    if (this.#state === "ended") return
    this.#end()
    this.#call?.cancel()
  }

  #write(frame: string): void {
    if (this.#state === "waiting") {
      this.#state = "streaming"
      this.#sink.open(this.#cors === noHeaders ? streamHeaders : { ...streamHeaders, ...this.#cors })
    }
    const keepAlive = this.#shared.keepAlive
    if (keepAlive !== undefined) this.touched = keepAlive.tick
    if (this.#sink.write(frame)) return
    this.#shared.overflow(this.#method)
    this.#sink.abort()
    this.cancel()
  }

  #finish(response: JsonRpc.Response | undefined): void {
    if (this.#state === "ended") return
    const streaming = this.#state === "streaming"
    this.#end()
    // Cancelled from elsewhere: there is no answer, and the stream ends without one.
    if (response === undefined) return streaming ? this.#sink.end("") : this.#sink.reply(cancelled.with(this.#cors))
    const text = JsonRpc.printResponse(response, ({ cause }) => this.#shared.unprintable(this.#method, cause))
    // On a stream that is open an error has no status of its own.
    if (streaming) return this.#sink.end(event(text))
    const status = response._tag === "Failure" ? McpError.httpStatus(response.error, "answered") : 200
    if (this.#accepts.json || status !== 200) return this.#sink.reply(new Reply(status, text, this.#cors))
    this.#sink.open({ ...streamHeaders, ...this.#cors })
    this.#sink.end(event(text))
  }

  #end(): void {
    this.#state = "ended"
    this.#shared.keepAlive?.delete(this)
  }
}

const cancelled = refused(503, "The server gave up this request")

/** The exchange of a notification: nothing belongs to it. */
export class NotificationExchange implements Exchange {
  readonly transport = "http"
  readonly ask = undefined
  readonly context: Context.Context<never>
  readonly mirrored: Inbound.Mirrored
  readonly drained = Effect.void

  constructor(context: Context.Context<never>, mirrored: Inbound.Mirrored) {
    this.context = context
    this.mirrored = mirrored
  }

  emit(): void {}
}
