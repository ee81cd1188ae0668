/** What travels with the client between the rounds of a request. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Meta from "@effect-mcp/core/Meta"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import type { ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { awaitCall } from "@effect-mcp/core/ServerEndpoint"
import { exchange } from "../legacy/support.ts"
import { type Json, type Params, requestMeta, start } from "../support.ts"
import {
  answersTo,
  asking,
  captureLogs,
  errorOf,
  everything,
  inputRequired,
  playTool,
  round,
  say,
  textOf
} from "./support.ts"

const invalid = { code: -32602, message: "The requestState is not valid for this request" }

const Ask = Tool.make("ask", { input: { a: Schema.optional(Schema.Json), b: Schema.optional(Schema.Json) } })

const features = Layer.mergeAll(
  McpServer.tool(Ask, () => say("question")),
  McpServer.tool(
    Tool.make("other", { input: { a: Schema.optional(Schema.Json), b: Schema.optional(Schema.Json) } }),
    () => say("question")
  ),
  McpServer.prompt(Prompt.make("ask", {}), () => say("question")),
  McpServer.resource(Resource.make("ask://one"), say("question")),
  McpServer.resource(Resource.make("ask://two"), say("question"))
)

const secrets = (...texts: ReadonlyArray<string>) => {
  const [first = "", ...others] = texts.map((text) => Redacted.make(text.padEnd(32, ".")))
  return RequestStateCodec.layer({ keys: [first as Redacted.Redacted, ...others] })
}

/** A round of somebody. */
const roundOf = Effect.fnUntraced(function*(
  endpoint: ServerEndpoint,
  method: string,
  params: Params,
  principal: string | undefined
) {
  const outcome = endpoint.classify(JsonRpc.request(1, method, {
    ...params,
    _meta: requestMeta({ [Meta.key.clientCapabilities]: everything })
  }))
  assert(outcome._tag === "Request", JSON.stringify(outcome))
  const response = yield* awaitCall(endpoint.call(outcome, exchange({ principal })))
  assert(response !== undefined)
  return response
})

