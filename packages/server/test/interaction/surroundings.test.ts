/** What stands around a handler that asks: middleware, metrics, the client's logs. */
import { assert, describe, it } from "@effect/vitest"
import * as Meta from "@effect-mcp/core/Meta"
import * as McpError from "@effect-mcp/core/McpError"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Tool from "@effect-mcp/core/Tool"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import { connect, type Json, start } from "../support.ts"
import { answersTo, asking, errorOf, everything, inputRequired, playTool, round, say, textOf } from "./support.ts"

describe("middleware", () => {
  it.effect("a round is counted as input_required, and never as an error", () =>
    Effect.gen(function*() {
      const outcomes = Metric.frequency("outcomes")
      const counting = McpServer.middleware()((next) =>
        Effect.matchCauseEffect(next, {
          onFailure: (cause) => Effect.andThen(Metric.update(outcomes, "error"), Effect.failCause(cause)),
          onSuccess: (result) =>
            Effect.as(Metric.update(outcomes, String(McpServer.resultOf(result).resultType ?? "complete")), result)
        })
      )
      const { endpoint } = yield* start(
        Layer.merge(counting, asking(Effect.andThen(say("one"), say("two"))))
      )
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: two")
      const { occurrences } = yield* Metric.value(outcomes)
      assert.deepStrictEqual([...occurrences], [["input_required", 2], ["complete", 1]])
    }))

  it.effect("one that runs the handler again has it ask again, and what is answered is answered at once", () =>
    Effect.gen(function*() {
      let runs = 0
      let remembered = 0
      const handler = Effect.gen(function*() {
        yield* Interaction.once("effect", { success: Schema.Int }, Effect.sync(() => ++remembered))
        const text = yield* say("one")
        // Every second run fails.
        return ++runs % 2 === 1 ? yield* new McpError.InternalError({ message: "again" }) : text
      })
      const retrying = McpServer.middleware()((next) => Effect.retry(next, { times: 1 }))
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        runs = 0
        remembered = 0
        const { endpoint } = yield* start(Layer.merge(retrying, asking(handler))).pipe(
          Effect.provide(NonceStore.layerMemory)
        )
        const played = yield* playTool(endpoint, revision, "ask")
        assert.strictEqual(textOf(played), "re: one")
        assert.strictEqual(played.asked.length, revision === "2026-07-28" ? 1 : 2)
        assert.strictEqual(remembered, 1)
      }
    }))

  it.effect("other params do not lose what the rounds before have left", () =>
    Effect.gen(function*() {
      const tool = Tool.make("ask", { input: { text: Schema.String } })
      const renaming = McpServer.middleware()((next, { params }) =>
        McpServer.withParams(next, { name: "ask", arguments: { text: `for ${JSON.stringify(params.name)}` } })
      )
      const { endpoint } = yield* start(Layer.merge(renaming, McpServer.tool(tool, ({ text }) => say(text))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "any")), "re: for \"any\"")
    }))

  it.effect("MRTR-2: one cannot ask, or do something once: only handlers can", () =>
    Effect.gen(function*() {
      const doing = [
        ["Sampling.createMessage", say("may I?")],
        ["Interaction.once effect", Interaction.once("effect", { success: Schema.Void }, Effect.void)]
      ] as const
      for (const [what, effect] of doing) {
        const tried = Effect.matchEffect(effect, {
          onFailure: (error) => new McpError.InvalidRequest({ message: error.message }),
          onSuccess: () => Effect.die(new Error("It was done"))
        })
        const asks = McpServer.middleware()((next, { method }) =>
          method === "tools/call" ? Effect.andThen(tried, next) : next
        )
        for (const revision of ["2025-11-25", "2026-07-28"] as const) {
          const { endpoint } = yield* start(Layer.merge(asks, asking(Effect.succeed("done"))))
          const played = yield* playTool(endpoint, revision, "ask")
          assert.deepStrictEqual(played.asked, [])
          assert.include(errorOf(played).message, `${what} was asked by a middleware of tools/call`)
        }
      }
    }))
})

describe("LOG-8: the client's logs", () => {
  it.effect("have nothing of why a state was refused, or of what went wrong with a question", () =>
    Effect.gen(function*() {
      const handler = Effect.andThen(Effect.logInfo("for the client"), Effect.andThen(say("a", "k"), say("b", "k")))
      const { endpoint } = yield* start(asking(handler))
      const told: Array<Json> = []
      const call = (params: Record<string, unknown>) =>
        connect(endpoint).request("tools/call", { name: "ask", ...params }, {
          meta: { [Meta.key.clientCapabilities]: everything, [Meta.key.logLevel]: "debug" },
          onNotification: ({ params }) => Effect.sync(() => told.push(params?.data))
        })
      yield* call({ requestState: "wrong" })
      const first = inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      const last = yield* call(answersTo(first))
      assert.strictEqual(last._tag, "Failure")
      assert.deepStrictEqual(told, ["for the client"])
    }))
})
