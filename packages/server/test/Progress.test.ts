import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { awaitCall, type Exchange, type ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { requestMeta, start } from "./support.ts"

const Work = Tool.make("work", {})

const reporting = (reports: ReadonlyArray<Progress.Progress>) =>
  McpServer.tool(Work, () => Effect.as(Effect.forEach(reports, (report) => Progress.report(report)), "done"))

/** What a call of the tool tells on the way. */
const progressOf = (reports: ReadonlyArray<Progress.Progress>, token: JsonRpc.Id | undefined) =>
  Effect.gen(function*() {
    const peer = yield* start(reporting(reports))
    const sent: Array<JsonRpc.JsonObject | undefined> = []
    yield* peer.call("work", {}, {
      meta: { progressToken: token },
      onNotification: ({ method, params }) =>
        Effect.sync(() => {
          assert.strictEqual(method, "notifications/progress")
          sent.push(params)
        })
    })
    return sent
  })

/** Calls the tool as a transport does. */
const startCall = (
  endpoint: ServerEndpoint,
  exchange: { readonly emit: (notification: JsonRpc.Notification) => void; readonly drained?: Effect.Effect<void> }
) => {
  const meta = requestMeta({ progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" })
  const outcome = endpoint.classify(JsonRpc.request(1, "tools/call", { name: "work", _meta: meta }))
  assert(outcome._tag === "Request")
  const full: Exchange = {
    transport: "test",
    context: Context.empty(),
    principal: undefined,
    mirrored: undefined,
    drained: Effect.void,
    ask: undefined,
    ...exchange
  }
  return endpoint.call(outcome, full)
}

describe("progress", () => {
  for (const token of [0, 7, "", "seven"]) {
    it.effect(`PROG-1, PROG-4, PROG-6, trap 19: goes out under the token ${JSON.stringify(token)}, with its type`, () =>
      Effect.gen(function*() {
        const sent = yield* progressOf([
          { progress: 0.5 },
          { progress: 1, total: 2.5, message: "half way" },
          { progress: 2.5, total: Number.POSITIVE_INFINITY }
        ], token)
        assert.deepStrictEqual(sent, [
          { progressToken: token, progress: 0.5 },
          { progressToken: token, progress: 1, total: 2.5, message: "half way" },
          { progressToken: token, progress: 2.5 }
        ])
      }))
  }

  it.effect("PROG-2: does nothing without a token", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* progressOf([{ progress: 1 }], undefined), [])
    }))

  it.effect("PROG-3: increases strictly; a report that does not is dropped", () =>
    Effect.gen(function*() {
      const values = [-1, 0, 0, 1, 0.5, Number.NaN, 2, Number.POSITIVE_INFINITY, 3, 3, 2, 4]
      const sent = yield* progressOf(values.map((progress) => ({ progress })), 1)
      assert.deepStrictEqual(sent.map((params) => params?.progress), [-1, 0, 1, 2, 3, 4])
    }))

  it.effect("PROG-2, LOG-6: nothing is sent after the answer, nor after a cancellation", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const emitted: Array<string> = []
      const outlives = Effect.forkDetach(
        Effect.andThen(latch.await, Effect.andThen(Progress.report({ progress: 2 }), Effect.log("late"))),
        { startImmediately: true }
      )
      const peer = yield* start(
        McpServer.tool(Work, () => Progress.report({ progress: 1 }).pipe(Effect.andThen(outlives), Effect.as("done")))
      )
      const call = startCall(peer.endpoint, { emit: ({ method }) => emitted.push(method) })
      assert.strictEqual(call.response?._tag, "Success")
      yield* latch.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(emitted, ["notifications/progress"])
    }))

  it.effect("PROG-5: the handler keeps to the pace of the reader", () =>
    Effect.gen(function*() {
      let emitted = 0
      let waiting = 0
      const latch = yield* Latch.make(false)
      const drained = Effect.andThen(
        Effect.sync(() => {
          waiting++
        }),
        latch.await
      )
      const peer = yield* start(reporting([{ progress: 1 }, { progress: 2 }, { progress: 3 }]))
      const call = startCall(peer.endpoint, { emit: () => emitted++, drained })
      const fiber = yield* Effect.forkChild(awaitCall(call), { startImmediately: true })
      yield* Effect.yieldNow
      assert.deepStrictEqual([emitted, waiting, call.response], [1, 1, undefined])
      yield* latch.open
      assert.strictEqual((yield* Fiber.join(fiber))?._tag, "Success")
      assert.strictEqual(emitted, 3)
    }))
})