describe("a requestState", () => {
  it.effect("MRTR-3, MRTR-4, META-18: has with it what is asked, and no envelope", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const result = inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      assert.deepStrictEqual(Object.keys(result).toSorted(), ["_meta", "inputRequests", "requestState", "resultType"])
      assert.deepStrictEqual(result.inputRequests, {
        "input-1": {
          method: "sampling/createMessage",
          params: { messages: [{ role: "user", content: { type: "text", text: "question" } }], maxTokens: 10 }
        }
      })
      assert.match(result.requestState, /^[\w-]+$/)
      assert.notInclude(Buffer.from(result.requestState, "base64url").toString("latin1"), "input-1")
    }))

  it.effect("CACHE-1: a resource that asks has no cache hints", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const result = inputRequired(yield* round(endpoint, "resources/read", { uri: "ask://one" }))
      assert.notProperty(result, "ttlMs")
      assert.notProperty(result, "cacheScope")
    }))

  it.effect("MRTR-14, MRTR-16, ELI-23, trap 12, B10: belongs to one request of one principal, and to nothing else", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const params = { name: "ask", arguments: { a: { x: 1, y: [1, 2] }, b: 2 } }
      const result = inputRequired(yield* roundOf(endpoint, "tools/call", params, "alice"))
      const answers = answersTo(result)
      const others: ReadonlyArray<readonly [string, string, Params, string | undefined]> = [
        ["another tool", "tools/call", { ...params, name: "other" }, "alice"],
        ["other arguments", "tools/call", { name: "ask", arguments: { a: { x: 1, y: [2, 1] }, b: 2 } }, "alice"],
        ["an argument less", "tools/call", { name: "ask", arguments: { a: { x: 1, y: [1, 2] } } }, "alice"],
        ["a member more", "tools/call", { ...params, more: 1 }, "alice"],
        ["another principal", "tools/call", params, "bob"],
        ["no principal", "tools/call", params, undefined],
        ["an empty principal", "tools/call", params, ""],
        ["another method", "prompts/get", { name: "ask" }, "alice"],
        ["a resource", "resources/read", { uri: "ask://one" }, "alice"]
      ]
      for (const [what, method, other, principal] of others) {
        const response = yield* roundOf(endpoint, method, { ...other, ...answers }, principal)
        assert.deepStrictEqual(errorOf({ response }), invalid, what)
      }
      // In whatever order a proxy writes the members.
      const same = { arguments: { b: 2, a: { y: [1, 2], x: 1 } }, name: "ask" }
      const response = yield* roundOf(endpoint, "tools/call", { ...same, ...answers }, "alice")
      assert.strictEqual(textOf({ response }), "re: question")
    }))

  it.effect("MRTR-16: of one resource is none of another", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const answers = answersTo(inputRequired(yield* round(endpoint, "resources/read", { uri: "ask://one" })))
      const other = yield* round(endpoint, "resources/read", { uri: "ask://two", ...answers })
      assert.deepStrictEqual(errorOf({ response: other }), invalid)
      const same = yield* round(endpoint, "resources/read", { uri: "ask://one", ...answers })
      assert(same._tag === "Success")
      assert.strictEqual((JsonRpc.resultValue(same) as Json).contents[0].text, "re: question")
    }))

  it.effect("MRTR-14, B10: that was changed, cut off, made up or is huge is the same error, and nothing is asked", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const { requestState } = answersTo(inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))) as Json
      const wrong = [
        "",
        "x",
        `${requestState}-TAMPERED`,
        `${requestState}=`,
        requestState.slice(1),
        requestState.slice(0, -1),
        requestState.replace(/.$/, (last: string) => last === "A" ? "B" : "A"),
        "A".repeat(requestState.length),
        "A".repeat(1024 * 1024)
      ]
      for (const state of wrong) {
        const response = yield* round(endpoint, "tools/call", { name: "ask", requestState: state })
        assert.deepStrictEqual(errorOf({ response }), invalid)
      }
    }))

  it.effect("MRTR-16, B10: expires after requestStateTtl", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const answers = answersTo(inputRequired(yield* round(endpoint, "tools/call", { name: "ask" })))
      yield* TestClock.adjust("599 seconds")
      const intime = yield* round(endpoint, "tools/call", { name: "ask", ...answers })
      assert.strictEqual(textOf({ response: intime }), "re: question")
      yield* TestClock.adjust("1 second")
      const late = yield* round(endpoint, "tools/call", { name: "ask", ...answers })
      assert.deepStrictEqual(errorOf({ response: late }), invalid)
    }))

  it.effect("B10: of another server with the same secret is refused, and of another node is taken", () =>
    Effect.gen(function*() {
      const node = (name: string) => Effect.provide(start(features, { name }), secrets("one"))
      const here = yield* node("here")
      const params = { name: "ask" }
      const answers = answersTo(inputRequired(yield* round(here.endpoint, "tools/call", params)))
      const elsewhere = yield* node("elsewhere")
      const refused = yield* round(elsewhere.endpoint, "tools/call", { ...params, ...answers })
      assert.deepStrictEqual(errorOf({ response: refused }), invalid)
      const sibling = yield* node("here")
      const taken = yield* round(sibling.endpoint, "tools/call", { ...params, ...answers })
      assert.strictEqual(textOf({ response: taken }), "re: question")
    }))

  it.effect("MRTR-17, B10: is good for one use with a NonceStore, and a store that is down takes none", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features).pipe(Effect.provide(NonceStore.layerMemory))
      const answered = {
        name: "ask",
        ...answersTo(inputRequired(yield* round(endpoint, "tools/call", { name: "ask" })))
      }
      assert.strictEqual(textOf({ response: yield* round(endpoint, "tools/call", answered) }), "re: question")
      assert.deepStrictEqual(errorOf({ response: yield* round(endpoint, "tools/call", answered) }), invalid)
      const down = Layer.succeed(
        NonceStore.NonceStore,
        { claim: () => Effect.fail(new NonceStore.NonceStoreUnavailable({ cause: new Error("down") })) }
      )
      const other = yield* start(features).pipe(Effect.provide(down))
      const answers = answersTo(inputRequired(yield* round(other.endpoint, "tools/call", { name: "ask" })))
      const error = errorOf({ response: yield* round(other.endpoint, "tools/call", { name: "ask", ...answers }) })
      assert.strictEqual(error.code, -32603)
    }))

  it.effect("MRTR-17: is good for one use wherever the NonceStore is provided, to the codec or to the server", () =>
    Effect.gen(function*() {
      const codec = secrets("one")
      const store = NonceStore.layerMemory
      const wirings = {
        "to the codec": Layer.provideMerge(codec, store),
        "beside it": Layer.mergeAll(codec, store),
        "to the server only": Layer.merge(codec, Layer.fresh(store))
      }
      for (const [wiring, layer] of Object.entries(wirings)) {
        const { endpoint } = yield* start(features).pipe(Effect.provide(layer, { local: true }))
        const answers = answersTo(inputRequired(yield* round(endpoint, "tools/call", { name: "ask" })))
        const used = yield* round(endpoint, "tools/call", { name: "ask", ...answers })
        assert.strictEqual(textOf({ response: used }), "re: question")
        const again = yield* round(endpoint, "tools/call", { name: "ask", ...answers })
        assert.deepStrictEqual(errorOf({ response: again }), invalid, wiring)
      }
    }))

  it.effect("MRTR-19: says what was asked: what else is answered with it is ignored", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.andThen(say("one"), say("two"))))
      const first = answersTo(inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))) as Json
      const early = { ...first.inputResponses, "input-2": first.inputResponses["input-1"] }
      const second = yield* round(endpoint, "tools/call", { name: "ask", ...first, inputResponses: early })
      assert.deepStrictEqual(Object.keys(inputRequired(second).inputRequests), ["input-2"])
    }))

  it.effect("is nothing to the legacy era", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(say("question")))
      const session = endpoint.legacy?.stateless("2025-11-25")
      assert(session !== undefined)
      const outcome = session.classify(JsonRpc.request(1, "tools/call", { name: "ask", requestState: "x" }))
      assert(outcome._tag === "Request")
      const response = yield* awaitCall(session.call(outcome, exchange()))
      assert(response !== undefined)
      assert.include(textOf({ response }), "sampling")
    }))

  it.effect("MRTR-14: an error is no reason to tell the client why; the operator is told", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const { endpoint } = yield* start(features).pipe(Effect.provide(layer))
      yield* round(endpoint, "tools/call", { name: "ask", requestState: "x" })
      assert.deepStrictEqual(logged.map(({ message }) => message[0]), ["A requestState was refused: malformed"])
    }))
})

