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
import type { Endless, Work } from "./closing.ts"
import type { Silent } from "./keepAlive.ts"
import type { Accepts } from "../negotiate.ts"
import type { Peer } from "./peer.ts"
import { type ExtraHeaders, gaveUp, noHeaders, Reply } from "./reply.ts"
import type { Shared } from "./shared.ts"
import { comment, event, type Sink, streamHeaders } from "./platform/sink.ts"

/** The exchange of a request. */
export class RequestExchange implements Exchange, Silent, Peer, Work, Endless {
  readonly transport = "http"
  readonly ask = undefined
  readonly context: Context.Context<never>
  readonly principal: string | undefined
  readonly mirrored: Inbound.Mirrored
  touched = 0
  readonly #shared: Shared
  readonly #sink: Sink
  readonly #accepts: Accepts
  readonly #cors: ExtraHeaders
  readonly #method: string
  #call: Call | undefined
  #counts = true
  #state: "waiting" | "streaming" | "ended" = "waiting"

  constructor(
    shared: Shared,
    request: {
      readonly method: string
      readonly context: Context.Context<never>
      readonly principal: string | undefined
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
    this.principal = request.principal
    this.mirrored = request.mirrored
    this.#accepts = request.accepts
    this.#cors = request.cors
  }

  /** Takes the call that was started with this exchange. */
  start(call: Call, counts: boolean): void {
    if (call.response !== undefined) return this.#finish(call.response)
    this.#call = call
    const { closing, inFlight } = this.#shared
    if (counts) {
      inFlight.count++
      // A call that is cancelled runs until its finalizers have ended.
      call.onEnd(() => inFlight.count--)
    }
    // The peer may have been given up while the call was started: it emitted more than anybody could read.
    if (this.#state === "ended") return call.cancel()
    if (this.#accepts.stream) this.#shared.keepAlive?.add(this)
    this.#counts = counts
    if (counts) closing.add(this)
    else closing.addEndless(this)
    call.onEnd((response) => this.#finish(response))
  }

  emit(notification: JsonRpc.Notification): void {
    // A client that takes no stream gets the answer alone (HTTP-6).
    if (this.#state === "ended" || !this.#accepts.stream) return
    const printed = JsonRpc.print(notification)
    if (Result.isFailure(printed)) return this.#shared.tell.unprintable(this.#method, printed.failure.cause)
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
  gone(): void {
    if (this.#state === "ended") return
    this.#end()
    this.#call?.cancel()
  }

  /** Who is gone has cancelled it. */
  get isHeard(): boolean {
    return true
  }

  giveUp(): void {
    this.#call?.cancel()
  }

  finish(): void {
    this.giveUp()
  }

  #write(frame: string): void {
    if (this.#state === "waiting") {
      this.#state = "streaming"
      this.#sink.open(this.#cors === noHeaders ? streamHeaders : { ...streamHeaders, ...this.#cors })
    }
    const keepAlive = this.#shared.keepAlive
    if (keepAlive !== undefined) this.touched = keepAlive.tick
    if (this.#sink.write(frame)) return
    this.#shared.tell.overflow(this.#method)
    this.#sink.abort()
    this.gone()
  }

  #finish(response: JsonRpc.Response | undefined): void {
    if (this.#state === "ended") return
    const streaming = this.#state === "streaming"
    this.#end()
    // Cancelled from elsewhere: there is no answer, and the stream ends without one.
    if (response === undefined) return streaming ? this.#sink.end("") : this.#sink.reply(gaveUp.with(this.#cors))
    const text = JsonRpc.printResponse(response, ({ cause }) => this.#shared.tell.unprintable(this.#method, cause))
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
    if (this.#counts) this.#shared.closing.delete(this)
    else this.#shared.closing.deleteEndless(this)
  }
}

/** The exchange of a notification: nothing belongs to it. */
export class NotificationExchange implements Exchange {
  readonly transport = "http"
  readonly ask = undefined
  readonly context: Context.Context<never>
  readonly principal: string | undefined
  readonly mirrored: Inbound.Mirrored | undefined
  readonly drained = Effect.void

  constructor(
    context: Context.Context<never>,
    mirrored: Inbound.Mirrored | undefined,
    principal: string | undefined
  ) {
    this.context = context
    this.mirrored = mirrored
    this.principal = principal
  }

  emit(): void {}
}
