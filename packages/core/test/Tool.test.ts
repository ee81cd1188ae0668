import * as Content from "@effect-mcp/core/Content"
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as Tool from "@effect-mcp/core/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assertOfficial } from "./support/official.ts"

class Circle extends Schema.Class<Circle>("Circle")({ radius: Schema.Finite }) {}

class Square extends Schema.Class<Square>("Square")({ side: Schema.Finite }) {}

const header = JsonSchema.mcpHeader

const thrownBy = (f: () => unknown): unknown => {
  try {
    f()
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}

describe("make", () => {
  for (const name of ["a", "get_user", "DATA.export-v2", "0", "x".repeat(128), ".", "-"]) {
    it(`TOOL-5: ${name.slice(0, 20)} is a name`, () => {
      const tool = Tool.make(name, {})
      assert.strictEqual(tool.name, name)
      assertOfficial("Tool", tool.definition)
    })
  }

  for (const name of ["", "x".repeat(129), "a b", "a,b", "a/b", "a:b", "ü", "a\n", "a\u0000", "=?base64?YQ==?="]) {
    it(`TOOL-5, B17: ${JSON.stringify(name.slice(0, 20))} is not`, () => {
      const error = thrownBy(() => Tool.make(name, {}))
      assert.instanceOf(error, Tool.InvalidTool)
      assert.strictEqual(error.name, name)
      assert.include(error.message, JSON.stringify(name))
      assert.include(error.problem, "1 to 128 characters")
    })
  }

  it("TOOL-8: a tool without input takes no parameters", () => {
    assert.deepStrictEqual<unknown>(Tool.make("now", {}).definition, {
      name: "now",
      inputSchema: { type: "object", additionalProperties: false }
    })
  })

  it("TOOL-3, TOOL-4, ICON-1, META-19: what is given is in the definition, and nothing else", () => {
    const tool = Tool.make("draw", {
      title: "Draw",
      description: "Draws a shape",
      input: { size: Schema.Int, color: Schema.optionalKey(Schema.String) },
      output: { path: Schema.String },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
        title: "D"
      },
      icons: [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
      meta: { "com.example/cost": 1 }
    })
    assert.deepStrictEqual<unknown>(tool.definition, {
      name: "draw",
      title: "Draw",
      description: "Draws a shape",
      inputSchema: {
        type: "object",
        properties: {
          size: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
          color: { type: "string" }
        },
        required: ["size"],
        additionalProperties: true
      },
      outputSchema: {
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
        additionalProperties: true
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
        title: "D"
      },
      icons: [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
      _meta: { "com.example/cost": 1 }
    })
    assertOfficial("Tool", tool.definition)
    assert.deepStrictEqual(Schema.decodeUnknownSync(tool.input)({ size: 1 }), { size: 1 })
  })

  it("TOOL-3: classes and unions of them are inputs", () => {
    for (const input of [Circle, Schema.Union([Circle, Square])]) {
      const tool = Tool.make("draw", { input })
      assert.strictEqual(tool.input, input)
      assert.strictEqual(tool.definition.inputSchema.type, "object")
      assertOfficial("Tool", tool.definition)
    }
  })

  for (const input of [Schema.String, Schema.Array(Schema.String), Schema.Union([Circle, Schema.Null])]) {
    it(`TOOL-3: an input of ${input.ast._tag} is refused`, () => {
      const error = thrownBy(() => Tool.make("draw", { input }))
      assert.instanceOf(error, JsonSchema.NotAnObject)
      assert.include(error.message, "The input of the tool draw")
    })
  }

  for (
    const [title, output] of [
      ["text", Schema.String],
      ["a list", Schema.Array(Circle)],
      ["null", Schema.Null],
      ["a number", Schema.Finite],
      ["a class", Circle],
      ["any JSON", Schema.Json]
    ] as const
  ) {
    it(`TOOL-9, TOOL-15: the output is ${title}`, () => {
      const tool = Tool.make("draw", { output })
      assert.strictEqual(tool.output, output)
      assert.deepStrictEqual(tool.definition.outputSchema, JsonSchema.fromSchema(output))
      assertOfficial("Tool", tool.definition)
    })
  }

  it("the failure, and what the model reads, are on the contract and not in the definition", () => {
    class Broken extends Schema.TaggedError<Broken>()("Broken", { part: Schema.String }) {}
    const tool = Tool.make("draw", { output: { n: Schema.Int }, failure: Broken, render: ({ n }) => `${n} lines` })
    assert.strictEqual(tool.failure, Broken)
    assert.strictEqual((tool.render as ((_: unknown) => unknown) | undefined)?.({ n: 3 }), "3 lines")
    assert.hasAllKeys(tool.definition, ["name", "inputSchema", "outputSchema"])
    assert.strictEqual(Tool.make("draw", {}).failure, Schema.Never)
    assert.isUndefined(Tool.make("draw", {}).output)
    assert.isUndefined(Tool.make("draw", {}).render)
  })
})

describe("headers", () => {
  it("HDR-9, HDR-12: strings, integers and booleans, at any depth, optional ones too", () => {
    const tool = Tool.make("route", {
      input: {
        region: Schema.String.check(Schema.isMinLength(1)).annotate(header("Region")),
        kind: Schema.Literals(["a", "b"]).annotate(header("Kind")),
        count: Schema.Int.annotate(header("Count")),
        dry: Schema.optional(Schema.Boolean.annotate(header("Dry"))),
        late: Schema.optionalKey(Schema.String.annotate(header("Late"))),
        inner: Schema.Struct({ zone: Schema.String.annotate(header("Zone")) })
      }
    })
    assert.deepStrictEqual(tool.headers, [
      { header: "Region", path: ["region"], type: "string" },
      { header: "Kind", path: ["kind"], type: "string" },
      { header: "Count", path: ["count"], type: "integer" },
      { header: "Dry", path: ["dry"], type: "boolean" },
      { header: "Late", path: ["late"], type: "string" },
      { header: "Zone", path: ["inner", "zone"], type: "string" }
    ])
    assertOfficial("Tool", tool.definition)
    assert.deepStrictEqual(Tool.make("now", {}).headers, [])
  })

  const wrong: ReadonlyArray<readonly [title: string, Schema.Struct.Fields]> = [
    ["HDR-11: an empty name", { a: Schema.String.annotate(header("")) }],
    ["HDR-11: a name with a space", { a: Schema.String.annotate(header("My Region")) }],
    ["HDR-11: a line break", { a: Schema.String.annotate(header("a\r\nb")) }],
    ["HDR-11: one name twice, case aside", {
      a: Schema.String.annotate(header("A")),
      b: Schema.String.annotate(header("a"))
    }],
    ["HDR-12: a number", { a: Schema.Finite.annotate(header("A")) }],
    ["HDR-12: null too", { a: Schema.NullOr(Schema.String).annotate(header("A")) }],
    ["HDR-12: an object", { a: Schema.Struct({ b: Schema.String }).annotate(header("A")) }],
    ["HDR-13: in a list", { a: Schema.Array(Schema.String.annotate(header("A"))) }],
    ["HDR-13: in a union", { a: Schema.Union([Schema.String.annotate(header("A")), Schema.Finite]) }],
    ["HDR-13: behind a reference", { a: Schema.String.annotate({ ...header("A"), identifier: "A" }) }]
  ]
  for (const [title, input] of wrong) {
    it(`${title} is refused`, () => {
      const error = thrownBy(() => Tool.make("route", { input }))
      assert.instanceOf(error, Tool.InvalidTool)
      assert.strictEqual(error.name, "route")
    })
  }
})

describe("toContent", () => {
  const block = Content.text("a")

  it("TOOL-12: text, a block and blocks become blocks", () => {
    assert.deepStrictEqual(Tool.toContent("a"), [block])
    assert.deepStrictEqual(Tool.toContent(""), [Content.text("")])
    assert.deepStrictEqual(Tool.toContent(block), [block])
    assert.deepStrictEqual(Tool.toContent([block, block]), [block, block])
    assert.deepStrictEqual(Tool.toContent([]), [])
  })
})

describe("reply", () => {
  it("says more than the output", () => {
    const reply = Tool.reply({ output: { sum: 3 }, content: "three", meta: { a: 1 } })
    assert.isTrue(Tool.isReply(reply))
    assert.deepStrictEqual(reply.output, { sum: 3 })
    assert.deepStrictEqual(reply.content, [Content.text("three")])
    assert.deepStrictEqual(reply.meta, { a: 1 })
  })

  it("is nothing that could be an output by chance", () => {
    assert.isUndefined(Tool.reply({ meta: {} }).content)
    for (const other of [null, undefined, "a", {}, [], { output: 1, content: [], meta: {} }, Content.text("a")]) {
      assert.isFalse(Tool.isReply(other))
    }
    assert.isFalse(Tool.isReply(JSON.parse(JSON.stringify(Tool.reply({ output: 1 })).replace(/~[^"]+/, "x"))))
  })
})

it("any tool may fail in words, or with content of its own", () => {
  const failure = new Tool.ToolFailure({ message: "No such city" })
  assert.strictEqual(failure.message, "No such city")
  assert.isUndefined(failure.content)
  assert.deepStrictEqual(new Tool.ToolFailure({ message: "m", content: [Content.text("a")] }).content, [
    Content.text("a")
  ])
})
