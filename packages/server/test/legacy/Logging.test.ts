/** Logs of the legacy era: a level for the session, and not for each request. */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { start } from "../support.ts"
import { type Json, open, type Peer, revisions, until } from "./support.ts"

const Work = Tool.make("work")

const allLevels = Effect.gen(function*() {
  yield* Effect.logTrace("trace")
  yield* Effect.logDebug("debug")
  yield* Effect.logInfo("info")
  yield* Effect.logWarning("warn")
  yield* Effect.logError("error")
  yield* Effect.logFatal("fatal")
})

/** A server that logs at every level, and what its own logger prints of it. */
const working = (logs?: McpServer.Options["logs"]) =>
  Effect.gen(function*() {
    const printed: Array<string> = []
    const own = Logger.layer([Logger.make(({ message }) => {
      printed.push(...[message].flat().map(String))
    })])
    const features = McpServer.tool(Work, () => Effect.as(allLevels, "done"))
    const { endpoint } = yield* start(features, { logs }).pipe(Effect.provide(own))
    return { endpoint, printed }
  })

const logsOf = (peer: Peer) =>
  Effect.gen(function*() {
    const sent: Array<Json> = []
    yield* peer.call("work", undefined, {
      onMessage: ({ method, params }) =>
        Effect.sync(() => {
          assert.strictEqual(method, "notifications/message")
          sent.push(params)
        })
    })
    return sent
  })

const levelsOf = (peer: Peer) => Effect.map(logsOf(peer), (sent) => sent.map(({ level }) => level))

const own = ["info", "warn", "error", "fatal"]

describe("logging/setLevel", () => {
  for (const revision of revisions) {
    it.effect(`LOG-2, LOG-3: ${revision}: nothing before it, and then that level and above`, () =>
      Effect.gen(function*() {
        const { endpoint, printed } = yield* working()
        const peer = yield* open(endpoint, revision)
        assert.deepStrictEqual(peer.initialized.capabilities.logging, {})
        assert.deepStrictEqual(yield* logsOf(peer), [])
        const expected = [
          ["debug", ["debug", "debug", "info", "warning", "error", "critical"]],
          ["emergency", []],
          ["info", ["info", "warning", "error", "critical"]],
          ["notice", ["warning", "error", "critical"]],
          ["warning", ["warning", "error", "critical"]],
          ["error", ["error", "critical"]],
          ["critical", ["critical"]],
          ["alert", []]
        ] as const
        for (const [level, levels] of expected) {
          assert.deepStrictEqual(yield* peer.result("logging/setLevel", { level }), {})
          assert.deepStrictEqual(yield* levelsOf(peer), [...levels], level)
        }
        // The server's own logger has printed for each call exactly what it prints without a client.
        assert.deepStrictEqual(printed, Array.from({ length: expected.length + 1 }, () => own).flat())
      }))
  }

  it.effect("LOG-3, C1: the level is that of one session, and of no other", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* working()
      const one = yield* open(endpoint, "2025-11-25")
      const two = yield* open(endpoint, "2025-11-25")
      const three = yield* open(endpoint, "2024-11-05")
      yield* one.result("logging/setLevel", { level: "error" })
      yield* two.result("logging/setLevel", { level: "warning" })
      assert.deepStrictEqual(yield* levelsOf(one), ["error", "critical"])
      assert.deepStrictEqual(yield* levelsOf(two), ["warning", "error", "critical"])
      assert.deepStrictEqual(yield* levelsOf(three), [])
      assert.deepStrictEqual([one.unasked, two.unasked, three.unasked], [[], [], []])
    }))

  it.effect("LOG-4, LOG-7: a level that is none is -32602, and the level stays what it was", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* working()
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("logging/setLevel", { level: "error" })
      for (
        const params of [{ level: "verbose" }, { level: "INFO" }, { level: "" }, { level: 1 }, { level: null }, {}]
      ) {
        assert.strictEqual((yield* peer.error("logging/setLevel", params)).code, -32602)
      }
      assert.strictEqual((yield* peer.error("logging/setLevel")).code, -32602)
      assert.deepStrictEqual(yield* levelsOf(peer), ["error", "critical"])
    }))

  it.effect("LOG-3: a client that asks for less while a call is running is told less of it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const tool = McpServer.tool(Work, () =>
        Effect.gen(function*() {
          yield* Effect.log("before")
          yield* Deferred.await(gate)
          yield* Effect.log("after")
          yield* Effect.logError("failed")
          return "done"
        }))
      const { endpoint } = yield* start(tool).pipe(Effect.provide(Logger.layer([])))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("logging/setLevel", { level: "debug" })
      const sent: Array<Json> = []
      const fiber = yield* Effect.forkChild(
        peer.call("work", undefined, { onMessage: ({ params }) => Effect.sync(() => sent.push(params?.data)) }),
        { startImmediately: true }
      )
      yield* until(() => sent.length === 1)
      yield* peer.result("logging/setLevel", { level: "error" })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(sent, ["before", "failed"])
    }))
})

describe("the option logs", () => {
  it.effect("LOG-8: a minimum holds whatever a session asks for", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* working("Warn")
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("logging/setLevel", { level: "debug" })
      assert.deepStrictEqual(yield* levelsOf(peer), ["warning", "error", "critical"])
      yield* peer.result("logging/setLevel", { level: "critical" })
      assert.deepStrictEqual(yield* levelsOf(peer), ["critical"])
    }))

  for (const revision of revisions) {
    it.effect(`LOG-1, LOG-8: false declares nothing under ${revision}, and setting a level is -32601`, () =>
      Effect.gen(function*() {
        const { endpoint, printed } = yield* working(false)
        const peer = yield* open(endpoint, revision)
        assert.notProperty(peer.initialized.capabilities, "logging")
        assert.strictEqual((yield* peer.error("logging/setLevel", { level: "debug" })).code, -32601)
        assert.deepStrictEqual(yield* logsOf(peer), [])
        assert.deepStrictEqual(printed, own)
      }))
  }

  it.effect("LOG-8: the inside of a defect is for the server's own loggers", () =>
    Effect.gen(function*() {
      const printed: Array<string> = []
      const logger = Logger.layer([Logger.make(({ cause, message }) => {
        printed.push(`${String(message)} ${JSON.stringify(cause.reasons.map((reason) => reason._tag))}`)
      })])
      const tool = McpServer.tool(Work, () => Effect.die(new Error("secret")))
      const { endpoint } = yield* start(Layer.merge(tool, Layer.empty)).pipe(Effect.provide(logger))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("logging/setLevel", { level: "debug" })
      const sent: Array<Json> = []
      const error = yield* peer.error("tools/call", { name: "work" }, {
        onMessage: (message) => Effect.sync(() => sent.push(message))
      })
      assert.deepStrictEqual([error, sent], [{ code: -32603, message: "Internal error" }, []])
      assert.deepStrictEqual(printed, ["A request ended with a defect [\"Die\"]"])
    }))
})
