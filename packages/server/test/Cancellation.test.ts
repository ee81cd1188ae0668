import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { awaitCall, type Call, type ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Peer, requestMeta, start } from "./support.ts"

const Slow = Tool.make("slow", {})

/** Calls `slow` as a transport does, and writes down how the call ended. */
const startSlow = (endpoint: ServerEndpoint, emitted: Array<string> = []) => {
  const meta = requestMeta({ progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" })
  const outcome = endpoint.classify(JsonRpc.request(1, "tools/call", { name: "slow", _meta: meta }))
  assert(outcome._tag === "Request")
  const call: Call = endpoint.call(outcome, {
    transport: "test",
    context: Context.empty(),
    principal: undefined,
    mirrored: undefined,
    emit: ({ method }) => emitted.push(method),
    drained: Effect.void,
    ask: undefined
  })
  const ends: Array<JsonRpc.Response | undefined> = []
  call.onEnd((response) => ends.push(response))
  return { call, ends }
}

/** A tool that never ends, with finalizers that say so. */
const never = (log: Array<string>, finalizer: Effect.Effect<void> = Effect.void) =>
  McpServer.tool(Slow, () =>
    Effect.gen(function*() {
      yield* Effect.addFinalizer((exit) => Effect.andThen(finalizer, Effect.sync(() => log.push(`scope ${exit._tag}`))))
      yield* Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push("interrupted")))
      return "never"
    }))

describe("cancellation", () => {
  it.effect("CAN-5, STDIO-11: interrupts the handler, runs its finalizers, and nothing is answered", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const { endpoint } = yield* start(never(log))
      const { call, ends } = startSlow(endpoint)
      assert.deepStrictEqual(ends, [])
      call.cancel()
      assert.deepStrictEqual(log, ["interrupted", "scope Failure"])
      assert.deepStrictEqual([ends, call.response], [[undefined], undefined])
      // CAN-6: once more changes nothing.
      call.cancel()
      assert.deepStrictEqual(ends, [undefined])
    }))

  it.effect("CAN-3, CAN-5: nothing is sent by finalizers of a cancelled call", () =>
    Effect.gen(function*() {
      const emitted: Array<string> = []
      const tool = McpServer.tool(Slow, () =>
        Effect.onInterrupt(Effect.never, () => Effect.andThen(Progress.report({ progress: 1 }), Effect.log("bye"))))
      const { endpoint } = yield* start(tool)
      const { call, ends } = startSlow(endpoint, emitted)
      call.cancel()
      assert.deepStrictEqual([ends, emitted], [[undefined], []])
    }))

  it.effect("CAN-6: a cancellation that comes after the answer changes nothing", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(McpServer.tool(Slow, () => Effect.succeed("done")))
      const { call, ends } = startSlow(endpoint)
      call.cancel()
      assert.strictEqual(ends[0]?._tag, "Success")
      assert.strictEqual(call.response, ends[0])
    }))

  it.effect("CAN-6: a handler that ends though it was cancelled is not answered", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const stubborn = McpServer.tool(Slow, () => Effect.uninterruptible(Effect.as(latch.await, "done")))
      const { endpoint } = yield* start(stubborn)
      const { call, ends } = startSlow(endpoint)
      call.cancel()
      assert.deepStrictEqual(ends, [])
      yield* latch.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(ends, [undefined])
    }))

  it.effect("CAN-5: interrupting the wait for an answer cancels", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const peer = yield* start(never(log))
      const fiber = yield* Effect.forkChild(peer.call("slow"), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(log, ["interrupted", "scope Failure"])
      const other = startSlow(peer.endpoint)
      const waiting = yield* Effect.forkChild(awaitCall(other.call), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(other.ends, [undefined])
    }))

  it.effect("CAN-5: cancelling one call leaves the others alone", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const { endpoint } = yield* start(McpServer.tool(Slow, () => Effect.as(latch.await, "done")))
      const one = startSlow(endpoint)
      const other = startSlow(endpoint)
      one.call.cancel()
      yield* latch.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(one.ends, [undefined])
      assert.strictEqual(other.ends[0]?._tag, "Success")
    }))
})

describe("the scope of a call", () => {
  it.effect("is closed before the answer is there, also when closing takes time", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const log: Array<string> = []
      const tool = McpServer.tool(Slow, () =>
        Effect.as(
          Effect.addFinalizer((exit) => Effect.andThen(latch.await, Effect.sync(() => log.push(exit._tag)))),
          "done"
        ))
      const { endpoint } = yield* start(tool)
      const { call, ends } = startSlow(endpoint)
      assert.deepStrictEqual([ends, call.response], [[], undefined])
      yield* latch.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(log, ["Success"])
      assert.strictEqual(ends[0]?._tag, "Success")
    }))

  it.effect("takes fibers that the handler forked into it along", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const tool = McpServer.tool(Slow, () =>
        Effect.never.pipe(
          Effect.onInterrupt(() => Effect.sync(() => log.push("child interrupted"))),
          Effect.forkScoped({ startImmediately: true }),
          Effect.as("done")
        ))
      const peer = yield* start(tool)
      assert.strictEqual((yield* peer.call("slow")).content[0].text, "done")
      assert.deepStrictEqual(log, ["child interrupted"])
    }))
})

describe("closing the server", () => {
  const startIn = <R>(features: Layer.Layer<never, never, R>) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const peer = yield* Scope.provide(start(features), scope)
      return { peer, close: Scope.close(scope, Exit.void) }
    })

  it.effect("F16: ends the calls in flight before what their features acquired is released", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const resource = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => log.push("released"))))
      const { close, peer } = yield* startIn(never(log).pipe(Layer.provide(resource)))
      const one = startSlow(peer.endpoint)
      const other = startSlow(peer.endpoint)
      yield* close
      assert.deepStrictEqual(log, ["interrupted", "scope Failure", "interrupted", "scope Failure", "released"])
      // The transport is told, whoever else was waiting.
      assert.deepStrictEqual([one.ends, other.ends], [[undefined], [undefined]])
    }))

  it.effect("F16: waits for finalizers of calls", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const log: Array<string> = []
      const { close, peer } = yield* startIn(never(log, latch.await))
      startSlow(peer.endpoint)
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(closing.pollUnsafe())
      yield* latch.open
      yield* Fiber.join(closing)
      assert.deepStrictEqual(log, ["interrupted", "scope Failure"])
    }))

  it.effect("F16: a call that comes too late is refused", () =>
    Effect.gen(function*() {
      const { close, peer } = yield* startIn(McpServer.tool(Slow, () => Effect.succeed("done")))
      yield* close
      const error = yield* (peer as Peer).error("tools/call", { name: "slow" })
      assert.strictEqual(error.code, -32603)
    }))
})
