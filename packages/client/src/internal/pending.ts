/**
 * A request that waits for its answer: its deadline, its progress, and the ways it can end before the answer is there.
 */
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { RequestOptions } from "../RequestOptions.ts"
import type { Deadlines, Entry } from "./deadlines.ts"

/** Milliseconds. */
export interface Times {
  readonly idle: number
  readonly max: number
  readonly extend: boolean
}

/** What a request's options say about time. A deadline that was asked for is not cut short by a default maximum. */
export const times = (options: RequestOptions<unknown> | undefined, defaults: Times): Times => {
  if (options === undefined) return defaults
  const { deadline, deadlineMax, extendOnProgress } = options
  if (deadline === undefined && deadlineMax === undefined && extendOnProgress === undefined) return defaults
  const idle = deadline === undefined ? defaults.idle : Duration.toMillis(deadline)
  return {
    idle,
    max: deadlineMax !== undefined
      ? Duration.toMillis(deadlineMax)
      : deadline !== undefined && idle !== Infinity
      ? Math.max(defaults.max, idle)
      : defaults.max,
    extend: extendOnProgress ?? defaults.extend
  }
}

/** How many requests of a connection have no answer yet. */
export interface InFlight {
  count: number
  readonly max: number
}

export class Pending implements Entry {
  readonly method: string
  readonly deadlines: Deadlines
  readonly inFlight: InFlight
  readonly times: Times
  /** The absolute deadline. */
  #last: number
  #due: number
  /** The last progress that was taken (PROG-3). */
  progress = -Infinity
  /** Set as soon as the request has ended: with `true` by its answer, else by what ended it. */
  ended: Exit.Exit<never, McpClientError.McpClientError> | true | undefined
  #resume: ((exit: Exit.Exit<never, McpClientError.McpClientError>) => void) | undefined
  #sending: Fiber.Fiber<unknown, unknown> | undefined
  #callback: Fiber.Fiber<unknown, unknown> | undefined
  /** The questions of the server that wait for us. */
  #held = 0
  #heldSince = 0

  constructor(method: string, deadlines: Deadlines, times: Times, inFlight: InFlight) {
    this.method = method
    this.deadlines = deadlines
    this.inFlight = inFlight
    this.times = times
    const now = deadlines.now()
    this.#last = now + times.max
    this.#due = now + Math.min(times.idle, times.max)
  }

  /**
   * While a callback runs it is not the server that keeps us waiting, so that only the absolute deadline counts. While the
   * server waits for an answer of ours, neither of them runs.
   */
  get due(): number {
    return this.#held > 0 ? Infinity : this.#callback === undefined ? this.#due : this.#last
  }

  /** The server waits for us. */
  hold(): void {
    if (this.#held++ === 0) this.#heldSince = this.deadlines.now()
  }

  /** The server has what it waited for. */
  release(): void {
    if (--this.#held > 0) return
    const waited = this.deadlines.now() - this.#heldSince
    this.#last += waited
    this.#due = Math.min(this.#due + waited, this.#last)
    if (this.ended === undefined && this.#due !== Infinity) this.deadlines.add(this)
  }

  /** A sign of life: the idle deadline starts anew, within the absolute one (CAN-8). */
  touch(): void {
    if (this.times.extend) {
      this.#due = Math.min(this.deadlines.now() + this.times.idle, this.#last)
    }
  }

  expire = (now: number): void => {
    const absolute = now >= this.#last
    this.end(Exit.fail(McpClientError.make(
      new McpClientError.DeadlineExceeded({
        method: this.method,
        deadline: absolute ? this.times.max : this.times.idle,
        kind: absolute ? "absolute" : "idle"
      })
    )))
  }

  /**
   * Ends the request before its answer. The send is interrupted, which cancels it on the wire, but nobody waits for
   * that: a server that reads nothing any more would hold up the very deadline it has missed.
   */
  end(exit: Exit.Exit<never, McpClientError.McpClientError>): void {
    if (this.ended !== undefined) return
    this.#finish(exit)
    this.#resume?.(exit)
    this.#sending?.interruptUnsafe()
  }

  #finish(how: Exit.Exit<never, McpClientError.McpClientError> | true): void {
    this.ended = how
    this.inFlight.count--
    this.deadlines.remove(this)
    this.#callback?.interruptUnsafe()
  }

  /**
   * Runs the send in a fiber of its own, started at once, so that the deadline can end it alone. A transport that
   * answers at once costs no waiting.
   */
  run<A>(
    context: Context.Context<never>,
    send: Effect.Effect<A, McpClientError.McpClientError>
  ): Effect.Effect<A, McpClientError.McpClientError> {
    return Effect.callback((resume) => {
      if (this.inFlight.count >= this.inFlight.max) {
        return resume(Effect.fail(McpClientError.make(
          new McpClientError.LimitExceeded({ limit: "inFlightRequests", max: this.inFlight.max })
        )))
      }
      this.inFlight.count++
      const fiber = Effect.runForkWith(context)(send)
      if (this.ended !== undefined && this.ended !== true) {
        // A callback died while the fiber started.
        fiber.interruptUnsafe()
        return resume(this.ended)
      }
      this.#resume = resume
      this.#sending = fiber
      fiber.addObserver((exit) => {
        if (this.ended !== undefined) return
        this.#finish(true)
        resume(exit)
      })
      if (this.ended !== undefined) return
      if (this.due !== Infinity) this.deadlines.add(this)
      return Effect.suspend(() => {
        if (this.ended === undefined) this.#finish(true)
        return Fiber.interrupt(fiber)
      })
    })
  }

  /** Runs a callback of the user: it is interrupted with the request, and the request dies with it. */
  call(context: Context.Context<never>, callback: Effect.Effect<unknown>): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.ended !== undefined) return resume(Effect.void)
      const since = this.deadlines.now()
      const fiber = Effect.runForkWith(context)(callback)
      this.#callback = fiber
      fiber.addObserver((exit) => {
        this.#called(exit, since)
        resume(Effect.void)
      })
      return Effect.sync(() => fiber.interruptUnsafe())
    })
  }

  #called(exit: Exit.Exit<unknown>, since: number): void {
    this.#callback = undefined
    this.#due = Math.min(this.#due + this.deadlines.now() - since, this.#last)
    // Watched again, for it is due earlier than while the callback ran.
    if (this.ended === undefined && this.#due !== Infinity) this.deadlines.add(this)
    // An interruption comes from the end of the request or of the connection, which say themselves what happened.
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) this.end(Exit.failCause(exit.cause))
  }
}
