/**
 * Time that no change of the wall clock disturbs.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Reads it, in milliseconds from some point on. */
export const elapsed: Effect.Effect<() => number> = Effect.map(
  Clock.Clock,
  (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
)
