/** What a client does with a result that asks for input. */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Client } from "../../src/Client.ts"
import * as Handlers from "../../src/Handlers.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Rounds from "../support/rounds.ts"
import * as Scripted from "../support/scripted.ts"

const { answer, everything, form, inTurn, required, roots, sampling, url } = Rounds

describe("what is declared", () => {
  const declared = <const O extends McpClient.Options<unknown>>(options: O) =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => answer, options)
      yield* client.callTool("a")
      assert.deepStrictEqual(Rounds.capabilities(transport.sent[0]), Rounds.capabilities(transport.sent[1]))
      return Rounds.capabilities(transport.sent[1])
    })

  it.effect("META-9, ELI-1, SAMP-1, ROOT-1: every request declares what there are handlers for, and nothing else", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* declared(everything), {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {}, context: {} },
        roots: {}
      })
      const { elicitation, sampling: { createMessage } } = everything
      assert.deepStrictEqual(yield* declared({}), {})
      assert.deepStrictEqual(yield* declared({ elicitation: { form: elicitation.form } }), {
        elicitation: { form: {} }
      })
      assert.deepStrictEqual(yield* declared({ elicitation: { url: elicitation.url } }), { elicitation: { url: {} } })
      assert.deepStrictEqual(yield* declared({ elicitation: {} }), {})
      assert.deepStrictEqual(yield* declared({ sampling: { createMessage } }), { sampling: {} })
    }))

  it.effect("ROOT-1: roots that change are declared as plainly as others", () =>
    Effect.gen(function*() {
      const changing = { list: Effect.succeed([]), changes: Stream.never }
      assert.deepStrictEqual(yield* declared({ roots: changing }), { roots: {} })
    }))
})

describe("the next round", () => {
  const calls = [
    ["tools/call", (client) => client.callTool("a", { b: 1 }), { name: "a", arguments: { b: 1 } }],
    ["prompts/get", (client) => client.getPrompt("a", { b: "1" }), { name: "a", arguments: { b: "1" } }],
    ["resources/read", (client) => client.readResource("a:b"), { uri: "a:b" }]
  ] satisfies ReadonlyArray<
    readonly [string, (client: Client) => Effect.Effect<unknown, RequestError>, JsonObject]
  >

  for (const [method, call, params] of calls) {
    it.effect(`MRTR-6, MRTR-8, MRTR-10, MRTR-12, MRTR-20, trap 11: ${method} is sent again with the answers and the state`, () =>
      Effect.gen(function*() {
        const { client, transport } = yield* Scripted.client(
          inTurn(required({ who: form(), where: roots, what: sampling(), there: url }, { requestState: "s-1" })),
          everything
        )
        assert.deepStrictEqual(yield* call(client), answer)
        const [first, second, ...more] = Rounds.requests(transport)
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(Rounds.params(transport), [params, {
          ...params,
          inputResponses: {
            who: { action: "accept", content: { a: "b" } },
            where: { roots: [{ uri: "file:///a", name: "A" }] },
            what: Rounds.message,
            there: { action: "accept" }
          },
          requestState: "s-1"
        }])
        assert.strictEqual(second?.message.method, method)
        assert.notStrictEqual(second?.message.id, first?.message.id)
        assert.deepStrictEqual(second?.mirror, first?.mirror)
        assert.deepStrictEqual(Scripted.metaOf(second), {
          ...Scripted.metaOf(first),
          progressToken: second?.message.id
        })
      }))
  }

  it.effect("MRTR-7: state alone is sent back at once, without answers", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(required(undefined, { requestState: "later" })))
      assert.deepStrictEqual(yield* client.callTool("a"), answer)
      assert.deepStrictEqual(Rounds.params(transport), [{ name: "a" }, { name: "a", requestState: "later" }])
    }))

  it.effect("MRTR-6, MRTR-9: each round has the answers and the state of the result before it, and no others", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(
          required({ one: form() }, { requestState: "1" }),
          required({ two: roots }),
          required(undefined, { requestState: "3" }),
          required({}),
          required({ one: url }, { requestState: "5" })
        ),
        everything
      )
      assert.deepStrictEqual(yield* client.callTool("a", {}), answer)
      const base = { name: "a", arguments: {} }
      assert.deepStrictEqual(Rounds.params(transport), [
        base,
        { ...base, inputResponses: { one: { action: "accept", content: { a: "b" } } }, requestState: "1" },
        { ...base, inputResponses: { two: { roots: everything.roots } } },
        { ...base, requestState: "3" },
        { ...base, inputResponses: {} },
        { ...base, inputResponses: { one: { action: "accept" } }, requestState: "5" }
      ])
      assert.strictEqual(new Set(Rounds.requests(transport).map(({ message }) => message.id)).size, 6)
    }))

  it.effect("MRTR-8: the state is sent back byte for byte, whatever it is", () =>
    Effect.gen(function*() {
      const states = ["", " ", "\u0000\n", "\ud800", "é", "e\u0301", "{\"a\": 1.0}", "null", "🙂".repeat(10_000)]
      const { client, transport } = yield* Scripted.client(
        inTurn(...states.map((requestState) => required(undefined, { requestState })))
      )
      yield* client.callTool("a")
      assert.deepStrictEqual(Rounds.params(transport).slice(1).map(({ requestState }) => requestState), states)
    }))

  it.effect("MRTR-6: a key may be called anything", () =>
    Effect.gen(function*() {
      const keys = ["__proto__", "", "constructor", "toString", "1", "ä b"]
      const questions = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:{"method":"roots/list"}`).join()}}`)
      const { client, transport } = yield* Scripted.client(inTurn(required(questions)), everything)
      yield* client.callTool("a")
      const [, second] = Rounds.params(transport)
      const answers: unknown = second?.inputResponses
      assert.strictEqual(
        JSON.stringify(answers),
        JSON.stringify(questions).replaceAll("{\"method\":\"roots/list\"}", JSON.stringify({ roots: everything.roots }))
      )
      assert.isFalse("roots" in {})
    }))

  it.effect("MRTR-11: nothing of it reaches another request, beside it or after it, with the same params or others", () =>
    Effect.gen(function*() {
      const args = { b: 1 }
      let asked = false
      let beside: Effect.Effect<unknown, RequestError> = Effect.void
      const { client, transport } = yield* Scripted.client(({ message }) => {
        if (message.method !== "tools/call" || asked) return { ...answer, tools: [] }
        asked = true
        return required({ who: form() }, { requestState: "s" })
      }, {
        elicitation: { form: () => Effect.as(Effect.orDie(beside), Handlers.accept({ a: "b" })) }
      })
      beside = Effect.andThen(client.callTool("a", args), client.listTools())
      yield* client.callTool("a", args)
      yield* client.callTool("a", args)
      yield* client.readResource("a:b")
      assert.deepStrictEqual(args, { b: 1 })
      const call = { name: "a", arguments: args }
      assert.deepStrictEqual(Rounds.params(transport), [
        call,
        call,
        {},
        { ...call, inputResponses: { who: { action: "accept", content: { a: "b" } } }, requestState: "s" },
        call,
        { uri: "a:b" }
      ])
    }))

  it.effect("MRTR-11: a call that is run twice begins anew", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(required(undefined, { requestState: "1" }), answer, required(undefined, { requestState: "2" })),
        everything
      )
      const call = client.callTool("a")
      yield* call
      yield* call
      const states = Rounds.params(transport).map(({ requestState }) => requestState)
      assert.deepStrictEqual(states, [undefined, "1", undefined, "2"])
    }))

  it.effect("META-16, META-6: the options of the call hold for every round", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(required({ where: roots })), everything)
      yield* client.callTool("a", {}, { logLevel: "debug", meta: { "com.example/a": 1 } })
      for (const request of Rounds.requests(transport)) {
        const meta = Scripted.metaOf(request)
        assert.deepStrictEqual(
          [meta["io.modelcontextprotocol/logLevel"], meta["com.example/a"], meta.progressToken],
          ["debug", 1, request.message.id]
        )
      }
    }))
})

