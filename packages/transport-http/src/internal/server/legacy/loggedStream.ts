/**
 * One event stream of a session, in the log: nothing is sent before it has been kept, and everything in its order.
 */
import type * as EventLog from "@effect-mcp/core/EventLog"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

/** What a stream needs of those who keep the streams. */
export interface Keeper {
  readonly log: EventLog.EventLog["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** How many events may wait for a slow log. */
  readonly waiting: number
  /** Whether the session has ended, so that nothing may be kept any more. */
  readonly isClosed: () => boolean
  /** Tells the operator that the log does not work. */
  readonly broken: (cause: Cause.Cause<unknown> | string) => void
}

/** Writes one stream. */
export class LoggedStream {
  readonly ref: EventLog.StreamRef
  readonly #keeper: Keeper
  /** What waits for its turn, while the log is at work. Each says whether it has ended at once. */
  #queue: Array<() => boolean> | undefined
  #isBroken = false

  constructor(keeper: Keeper, ref: EventLog.StreamRef) {
    this.#keeper = keeper
    this.ref = ref
  }

  /** Keeps an event and then gives its id, or `undefined` when the log does not work: the stream has to end then. */
  append(data: string, next: (id: string | undefined) => void): void {
    this.#do(() => this.#keeper.log.append(this.ref, data), next)
  }

  /** Nothing follows. */
  end(next: () => void): void {
    this.#do(() => this.#keeper.log.end(this.ref), next)
  }

  /** Goes on when everything before has been kept. */
  flushed(next: () => void): void {
    if (this.#queue === undefined) next()
    else this.#queue.push(() => (next(), true))
  }

  #do<A>(effect: () => Effect.Effect<A, EventLog.LogUnavailable>, next: (value: A | undefined) => void): void {
    const step = () => this.#start(effect, next)
    if (this.#queue === undefined) {
      step()
    } else if (this.#queue.length < this.#keeper.waiting) {
      this.#queue.push(step)
    } else {
      this.#break("more events wait for it than may (the limit streamBuffer)")
      next(undefined)
    }
  }

  #start<A>(effect: () => Effect.Effect<A, EventLog.LogUnavailable>, next: (value: A | undefined) => void): boolean {
    if (this.#isBroken || this.#keeper.isClosed()) {
      next(undefined)
      return true
    }
    const fiber = this.#keeper.run(effect())
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      next(this.#valueOf(exit))
      return true
    }
    this.#queue ??= []
    fiber.addObserver((exit) => {
      next(this.#valueOf(exit))
      this.#goOn()
    })
    return false
  }

  #goOn(): void {
    const queue = this.#queue ?? []
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) if (!step()) return
    this.#queue = undefined
  }

  #valueOf<A>(exit: Exit.Exit<A, EventLog.LogUnavailable>): A | undefined {
    if (Exit.isSuccess(exit)) return exit.value
    this.#break(exit.cause)
    return undefined
  }

  #break(cause: Cause.Cause<unknown> | string): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#keeper.broken(cause)
  }
}
