import * as Limits from "@effect-mcp/core/Limits"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { held } from "./support/garbage.ts"
import * as JumpingClock from "./support/jumpingClock.ts"

const data: SessionStore.SessionData = {
  revision: "2025-11-25",
  clientInfo: { name: "test", version: "1" },
  clientCapabilities: {},
  subscriptions: []
}

const hour = 3_600_000

const withLimits = (overrides: Parameters<typeof Limits.layer>[0]) =>
  SessionStore.layerMemory.pipe(Layer.provide(Limits.layer(overrides)))

const createMany = Effect.fnUntraced(function*(count: number, prefix: string) {
  const store = yield* SessionStore.SessionStore
  for (let i = 0; i < count; i++) yield* store.create(`${prefix}${i}`, { ...data })
})

describe("SessionStore", () => {
  it.effect("B9: a guessed, an expired and a deleted session are not there, and using one does not bring it back", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.create("expired", data)
      yield* TestClock.adjust("30 minutes")
      yield* store.create("deleted", data)
      yield* store.delete("deleted")
      for (const id of ["guessed", "expired", "deleted"]) {
        assert.isUndefined(yield* store.touch(id))
        assert.isUndefined(yield* store.get(id))
        assert.deepStrictEqual(
          yield* Effect.flip(store.update(id, 1, data)),
          new SessionStore.SessionConflict({ version: 1, current: undefined })
        )
        assert.isFalse(yield* store.delete(id))
      }
    }).pipe(Effect.provide(SessionStore.layerMemory)))

  it.effect("B9: the sessionIdle and sessionLifetime limits end a session to the millisecond", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.create("idle", data)
      yield* TestClock.adjust(99)
      assert.isDefined(yield* store.get("idle"))
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* store.get("idle"))

      yield* store.create("used", data)
      for (let age = 0; age < 250; age += 50) {
        assert.isDefined(yield* store.touch("used"))
        yield* TestClock.adjust(50)
      }
      assert.isUndefined(yield* store.touch("used"))
    }).pipe(Effect.provide(withLimits({ sessionIdle: 100, sessionLifetime: 250 }))))

  it.effect("the sessions limit is not filled by those that are too old, though they were used just now", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.create("a", data)
      yield* store.create("b", data)
      assert.strictEqual(
        (yield* Effect.flip(store.create("c", data))).message,
        "there are 2 sessions already (the limit sessions). Limits.layer({ sessions: ... }) raises it"
      )
      yield* TestClock.adjust(90)
      yield* store.touch("b")
      yield* store.touch("a")
      yield* TestClock.adjust(60)
      yield* store.create("c", data)
      yield* store.create("d", data)
      assert.strictEqual((yield* Effect.flip(store.create("e", data)))._tag, "TooManySessions")
    }).pipe(Effect.provide(withLimits({ sessions: 2, sessionIdle: 100, sessionLifetime: 150 }))))

  it.effect("by default there may be 10,000 sessions, unused for 30 minutes and 24 hours old", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* createMany(10_000, "s")
      assert.strictEqual((yield* Effect.flip(store.create("one more", data)))._tag, "TooManySessions")
      let minutes = 0
      for (; yield* store.touch("s1"); minutes += 29) yield* TestClock.adjust("29 minutes")
      assert.strictEqual(minutes, Math.ceil(24 * 60 / 29) * 29)
      yield* store.create("idle", data)
      yield* TestClock.adjust("30 minutes")
      assert.isUndefined(yield* store.get("idle"))
    }).pipe(Effect.provide(SessionStore.layerMemory)))

  it.effect("L4: 10,000 idle sessions expire, and nothing of them is held any more", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      const references: Array<WeakRef<object>> = []
      for (let i = 0; i < 10_000; i++) {
        references.push(new WeakRef((yield* store.create(`idle${i}`, { ...data })).data))
      }
      assert.strictEqual(yield* held(references), 10_000)
      yield* TestClock.adjust("30 minutes")
      // What expired at the same time goes in portions, with whatever else is done; and none of it is found before.
      yield* store.create("new", data)
      assert.isUndefined(yield* store.get("idle9999"))
      yield* createMany(50, "later")
      assert.strictEqual(yield* held(references), 0)
      assert.isDefined(yield* store.get("new"))
    }).pipe(Effect.provide(SessionStore.layerMemory)))

  it.effect("F14: the wall clock jumps an hour on and back, and no session ends early or lives on", () =>
    Effect.gen(function*() {
      const clock = yield* JumpingClock.make
      yield* Effect.gen(function*() {
        const store = yield* SessionStore.SessionStore
        yield* createMany(1_000, "s")
        for (const offset of [hour, -hour, 0]) {
          yield* clock.jumpTo(offset)
          for (let i = 0; i < 1_000; i++) assert.isDefined(yield* store.get(`s${i}`))
        }
        yield* clock.jumpTo(-hour)
        yield* TestClock.adjust("29 minutes")
        assert.isDefined(yield* store.touch("s1"))
        yield* TestClock.adjust("1 minute")
        for (let i = 0; i < 1_000; i++) assert.strictEqual((yield* store.get(`s${i}`)) !== undefined, i === 1)
      }).pipe(Effect.provide(SessionStore.layerMemory.pipe(Layer.provide(clock.layer))))
    }))

  it.effect("F14: the test clock is set back, and sessions still expire in their order", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* TestClock.setTime(2 * hour)
      yield* store.create("first", data)
      yield* TestClock.setTime(hour)
      yield* store.create("second", data)
      yield* TestClock.adjust("20 minutes")
      yield* store.touch("second")
      yield* TestClock.adjust("10 minutes")
      assert.isUndefined(yield* store.get("first"))
      assert.isDefined(yield* store.get("second"))
    }).pipe(Effect.provide(SessionStore.layerMemory)))

  it.effect("sessions leave from anywhere: any order of creating, touching and deleting keeps the rest", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      const used = new Map<string, number>()
      let state = 7
      const next = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
      let now = 0
      for (let i = 0; i < 3_000; i++) {
        const id = `s${next(40)}`
        const known = used.get(id)
        const alive = known !== undefined && now - known < 100
        switch (next(4)) {
          case 0: {
            assert.strictEqual((yield* Effect.result(store.create(id, data)))._tag, alive ? "Failure" : "Success")
            if (!alive) used.set(id, now)
            break
          }
          case 1: {
            assert.strictEqual((yield* store.touch(id)) !== undefined, alive)
            if (alive) used.set(id, now)
            break
          }
          case 2: {
            assert.strictEqual(yield* store.delete(id), alive)
            used.delete(id)
            break
          }
          default: {
            const step = next(12)
            now += step
            yield* TestClock.adjust(step)
          }
        }
      }
      for (const [id, time] of used) assert.strictEqual((yield* store.get(id)) !== undefined, now - time < 100)
    }).pipe(Effect.provide(withLimits({ sessionIdle: 100 }))))

  it.effect("errors say what was wrong, and no id is in them", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.create("secret", data)
      const exists = yield* Effect.flip(store.create("secret", data))
      assert.strictEqual(exists.message, "there is a session with this id already; ids need at least 128 random bits")
      const conflict = yield* Effect.flip(store.update("secret", 3, data))
      assert.strictEqual(conflict.message, "the session has version 1, and the update was made for version 3")
      yield* store.delete("secret")
      const gone = yield* Effect.flip(store.update("secret", 1, data))
      assert.strictEqual(gone.message, "the session is gone")
      assert.notInclude(JSON.stringify([exists, conflict, gone]), "secret")
      const down = new SessionStore.StoreUnavailable({ cause: new Error("ECONNREFUSED") })
      assert.strictEqual(down.message, "the store of sessions is not available")
    }).pipe(Effect.provide(SessionStore.layerMemory)))

  it.prop("what is kept survives the way through JSON", [SessionStore.SessionData], ([value]) => {
    const codec = Schema.fromJsonString(SessionStore.SessionData)
    const text = Schema.encodeSync(codec)(value)
    assert.strictEqual(Schema.encodeSync(codec)(Schema.decodeSync(codec)(text)), text)
  })
})
