import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { KeepAlive, type Silent } from "../src/internal/server/keepAlive.ts"

class Waiting implements Silent {
  touched = 0
  readonly signs: Array<number> = []
  readonly now: () => number
  constructor(now: () => number) {
    this.now = now
  }
  keepAlive(): void {
    this.signs.push(this.now())
  }
}

const make = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const sweep = new KeepAlive(Duration.seconds(20), yield* Effect.scope, yield* Effect.context<never>())
  return { sweep, waiting: () => new Waiting(() => clock.currentTimeMillisUnsafe()) }
})

describe("KeepAlive", () => {
  it.effect("case 44: nothing is silent for longer than the interval, nor touched before three quarters of it", () =>
    Effect.gen(function*() {
      const { sweep, waiting } = yield* make
      const offsets = [0, 1, 4_999, 5_000, 7_500, 14_999]
      const added: Array<{ readonly at: number; readonly silent: Waiting }> = []
      let now = 0
      for (const at of offsets) {
        yield* TestClock.adjust(at - now)
        now = at
        const silent = waiting()
        sweep.add(silent)
        added.push({ at, silent })
      }
      yield* TestClock.adjust(100_000 - now)
      for (const { at, silent } of added) {
        const times = [at, ...silent.signs]
        for (let i = 1; i < times.length; i++) {
          const silence = (times[i] ?? 0) - (times[i - 1] ?? 0)
          assert.isAtMost(silence, 20_000)
          assert.isAbove(silence, 15_000)
        }
        assert.isAbove(silent.signs.length, 3)
      }
    }))

  it.effect("a sign of life postpones the next, and who is forgotten gives none", () =>
    Effect.gen(function*() {
      const { sweep, waiting } = yield* make
      const lively = waiting()
      const gone = waiting()
      sweep.add(lively)
      sweep.add(gone)
      yield* TestClock.adjust("15 seconds")
      lively.touched = sweep.tick
      sweep.delete(gone)
      yield* TestClock.adjust("19 seconds")
      assert.deepStrictEqual(lively.signs, [])
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(lively.signs, [35_000])
      assert.deepStrictEqual(gone.signs, [])
    }))

  it.effect("an idle server sweeps no more, and one that is used again does", () =>
    Effect.gen(function*() {
      const { sweep, waiting } = yield* make
      const first = waiting()
      sweep.add(first)
      sweep.delete(first)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(sweep.tick, 1)
      const second = waiting()
      sweep.add(second)
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(second.signs, 1)
    }))
})
