/** A store of sessions that several processes share, and one that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Resource from "@effect-mcp/core/Resource"
import { type ServerEndpoint, SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { stateOf } from "../../src/internal/requestState.ts"
import { start } from "../support.ts"
import { find, initializeParams, listen, openStored, over, settle, startCall, until } from "./support.ts"

type Store = SessionStore.SessionStore["Service"]

const Hello = McpServer.tool(Tool.make("hello"), () => Effect.succeed("hello"))
const Never = McpServer.tool(Tool.make("never"), () => Effect.never)
const features = Layer.merge(Hello, Never)

const memory = Effect.map(Layer.build(SessionStore.layerMemory), Context.get(SessionStore.SessionStore))

const startOn = (store: Store) => start(features).pipe(Effect.provideService(SessionStore.SessionStore, store))

const minute = 60_000

const isThere = (endpoint: ServerEndpoint, id: string) => Effect.map(find(endpoint, id), (found) => found !== undefined)

describe("two processes on one store", () => {
  const both = Effect.gen(function*() {
    const store = yield* memory
    const here = (yield* startOn(store)).endpoint
    const there = (yield* startOn(store)).endpoint
    return { store, here, there }
  })

  const foundIn = (endpoint: ServerEndpoint, id: string) =>
    Effect.map(find(endpoint, id), (session) => {
      assert(session !== undefined)
      return session
    })

  it.effect("a session that one opened is gone on with in the other, with all that is known of it", () =>
    Effect.gen(function*() {
      const { here, there } = yield* both
      const { id } = yield* openStored(here, "2025-03-26")
      const session = yield* foundIn(there, id)
      assert.deepStrictEqual([session.id, session.revision], [id, "2025-03-26"])
      assert.strictEqual((yield* over(session).call("hello")).content[0].text, "hello")
      const again = session.classify(JsonRpc.request(1, "initialize", initializeParams("2025-03-26")))
      assert.strictEqual(again._tag === "Rejected" ? again.error.code : undefined, -32600)
      // Found again, it is the same one.
      assert.strictEqual(yield* foundIn(there, id), session)
    }))

  it.effect("LOG-3: a level that was set in one is the level in the other from its next message on", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const logging = McpServer.tool(Tool.make("log"), () => Effect.as(Effect.log("text"), ""))
      const server = start(logging).pipe(Effect.provideService(SessionStore.SessionStore, store))
      const here = (yield* server).endpoint
      const there = (yield* server).endpoint
      const { id } = yield* openStored(here, "2025-11-25")
      const logs = (endpoint: ServerEndpoint) =>
        Effect.gen(function*() {
          let count = 0
          const session = yield* foundIn(endpoint, id)
          yield* over(session).call("log", undefined, { onMessage: () => Effect.sync(() => count++) })
          return count
        })
      assert.deepStrictEqual([yield* logs(here), yield* logs(there)], [0, 0])
      yield* over(yield* foundIn(there, id)).result("logging/setLevel", { level: "info" })
      assert.deepStrictEqual([yield* logs(here), yield* logs(there)], [1, 1])
      yield* over(yield* foundIn(here, id)).result("logging/setLevel", { level: "error" })
      assert.deepStrictEqual([yield* logs(there), yield* logs(here)], [0, 0])
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("RES-8: a subscription that was made in one is told of in the other from its next message on", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const bus = yield* ChangeBus.ChangeBus
      const notes = ["note://one", "note://two"].map((uri) =>
        McpServer.resource(Resource.make(uri), Effect.succeed(""))
      )
      const server = start(Layer.mergeAll(Layer.empty, ...notes)).pipe(
        Effect.provideService(SessionStore.SessionStore, store)
      )
      const here = (yield* server).endpoint
      const there = (yield* server).endpoint
      const { id } = yield* openStored(here, "2025-11-25")
      const heard = (yield* foundIn(here, id).pipe(Effect.map(listen))).heard
      const published = (uri: string) => Effect.andThen(bus.publish({ _tag: "ResourceUpdated", uri }), settle)
      yield* over(yield* foundIn(there, id)).result("resources/subscribe", { uri: "note://one" })
      yield* foundIn(here, id)
      yield* published("note://one")
      assert.deepStrictEqual(heard.map(({ params }) => params.uri), ["note://one"])
      // Both know both, though each has subscribed to one, and neither has it twice.
      yield* over(yield* foundIn(here, id)).result("resources/subscribe", { uri: "note://two" })
      const other = yield* foundIn(there, id)
      yield* over(other).result("resources/subscribe", { uri: "note://two" })
      assert.deepStrictEqual((yield* store.get(id))?.data.subscriptions, ["note://one", "note://two"])
      // A third process, which has just begun, knows them from the store.
      const third = (yield* server).endpoint
      const late = listen(yield* foundIn(third, id))
      yield* published("note://two")
      assert.deepStrictEqual(late.heard.map(({ params }) => params.uri), ["note://two"])
      yield* over(other).result("resources/unsubscribe", { uri: "note://one" })
      yield* foundIn(here, id)
      yield* published("note://one")
      assert.deepStrictEqual(heard.map(({ params }) => params.uri), ["note://one", "note://two"])
    }).pipe(Effect.provide(ChangeBus.layerMemory)))

  it.effect("RPC-4: the ids of questions are of one space, wherever the session lives", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const ids = new Set<JsonRpc.Id>()
      const asking = McpServer.tool(Tool.make("ask"), () =>
        Effect.flatMap(McpRequest.McpRequest, (request) =>
          Effect.as(stateOf(request)!.ask("roots/list", {}), "asked")))
      const server = start(asking).pipe(Effect.provideService(SessionStore.SessionStore, store))
      const here = (yield* server).endpoint
      const there = (yield* server).endpoint
      const { id } = yield* openStored(here, "2025-11-25")
      for (const endpoint of [here, there, here, there]) {
        const session = yield* foundIn(endpoint, id)
        const call = startCall(session, "tools/call", { name: "ask" }, {
          ask: (request) =>
            ids.add(request.id)
        })
        for (const asked of ids) session.accept(JsonRpc.success(asked, {}))
        yield* until(() => call.response !== undefined)
      }
      assert.strictEqual(ids.size, 4)
    }))

  it.effect("of two changes at once both are kept: who comes second reads and tries again", () =>
    Effect.gen(function*() {
      const { here, store, there } = yield* both
      const { id } = yield* openStored(here, "2025-11-25")
      const other = yield* foundIn(there, id)
      const session = yield* foundIn(here, id)
      yield* over(session).result("logging/setLevel", { level: "debug" })
      // It has not been found again, and so knows nothing of that.
      yield* over(other).result("logging/setLevel", { level: "error" })
      const entry = yield* store.get(id)
      assert.deepStrictEqual([entry?.version, entry?.data.logLevel], [3, "error"])
    }))

  it.effect("LHTTP-22: one that was closed in one is gone in the other, at the next message or soon after", () =>
    Effect.gen(function*() {
      const { here, there } = yield* both
      for (const asks of [true, false]) {
        const { id } = yield* openStored(here, "2025-11-25")
        const session = yield* foundIn(there, id)
        const ended: Array<string> = []
        session.onClose(() => ended.push("ended"))
        session.listen(() => {})
        yield* (yield* foundIn(here, id)).close
        assert.deepStrictEqual(ended, [])
        if (asks) assert.isUndefined(yield* find(there, id))
        else yield* TestClock.adjust(2 * minute)
        assert.deepStrictEqual(ended, ["ended"])
      }
    }))

  it.effect("B9: a change in a session that is gone is refused, and brings nothing back", () =>
    Effect.gen(function*() {
      const { here, store, there } = yield* both
      const { id } = yield* openStored(here, "2025-11-25")
      const session = yield* foundIn(there, id)
      yield* (yield* foundIn(here, id)).close
      assert.strictEqual((yield* over(session).error("logging/setLevel", { level: "debug" })).code, -32600)
      assert.isUndefined(yield* store.get(id))
    }))

  it.effect("one that is used in one process does not end in the other that has not heard of it for long", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const here = (yield* startOn(store)).endpoint
      const there = (yield* startOn(store)).endpoint
      const { id } = yield* openStored(here, "2025-11-25")
      const ended: Array<string> = []
      ;(yield* foundIn(here, id)).onClose(() => ended.push("here"))
      for (let n = 0; n < 10; n++) {
        yield* TestClock.adjust(9 * minute)
        yield* foundIn(there, id)
      }
      assert.deepStrictEqual(ended, [])
      yield* TestClock.adjust(20 * minute)
      assert.deepStrictEqual(ended, ["here"])
    }).pipe(Effect.provide(Limits.layer({ sessionIdle: 10 * minute }))))

  it.effect("a server that closes ends its sessions here, and leaves them to the others", () =>
    Effect.gen(function*() {
      const store = yield* memory
      const scope = yield* Scope.make()
      const here = (yield* Scope.provide(startOn(store), scope)).endpoint
      const there = (yield* startOn(store)).endpoint
      const session = yield* openStored(here, "2025-11-25")
      const ended: Array<string> = []
      session.onClose(() => ended.push("ended"))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(ended, ["ended"])
      // F16: it is not unknown, it is not here for now.
      assert.instanceOf(yield* Effect.flip(find(here, session.id)), SessionUnavailable)
      yield* foundIn(there, session.id)
    }))
})

describe("a store that is slow", () => {
  /** A store whose answers wait until they are let go. */
  const slow = Effect.map(memory, (store) => {
    const gates: Array<{ readonly name: string; readonly gate: Deferred.Deferred<void> }> = []
    const state = { isSlow: false }
    const held = (name: string) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        if (!state.isSlow) return effect
        const gate = Deferred.makeUnsafe<void>()
        gates.push({ name, gate })
        // Done at once, and known late.
        return Effect.tap(effect, () => Deferred.await(gate))
      })
    const service = SessionStore.SessionStore.of({
      create: (id, data) => held("create")(store.create(id, data)),
      get: (id) => held("get")(store.get(id)),
      touch: (id) => held("touch")(store.touch(id)),
      update: (id, version, data) => held("update")(store.update(id, version, data)),
      delete: (id) => held("delete")(store.delete(id))
    })
    const release = (name: string) =>
      Effect.sync(() => {
        for (const gate of gates) if (gate.name === name) Deferred.doneUnsafe(gate.gate, Effect.void)
      })
    return { service, state, store, release, gates }
  })

  it.effect("an answer that was overtaken by a newer one does not bring the older data back", () =>
    Effect.gen(function*() {
      const { release, gates, service, state } = yield* slow
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      const logging = () => {
        const outcome = session.classify(JsonRpc.request("x", "ping"))
        assert(outcome._tag === "Request")
        return outcome.meta.logLevel
      }
      state.isSlow = true
      const finding = yield* Effect.forkChild(find(endpoint, session.id), { startImmediately: true })
      yield* until(() => gates.length === 1)
      state.isSlow = false
      yield* over(session).result("logging/setLevel", { level: "error" })
      assert.strictEqual(logging(), "error")
      yield* release("touch")
      yield* until(() => finding.pollUnsafe() !== undefined)
      assert.strictEqual(logging(), "error")
    }))

  it.effect("LHTTP-28: two requests that find a sleeping session at once find the same one, and nobody else does", () =>
    Effect.gen(function*() {
      const { gates, service, state } = yield* slow
      const here = (yield* startOn(service)).endpoint
      const there = (yield* startOn(service)).endpoint
      const { id } = yield* openStored(here, "2025-11-25", "anna")
      state.isSlow = true
      const finding = (principal: string) => Effect.forkChild(find(there, id, principal), { startImmediately: true })
      const one = yield* finding("anna")
      const two = yield* finding("anna")
      const foreign = yield* finding("bob")
      yield* until(() => gates.length === 3)
      for (const { gate } of gates.slice(0, 2)) yield* Deferred.succeed(gate, undefined)
      // Whose it is is known before it counts as use.
      yield* until(() => gates.length === 5)
      for (const { gate } of gates.slice(3)) yield* Deferred.succeed(gate, undefined)
      const found = yield* Fiber.join(one)
      assert.isDefined(found)
      assert.strictEqual(yield* Fiber.join(two), found)
      // Who came when it was asleep, and is answered when it is not, is no better off.
      yield* Deferred.succeed(gates[2]!.gate, undefined)
      assert.isUndefined(yield* Fiber.join(foreign))
    }))

  it.effect("B9: one that is closed while it is being looked up does not come back", () =>
    Effect.gen(function*() {
      const { gates, release, service, state } = yield* slow
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      state.isSlow = true
      const finding = yield* Effect.forkChild(find(endpoint, session.id), { startImmediately: true })
      yield* until(() => gates.length === 1)
      state.isSlow = false
      yield* session.close
      yield* release("touch")
      assert.isUndefined(yield* Fiber.join(finding))
    }))

  it.effect("a session that ends while something of it is being written is not kept", () =>
    Effect.gen(function*() {
      const { release, gates, service, state } = yield* slow
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      state.isSlow = true
      const call = startCall(session, "logging/setLevel", { level: "debug" })
      yield* until(() => gates.length === 1)
      state.isSlow = false
      yield* session.close
      yield* release("update")
      const ends: Array<unknown> = []
      call.onEnd((response) => ends.push(response))
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(ends, [undefined])
      assert.isFalse(yield* isThere(endpoint, session.id))
    }))

  it.effect("a store that says for ever that others were faster is given up", () =>
    Effect.gen(function*() {
      const store = yield* memory
      let tries = 0
      const service = SessionStore.SessionStore.of({
        ...store,
        update: (_, version) => {
          tries++
          return Effect.fail(new SessionStore.SessionConflict({ version, current: version + 1 }))
        }
      })
      const { endpoint } = yield* startOn(service)
      const session = yield* openStored(endpoint, "2025-11-25")
      assert.strictEqual((yield* over(session).error("logging/setLevel", { level: "debug" })).code, -32603)
      assert.isBelow(tries, 100)
    }))
})
