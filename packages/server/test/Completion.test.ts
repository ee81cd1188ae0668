import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { start } from "./support.ts"

const cities: Readonly<Record<string, ReadonlyArray<string>>> = { it: ["Roma", "Rimini"], fr: ["Rouen"] }

const Trip = Prompt.make("trip", {
  arguments: { country: Schema.String, city: Schema.String, note: Schema.optional(Schema.String) }
})
const TripLive = McpServer.prompt(Trip, ({ city }) => Effect.succeed(city), {
  complete: {
    country: (typed) => Effect.succeed(Object.keys(cities).filter((name) => name.startsWith(typed))),
    city: (typed, { country = "" }) =>
      country === "atlantis"
        ? Effect.fail(new McpError.InvalidParams({ message: "No such country" }))
        : Effect.succeed((cities[country] ?? []).filter((name) => name.startsWith(typed)))
  }
})

const Numbers = ResourceTemplate.make("n://{n}/{other}", {
  name: "n",
  parameters: { n: Schema.String, other: Schema.String }
})
const NumbersLive = McpServer.resourceTemplate(Numbers, ({ n }) => Effect.succeed(n), {
  complete: { n: (typed) => Effect.succeed(Array.from({ length: Number(typed) }, (_, n) => `${n}`)) }
})

const features = Layer.merge(TripLive, NumbersLive)
const prompt = { type: "ref/prompt", name: "trip" }
const template = { type: "ref/resource", uri: "n://{n}/{other}" }

describe("completion/complete", () => {
  it.effect("COMP-2, COMP-4, CACHE-2: completes the argument of a prompt and the parameter of a template", () =>
    Effect.gen(function*() {
      const peer = yield* start(features, { sendServerInfo: false })
      const complete = (ref: object, name: string, value: string) =>
        peer.result("completion/complete", { ref, argument: { name, value } })
      assert.deepStrictEqual(yield* complete(prompt, "country", "i"), {
        resultType: "complete",
        completion: { values: ["it"], total: 1, hasMore: false }
      })
      assert.deepStrictEqual(yield* complete(template, "n", "2"), {
        resultType: "complete",
        completion: { values: ["0", "1"], total: 2, hasMore: false }
      })
    }))

  it.effect("COMP-3: the completer sees the arguments that are known already", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      const complete = (value: string, context?: object) =>
        peer.result("completion/complete", { ref: prompt, argument: { name: "city", value }, context })
      const values = (value: string, context?: object) =>
        Effect.map(complete(value, context), (result) => result.completion.values)
      assert.deepStrictEqual(yield* values("R", { arguments: { country: "it" } }), ["Roma", "Rimini"])
      assert.deepStrictEqual(yield* values("R", { arguments: { country: "fr" } }), ["Rouen"])
      assert.deepStrictEqual(yield* values("R", {}), [])
      assert.deepStrictEqual(yield* values("R"), [])
    }))

  it.effect("COMP-4: at most 100 values, with the number there are", () =>
    Effect.gen(function*() {
      const completion = (limits: Partial<Limits.Values>, n: number) =>
        Effect.gen(function*() {
          const peer = yield* start(features).pipe(Effect.provide(Limits.layer(limits)))
          const params = { ref: template, argument: { name: "n", value: `${n}` } }
          const { hasMore, total, values } = (yield* peer.result("completion/complete", params)).completion
          return [values.length, total, hasMore]
        })
      assert.deepStrictEqual(yield* completion({}, 100), [100, 100, false])
      assert.deepStrictEqual(yield* completion({}, 101), [100, 101, true])
      assert.deepStrictEqual(yield* completion({ completionValues: 3 }, 4), [3, 4, true])
      assert.deepStrictEqual(yield* completion({ completionValues: 1_000 }, 500), [100, 500, true])
    }))

  it.effect("COMP-5: an argument without a completer has no suggestions", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      for (const [ref, name] of [[prompt, "note"], [template, "other"]] as const) {
        const result = yield* peer.result("completion/complete", { ref, argument: { name, value: "" } })
        assert.deepStrictEqual(result.completion, { values: [], total: 0, hasMore: false })
      }
    }))

  it.effect("COMP-5, COMP-6: an unknown prompt, template or argument is -32602, as are bad params", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      const argument = { name: "country", value: "" }
      for (
        const [params, said] of [
          [{ ref: { type: "ref/prompt", name: "nope" }, argument }, "Unknown prompt: nope"],
          [{ ref: { type: "ref/resource", uri: "n://{nope}" }, argument }, "Unknown resource template: n://{nope}"],
          [{ ref: prompt, argument: { name: "nope", value: "" } }, "nope"],
          [{ ref: template, argument: { name: "__proto__", value: "" } }, "__proto__"],
          [{ ref: { type: "ref/tool", name: "trip" }, argument }, "completion/complete"],
          [{ ref: prompt }, "completion/complete"],
          [{ ref: prompt, argument: { name: "country" } }, "completion/complete"],
          [{ ref: prompt, argument, context: { arguments: { country: 1 } } }, "completion/complete"]
        ] as const
      ) {
        const error = yield* peer.error("completion/complete", params)
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, said)
      }
    }))

  it.effect("COMP-5: an error of a completer keeps its code and message", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      const params = {
        ref: prompt,
        argument: { name: "city", value: "" },
        context: { arguments: { country: "atlantis" } }
      }
      assert.deepStrictEqual(yield* peer.error("completion/complete", params), {
        code: -32602,
        message: "No such country"
      })
    }))
})
