/** Sessions that live in the store: who finds them, for how long, and in which process. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import { type ServerEndpoint, SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { TestClock } from "effect/testing"
import { start } from "../support.ts"
import { exchange, find, initializeParams, legacyOf, openStored, over, startCall } from "./support.ts"

type Store = SessionStore.SessionStore["Service"]

const Hello = McpServer.tool(Tool.make("hello"), () => Effect.succeed("hello"))
const Never = McpServer.tool(Tool.make("never"), () => Effect.never)
const features = Layer.merge(Hello, Never)

const memory = Effect.map(Layer.build(SessionStore.layerMemory), Context.get(SessionStore.SessionStore))

const startOn = (store: Store) => start(features).pipe(Effect.provideService(SessionStore.SessionStore, store))

const startWith = (limits: Partial<Limits.Values>) =>
  Effect.map(start(features), ({ endpoint }) => endpoint).pipe(Effect.provide(Limits.layer(limits)))

const minute = 60_000

const isThere = (endpoint: ServerEndpoint, id: string) => Effect.map(find(endpoint, id), (found) => found !== undefined)

describe("the id of a session", () => {
  it.effect("LHTTP-19, LHTTP-28: is long, visible, made of secure randomness, and no other session has it", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      const random = Context.get(yield* Layer.build(SecureRandom.layerWebCrypto), SecureRandom.SecureRandom)
      const counting = new Proxy(random, {
        get: (target, key) =>
          key === "randomBytes"
            ? (size: number) => {
              sizes.push(size)
              return target.randomBytes(size)
            }
            : Reflect.get(target, key)
      })
      const { endpoint } = yield* start(features).pipe(Effect.provideService(SecureRandom.SecureRandom, counting))
      const ids = new Set<string>()
      for (let n = 0; n < 100; n++) {
        const { id } = yield* openStored(endpoint, "2025-11-25")
        assert.match(id, /^[\x21-\x7e]{22,128}$/)
        ids.add(id)
      }
      assert.strictEqual(ids.size, 100)
      assert.isAtLeast(Math.min(...sizes), 16)
      assert.strictEqual(sizes.length, 100)
    }))

  it.effect("B9: an id that was guessed, is malformed, or of a session that was closed, finds nothing", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const { close, id } = yield* openStored(endpoint, "2025-11-25")
      for (
        const guess of ["", " ", `${id} `, id.slice(1), id.toUpperCase(), "x".repeat(10_000), "\u0000", "__proto__"]
      ) {
        if (guess !== id) assert.isFalse(yield* isThere(endpoint, guess))
      }
      assert.isTrue(yield* isThere(endpoint, id))
      yield* close
      assert.isFalse(yield* isThere(endpoint, id))
    }))
})

describe("whose a session is", () => {
  it.effect("LHTTP-28, B9: only the principal that opened it finds it, in this process and in others", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const here = (yield* startOn(store)).endpoint
      const { id } = yield* openStored(here, "2025-11-25", "anna")
      const there = (yield* startOn(store)).endpoint
      for (const endpoint of [here, there]) {
        for (const other of ["bob", "", "Anna", "anna ", undefined]) {
          assert.isUndefined(yield* find(endpoint, id, other), `${other}`)
        }
        assert.isDefined(yield* find(endpoint, id, "anna"))
        assert.isUndefined(yield* find(endpoint, id, "bob"))
      }
      // The other way round: what nobody owned does not become somebody's.
      const open = yield* openStored(here, "2025-11-25")
      for (const endpoint of [here, there]) {
        assert.isUndefined(yield* find(endpoint, open.id, "anna"))
        assert.isDefined(yield* find(endpoint, open.id))
      }
    }))

  it.effect("LHTTP-28: the store is given a digest, and not the name", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const { endpoint } = yield* startOn(store)
      const name = "anna@example.com"
      const { id } = yield* openStored(endpoint, "2025-11-25", name)
      const entry = yield* store.get(id)
      assert.notInclude(JSON.stringify(entry), "anna")
      assert.match(entry?.data.principal ?? "", /^[0-9a-f]{64}$/)
      const other = yield* openStored(endpoint, "2025-11-25")
      assert.notProperty((yield* store.get(other.id))?.data, "principal")
    }))

  it.effect("LHTTP-28, B9: who may not have a session does not keep it alive by trying", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessionIdle: 10 * minute })
      const { id } = yield* openStored(endpoint, "2025-11-25", "anna")
      for (let n = 0; n < 3; n++) {
        yield* TestClock.adjust(4 * minute)
        assert.isUndefined(yield* find(endpoint, id, "bob"))
      }
      assert.isUndefined(yield* find(endpoint, id, "anna"))
    }))

  it.effect("LHTTP-28, B9: nor in another process, where it is asleep", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const { id } = yield* openStored((yield* startOn(store)).endpoint, "2025-11-25", "anna")
      const there = (yield* startOn(store)).endpoint
      for (let n = 0; n < 3; n++) {
        yield* TestClock.adjust(4 * minute)
        assert.isUndefined(yield* find(there, id, "bob"))
      }
      assert.isUndefined(yield* store.get(id))
    }).pipe(Effect.provide(Limits.layer({ sessionIdle: 10 * minute }))))
})

describe("how long a session lives", () => {
  it.effect("B9: one that was not used for sessionIdle is gone, and use gives it all of that again", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessionIdle: 10 * minute })
      const { id } = yield* openStored(endpoint, "2025-11-25")
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust(9 * minute)
        assert.isTrue(yield* isThere(endpoint, id))
      }
      yield* TestClock.adjust(10 * minute)
      assert.isFalse(yield* isThere(endpoint, id))
    }))

  it.effect("its end is noticed though nobody comes: what waits for it is told", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessionIdle: 10 * minute })
      const session = yield* openStored(endpoint, "2025-11-25")
      const ended: Array<string> = []
      session.onClose(() => ended.push("ended"))
      yield* TestClock.adjust(9 * minute)
      assert.deepStrictEqual(ended, [])
      yield* TestClock.adjust(5 * minute)
      assert.deepStrictEqual(ended, ["ended"])
      assert.strictEqual((yield* over(session).error("ping")).code, -32600)
    }))

  it.effect("one that is listened to, or in which a call is running, is in use", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessionIdle: 10 * minute })
      const listened = yield* openStored(endpoint, "2025-11-25")
      const calling = yield* openStored(endpoint, "2025-11-25")
      const idle = yield* openStored(endpoint, "2025-11-25")
      const stop = listened.listen(() => {})
      const call = startCall(calling, "tools/call", { name: "never" }, { id: 1 })
      yield* TestClock.adjust(60 * minute)
      assert.isFalse(yield* isThere(endpoint, idle.id))
      assert.isTrue(yield* isThere(endpoint, listened.id))
      assert.isTrue(yield* isThere(endpoint, calling.id))
      stop()
      calling.cancel(1)
      assert.isUndefined(call.response)
      yield* TestClock.adjust(20 * minute)
      assert.isFalse(yield* isThere(endpoint, listened.id))
      assert.isFalse(yield* isThere(endpoint, calling.id))
    }))

  it.effect("B9: no use makes it older than sessionLifetime, and then its calls are interrupted", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessionIdle: 10 * minute, sessionLifetime: 60 * minute })
      const session = yield* openStored(endpoint, "2025-11-25")
      session.listen(() => {})
      const call = startCall(session, "tools/call", { name: "never" })
      const ends: Array<unknown> = []
      call.onEnd((response) => ends.push(response))
      session.onClose(() => ends.push("closed"))
      yield* TestClock.adjust(58 * minute)
      assert.isTrue(yield* isThere(endpoint, session.id))
      assert.deepStrictEqual(ends, [])
      yield* TestClock.adjust(5 * minute)
      assert.deepStrictEqual(ends, [undefined, "closed"])
      assert.isFalse(yield* isThere(endpoint, session.id))
    }))

  it.effect("sessions: one more than may be is refused, and none is ended to make room", () =>
    Effect.gen(function*() {
      const endpoint = yield* startWith({ sessions: 2, sessionIdle: 10 * minute })
      const first = yield* openStored(endpoint, "2025-11-25")
      yield* openStored(endpoint, "2025-11-25")
      const message = JsonRpc.request(1, "initialize", initializeParams("2025-11-25"))
      const open = legacyOf(endpoint).open(message, exchange(), "stored")
      const error = yield* Effect.flip(open)
      assert.instanceOf(error, SessionUnavailable)
      assert.include(error.message, "the limit sessions")
      assert.isTrue(yield* isThere(endpoint, first.id))
      // Sessions of connections do not count, and neither does a client that has none.
      assert.isDefined((yield* legacyOf(endpoint).open(message, exchange(), "connection")).session)
      assert.strictEqual((yield* legacyOf(endpoint).open(message, exchange(), "none")).response._tag, "Success")
      yield* first.close
      assert.isDefined((yield* open).session)
      assert.instanceOf(yield* Effect.flip(open), SessionUnavailable)
      yield* TestClock.adjust(10 * minute)
      assert.isDefined((yield* open).session)
    }))

  it.effect("LHTTP-24, B9: closing deletes it, interrupts what runs, and tells who waits; once more does nothing", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const { endpoint } = yield* startOn(store)
      const session = yield* openStored(endpoint, "2025-11-25")
      const call = startCall(session, "tools/call", { name: "never" })
      const log: Array<unknown> = []
      call.onEnd((response) => log.push(["call", response]))
      session.onClose(() => log.push("closed"))
      yield* session.close
      yield* session.close
      assert.deepStrictEqual(log, [["call", undefined], "closed"])
      assert.isUndefined(yield* store.get(session.id))
      assert.isUndefined(yield* find(endpoint, session.id))
    }))
})

describe("a store that does not work", () => {
  const down = Effect.fail(new SessionStore.StoreUnavailable({ cause: new Error("ECONNREFUSED") }))

  /** A store that can be switched off. */
  const switched = Effect.map(memory, (store) => {
    const state = { isDown: false, dies: false }
    const unless = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | SessionStore.StoreUnavailable> =>
      Effect.suspend((): Effect.Effect<A, E | SessionStore.StoreUnavailable> => {
        if (state.dies) return Effect.die(new Error("broken driver"))
        return state.isDown ? down : effect
      })
    const service = SessionStore.SessionStore.of({
      create: (id, data) => unless(store.create(id, data)),
      get: (id) => unless(store.get(id)),
      touch: (id) => unless(store.touch(id)),
      update: (id, version, data) => unless(store.update(id, version, data)),
      delete: (id) => unless(store.delete(id))
    })
    return { service, state, store }
  })

  it.effect("F4: what needs it fails, and nothing goes on from memory", () =>
    Effect.gen(function*() {
      const { service, state } = yield* switched
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      state.isDown = true
      const message = JsonRpc.request(1, "initialize", initializeParams("2025-11-25"))
      for (
        const attempt of [
          Effect.asVoid(legacyOf(endpoint).open(message, exchange(), "stored")),
          Effect.asVoid(find(endpoint, session.id)),
          Effect.asVoid(find(endpoint, "unknown"))
        ]
      ) {
        const error = yield* Effect.flip(attempt)
        assert.instanceOf(error, SessionUnavailable)
        assert.notInclude(error.message, "ECONNREFUSED")
      }
      const error = yield* over(session).error("logging/setLevel", { level: "debug" })
      assert.deepStrictEqual([error.code, error.message.includes("ECONNREFUSED")], [-32603, false])
      // What needs no store is served.
      assert.isDefined((yield* legacyOf(endpoint).open(message, exchange(), "connection")).session)
      assert.strictEqual((yield* over(legacyOf(endpoint).stateless("2025-11-25")).result("tools/list")).tools.length, 2)
      state.isDown = false
      assert.strictEqual(yield* find(endpoint, session.id), session)
      yield* over(session).result("logging/setLevel", { level: "debug" })
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("a session that cannot be deleted has ended here all the same, and the operator is told", () =>
    Effect.gen(function*() {
      const warnings: Array<string> = []
      const logger = Logger.layer([Logger.make(({ logLevel, message }) => {
        warnings.push(`${logLevel} ${[message].flat()[0]}`)
      })])
      const { service, state } = yield* switched
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      const ended: Array<string> = []
      session.onClose(() => ended.push("ended"))
      state.isDown = true
      yield* Effect.provide(session.close, logger)
      assert.deepStrictEqual(ended, ["ended"])
      assert.match(warnings.join(), /^Warn A session could not be deleted/)
      assert.strictEqual((yield* over(session).error("tools/list")).code, -32600)
    }))

  for (const fault of ["isDown", "dies"] as const) {
    it.effect(`F4: an outage (${fault}) ends no session, and those that expire in it are noticed after it`, () =>
      Effect.gen(function*() {
        const { service, state } = yield* switched
        const { endpoint } = yield* startOn(service)
        const idle = yield* openStored(endpoint, "2025-11-25")
        const busy = yield* openStored(endpoint, "2025-11-25")
        busy.listen(() => {})
        const ended: Array<string> = []
        idle.onClose(() => ended.push("idle"))
        busy.onClose(() => ended.push("busy"))
        yield* TestClock.adjust(20 * minute)
        state[fault] = true
        yield* TestClock.adjust(8 * minute)
        state[fault] = false
        yield* TestClock.adjust(1 * minute)
        assert.deepStrictEqual(ended, [])
        state[fault] = true
        yield* TestClock.adjust(10 * minute)
        state[fault] = false
        yield* TestClock.adjust(2 * minute)
        assert.deepStrictEqual(ended, ["idle"])
        assert.isTrue(yield* isThere(endpoint, busy.id))
      }).pipe(Effect.provide(Layer.merge(Limits.layer({ sessionIdle: 30 * minute }), Logger.layer([])))))
  }
})