describe("what is no question", () => {
  const invalid = (
    raw: JsonObject,
    call: (client: Client) => Effect.Effect<unknown, RequestError>
  ) =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => raw, everything)
      const found = Rounds.reason(yield* Effect.flip(call(client)))
      assert.isTrue(found?._tag === "InvalidAnswer" && found.raw === raw, JSON.stringify(raw))
      assert.strictEqual(Rounds.requests(transport).length, 1)
      return found?.message
    })

  it.effect("MRTR-2: no other method may ask", () =>
    Effect.gen(function*() {
      const raw = { ...required({ where: roots }), tools: [], completion: { values: [] } }
      const why = "it asks for input, which no answer to this method may do"
      assert.strictEqual(
        yield* invalid(raw, (client) => client.listTools()),
        `The answer to tools/list is invalid: ${why}`
      )
      assert.strictEqual(
        yield* invalid(raw, (client) => client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" })),
        `The answer to completion/complete is invalid: ${why}`
      )
    }))

  it.effect("MRTR-3, MRTR-4: what is malformed is invalid, and nobody is asked", () =>
    Effect.gen(function*() {
      for (
        const raw of [
          required(),
          required(undefined, { requestState: 1 }),
          required(undefined, { requestState: null }),
          { ...required(), inputRequests: [] },
          { ...required(), inputRequests: null },
          required({ a: null }),
          required({ a: { method: "ping" } }),
          required({ a: { method: "tools/call", params: { name: "a" } } }),
          required({ a: { method: "elicitation/create" } }),
          required({ a: { method: "elicitation/create", params: { mode: "voice", message: "?" } } }),
          required({ a: form("?", { nested: { type: "object" } }) }),
          required({ fine: roots, a: { method: "sampling/createMessage", params: {} } }),
          required(JSON.parse(`{"__proto__":1}`))
        ]
      ) yield* invalid(raw, (client) => client.callTool("a"))
    }))
})

