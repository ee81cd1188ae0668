import { assert, describe, it } from "@effect/vitest"
import * as Content from "@effect-mcp/core/Content"
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { connect, names, start } from "./support.ts"

const Add = Tool.make("add", {
  title: "Add",
  description: "Add two numbers",
  input: { a: Schema.Finite, b: Schema.Finite },
  output: { sum: Schema.Finite },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false, destructiveHint: false },
  icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["48x48"] }],
  meta: { "com.example/tier": "free" }
})
const AddLive = McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b }))
const Hello = Tool.make("hello", {})
const HelloLive = McpServer.tool(Hello, () => Effect.succeed("Hello!"))

/** Calls a tool whose handler gives a value, whatever its type says. */
const callReturning = (output: Schema.Codec<unknown, unknown>, value: unknown, render?: (value: never) => string) =>
  Effect.gen(function*() {
    // `Options` wants the two to agree, which is what some of the tests break.
    const tool = Tool.make("returning", { output, render: render as ((value: unknown) => string) | undefined })
    const peer = yield* start(McpServer.tool(tool, () => Effect.succeed(value)), { sendServerInfo: false })
    return yield* peer.call("returning")
  })

describe("tools/list", () => {
  it.effect("TOOL-1, TOOL-3, TOOL-4, TOOL-8, ICON-1, META-19: gives every member of a definition", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.merge(AddLive, HelloLive))
      const { nextCursor, tools } = yield* peer.result("tools/list")
      assert.isUndefined(nextCursor)
      assert.deepStrictEqual(tools[0], {
        name: "add",
        title: "Add",
        description: "Add two numbers",
        inputSchema: Add.definition.inputSchema,
        outputSchema: Add.definition.outputSchema,
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false, destructiveHint: false },
        icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["48x48"] }],
        _meta: { "com.example/tier": "free" }
      })
      assert.strictEqual(tools[0].inputSchema.type, "object")
      assert.deepStrictEqual(tools[1], { name: "hello", inputSchema: { type: "object", additionalProperties: false } })
    }))

  it.effect("TOOL-2: the order is that in which features were made, not that in which they were merged", () =>
    Effect.gen(function*() {
      const one = HelloLive
      const two = McpServer.tool(Tool.make("two", {}), () => Effect.succeed("2"))
      const three = McpServer.tool(Tool.make("three", {}), () => Effect.succeed("3"))
      const peer = yield* start(Layer.mergeAll(three, one, two))
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["hello", "two", "three"])
    }))
})

