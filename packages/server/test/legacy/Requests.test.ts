/** Ids, and requests that are given up. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Session } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { start } from "../support.ts"
import { find, open, openStored, over, startCall, until } from "./support.ts"

const Wait = Tool.make("wait")
const Quick = Tool.make("quick")

/** A tool that waits to be let go, and one that does not. */
const waiting = Effect.map(Deferred.make<string>(), (gate) => {
  const log: Array<string> = []
  const features = Layer.merge(
    McpServer.tool(Wait, () =>
      Effect.sync(() => log.push("started")).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.onInterrupt(() => Effect.sync(() => log.push("interrupted")))
      )),
    McpServer.tool(Quick, () => Effect.succeed("quick"))
  )
  return { features, log, release: Deferred.succeed(gate, "done") }
})

const startWait = (session: Session, id: JsonRpc.Id = 1, emitted: Array<string> = []) => {
  const call = startCall(session, "tools/call", { name: "wait", _meta: { progressToken: 1 } }, {
    id,
    emit: ({ method }) => emitted.push(method)
  })
  const ends: Array<JsonRpc.Response | undefined> = []
  call.onEnd((response) => ends.push(response))
  return { call, ends }
}

const codeOf = (response: JsonRpc.Response | undefined) =>
  response?._tag === "Failure" ? response.error.code : response?._tag

describe("ids", () => {
  it.effect("RPC-5, cases 20 and 23, trap 22: an id comes back as it is, with its type", () =>
    Effect.gen(function*() {
      const { features } = yield* waiting
      const { endpoint } = yield* start(features)
      const peer = yield* open(endpoint, "2025-11-25")
      for (const id of [0, -1, 7, "7", "", "0", "a b", Number.MAX_SAFE_INTEGER, "x".repeat(10_000)]) {
        assert.strictEqual((yield* peer.request("tools/list", {}, { id })).id, id)
        assert.strictEqual((yield* peer.request("nope", {}, { id })).id, id)
        assert.strictEqual((yield* peer.request("tools/call", { name: "nope" }, { id })).id, id)
      }
    }))

  it.effect("case 26, B15: an id that is in use is refused, and the first request goes on", () =>
    Effect.gen(function*() {
      const { features, log, release } = yield* waiting
      const { endpoint } = yield* start(features)
      const session = yield* openStored(endpoint, "2025-11-25")
      const first = startWait(session, 5)
      const second = startCall(session, "tools/call", { name: "quick" }, { id: 5 })
      assert.strictEqual(codeOf(second.response), -32600)
      assert.strictEqual(second.response?.id, 5)
      // Another type is another id.
      assert.strictEqual(startCall(session, "tools/call", { name: "quick" }, { id: "5" }).response?._tag, "Success")
      // The refused one is no way to cancel the first.
      second.cancel()
      assert.deepStrictEqual(log, ["started"])
      yield* release
      yield* until(() => first.ends.length > 0)
      assert.strictEqual(first.ends[0]?._tag, "Success")
      // RPC-3: after the answer the id is free again.
      assert.strictEqual(startCall(session, "tools/call", { name: "quick" }, { id: 5 }).response?._tag, "Success")
    }))

  it.effect("B15, C1: two sessions may use the same id, and the answers do not cross", () =>
    Effect.gen(function*() {
      const { features, release } = yield* waiting
      const { endpoint } = yield* start(features)
      const one = yield* openStored(endpoint, "2025-11-25")
      const other = yield* openStored(endpoint, "2025-03-26")
      const first = startWait(one)
      const second = startWait(other)
      one.cancel(1)
      assert.deepStrictEqual([first.ends, second.ends], [[undefined], []])
      yield* release
      yield* until(() => second.ends.length > 0)
      assert.strictEqual(codeOf(second.ends[0]), "Success")
    }))
})

