/**
 * A reader's wait for a consumer to make room. It is short: what one consumer does not take must not stop all the others.
 */
import * as Effect from "effect/Effect"

/** How long a consumer that takes nothing is waited for. */
const patience = "1 second"

/** How often that is, for one that is at work. */
const rounds = 5

export class Room {
  #wake: (() => void) | undefined
  #isFull = false
  #isGivenUp = false
  #hasMoved = false

  /** Whether it was waited for in vain, and nothing was taken since. */
  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** There is none, and it is to be waited for. */
  lack(): void {
    this.#isFull = true
    this.#hasMoved = false
  }

  /** The consumer is at work. */
  moved(): void {
    this.#hasMoved = true
  }

  /** Something was taken, or nothing will ever be. */
  made(): void {
    this.#isFull = false
    this.#isGivenUp = false
    this.#wake?.()
  }

  /** Waits until something is taken. */
  get wait(): Effect.Effect<void> {
    return this.#round(rounds)
  }

  #round(left: number): Effect.Effect<void> {
    return Effect.timeoutOrElse(this.#taken, {
      duration: patience,
      // On a machine that stood still the time is over before the consumer had its turn.
      orElse: () => Effect.andThen(Effect.yieldNow, Effect.suspend(() => this.#late(left)))
    })
  }

  readonly #taken: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (!this.#isFull) return resume(Effect.void)
    this.#wake = () => {
      this.#wake = undefined
      resume(Effect.void)
    }
    return Effect.sync(() => {
      this.#wake = undefined
    })
  })

  #late(left: number): Effect.Effect<void> {
    if (!this.#isFull) return Effect.void
    if (this.#hasMoved && left > 1) {
      this.#hasMoved = false
      return this.#round(left - 1)
    }
    this.#isGivenUp = true
    return Effect.void
  }
}