describe("tools/call", () => {
  it.effect("TOOL-12, TOOL-16, TOOL-17, CACHE-2: structured output has a text twin, and no cache hint", () =>
    Effect.gen(function*() {
      const peer = yield* start(AddLive, { sendServerInfo: false })
      assert.deepStrictEqual(yield* peer.call("add", { a: 1, b: 2 }), {
        resultType: "complete",
        content: [{ type: "text", text: "{\"sum\":3}" }],
        structuredContent: { sum: 3 }
      })
    }))

  for (
    const [what, schema, value] of [
      ["null", Schema.Null, null],
      ["0", Schema.Finite, 0],
      ["an empty string", Schema.String, ""],
      ["false", Schema.Boolean, false],
      ["an empty list", Schema.Array(Schema.String), []],
      ["an empty object", Schema.Struct({}), {}]
    ] as const
  ) {
    it.effect(`TOOL-15, TOOL-16, TOOL-17, trap 19: ${what} is an output like any other`, () =>
      Effect.gen(function*() {
        const result = yield* callReturning(schema, value)
        assert.isTrue(Object.hasOwn(result, "structuredContent"))
        assert.deepStrictEqual(result.structuredContent, value)
        assert.deepStrictEqual(result.content, [{ type: "text", text: JSON.stringify(value) }])
        assert.isUndefined(result.isError)
      }))
  }

  it.effect("TOOL-16: the output is encoded by its schema", () =>
    Effect.gen(function*() {
      const day = new Date(0)
      const result = yield* callReturning(Schema.Struct({ day: Schema.DateFromString }), { day })
      assert.deepStrictEqual(result.structuredContent, { day: "1970-01-01T00:00:00.000Z" })
    }))

  it.effect("TOOL-17: render gives the model another text than the program", () =>
    Effect.gen(function*() {
      const render = ({ n }: { readonly n: number }) => `There are ${n}`
      const result = yield* callReturning(Schema.Struct({ n: Schema.Finite }), { n: 2 }, render)
      assert.deepStrictEqual(result.content, [{ type: "text", text: "There are 2" }])
      assert.deepStrictEqual(result.structuredContent, { n: 2 })
    }))

  it.effect("TOOL-12, TOOL-13, TOOL-14, RES-13: a tool without output gives text or blocks of content", () =>
    Effect.gen(function*() {
      const blocks = [
        Content.text("t", { annotations: { audience: ["user"], priority: 0.5 }, meta: { "a/b": 1 } }),
        Content.image(new Uint8Array([1, 2, 3]), "image/png"),
        Content.audio("AQID", "audio/wav"),
        Content.resourceLink({ uri: "a://a", name: "a" }),
        Content.resource(Content.contents("a://b", "text", { mimeType: "text/plain" }))
      ]
      const peer = yield* start(Layer.mergeAll(
        HelloLive,
        McpServer.tool(Tool.make("blocks", {}), () => Effect.succeed(blocks)),
        McpServer.tool(Tool.make("block", {}), () => Effect.succeed(Content.text("one"))),
        McpServer.tool(Tool.make("nothing", {}), () => Effect.succeed([]))
      ))
      assert.deepStrictEqual((yield* peer.call("hello")).content, [{ type: "text", text: "Hello!" }])
      const { content } = yield* peer.call("blocks")
      assert.deepStrictEqual(content, JSON.parse(JSON.stringify(blocks)))
      assert.strictEqual(content[1].data, "AQID")
      assert.deepStrictEqual((yield* peer.call("block")).content, [{ type: "text", text: "one" }])
      assert.deepStrictEqual((yield* peer.call("nothing")).content, [])
    }))

  it.effect("TOOL-12: a reply adds content and `_meta` of its own", () =>
    Effect.gen(function*() {
      const peer = yield* start(
        Layer.mergeAll(
          McpServer.tool(Add, ({ a, b }) =>
            Effect.succeed(Tool.reply({
              output: { sum: a + b },
              content: [Content.text("Three")],
              meta: { "com.example/cost": 1 }
            }))),
          McpServer.tool(Hello, () => Effect.succeed(Tool.reply({ meta: { "com.example/cost": 2 } })))
        ),
        { sendServerInfo: false }
      )
      assert.deepStrictEqual(yield* peer.call("add", { a: 1, b: 2 }), {
        resultType: "complete",
        content: [{ type: "text", text: "Three" }],
        structuredContent: { sum: 3 },
        _meta: { "com.example/cost": 1 }
      })
      assert.deepStrictEqual(yield* peer.call("hello"), {
        resultType: "complete",
        content: [],
        _meta: { "com.example/cost": 2 }
      })
    }))

  it.effect("TOOL-18: an unknown tool is -32602", () =>
    Effect.gen(function*() {
      const peer = yield* start(HelloLive)
      for (const name of ["nope", "Hello", "__proto__", "constructor", ""]) {
        const error = yield* peer.error("tools/call", { name, arguments: {} })
        assert.deepStrictEqual(error, { code: -32602, message: `Unknown tool: ${name}` })
      }
    }))

  it.effect("TOOL-11, TOOL-18, B6: what is no CallToolRequest is -32602", () =>
    Effect.gen(function*() {
      const peer = yield* start(HelloLive)
      for (const args of ["text", [], [1], 1, true]) {
        assert.strictEqual((yield* peer.error("tools/call", { name: "hello", arguments: args })).code, -32602)
      }
      assert.strictEqual((yield* peer.error("tools/call", {})).code, -32602)
      assert.strictEqual((yield* peer.error("tools/call", { name: null })).code, -32602)
      assert.strictEqual((yield* peer.error("tools/call", { name: 1 })).code, -32602)
    }))

  it.effect("case 28, B6: `arguments` that are null or absent are read as none", () =>
    Effect.gen(function*() {
      const peer = yield* start(HelloLive)
      for (const params of [{ name: "hello" }, { name: "hello", arguments: null }, { name: "hello", arguments: {} }]) {
        assert.deepStrictEqual((yield* peer.result("tools/call", params)).content, [{ type: "text", text: "Hello!" }])
      }
    }))

  it.effect("TOOL-20, trap 18, case 67: bad arguments are told to the model, each with its place", () =>
    Effect.gen(function*() {
      const peer = yield* start(AddLive)
      for (
        const [args, said] of [
          [{ a: "1", b: 2 }, ["Expected number", "[\"a\"]"]],
          [{ a: 1 }, ["Missing key", "[\"b\"]"]],
          [{}, ["[\"a\"]", "[\"b\"]"]],
          [{ a: null, b: 2 }, ["[\"a\"]"]],
          [null, ["[\"a\"]", "[\"b\"]"]]
        ] as const
      ) {
        const result = yield* peer.call("add", args)
        assert.isTrue(result.isError)
        assert.isFalse(Object.hasOwn(result, "structuredContent"))
        const [{ text }] = result.content
        for (const words of ["add", "Correct", ...said]) assert.include(text, words)
      }
      assert.strictEqual((yield* peer.call("add", { a: 1, b: 2, c: 3 })).structuredContent.sum, 3)
    }))

  it.effect("TOOL-16, B17: an output that does not fit its own schema is told, never passed", () =>
    Effect.gen(function*() {
      const result = yield* callReturning(Schema.Struct({ sum: Schema.Finite }), { sum: "three" })
      assert.isTrue(result.isError)
      assert.isFalse(Object.hasOwn(result, "structuredContent"))
      assert.include(result.content[0].text, "[\"sum\"]")
    }))

  for (
    const [what, value] of [
      ["undefined", undefined],
      ["a bigint", 1n],
      ["a function", () => 1],
      [
        "a cycle",
        (() => {
          const cycle: Record<string, unknown> = {}
          cycle.self = cycle
          return cycle
        })()
      ],
      ["a bigint inside", { n: 1n }],
      ["undefined inside", { gone: undefined }],
      ["NaN inside", { n: Number.NaN }],
      ["a date inside", { at: new Date(0) }]
    ] as const
  ) {
    it.effect(`case 62: ${what} in an output of any kind is an error of the tool, never a text of "undefined"`, () =>
      Effect.gen(function*() {
        const result = yield* callReturning(Schema.Unknown, value)
        assert.isTrue(result.isError)
        assert.isFalse(Object.hasOwn(result, "structuredContent"))
        assert.include(result.content[0].text, "returning")
      }))
  }

  it.effect("STATE-2: calls of many tasks on one connection are answered side by side", () =>
    Effect.gen(function*() {
      const Echo = Tool.make("echo", { input: { n: Schema.Finite }, output: { n: Schema.Finite } })
      const peer = yield* start(
        McpServer.tool(Echo, ({ n }) => Effect.as(n % 2 === 0 ? Effect.void : Effect.yieldNow, { n }))
      )
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        (n) => peer.call("echo", { n }, { id: n % 5 === 0 ? `task ${n}` : n }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map((answer) => answer.structuredContent.n), answers.map((_, n) => n))
    }))
})

describe("mirrored arguments", () => {
  const Query = Tool.make("query", {
    input: { region: Schema.String.annotate(JsonSchema.mcpHeader("Region")), limit: Schema.optional(Schema.Finite) }
  })

  it.effect("HDR-16, HDR-17: an argument is compared with its header where the transport mirrors", () =>
    Effect.gen(function*() {
      const plain = yield* start(McpServer.tool(Query, ({ region }) => Effect.succeed(region)))
      const mirrored = connect(plain.endpoint, { mirror: true })
      const params = { name: "query", arguments: { region: "eu" } }
      assert.strictEqual((yield* plain.result("tools/call", params)).content[0].text, "eu")
      const headers = { name: "query", params: [["Region", "eu"]] } as const
      assert.strictEqual((yield* mirrored.result("tools/call", params, headers)).content[0].text, "eu")
      assert.strictEqual((yield* mirrored.error("tools/call", params, { name: "query" })).code, -32020)
      assert.strictEqual(
        (yield* mirrored.error("tools/call", params, { name: "query", params: [["Region", "us"]] })).code,
        -32020
      )
      assert.strictEqual((yield* mirrored.error("tools/call", params, { name: "other" })).code, -32020)
    }))
})