describe("giving up", () => {
  it.effect("CAN-4, CAN-5, case 38: a request is cancelled from another connection, and is not answered", () =>
    Effect.gen(function*() {
      const { features, log } = yield* waiting
      const { endpoint } = yield* start(features)
      const session = yield* openStored(endpoint, "2025-11-25")
      const { ends } = startWait(session, "slow")
      const elsewhere = yield* find(endpoint, session.id)
      assert(elsewhere !== undefined)
      const outcome = elsewhere.classify(
        JsonRpc.notification("notifications/cancelled", { requestId: "slow", reason: "enough" })
      )
      assert(outcome._tag === "Cancel")
      elsewhere.cancel(outcome.requestId)
      assert.deepStrictEqual(log, ["started", "interrupted"])
      assert.deepStrictEqual(ends, [undefined])
      // Its id is free again.
      assert.strictEqual(startCall(session, "tools/call", { name: "quick" }, { id: "slow" }).response?._tag, "Success")
    }))

  it.effect("CAN-5, CAN-6, B15: a cancellation of nothing, or of what is answered, changes nothing", () =>
    Effect.gen(function*() {
      const { features, log, release } = yield* waiting
      const { endpoint } = yield* start(features)
      const session = yield* openStored(endpoint, "2025-11-25")
      const { ends } = startWait(session, 1)
      for (const id of ["1", 0, "", 2]) session.cancel(id)
      assert.deepStrictEqual(log, ["started"])
      yield* release
      yield* until(() => ends.length > 0)
      session.cancel(1)
      assert.strictEqual(codeOf(ends[0]), "Success")
      assert.strictEqual(ends.length, 1)
    }))

  it.effect("CAN-5, case 53: nothing is sent for a request that was given up, whatever its finalizers do", () =>
    Effect.gen(function*() {
      const emitted: Array<string> = []
      const tool = McpServer.tool(Wait, () =>
        Effect.andThen(Progress.report({ progress: 1 }), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.andThen(Progress.report({ progress: 2 }), Effect.log("bye")))
        ))
      const { endpoint } = yield* start(tool)
      const session = yield* openStored(endpoint, "2025-11-25")
      yield* over(session).result("logging/setLevel", { level: "debug" })
      const { ends } = startWait(session, 1, emitted)
      session.cancel(1)
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(emitted, ["notifications/progress"])
    }))

  it.effect("CAN-2: in memory, interrupting a request gives it up", () =>
    Effect.gen(function*() {
      const { features, log } = yield* waiting
      const { endpoint } = yield* start(features)
      const peer = yield* open(endpoint, "2025-11-25")
      const fiber = yield* Effect.forkChild(peer.call("wait"), { startImmediately: true })
      yield* until(() => log.includes("started"))
      yield* Fiber.interrupt(fiber)
      yield* until(() => log.includes("interrupted"))
    }))

  it.effect("LHTTP-12, trap 8: a session knows nothing of connections: what is not cancelled goes on", () =>
    Effect.gen(function*() {
      const { features, release } = yield* waiting
      const { endpoint } = yield* start(features)
      const session = yield* openStored(endpoint, "2025-11-25")
      const stop = session.listen(() => {})
      const { ends } = startWait(session)
      stop()
      yield* release
      yield* until(() => ends.length > 0)
      assert.strictEqual(codeOf(ends[0]), "Success")
    }))
})

describe("the end of the server", () => {
  it.effect("F16: interrupts what is running in sessions, waits for it, and refuses what comes then", () =>
    Effect.gen(function*() {
      const { features, log } = yield* waiting
      const scope = yield* Scope.make()
      const { endpoint } = yield* Scope.provide(start(features), scope)
      const session = yield* openStored(endpoint, "2025-11-25")
      const ended: Array<string> = []
      session.onClose(() => ended.push("closed"))
      const { ends } = startWait(session)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual([log, ended, ends], [["started", "interrupted"], ["closed"], [undefined]])
      assert.strictEqual(codeOf(startCall(session, "tools/call", { name: "quick" }).response), -32600)
    }))
})