describe("limits", () => {
  it.effect("a state that is too large is a typed error that names the largest entries", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        yield* Interaction.once("small", { success: Schema.String }, Effect.succeed("x"))
        yield* Interaction.once("large", { success: Schema.String }, Effect.succeed("x".repeat(60_000)))
        return yield* say("question")
      })
      const { layer, logged } = captureLogs()
      const caught = handler.pipe(
        Effect.catchReason("InteractionError", "StateTooLarge", ({ largest, max, size }) => {
          assert.isAbove(size, max)
          return Effect.succeed(largest.map(({ key }) => key).join())
        })
      )
      const { endpoint } = yield* start(Layer.merge(
        asking(caught),
        McpServer.prompt(Prompt.make("unhandled", {}), () => handler)
      )).pipe(Effect.provide(layer))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "large,small")
      const response = yield* round(endpoint, "prompts/get", { name: "unhandled" })
      assert.deepStrictEqual(errorOf({ response }), { code: -32603, message: "Internal error" })
      assert.isAbove(logged.length, 0)
    }))

  it.effect("one that has just as many characters as it may is taken again", () =>
    Effect.gen(function*() {
      let size = 40_000
      const handler = Effect.gen(function*() {
        yield* Interaction.once("text", { success: Schema.String }, Effect.sync(() => "x".repeat(size)))
        return yield* say("question")
      })
      const { endpoint } = yield* start(asking(handler))
      const first = inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      // Base64 makes four characters of three.
      size += Math.floor((65_536 - first.requestState.length) * 3 / 4)
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.strictEqual(textOf(played), "re: question")
      assert.isAtMost(played.rounds[0].requestState.length, 65_536)
      assert.isAbove(played.rounds[0].requestState.length, 65_530)
      size += 8
      const error = errorOf(yield* playTool(endpoint, "2026-07-28", "ask"))
      assert.strictEqual(error.code, -32603)
    }))

  it.effect("MRTR-18, B16: a handler that asks for ever is stopped after inputRounds", () =>
    Effect.gen(function*() {
      const forever = Effect.forEach(Array.from({ length: 100 }, (_, n) => n), (n) => say(`${n}`), { discard: true })
      const { endpoint } = yield* start(asking(Effect.as(forever, "done"))).pipe(
        Effect.provide(Limits.layer({ inputRounds: 4 }))
      )
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.strictEqual(played.rounds.length, 4)
      assert.strictEqual(errorOf(played).code, -32603)
      assert.include(errorOf(played).message, "inputRounds")
    }))
})