describe("limits", () => {
  it.effect("B16, Limits: more than ten rounds are given up, with an error that says so", () =>
    Effect.gen(function*() {
      let round = 0
      const { client, transport } = yield* Scripted.client(
        () => round < 10 ? required({ where: roots }, { requestState: String(round++) }) : answer,
        everything
      )
      assert.deepStrictEqual(yield* client.callTool("a"), answer)
      assert.strictEqual(Rounds.requests(transport).length, 11)

      const endless = yield* Scripted.client(() => required(undefined, { requestState: "again" }))
      const error = yield* Effect.flip(endless.client.callTool("a"))
      const found = Rounds.reason(error)
      assert.isTrue(found?._tag === "LimitExceeded" && found.limit === "inputRounds" && found.max === 10)
      assert.include(error.message, "Limits.layer({ inputRounds: ... }) raises it")
      assert.strictEqual(Rounds.requests(endless.transport).length, 11)
    }))

  it.effect("Limits: inputRounds is the limit in force", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => required({ where: roots }), everything)
      assert.strictEqual(Rounds.reason(yield* Effect.flip(client.callTool("a")))?._tag, "LimitExceeded")
      assert.strictEqual(Rounds.requests(transport).length, 3)
    }).pipe(Effect.provide(Limits.layer({ inputRounds: 2 }))))

  it.effect("Limits: more questions in one result than inFlightRequests are not answered", () =>
    Effect.gen(function*() {
      let asked = 0
      const options = { roots: { list: Effect.sync(() => [{ uri: `file:///${asked++}` }]) } }
      const questions = (count: number) =>
        required(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, roots])))
      const enough = yield* Scripted.client(inTurn(questions(3)), options)
      yield* enough.client.callTool("a")
      assert.strictEqual(asked, 3)
      const { client, transport } = yield* Scripted.client(inTurn(questions(4)), options)
      const found = Rounds.reason(yield* Effect.flip(client.callTool("a")))
      assert.isTrue(found?._tag === "LimitExceeded" && found.limit === "inFlightRequests" && found.actual === 4)
      assert.strictEqual(asked, 3)
      assert.strictEqual(Rounds.requests(transport).length, 1)
    }).pipe(Effect.provide(Limits.layer({ inFlightRequests: 3 }))))
})

describe("revisions", () => {
  const unsupported = (...supported: ReadonlyArray<string>) =>
    new McpError.UnsupportedProtocolVersion({ message: "no", supported, requested: "2026-07-28" })

  it.effect("ERA-3: a round whose revision is refused is sent once more, as it is", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(required({ where: roots }, { requestState: "s" }), unsupported("2026-07-28"), unsupported("2026-07-28")),
        everything
      )
      const error = yield* Effect.flip(client.callTool("a"))
      assert.strictEqual(error._tag, "UnsupportedProtocolVersion")
      const retry = { name: "a", inputResponses: { where: { roots: everything.roots } }, requestState: "s" }
      assert.deepStrictEqual(Rounds.params(transport), [{ name: "a" }, retry, retry])
    }))

  it.effect("ERA-3: a request that was sent once more can have rounds, and their number is not forgotten", () =>
    Effect.gen(function*() {
      const asks = required(undefined, { requestState: "s" })
      const { client, transport } = yield* Scripted.client(
        inTurn(unsupported("2026-07-28"), asks, unsupported("2026-07-28"), asks)
      )
      assert.strictEqual(Rounds.reason(yield* Effect.flip(client.callTool("a")))?._tag, "LimitExceeded")
      assert.strictEqual(Rounds.requests(transport).length, 4)
    }).pipe(Effect.provide(Limits.layer({ inputRounds: 1 }))))

  it.effect("ERA-22, MRTR-11: in a session of the legacy era nothing of the rounds before it is sent", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client((request, params) => {
        switch (request.message.method) {
          case "initialize":
            return Scripted.initialized(params.protocolVersion)
          case "tools/call":
            return Scripted.metaOf(request)["io.modelcontextprotocol/protocolVersion"] === undefined
              ? answer
              : params.requestState === undefined
              ? required({ where: roots }, { requestState: "s" })
              : unsupported("2025-11-25")
          default:
            return answer
        }
      }, everything)
      assert.deepStrictEqual(yield* client.callTool("a"), answer)
      assert.strictEqual(client.server.revision, "2025-11-25")
      assert.deepStrictEqual(Rounds.params(transport).at(-1), { name: "a" })
    }))

  it.effect("RPC-12: in the legacy era a result that says input_required is a result like any other", () =>
    Effect.gen(function*() {
      const raw = { ...required({ where: roots }), content: [] }
      const { client, transport } = yield* Scripted.legacyClient(() => raw, everything)
      const result: unknown = yield* client.callTool("a")
      assert.deepStrictEqual(result, raw)
      assert.strictEqual(transport.sent.filter(({ message }) => message.method === "tools/call").length, 1)
    }))
})
