import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { type Json, start } from "./support.ts"

const Work = Tool.make("work", {})

const allLevels = Effect.gen(function*() {
  yield* Effect.logTrace("trace")
  yield* Effect.logDebug("debug")
  yield* Effect.logInfo("info")
  yield* Effect.logWarning("warn")
  yield* Effect.logError("error")
  yield* Effect.logFatal("fatal")
})

/** What the client is told, and what the server's own logger prints, when a handler runs an effect. */
const logsOf = (handler: Effect.Effect<void>, level: string | undefined, minimum?: "Debug" | "Error" | "None") =>
  Effect.gen(function*() {
    const printed: Array<string> = []
    const own = Logger.layer([Logger.make(({ message }) => {
      printed.push(...[message].flat().map(String))
    })])
    const environment = minimum === undefined
      ? own
      : Layer.merge(own, Layer.succeed(References.MinimumLogLevel, minimum))
    const peer = yield* start(McpServer.tool(Work, () => Effect.as(handler, "done"))).pipe(Effect.provide(environment))
    const sent: Array<Json> = []
    yield* peer.call("work", {}, {
      meta: { "io.modelcontextprotocol/logLevel": level },
      onNotification: ({ method, params }) =>
        Effect.sync(() => {
          assert.strictEqual(method, "notifications/message")
          sent.push(params)
        })
    })
    return { sent, printed }
  })

describe("logs", () => {
  it.effect("LOG-5, META-16: nothing is sent to a client that did not ask", () =>
    Effect.gen(function*() {
      const { printed, sent } = yield* logsOf(allLevels, undefined)
      assert.deepStrictEqual(sent, [])
      assert.deepStrictEqual(printed, ["info", "warn", "error", "fatal"])
    }))

  for (
    const [level, expected] of [
      ["debug", ["debug", "debug", "info", "warning", "error", "critical"]],
      ["info", ["info", "warning", "error", "critical"]],
      ["notice", ["warning", "error", "critical"]],
      ["warning", ["warning", "error", "critical"]],
      ["error", ["error", "critical"]],
      ["critical", ["critical"]],
      ["alert", []],
      ["emergency", []]
    ] as const
  ) {
    it.effect(`LOG-2, LOG-6: a client that asked for ${level} is told at that level and above`, () =>
      Effect.gen(function*() {
        const { printed, sent } = yield* logsOf(allLevels, level)
        assert.deepStrictEqual(sent.map((params) => params.level), [...expected])
        // The server prints exactly what it prints without a client.
        assert.deepStrictEqual(printed, ["info", "warn", "error", "fatal"])
      }))
  }

  it.effect("LOG-6: the server's own level is its own, higher or lower than what the client asked for", () =>
    Effect.gen(function*() {
      const strict = yield* logsOf(allLevels, "info", "Error")
      assert.deepStrictEqual(strict.printed, ["error", "fatal"])
      assert.deepStrictEqual(strict.sent.map(({ data }) => data), ["info", "warn", "error", "fatal"])
      const silent = yield* logsOf(allLevels, "warning", "None")
      assert.deepStrictEqual(silent.printed, [])
      assert.deepStrictEqual(silent.sent.map(({ data }) => data), ["warn", "error", "fatal"])
      const verbose = yield* logsOf(allLevels, "error", "Debug")
      assert.deepStrictEqual(verbose.printed, ["debug", "info", "warn", "error", "fatal"])
      assert.deepStrictEqual(verbose.sent.map(({ data }) => data), ["error", "fatal"])
    }))

  it.effect("a level that the handler chose for itself holds for the server's loggers as without a client", () =>
    Effect.gen(function*() {
      const chosen = Effect.provideService(allLevels, References.MinimumLogLevel, "Debug")
      const without = yield* logsOf(chosen, undefined)
      const asked = yield* logsOf(chosen, "info")
      assert.deepStrictEqual(asked.printed, without.printed)
      assert.deepStrictEqual(asked.sent.map(({ data }) => data), ["info", "warn", "error", "fatal"])
    }))

  it.effect("LOG-7: a level that is none is -32602", () =>
    Effect.gen(function*() {
      const peer = yield* start(McpServer.tool(Work, () => Effect.succeed("done")))
      for (const level of ["verbose", "INFO", "", 1, null]) {
        const meta = { "io.modelcontextprotocol/logLevel": level }
        assert.strictEqual((yield* peer.error("tools/call", { name: "work" }, { meta })).code, -32602)
      }
    }))

  it.effect("LOG-2, LOG-8: data is structured, annotations beside the message, secrets left out", () =>
    Effect.gen(function*() {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const { sent } = yield* logsOf(
        Effect.gen(function*() {
          yield* Effect.log("text")
          yield* Effect.log({ user: 1, big: 1n, at: new Date(0) })
          yield* Effect.log("two", { n: 2 })
          yield* Effect.log(Redacted.make("password"))
          yield* Effect.log(cycle)
          yield* Effect.log(undefined)
          yield* Effect.annotateLogs(Effect.log("annotated"), { requestId: "r1", nested: { a: 1 } })
          yield* Effect.logError(new TypeError("broken"))
        }),
        "debug"
      )
      const data = sent.map((params) => params.data)
      assert.strictEqual(data[0], "text")
      assert.deepStrictEqual(data[1], { user: 1, big: "1", at: "1970-01-01T00:00:00.000Z" })
      assert.deepStrictEqual(data[2], ["two", { n: 2 }])
      assert.notInclude(JSON.stringify(data[3]), "password")
      assert.isString(data[4])
      assert.isTrue(Object.hasOwn(sent[5], "data"))
      assert.deepStrictEqual(data[6], { message: "annotated", annotations: { requestId: "r1", nested: { a: 1 } } })
      assert.include(JSON.stringify(data[7]), "broken")
    }))

  it.effect("LOG-1, LOG-6: logs belong to their request, in the handlers of every method", () =>
    Effect.gen(function*() {
      const peer = yield* start(
        McpServer.tool(Work, () => Effect.as(Effect.andThen(Effect.yieldNow, Effect.log("mine")), "done"))
      )
      const told: Array<number> = []
      yield* Effect.forEach([1, 2, 3], (n) =>
        peer.call("work", {}, {
          id: n,
          meta: { "io.modelcontextprotocol/logLevel": n === 2 ? undefined : "info" },
          onNotification: () => Effect.sync(() => told.push(n))
        }), { concurrency: "unbounded" })
      assert.deepStrictEqual(told.toSorted(), [1, 3])
    }))
})
