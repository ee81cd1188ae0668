import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Tool from "@effect-mcp/core/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Scripted from "./support/scripted.ts"

const tool = (name: string, properties?: JsonObject): JsonObject => ({
  name,
  inputSchema: { type: "object", ...(properties === undefined ? undefined : { properties }) }
})

/** Pages by cursor; the page without one is under `first`. */
const paged = (pages: { readonly [cursor: string]: JsonObject }, first: JsonObject): Scripted.Script => (_, params) =>
  typeof params.cursor === "string" ? pages[params.cursor] ?? { tools: [] } : first

describe("pages", () => {
  it.effect("PAGE-2, PAGE-3, PAGE-5: the empty string is a cursor, null and absence end the list", () =>
    Effect.gen(function*() {
      for (const end of [{}, { nextCursor: null }]) {
        const { client, transport } = yield* Scripted.client(paged(
          { "": { tools: [], nextCursor: "x y" }, "x y": { tools: [tool("b"), tool("c")], ...end } },
          { tools: [tool("a")], nextCursor: "" }
        ))
        const tools = yield* Stream.runCollect(client.tools)
        assert.deepStrictEqual(tools.map(({ name }) => name), ["a", "b", "c"])
        assert.deepStrictEqual(transport.sent.slice(1).map(({ message }) => message.params?.cursor), [
          undefined,
          "",
          "x y"
        ])
      }
    }))

  it.effect("PAGE-1: a page is only read when it is needed", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(paged({}, { tools: [tool("a")], nextCursor: "2" }))
      yield* Stream.runCollect(Stream.take(client.tools, 1))
      assert.strictEqual(transport.sent.length, 2)
    }))

  it.effect("case 65: a cursor that comes back ends the walk with an error, after the items before it", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(paged(
        { "1": { tools: [tool("b")], nextCursor: "1" } },
        { tools: [tool("a")], nextCursor: "1" }
      ))
      const names: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(client.tools, ({ name }) => Effect.sync(() => names.push(name)))
      )
      assert.deepStrictEqual(names, ["a", "b"])
      assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "InvalidAnswer")
      assert.strictEqual(transport.sent.length, 3)
    }))

  it.effect("Limits: a list without an end is given up after the limit `pages`", () =>
    Effect.gen(function*() {
      let page = 0
      const { client, transport } = yield* Scripted.client(() => ({ tools: [tool("a")], nextCursor: String(page++) }))
      const error = yield* Effect.flip(Stream.runDrain(client.tools))
      assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "LimitExceeded")
      assert.include(error.message, "pages")
      assert.strictEqual(transport.sent.length, 8)
    }).pipe(Effect.provide(Limits.layer({ pages: 7 }))))

  it.effect("PAGE-1: every list has its stream", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({
        resources: [{ uri: "a:b", name: "b" }],
        resourceTemplates: [{ uriTemplate: "a:{b}", name: "b" }],
        prompts: [{ name: "p" }]
      }))
      assert.strictEqual((yield* Stream.runCollect(client.resources))[0]?.uri, "a:b")
      assert.strictEqual((yield* Stream.runCollect(client.resourceTemplates))[0]?.uriTemplate, "a:{b}")
      assert.strictEqual((yield* Stream.runCollect(client.prompts))[0]?.name, "p")
      yield* client.listResources({ cursor: "" })
      assert.strictEqual(transport.sent[4]?.message.params?.cursor, "")
    }))
})

const region = { region: { type: "string", "x-mcp-header": "Region" } }

describe("arguments that HTTP mirrors", () => {
  const list = {
    tools: [
      tool("valid", region),
      tool("number", { n: { type: "number", "x-mcp-header": "N" } }),
      tool("empty", { n: { type: "string", "x-mcp-header": "" } })
    ],
    ttlMs: 1
  }

  it.effect("HDR-14: over HTTP a tool that breaks the rules is left out of lists", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => list, { kind: "http" })
      const page = yield* client.listTools()
      assert.deepStrictEqual(page.tools.map(({ name }) => name), ["valid"])
      assert.strictEqual(page.ttlMs, 1)
      assert.deepStrictEqual((yield* Stream.runCollect(client.tools)).map(({ name }) => name), ["valid"])
    }))

  it.effect("HDR-14: elsewhere it stays", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => list, { kind: "stdio" })
      assert.strictEqual((yield* client.listTools()).tools.length, 3)
    }))

  it.effect("HDR-10, HDR-15: a call by name mirrors by the list seen before, as plain values", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        ({ message }) => message.method === "tools/list" ? list : { content: [] },
        { kind: "http" }
      )
      yield* client.callTool("valid", { region: "eu" })
      yield* client.listTools()
      yield* client.callTool("valid", { region: "Zürich " })
      yield* client.callTool("valid", { region: null })
      yield* client.callTool("valid")
      const calls = transport.sent.filter(({ message }) => message.method === "tools/call")
      assert.deepStrictEqual(calls.map(({ mirror }) => mirror.params), [[], [["Region", "Zürich "]], [], []])
    }))

  it.effect("the limit toolSchemas: the oldest are forgotten, and learnt anew when their call is refused", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        ({ message }) =>
          message.method === "tools/list"
            ? { tools: ["a", "b", "c"].map((name) => tool(name, region)) }
            : { content: [] },
        { kind: "http" }
      )
      yield* client.listTools()
      for (const name of ["a", "b", "c"]) yield* client.callTool(name, { region: "eu" })
      const calls = transport.sent.filter(({ message }) => message.method === "tools/call")
      assert.deepStrictEqual(calls.map(({ mirror }) => mirror.params.length), [0, 1, 1])
    }).pipe(Effect.provide(Limits.layer({ toolSchemas: 2 }))))

  const Where = Tool.make("where", {
    input: { region: Schema.String.annotate(JsonSchema.mcpHeader("Region")) }
  })

  it.effect("HDR-10: a call by contract mirrors by the contract", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ content: [] }), { kind: "http" })
      yield* client.call(Where, { region: "eu" })
      assert.deepStrictEqual(transport.sent[1]?.mirror.params, [["Region", "eu"]])
    }))

  const strict: Scripted.Script = ({ message, mirror }) =>
    message.method === "tools/list"
      ? { tools: [tool("valid", region)] }
      : mirror.params.length === 0
      ? new McpError.HeaderMismatch({ message: "Mcp-Param-Region is missing" })
      : { content: [] }

  it.effect("HDR-18: after -32020 the list is read again and the call sent once more", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(strict, { kind: "http" })
      yield* client.callTool("valid", { region: "eu" })
      assert.deepStrictEqual(transport.sent.slice(1).map(({ message }) => message.method), [
        "tools/call",
        "tools/list",
        "tools/call"
      ])
    }))

  it.effect("HDR-18: a mismatch that the list does not explain is the answer", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(strict, { kind: "http" })
      const result = yield* Effect.result(client.callTool("other", { region: "eu" }))
      assert.isTrue(Result.isFailure(result) && result.failure._tag === "HeaderMismatch")
      assert.strictEqual(transport.sent.length, 3)
    }))
})
