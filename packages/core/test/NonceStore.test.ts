import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as JumpingClock from "./support/jumpingClock.ts"

const hour = 3_600_000

const withLimit = (nonces: number) => NonceStore.layerMemory.pipe(Layer.provide(Limits.layer({ nonces })))

describe("NonceStore", () => {
  it.effect("MRTR-17: a nonce is claimed once, to the millisecond", () =>
    Effect.gen(function*() {
      const store = yield* NonceStore.NonceStore
      assert.isTrue(yield* store.claim("one", 100))
      yield* TestClock.adjust(99)
      assert.isFalse(yield* store.claim("one", 100))
      yield* TestClock.adjust(1)
      assert.isTrue(yield* store.claim("one", 100))
    }).pipe(Effect.provide(NonceStore.layerMemory)))

  it.effect("the nonces limit: a full store refuses new nonces, and still knows those it has", () =>
    Effect.gen(function*() {
      const store = yield* NonceStore.NonceStore
      assert.isTrue(yield* store.claim("a", 200))
      assert.isTrue(yield* store.claim("b", 100))
      assert.strictEqual(
        (yield* Effect.flip(store.claim("c", 100))).message,
        "there are 2 nonces already (the limit nonces). Limits.layer({ nonces: ... }) raises it"
      )
      assert.isFalse(yield* store.claim("a", 100))
      yield* TestClock.adjust(100)
      assert.isTrue(yield* store.claim("c", 100))
      assert.strictEqual((yield* Effect.flip(store.claim("b", 100)))._tag, "TooManyNonces")
    }).pipe(Effect.provide(withLimit(2))))

  it.effect("by default there may be 100,000 nonces, and a flood that expires leaves room for the next", () =>
    Effect.gen(function*() {
      const store = yield* NonceStore.NonceStore
      for (let i = 0; i < 100_000; i++) yield* store.claim(`first ${i}`, hour)
      assert.strictEqual((yield* Effect.flip(store.claim("one more", hour)))._tag, "TooManyNonces")
      yield* TestClock.adjust(hour)
      for (let i = 0; i < 1_000; i++) assert.isTrue(yield* store.claim(`second ${i}`, hour))
    }).pipe(Effect.provide(NonceStore.layerMemory)))

  it.effect("a nonce that expired and was claimed again before it was removed stays claimed", () =>
    Effect.gen(function*() {
      const store = yield* NonceStore.NonceStore
      // More than one claim removes, and the one in question is the last of them.
      for (let i = 0; i < 1_000; i++) yield* store.claim(`${i}`, 100)
      yield* store.claim("again", 101)
      yield* TestClock.adjust(101)
      assert.isTrue(yield* store.claim("again", hour))
      for (let i = 0; i < 100; i++) assert.isFalse(yield* store.claim("again", hour))
    }).pipe(Effect.provide(withLimit(1_001))))

  it.effect("F14: the wall clock jumps an hour on and back, and no nonce is forgotten early or kept for longer", () =>
    Effect.gen(function*() {
      const clock = yield* JumpingClock.make
      yield* Effect.gen(function*() {
        const store = yield* NonceStore.NonceStore
        yield* store.claim("one", 100)
        for (const offset of [hour, -hour, 0]) {
          yield* clock.jumpTo(offset)
          assert.isFalse(yield* store.claim("one", 100))
        }
        yield* clock.jumpTo(-hour)
        yield* TestClock.adjust(100)
        assert.isTrue(yield* store.claim("one", 100))
      }).pipe(Effect.provide(NonceStore.layerMemory.pipe(Layer.provide(clock.layer))))
    }))

  it.effect("whatever the times and the order, a nonce is known for its time and no longer", () =>
    Effect.gen(function*() {
      const store = yield* NonceStore.NonceStore
      const until = new Map<string, number>()
      let state = 7
      const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
      let now = 0
      for (let i = 0; i < 5_000; i++) {
        if (next(4) === 0) {
          const step = next(12)
          now += step
          yield* TestClock.adjust(step)
        }
        const nonce = `n${next(60)}`
        const ttl = 1 + next(200)
        const isKnown = (until.get(nonce) ?? 0) > now
        const isFull = [...until.values()].filter((time) => time > now).length >= 30
        const result = yield* Effect.result(store.claim(nonce, ttl))
        if (isKnown) assert.deepStrictEqual(result, Result.succeed(false))
        else if (isFull) assert.strictEqual(result._tag, "Failure")
        else {
          assert.deepStrictEqual(result, Result.succeed(true))
          until.set(nonce, now + ttl)
        }
      }
    }).pipe(Effect.provide(withLimit(30))))

  it("errors say what was wrong, and what to do", () => {
    const down = new NonceStore.NonceStoreUnavailable({ cause: new Error("ECONNREFUSED") })
    assert.strictEqual(down.message, "the store of nonces is not available")
  })
})
