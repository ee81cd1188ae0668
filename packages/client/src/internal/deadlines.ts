/**
 * The deadlines of all requests of a client, watched by one sleeping fiber.
 *
 * A timer per request would cost more than the rest of a short call. Here a request only enters and leaves a set. The
 * fiber sleeps until the earliest deadline it knows, looks at those still in the set, and sleeps again; since deadlines
 * are mostly equal, it hardly ever wakes up earlier than once per deadline. With no request in flight it is gone.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** A request that is waiting. `due` may move while it waits, and is read when the fiber looks. */
export interface Entry {
  readonly due: number
  readonly expire: (now: number) => void
}

export interface Deadlines {
  /** Milliseconds that no change of the wall clock disturbs. */
  readonly now: () => number
  readonly add: (entry: Entry) => void
  readonly remove: (entry: Entry) => void
}

export const make = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const entries = new Set<Entry>()
  let sleeper: Fiber.Fiber<void> | undefined
  let wakeAt = Infinity
  let closed = false

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const sleepUntil = (time: number) => {
    sleeper?.interruptUnsafe()
    wakeAt = time
    // A timer may fire a little early, which only costs one more look.
    sleeper = closed ? undefined : run(Effect.andThen(Effect.sleep(Math.ceil(time - now())), Effect.sync(look)))
  }

  const look = () => {
    // This is the sleeper itself, which must not be interrupted by what follows.
    sleeper = undefined
    wakeAt = Infinity
    const time = now()
    let earliest = Infinity
    for (const entry of entries) {
      if (entry.due <= time) {
        entries.delete(entry)
        entry.expire(time)
      } else if (entry.due < earliest) earliest = entry.due
    }
    // What expired may have sent something new, which has then set its own alarm.
    if (earliest < wakeAt) sleepUntil(earliest)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      sleeper?.interruptUnsafe()
    })
  )

  const deadlines: Deadlines = {
    now,
    add: (entry) => {
      entries.add(entry)
      if (entry.due < wakeAt) sleepUntil(entry.due)
    },
    remove: (entry) => {
      entries.delete(entry)
    }
  }
  return deadlines
})
