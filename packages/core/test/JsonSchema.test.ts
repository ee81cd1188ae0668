import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { check, overTheWire } from "./support/check.ts"
import { validator } from "./support/official.ts"

class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite, y: Schema.Finite }) {}

class Line extends Schema.Class<Line>("Line")({ from: Point, to: Schema.optional(Point) }) {}

class Nothing extends Schema.Class<Nothing>("Nothing")({}) {}

interface Tree {
  readonly value: string
  readonly children: ReadonlyArray<Tree>
}

const Tree = Schema.Struct({
  value: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const number = { type: "number" }
const point = { type: "object", properties: { x: number, y: number }, required: ["x", "y"], additionalProperties: true }
const none = { type: "object", additionalProperties: false }

const a = (type: object) => ({ type: "object", properties: { a: type }, required: ["a"], additionalProperties: true })

const inputs: ReadonlyArray<readonly [title: string, Schema.Constraint, expected: object]> = [
  ["TOOL-8: no fields", Schema.Struct({}), none],
  ["TOOL-8: no fields, described", Schema.Struct({}).annotate({ description: "d" }), { ...none, description: "d" }],
  ["TOOL-8: no fields, named", Schema.Struct({}).annotate({ identifier: "Empty" }), none],
  ["TOOL-8: a class without fields", Nothing, none],
  ["TOOL-3: a struct", Schema.Struct({ a: Schema.String }), a({ type: "string" })],
  [
    "a struct that is described",
    Schema.Struct({ a: Schema.String }).annotate({ title: "T", description: "d" }),
    { ...a({ type: "string" }), title: "T", description: "d" }
  ],
  ["TOOL-3: a class is resolved at the root", Point, point],
  [
    "TOOL-9: a class keeps the definitions it uses",
    Line,
    {
      type: "object",
      properties: {
        from: { $ref: "#/$defs/PointEncoded" },
        to: { anyOf: [{ $ref: "#/$defs/PointEncoded" }, { type: "null" }] }
      },
      required: ["from"],
      additionalProperties: true,
      $defs: { PointEncoded: point }
    }
  ],
  [
    "TOOL-9: a recursive root keeps its own definition",
    Tree,
    {
      type: "object",
      properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
      required: ["value", "children"],
      additionalProperties: true,
      $defs: {
        Tree: {
          type: "object",
          properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
          required: ["value", "children"],
          additionalProperties: true
        }
      }
    }
  ],
  [
    "TOOL-3: a union of structs",
    Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ a: Schema.Finite })]),
    { type: "object", anyOf: [a({ type: "string" }), a(number)] }
  ],
  [
    "TOOL-3: a union of which one member holds",
    Schema.Union([Schema.Struct({ a: Schema.String })], { mode: "oneOf" }),
    { type: "object", oneOf: [a({ type: "string" })] }
  ],
  [
    "TOOL-3: a union of classes, and of unions",
    Schema.Union([Point, Schema.Union([Schema.Struct({ a: Schema.String }), Point])]),
    {
      type: "object",
      anyOf: [{ $ref: "#/$defs/PointEncoded" }, a({ type: "string" }), { $ref: "#/$defs/PointEncoded" }],
      $defs: { PointEncoded: point }
    }
  ],
  [
    "TOOL-3: a union with a struct without fields",
    Schema.Union([Schema.Struct({}), Schema.Struct({ a: Schema.String })]),
    { type: "object", anyOf: [{ type: "object" }, a({ type: "string" })] }
  ],
  ["a record of numbers", Schema.Record(Schema.String, Schema.Finite), {
    type: "object",
    additionalProperties: number
  }],
  ["a record of anything stays open", Schema.Record(Schema.String, Schema.Json), { type: "object" }],
  [
    "TOOL-9: a struct with a rest keeps every keyword",
    Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [Schema.Record(Schema.String, Schema.Json)]),
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      allOf: [{ type: "object", additionalProperties: {} }]
    }
  ],
  [
    "the wire form is described, not the value",
    Schema.Struct({ a: Schema.DateFromString }),
    a({ type: "string" })
  ],
  [
    "checks stand beside the type, with their annotations",
    Schema.Struct({
      a: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(3)).annotate({ description: "d" })
    }),
    a({ type: "string", minLength: 1, maxLength: 3, description: "d" })
  ],
  [
    "annotations of the key stand beside the type",
    Schema.Struct({ a: Schema.String.annotateKey({ description: "d" }) }),
    a({ type: "string", description: "d" })
  ],
  [
    "HDR-9, HDR-12: the annotation of a header is where it is looked for",
    Schema.Struct({ a: Schema.Int.annotate(JsonSchema.mcpHeader("A")) }),
    a({ type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, "x-mcp-header": "A" })
  ],
  [
    "HDR-12, HDR-15: an optional argument with a header has one type",
    Schema.Struct({
      a: Schema.optional(Schema.String.annotate(JsonSchema.mcpHeader("A"))),
      b: Schema.optional(Schema.String)
    }),
    {
      type: "object",
      properties: { a: { type: "string", "x-mcp-header": "A" }, b: { anyOf: [{ type: "string" }, { type: "null" }] } },
      additionalProperties: true
    }
  ]
]

