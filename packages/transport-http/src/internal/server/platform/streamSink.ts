/**
 * The portable way back to the peer.
 */
import type * as Limits from "@effect-mcp/core/Limits"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ExtraHeaders, Reply } from "../reply.ts"
import { isFull, type Sink } from "./sink.ts"

const encoder = new TextEncoder()

/** No other request comes over this connection. */
const lastOne: ExtraHeaders = { connection: "close" }

type Resume = (answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>) => void

/** A sink that becomes a response: a text, or a stream that is pulled out of a bounded buffer. */
export class StreamSink implements Sink {
  /** What to do when the peer is gone. */
  gone: () => void = () => {}
  readonly #limits: Limits.Values
  readonly #closing: { readonly now: boolean }
  readonly #fiber: Fiber.Fiber<unknown, unknown>
  readonly #resume: Resume
  #frames: Array<string> = []
  #size = 0
  #ended = false
  #reader: (() => void) | undefined
  #producers: Array<() => void> = []

  constructor(
    limits: Limits.Values,
    closing: { readonly now: boolean },
    fiber: Fiber.Fiber<unknown, unknown>,
    resume: Resume
  ) {
    this.#limits = limits
    this.#closing = closing
    this.#fiber = fiber
    this.#resume = resume
  }

  reply(reply: Reply): void {
    this.#resume(Effect.succeed((this.#closing.now ? reply.with(lastOne) : reply).response))
  }

  open(given: ExtraHeaders, long?: boolean): void {
    const headers = long === true || this.#closing.now ? { ...given, ...lastOne } : given
    const pull = Effect.suspend(() => this.#pull())
    const response = HttpServerResponse.stream(Stream.fromPull(Effect.succeed(pull)), { headers })
    // The request's scope closes when its response has ended in whatever way, also when it was never begun.
    const ended = Effect.addFinalizer(() => Effect.sync(() => this.gone()))
    this.#resume(Effect.as(ended, response))
  }

  write(frame: string): boolean {
    if (isFull(this.#frames.length, this.#size, this.#limits)) return false
    this.#frames.push(frame)
    this.#size += frame.length
    this.#wakeReader()
    return true
  }

  end(frame: string): void {
    if (frame !== "") this.#frames.push(frame)
    this.#ended = true
    this.#wakeReader()
  }

  abort(): void {
    this.#frames = []
    this.#ended = true
    this.#wakeReader()
    this.#wakeProducers()
    // The fiber that writes the response waits for a peer that does not read.
    this.#fiber.interruptUnsafe()
  }

  release(): void {
    this.#wakeProducers()
  }

  get pending(): boolean {
    return this.#frames.length > 0
  }

  get drained(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.pending
        ? Effect.callback<void>((resume) => {
          this.#producers.push(() => resume(Effect.void))
        })
        : Effect.void
    )
  }

  #pull(): Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>> {
    if (this.pending) {
      const text = this.#frames.join("")
      this.#frames = []
      this.#size = 0
      this.#wakeProducers()
      return Effect.succeed([encoder.encode(text)] as const)
    }
    if (this.#ended) return Cause.done()
    return Effect.callback<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done>((resume) => {
      this.#reader = () => resume(this.#pull())
      return Effect.sync(() => {
        this.#reader = undefined
      })
    })
  }

  #wakeReader(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.()
  }

  #wakeProducers(): void {
    const producers = this.#producers
    this.#producers = []
    for (const resume of producers) resume()
  }
}
