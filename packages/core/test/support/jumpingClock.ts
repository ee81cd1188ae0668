/** A clock whose wall time jumps, while as much time passes as on the clock it is made of. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const make = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  let jump = 0
  const millis = () => clock.currentTimeMillisUnsafe() + jump
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(jump) * 1_000_000n
  const layer = Layer.succeed(Clock.Clock, {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  })
  const jumpTo = (offset: number): Effect.Effect<void> =>
    Effect.sync(() => {
      jump = offset
    })
  return { layer, jumpTo }
})
