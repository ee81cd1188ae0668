/** What a server lets its clients read of its logs. */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { type Json, start } from "./support.ts"

const Work = Tool.make("work")

const levels = (logs: McpServer.Options["logs"], asked: string) =>
  Effect.gen(function*() {
    const handler = Effect.logDebug("debug").pipe(
      Effect.andThen(Effect.logInfo("info")),
      Effect.andThen(Effect.logError("error")),
      Effect.as("done")
    )
    const peer = yield* start(McpServer.tool(Work, () => handler), { logs })
    const sent: Array<unknown> = []
    yield* peer.call("work", {}, {
      meta: { "io.modelcontextprotocol/logLevel": asked },
      onNotification: ({ params }) => Effect.sync(() => sent.push(params?.data))
    })
    return { sent, capabilities: (yield* peer.result("server/discover")).capabilities }
  }).pipe(Effect.provide(Logger.layer([])))

describe("the option logs", () => {
  it.effect("LOG-8: by default a client reads what it asks for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* levels(undefined, "debug")).sent, ["debug", "info", "error"])
    }))

  it.effect("LOG-8: a minimum holds whatever a client asks for, and never lowers what it asks for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* levels("Info", "debug")).sent, ["info", "error"])
      assert.deepStrictEqual((yield* levels("Debug", "error")).sent, ["error"])
      assert.deepStrictEqual((yield* levels("Info", "debug")).capabilities.logging, {})
    }))

  it.effect("LOG-1, LOG-8: false sends nothing and declares nothing", () =>
    Effect.gen(function*() {
      const { capabilities, sent } = yield* levels(false, "debug")
      assert.deepStrictEqual(sent, [])
      assert.notProperty(capabilities, "logging")
    }))
})

describe("what is sent of a log", () => {
  const sentOf = (log: Effect.Effect<void>) =>
    Effect.gen(function*() {
      const peer = yield* start(McpServer.tool(Work, () => Effect.as(log, "done")))
      const sent: Array<Json> = []
      const result = yield* peer.call("work", {}, {
        meta: { "io.modelcontextprotocol/logLevel": "debug" },
        onNotification: ({ params }) => Effect.sync(() => sent.push(params?.data))
      })
      assert.strictEqual(result.content[0].text, "done")
      return sent
    }).pipe(Effect.provide(Logger.layer([])))

  it.effect("LOG-8: of a cause its messages, and not its stack", () =>
    Effect.gen(function*() {
      const [data] = yield* sentOf(Effect.catchCause(
        Effect.die(new Error("boom")),
        (cause) => Effect.logError("failed", cause)
      ))
      assert.deepStrictEqual(data, { message: "failed", errors: ["boom"] })
    }))

  it.effect("LOG-2: a value that JSON has not never breaks the call it tells of", () =>
    Effect.gen(function*() {
      const cycle: Record<string, unknown> = { name: "cycle" }
      cycle.self = cycle
      const bare: Record<string, unknown> = Object.create(null)
      bare.self = bare
      const sent = yield* sentOf(Effect.logInfo(cycle, Symbol("s"), bare))
      assert.strictEqual(sent.length, 1)
      assert.include(JSON.stringify(sent), "cycle")
    }))

  it.effect("LOG-2: an annotation cannot take the place of the message", () =>
    Effect.gen(function*() {
      const [data] = yield* sentOf(Effect.annotateLogs(Effect.logInfo("text"), { message: "other" }))
      assert.deepStrictEqual(data, { message: "text", annotations: { message: "other" } })
    }))
})

describe("what the operator is told", () => {
  it.effect("TOOL-16: an output that does not fit its schema is an error in the server's log", () =>
    Effect.gen(function*() {
      const printed: Array<string> = []
      const Typed = Tool.make("typed", { output: { count: Schema.Int } })
      const peer = yield* start(McpServer.tool(Typed, () => Effect.succeed({ count: 1.5 }))).pipe(
        Effect.provide(Logger.layer([Logger.make(({ logLevel, message }) => {
          printed.push(`${logLevel} ${String(message)}`)
        })]))
      )
      assert.isTrue((yield* peer.call("typed")).isError)
      assert.match(printed.join("\n"), /^Error The tool typed gave an output that does not fit/)
    }))
})
