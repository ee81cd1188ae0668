/** Requests whose questions the program answers by itself. */
import * as Extension from "@effect-mcp/core/Extension"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import { InputRequiredResult } from "@effect-mcp/core/schema/InputRequired"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Handlers from "../../src/Handlers.ts"
import * as Rounds from "../support/rounds.ts"
import * as Scripted from "../support/scripted.ts"

const { answer, everything, form, inTurn, required, roots, url } = Rounds

const accept = { input_required: InputRequiredResult }
const forms = { elicitation: { form: {} } }
const ask = required({ who: form() }, { requestState: "s" })
const inputResponses = { who: { action: "accept", content: { a: "b" } } }

describe("what is accepted", () => {
  it.effect("MRTR-6: the result comes as it is, no handler is asked, and its answer is in the params of another request", () =>
    Effect.gen(function*() {
      let asked = false
      const { client, transport } = yield* Scripted.client(inTurn(ask, ask), {
        elicitation: { form: () => Effect.as(Effect.sync(() => asked = true), Handlers.decline) }
      })
      const first: unknown = yield* client.request(Method.toolsCall, { name: "a" }, { accept })
      const retry = { name: "a", inputResponses, requestState: "s" }
      const second: unknown = yield* client.request(Method.toolsCall, retry, { accept })
      const third: unknown = yield* client.request(Method.toolsCall, retry, { accept })
      assert.deepStrictEqual([first, second, third], [ask, ask, answer])
      assert.deepStrictEqual(Rounds.params(transport), [{ name: "a" }, retry, retry])
      assert.strictEqual(new Set(transport.sent.map(({ message }) => message.id)).size, 4)
      assert.isFalse(asked)
    }))

  it.effect("MRTR-2: so it is with prompts/get and resources/read", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(ask, answer, ask, answer))
      const prompt = { name: "p", inputResponses, requestState: "s" }
      const resource = { uri: "a:b", inputResponses, requestState: "s" }
      const results: ReadonlyArray<unknown> = [
        yield* client.request(Method.promptsGet, { name: "p" }, { accept }),
        yield* client.request(Method.promptsGet, prompt, { accept }),
        yield* client.request(Method.resourcesRead, { uri: "a:b" }, { accept }),
        yield* client.request(Method.resourcesRead, resource, { accept })
      ]
      assert.deepStrictEqual(results, [ask, answer, ask, answer])
      assert.deepStrictEqual(Rounds.params(transport), [{ name: "p" }, prompt, { uri: "a:b" }, resource])
      assert.deepStrictEqual(Rounds.requests(transport).map(({ mirror }) => mirror.name), ["p", "p", "a:b", "a:b"])
    }))

  it.effect("MRTR-2, MRTR-3: where it may not be, or is malformed, it is invalid all the same", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => required())
      const malformed = yield* Effect.flip(client.request(Method.toolsCall, { name: "a" }, { accept }))
      const misplaced = yield* Effect.flip(client.request(Method.toolsList, {}, { accept }))
      assert.deepStrictEqual([malformed, misplaced].map((error) => Rounds.reason(error)?._tag), [
        "InvalidAnswer",
        "InvalidAnswer"
      ])
    }))

  it.effect("MRTR-6, RPC-13: a request that accepts other kinds of result has rounds, and then such a result", () =>
    Effect.gen(function*() {
      const Job = Schema.Struct({ resultType: Schema.Literal("job"), jobId: Schema.String })
      const jobs = Extension.make("com.example/jobs", { resultTypes: { "tools/call": { job: Job } } })
      const { client, transport } = yield* Scripted.client(inTurn(ask, { resultType: "job", jobId: "1" }), {
        ...everything,
        extensions: [Extension.forClient(jobs, {})]
      })
      const result = yield* client.request(Method.toolsCall, { name: "a" }, { accept: { job: Job } })
      assert.deepStrictEqual(result, { resultType: "job", jobId: "1" })
      assert.deepStrictEqual(Rounds.params(transport), [{ name: "a" }, {
        name: "a",
        inputResponses,
        requestState: "s"
      }])
    }))

  it.effect("MRTR-9, MRTR-11: what the program has answered is not sent in the rounds of the handlers", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(required({ where: roots })), everything)
      const first = { name: "a", inputResponses, requestState: "s", _meta: { "com.example/a": 1 } }
      yield* client.request(Method.toolsCall, first)
      assert.deepStrictEqual(Rounds.params(transport)[1], {
        name: "a",
        inputResponses: { where: { roots: everything.roots } }
      })
      assert.strictEqual(Scripted.metaOf(Rounds.requests(transport)[1])["com.example/a"], 1)
    }))
})

