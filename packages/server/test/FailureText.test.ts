/** What a model and a person read when something fails. */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { start } from "./support.ts"

class Silent extends Schema.TaggedError<Silent>()("Silent", { why: Schema.Date }) {}

describe("texts of failures", () => {
  it.effect("TOOL-19: a declared failure without a message is told with all its fields", () =>
    Effect.gen(function*() {
      const why = new Date(0)
      const Plain = Tool.make("plain", { failure: Schema.Struct({ why: Schema.Date }) })
      const Tagged = Tool.make("tagged", { failure: Silent })
      const plain = yield* start(McpServer.tool(Plain, () => Effect.fail({ why })))
      assert.strictEqual((yield* plain.call("plain")).content[0].text, "{\"why\":\"1970-01-01T00:00:00.000Z\"}")
      const tagged = yield* start(McpServer.tool(Tagged, () => Effect.fail(new Silent({ why }))))
      assert.strictEqual(
        (yield* tagged.call("tagged")).content[0].text,
        "{\"_tag\":\"Silent\",\"why\":\"1970-01-01T00:00:00.000Z\"}"
      )
    }))

  it.effect("TOOL-18: the name of an unknown tool is not repeated at any length", () =>
    Effect.gen(function*() {
      const peer = yield* start(McpServer.tool(Tool.make("a"), () => Effect.succeed("a")))
      const { code, message } = yield* peer.error("tools/call", { name: "x".repeat(100_000) })
      assert.strictEqual(code, -32602)
      assert.isBelow(message.length, 300)
    }))
})