describe("objectFromSchema", () => {
  for (const [title, schema, expected] of inputs) {
    it(title, () => assert.deepStrictEqual<unknown>(JsonSchema.objectFromSchema(schema, "The input"), expected))
  }

  const others: ReadonlyArray<readonly [title: string, Schema.Constraint]> = [
    ["text", Schema.String],
    ["an array", Schema.Array(Schema.Struct({}))],
    ["null", Schema.Null],
    ["anything", Schema.Unknown],
    ["nothing", Schema.Never],
    ["objects and arrays", Schema.ObjectKeyword],
    ["a union with text", Schema.Union([Point, Schema.String])],
    ["a union with null", Schema.NullOr(Point)]
  ]
  for (const [title, schema] of others) {
    it(`TOOL-3: ${title} is refused, with the name of what is wrong`, () => {
      try {
        JsonSchema.objectFromSchema(schema, "The input of the tool x")
        assert.fail("it was not refused")
      } catch (error) {
        assert.instanceOf(error, JsonSchema.NotAnObject)
        assert.match(error.message, /^The input of the tool x must be an object/)
      }
    })
  }
})

describe("fromSchema", () => {
  const outputs: ReadonlyArray<readonly [title: string, Schema.Constraint, expected: object]> = [
    ["text", Schema.String, { type: "string" }],
    ["null", Schema.Null, { type: "null" }],
    ["a list", Schema.Array(Schema.Boolean), { type: "array", items: { type: "boolean" } }],
    ["anything", Schema.Unknown, {}],
    ["an empty struct", Schema.Struct({}), { type: "object" }],
    ["a class, by reference", Point, { $ref: "#/$defs/PointEncoded", $defs: { PointEncoded: point } }]
  ]
  for (const [title, schema, expected] of outputs) {
    it(`TOOL-9: ${title}`, () => assert.deepStrictEqual(JsonSchema.fromSchema(schema), expected))
  }

  it("a value that looks like a schema is left alone", () => {
    const examples = [{ a: "x", not: { type: "null" }, allOf: [{ title: "t" }] }]
    const schema = Schema.Struct({ a: Schema.String }).annotate({ examples: examples as never })
    assert.deepStrictEqual(JsonSchema.fromSchema(schema)["examples"], examples)
  })

  it("only annotations that begin with x- are added to the schema", () => {
    const schema = Schema.String.annotate({ "x-order": 1, secret: 2 })
    assert.deepStrictEqual(JsonSchema.fromSchema(schema), { type: "string", "x-order": 1 })
  })
})

describe("both", () => {
  const values: ReadonlyArray<readonly [title: string, Schema.Codec<unknown, unknown>]> = [
    ["a class", Line],
    ["a recursive struct", Tree],
    ["a union", Schema.Union([Point, Schema.Struct({ a: Schema.optional(Schema.BigInt) })])],
    [
      "checks",
      Schema.Struct({
        text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(3)).annotate({ description: "d" }),
        int: Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 2 })).annotate({ title: "t" }),
        list: Schema.Array(Schema.Boolean).check(Schema.isMaxLength(2)).annotateKey({ description: "d" })
      })
    ]
  ]
  for (const [title, schema] of values) {
    it.effect(`TOOL-16: what ${title} encodes to is valid by its JSON Schema`, () => {
      const isValid = validator(JsonSchema.fromSchema(schema))
      const isValidObject = validator(JsonSchema.objectFromSchema(schema, "It"))
      const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema))
      return check(Arbitrary.schema(schema), (value) => {
        const json = overTheWire(encode(value))
        assert.isTrue(isValid(json))
        assert.isTrue(isValidObject(json))
      })
    })
  }
})