describe("what is declared", () => {
  const call = { name: "a" }

  it.effect("META-12: a request declares what it is told to, beside the extensions, and no other request does", () =>
    Effect.gen(function*() {
      const clock = Extension.forClient(Extension.make("com.example/clock", {}), { precise: true })
      const { client, transport } = yield* Scripted.client(() => answer, {
        roots: everything.roots,
        extensions: [clock]
      })
      yield* client.request(Method.toolsCall, call, { capabilities: forms })
      yield* client.request(Method.toolsCall, call)
      yield* client.request(Method.toolsCall, call, { capabilities: {} })
      const extensions = { "com.example/clock": { precise: true } }
      assert.deepStrictEqual(Rounds.requests(transport).map(Rounds.capabilities), [
        { extensions, ...forms },
        { extensions, roots: {} },
        { extensions }
      ])
    }))

  it.effect("META-12, MRTR-20: every round declares the same", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(ask), everything)
      yield* client.request(Method.toolsCall, call, { capabilities: forms })
      assert.deepStrictEqual(Rounds.requests(transport).map(Rounds.capabilities), [forms, forms])
    }))

  it.effect("MRTR-5, MRTR-13: only what the request has declared may be asked, and a handler is needed for it", () =>
    Effect.gen(function*() {
      const refused = Effect.fnUntraced(function*(capabilities: JsonObject, question: JsonObject, options = {}) {
        const { client, transport } = yield* Scripted.client(inTurn(required({ q: question })), options)
        const found = Rounds.reason(yield* Effect.flip(client.request(Method.toolsCall, call, { capabilities })))
        assert.strictEqual(Rounds.requests(transport).length, 1)
        return found?._tag === "InputNotGiven" ? found.problem : found?._tag
      })
      const undeclared = (what: string) =>
        `the request has not declared ${what}, which by default follows from the handlers given to McpClient.layer`
      assert.strictEqual(yield* refused({}, roots, everything), undeclared("roots"))
      assert.strictEqual(yield* refused(forms, url, everything), undeclared("elicitation.url"))
      // ELI-1: without modes it is forms.
      assert.strictEqual(yield* refused({ elicitation: {} }, url, everything), undeclared("elicitation.url"))
      const none = (what: string) => `The client has no handler for ${what}`
      assert.strictEqual(yield* refused({ elicitation: {} }, form()), none("elicitation/create"))
      assert.strictEqual(yield* refused(forms, form(), { elicitation: {} }), none("forms"))
      assert.strictEqual(yield* refused({ elicitation: { url: {} } }, url, { elicitation: {} }), none("addresses"))
      assert.strictEqual(yield* refused({ roots: {} }, roots), none("roots/list"))
      assert.strictEqual(yield* refused({ sampling: {} }, Rounds.sampling()), none("sampling/createMessage"))
    }))
})

describe("arguments that HTTP mirrors", () => {
  const list = {
    tools: [{
      name: "a",
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } }
    }]
  }

  it.effect("HDR-10: a call of one's own mirrors by the list seen before", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(list, ask, answer), { kind: "http" })
      yield* client.listTools()
      const params = { name: "a", arguments: { region: "eu" } }
      yield* client.request(Method.toolsCall, params, { accept })
      yield* client.request(Method.toolsCall, { ...params, inputResponses, requestState: "s" }, { accept })
      for (const { mirror } of Rounds.requests(transport).slice(1)) {
        assert.deepStrictEqual(mirror, {
          protocolVersion: "2026-07-28",
          method: "tools/call",
          name: "a",
          params: [["Region", "eu"]]
        })
      }
    }))

  it.effect("HDR-18: after -32020 it is sent once more, with the same answers", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(new McpError.HeaderMismatch({ message: "missing" }), list, answer),
        { kind: "http" }
      )
      const params = { name: "a", arguments: { region: "eu" }, inputResponses, requestState: "s" }
      yield* client.request(Method.toolsCall, params, { accept })
      assert.deepStrictEqual(Rounds.params(transport), [params, {}, params])
      assert.deepStrictEqual(Rounds.requests(transport).map(({ mirror }) => mirror.params), [[], [], [[
        "Region",
        "eu"
      ]]])
    }))
})

describe("the legacy era", () => {
  it.effect("MRTR-11, META-12: has neither answers in params nor capabilities of a request", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({ content: [] }), { roots: everything.roots })
      const params = { name: "a", inputResponses, requestState: "s" }
      yield* client.request(Method.toolsCall, params, { accept, capabilities: forms })
      const request = transport.sent.at(-1)
      assert.strictEqual(request?.message.method, "tools/call")
      assert.strictEqual(Rounds.capabilities(request), undefined)
      assert.deepStrictEqual(Rounds.params(transport).at(-1), { name: "a" })
    }))
})
