import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { RequestedSchema } from "@effect-mcp/core/schema/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { readFileSync } from "node:fs"

const validators = ["2025-11-25", "2026-07-28"].map((revision) => {
  const file = new URL(`../../core/test/fixtures/schema/${revision}.json`, import.meta.url)
  // `format` is told by the schema itself, and a definition has no members but those of its kind.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ ...JSON.parse(readFileSync(file, "utf8")), $id: "mcp" })
  return (definition: string, value: unknown) => {
    const validate = ajv.getSchema(`mcp#/$defs/${definition}`)
    assert(validate !== undefined)
    assert.isTrue(validate(value), `${revision} ${definition}: ${ajv.errorsText(validate.errors)}`)
  }
})

const assertOfficial = (form: RequestedSchema): void => {
  for (const validate of validators) {
    for (const field of Object.values(form.properties)) validate("PrimitiveSchemaDefinition", field)
    validate("ElicitRequestFormParams", { mode: "form", message: "?", requestedSchema: form })
  }
}

const Size = Schema.Literals(["s", "l"])
const Sizes = Form.select({ s: "Small", l: "Large" })
const titled = [{ const: "s", title: "Small" }, { const: "l", title: "Large" }]
const Trimmed = Schema.Trim.annotate({ title: "Name", default: "J" })

/** Makes forms of what is only known to be a schema, which the compiler does not let through. */
const make = Form.make as (source: Form.Source) => Form.Form<unknown>

const table: ReadonlyArray<readonly [title: string, schema: Schema.Codec<unknown, unknown>, expected: object]> = [
  ["ELI-6: text", Schema.String, { type: "string" }],
  [
    "ELI-6: a title, a description and a default",
    Schema.String.annotate({ title: "T", description: "D", default: "x" }),
    { type: "string", title: "T", description: "D", default: "x" }
  ],
  ["ELI-6: a key that is annotated", Schema.String.pipe(Schema.annotateKey({ title: "T", default: "x" })), {
    type: "string",
    title: "T",
    default: "x"
  }],
  [
    "ELI-6: what is said of the key counts, then what was said last",
    Schema.String.annotate({ title: "A", description: "D" }).check(Schema.isMinLength(1)).annotate({ title: "B" }).pipe(
      Schema.annotateKey({ description: "K" })
    ),
    { type: "string", title: "B", description: "K", minLength: 1 }
  ],
  ["ELI-6: lengths in characters", Schema.String.check(Schema.isBetweenCodePoints(2, 4)), {
    type: "string",
    minLength: 2,
    maxLength: 4
  }],
  ["ELI-6: of lengths in UTF-16 units only what holds", Schema.String.check(Schema.isBetweenLength(3, 4)), {
    type: "string",
    minLength: 2,
    maxLength: 4
  }],
  ["ELI-6: an e-mail address", Form.Email.annotate({ title: "E" }), { type: "string", format: "email", title: "E" }],
  ["ELI-6: a URI", Form.Uri, { type: "string", format: "uri" }],
  ["ELI-6: a day", Form.Date, { type: "string", format: "date" }],
  ["ELI-6: a moment", Form.DateTime, { type: "string", format: "date-time" }],
  [
    "ELI-6: a moment that is decoded",
    Form.DateTime.pipe(Schema.decodeTo(Schema.DateTimeUtcFromString)).annotate({ title: "When?" }),
    { type: "string", format: "date-time", title: "When?" }
  ],
  ["ELI-6: no format but those of forms, and no pattern", Schema.String.check(Schema.isUUID()), { type: "string" }],
  ["ELI-6: no pattern", Schema.String.check(Schema.isPattern(/^a/)), { type: "string" }],
  ["ELI-6: text that is decoded", Schema.FiniteFromString.annotate({ title: "T", default: 4 }), {
    type: "string",
    title: "T",
    default: "4"
  }],
  ["ELI-6: a brand", Schema.String.pipe(Schema.brand("Name")), { type: "string" }],
  ["ELI-6: an identifier", Schema.String.annotate({ identifier: "Name", title: "T" }), { type: "string", title: "T" }],
  ["ELI-6: a template", Schema.TemplateLiteral(["#", Schema.Finite]), { type: "string" }],
  ["ELI-7: a number", Schema.Finite, { type: "number" }],
  ["ELI-7: a number as JSON has them", Schema.Number.check(Schema.isBetween({ minimum: 0.5, maximum: 2 })), {
    type: "number",
    minimum: 0.5,
    maximum: 2
  }],
  ["ELI-7: bounds are inclusive", Schema.Finite.check(Schema.isGreaterThan(0)), { type: "number", minimum: 0 }],
  ["ELI-7: an integer", Schema.Int.annotate({ title: "Nights", default: 2 }), {
    type: "integer",
    title: "Nights",
    default: 2
  }],
  [
    "ELI-7: bounds of an integer",
    Schema.Int.check(Schema.isGreaterThan(0), Schema.isLessThan(15), Schema.isMultipleOf(2)),
    { type: "integer", minimum: 1, maximum: 14 }
  ],
  ["ELI-7: bounds that are given twice", Schema.Int.check(Schema.isInt32()), {
    type: "integer",
    minimum: -2_147_483_648,
    maximum: 2_147_483_647
  }],
  ["ELI-7: yes or no", Schema.Boolean.annotate({ default: false }), { type: "boolean", default: false }],
  ["ELI-7: yes, to be agreed to", Schema.Literal(true), { type: "boolean" }],
  ["ELI-8: a choice", Size.annotate({ title: "Size", default: "l" }), {
    type: "string",
    title: "Size",
    enum: ["s", "l"],
    default: "l"
  }],
  ["ELI-8: a choice of one", Schema.Literal("s").annotate({ title: "Size" }), {
    type: "string",
    title: "Size",
    enum: ["s"]
  }],
  ["ELI-8: a choice from a list", Form.select(["s", "l"]), { type: "string", enum: ["s", "l"] }],
  ["ELI-8: a choice with titles", Sizes.annotate({ title: "Size", default: "s" }), {
    type: "string",
    title: "Size",
    oneOf: titled,
    default: "s"
  }],
  ["ELI-8: a choice of one with a title", Form.select({ s: "Small" }), { type: "string", oneOf: titled.slice(0, 1) }],
  ["ELI-8: a choice that may be left out", Schema.optional(Form.select({ s: "Small" })), {
    type: "string",
    oneOf: titled.slice(0, 1)
  }],
  ["ELI-8: an enum of TypeScript", Schema.Enum({ Ground: "g", First: "f" }), {
    type: "string",
    oneOf: [{ const: "g", title: "Ground" }, { const: "f", title: "First" }]
  }],
  [
    "ELI-8: options of which one has a title",
    Schema.Union([Size, Schema.Literal("m").annotate({ title: "Medium" })]),
    {
      type: "string",
      oneOf: [{ const: "s", title: "s" }, { const: "l", title: "l" }, { const: "m", title: "Medium" }]
    }
  ],
  ["ELI-8: several", Schema.Array(Size), { type: "array", items: { type: "string", enum: ["s", "l"] } }],
  ["ELI-8: several from a list", Form.multiSelect(["s", "l"], { minItems: 1 }), {
    type: "array",
    minItems: 1,
    items: { type: "string", enum: ["s", "l"] }
  }],
  [
    "ELI-8: several with titles",
    Form.multiSelect({ s: "Small", l: "Large" }, { minItems: 1, maxItems: 2 }).annotate({ default: ["s"] }),
    { type: "array", minItems: 1, maxItems: 2, items: { anyOf: titled }, default: ["s"] }
  ],
  ["ELI-8: at least one", Schema.NonEmptyArray(Size), {
    type: "array",
    minItems: 1,
    items: { type: "string", enum: ["s", "l"] }
  }],
  ["ELI-8: none twice", Schema.UniqueArray(Size), { type: "array", items: { type: "string", enum: ["s", "l"] } }],
  ["a key that may be left out", Schema.optionalKey(Trimmed), { type: "string", title: "Name", default: "J" }],
  ["a value that may be left out", Schema.optional(Trimmed), { type: "string", title: "Name", default: "J" }],
  ["a number that may be left out", Schema.optional(Schema.Number.check(Schema.isGreaterThanOrEqualTo(1))), {
    type: "number",
    minimum: 1
  }],
  ["what is decoded to without a value", Trimmed.pipe(Schema.withDecodingDefaultKey(Effect.succeed("K"))), {
    type: "string",
    title: "Name",
    default: "J"
  }],
  ["a schema that is made when it is needed", Schema.suspend(() => Schema.String), { type: "string" }]
]

describe("fields", () => {
  it.each([...table])("%s", (_title, schema, expected) => {
    const { requestedSchema } = make({ field: schema })
    assert.deepStrictEqual<object>(requestedSchema.properties, { field: expected })
    assertOfficial(requestedSchema)
  })

  it.effect("what is encoded fits the form, and is decoded to the same", () =>
    Effect.gen(function*() {
      for (const [title, field] of table) {
        const schema = Schema.Struct({ field })
        const form = make(schema)
        const encode = Schema.encodeUnknownOption(schema)
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(schema), (value) => {
          const encoded = encode(value)
          // A moment may be too late for RFC 3339, and a number none in JSON.
          if (Option.isNone(encoded) || encoded.value.field === Infinity) return Effect.succeed(true)
          const content = JSON.parse(JSON.stringify(encoded.value))
          assert.deepStrictEqual(ElicitationForm.problems(form.requestedSchema, content), [])
          return Effect.map(form.decode(content), (decoded) => {
            assert.deepStrictEqual(encode(decoded), Option.some(content))
            return true
          })
        }, { runs: 30 })
        assert.isUndefined(Arbitrary.formatCheckFailure(result), title)
      }
    }))
})

const fields = {
  room: Sizes,
  nights: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })),
  email: Form.Email,
  extras: Form.multiSelect(["breakfast", "parking"], { minItems: 1 }),
  note: Schema.optionalKey(Schema.Trim)
}

describe("ELI-4: a form", () => {
  it("has its fields in their order, and says which are required", () => {
    const { requestedSchema } = Form.make(fields)
    assert.strictEqual(requestedSchema.type, "object")
    assert.deepStrictEqual(Object.keys(requestedSchema.properties), ["room", "nights", "email", "extras", "note"])
    assert.deepStrictEqual(requestedSchema.required, ["room", "nights", "email", "extras"])
    assertOfficial(requestedSchema)
  })

  it("may ask for nothing, or for nothing that is required", () => {
    assert.deepStrictEqual(Form.make({}).requestedSchema, { type: "object", properties: {} })
    const optional = Form.make({ a: Schema.optional(Schema.String), b: Schema.optionalKey(Schema.String) })
    assert.notProperty(optional.requestedSchema, "required")
  })

  it("is made of a struct, a class, or a schema that names its keys otherwise on the wire", () => {
    class Guest extends Schema.Class<Guest>("Guest")({
      name: Schema.Trim.annotate({ title: "Name" }),
      age: Schema.optionalKey(Schema.Int)
    }) {}
    const expected: RequestedSchema = {
      type: "object",
      properties: { name: { type: "string", title: "Name" }, age: { type: "integer" } },
      required: ["name"]
    }
    assert.deepStrictEqual(Form.make(Guest).requestedSchema, expected)
    assert.deepStrictEqual(Form.make(Schema.Struct(Guest.fields)).requestedSchema, expected)
    const renamed = Schema.Struct({ age: Schema.Int }).pipe(Schema.encodeKeys({ age: "years" }))
    assert.deepStrictEqual(Object.keys(Form.make(renamed).requestedSchema.properties), ["years"])
  })

  it("is made once of what it is made of", () => {
    assert.strictEqual(Form.make(fields), Form.make(fields))
    const schema = Schema.Struct(fields)
    assert.strictEqual(Form.make(schema), Form.make(schema))
    assert.strictEqual(Form.make(Form.make(fields)), Form.make(fields))
  })

  it("trap 19: a field may be called anything", () => {
    const { requestedSchema } = Form.make({ ["__proto__"]: Schema.String, toString: Schema.Boolean })
    assert.deepStrictEqual(Object.keys(requestedSchema.properties), ["__proto__", "toString"])
    assert.deepStrictEqual(ElicitationForm.problems(requestedSchema, {}), [
      "__proto__ is missing",
      "toString is missing"
    ])
  })
})

const problemsOf = (make: () => unknown): ReadonlyArray<string> => {
  try {
    make()
  } catch (error) {
    assert.instanceOf(error, Form.InvalidForm)
    return error.problems
  }
  return assert.fail("No error")
}

describe("ELI-5: what is no field", () => {
  const list = "a list is a choice of several: use Form.multiSelect, or Schema.Array of Schema.Literals"
  const noNull = "a form has no null: use Schema.optionalKey"
  interface Tree extends Schema.Struct<{ readonly a: Schema.suspend<Schema.Codec<unknown>> }> {}
  const Tree: Tree = Schema.Struct({ a: Schema.suspend((): Schema.Codec<unknown> => Tree) })

  const wrong: ReadonlyArray<readonly [title: string, schema: Schema.Constraint, problem: string]> = [
    ["an object", Schema.Struct({ a: Schema.String }), "a form is flat, and has no objects in it"],
    ["a record", Schema.Record(Schema.String, Schema.String), "a form is flat, and has no objects in it"],
    ["what is recursive", Tree, "a form is flat, and nothing in it is recursive"],
    ["a list of any text", Schema.Array(Schema.String), list],
    ["a list of numbers", Schema.Array(Schema.Int), list],
    ["a list with places", Schema.Tuple([Size, Size]), list],
    ["a list that starts with others", Schema.TupleWithRest(Schema.Tuple([Schema.Literal("m")]), [Size]), list],
    ["null", Schema.Null, noNull],
    ["text or null", Schema.NullOr(Schema.String), noNull],
    ["a choice or null", Schema.NullOr(Sizes), noNull],
    ["what has to be there and may be undefined", Schema.UndefinedOr(Schema.String), noNull],
    ["text or a number", Schema.Union([Schema.String, Schema.Finite]), "a field has one type, and is no union"],
    ["a choice or any text", Schema.Union([Sizes, Schema.String]), "a field has one type, and is no union"],
    ["a choice of numbers", Schema.Literals([1, 2]), "the options of a choice are strings"],
    ["a choice of both", Schema.Literals(["a", 1]), "the options of a choice are strings"],
    ["a choice of nothing", Form.select([]), "there is nothing to choose from"],
    ["anything", Schema.Unknown, "its type cannot be told"],
    ["what JSON does not have", Schema.Date, "its type cannot be told"],
    [
      "a default that is no answer",
      Schema.Int.check(Schema.isGreaterThan(3)).annotate({ default: 1 }),
      "its default is wrong: Expected a value greater than 3"
    ],
    [
      "a default on the wire that is no answer",
      Schema.Trim.pipe(Schema.annotateEncoded({ default: "x", format: "email" })),
      "its default is not in the format email"
    ],
    [
      "a default that needs a service",
      Schema.String.pipe(Schema.decode({
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.checkEffect(() => Effect.map(Rooms, () => true))
      })).annotate({ default: "x" }),
      "its default cannot be encoded at once, and without services"
    ]
  ]

  it.each([...wrong])("%s", (_title, field, problem) => {
    assert.deepStrictEqual(problemsOf(() => make({ field })), [`field: ${problem}`])
  })

  it("all that is wrong is told at once", () => {
    assert.throws(
      () => make({ a: Schema.Null, b: Schema.String, c: Schema.Unknown }),
      "The form cannot be asked for:\n- a: a form has no null: use Schema.optionalKey\n- c: its type cannot be told"
    )
  })

  it("a form is made of fields", () => {
    const problem = ["it is made of fields, or of a schema of objects that has them"]
    for (const schema of [Schema.String, Schema.Record(Schema.String, Schema.String)]) {
      assert.deepStrictEqual(problemsOf(() => make(schema)), problem)
    }
    assert.deepStrictEqual(problemsOf(() => make({ [Symbol.iterator]: Schema.String })), [
      "Symbol(Symbol.iterator): it has no name"
    ])
  })
})

class Rooms extends Context.Service<Rooms, { readonly isFree: (room: string) => boolean }>()("test/Rooms") {}

const message = <A, R>(form: Form.Form<A, R>, content: unknown) =>
  Effect.map(Effect.flip(form.decode(content)), ({ message }) => message.split("\n"))

describe("ELI-12: answers", () => {
  const right = { room: "s", nights: 2, email: "a@b", extras: ["parking"], note: " x " }

  it.effect("are decoded", () =>
    Effect.gen(function*() {
      const answer = yield* Form.make(fields).decode(right)
      assert.deepStrictEqual(answer, { ...right, room: "s", extras: ["parking"], note: "x" })
    }))

  it.effect("may be decoded to anything, with services", () =>
    Effect.gen(function*() {
      const free = Schema.String.pipe(Schema.decode({
        decode: SchemaGetter.checkEffect((room) => Effect.map(Rooms, ({ isFree }) => isFree(room))),
        encode: SchemaGetter.passthrough()
      }))
      const form = Form.make({
        room: free,
        price: Schema.FiniteFromString,
        arrival: Form.DateTime.pipe(Schema.decodeTo(Schema.DateTimeUtcFromString)),
        nights: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
      })
      const rooms = { isFree: (room: string) => room === "12" }
      const arrival = "2026-07-28T09:30:00+02:00"
      const answer = yield* Effect.provideService(
        form.decode({ room: "12", price: "9.5", arrival }),
        Rooms,
        rooms
      )
      assert.deepStrictEqual(answer, { room: "12", price: 9.5, arrival: DateTime.makeUnsafe(arrival), nights: 1 })
      yield* Effect.provideService(Effect.flip(form.decode({ room: "13", price: "9.5", arrival })), Rooms, rooms)
    }))

  it.effect("are refused with all that is wrong", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* message(Form.make(fields), { room: "m", nights: 0, email: "a", extras: [] }), [
        "Expected \"s\" | \"l\"",
        "  at [\"room\"]",
        "Expected a value between 1 and 14",
        "  at [\"nights\"]",
        "Expected an e-mail address",
        "  at [\"email\"]",
        "Expected a value with a length of at least 1",
        "  at [\"extras\"]"
      ])
      assert.deepStrictEqual(yield* message(Form.make(fields), null), ["Expected object"])
      assert.lengthOf(yield* message(Form.make(fields), {}), 8)
    }))

  it.effect("ELI-6: are in the formats that the client was told", () =>
    Effect.gen(function*() {
      const form = Form.make({
        a: Form.Email,
        b: Form.Uri,
        c: Form.Date,
        d: Form.DateTime,
        e: Schema.optionalKey(Schema.String.annotate({ format: "date" }))
      })
      assert.deepStrictEqual(form.requestedSchema.properties.e, { type: "string", format: "date" })
      const good = { a: "a@b", b: "a:b", c: "2024-02-29", d: "2024-02-29T23:59:60Z", e: "2024-02-29" }
      assert.deepStrictEqual(yield* form.decode(good), good)
      assert.lengthOf(yield* message(form, { a: "a b@c", b: "b", c: "2023-02-29", d: "2023-02-29T12:00:00Z" }), 8)
      assert.deepStrictEqual(yield* message(form, { ...good, e: "today" }), ["e is not in the format date"])
    }))

  it.effect("hold to what a form has no words for", () =>
    Effect.gen(function*() {
      const form = Form.make({
        a: Schema.String.check(Schema.isPattern(/^a/)),
        b: Schema.Int.check(Schema.isMultipleOf(2)),
        c: Schema.UniqueArray(Size),
        d: Schema.Literal(true),
        e: Schema.String.check(Schema.isMinLength(2))
      })
      const wrong = { a: "b", b: 3, c: ["s", "s"], d: false, e: "x" }
      assert.deepStrictEqual(ElicitationForm.problems(form.requestedSchema, wrong), [])
      assert.lengthOf(yield* message(form, wrong), 10)
    }))

  it.effect("may have more than was asked for, which is left out", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Form.make({ a: Schema.String }).decode({ a: "b", c: 1 }), { a: "b" })
    }))

  it.effect("have all their fields where nothing is shown at the start", () =>
    Effect.gen(function*() {
      const form = Form.make({ a: Schema.String.annotate({ default: "b" }) })
      assert.deepStrictEqual(yield* message(form, {}), ["Missing key", "  at [\"a\"]"])
    }))
})

describe("ELI-12: a raw form", () => {
  const requestedSchema: RequestedSchema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
      sizes: { type: "array", items: { anyOf: titled }, maxItems: 1 }
    },
    required: ["name"]
  }
  const form = Form.raw(requestedSchema)

  it("ELI-9: is sent as it is", () => {
    assert.strictEqual(form.requestedSchema, requestedSchema)
    assertOfficial(requestedSchema)
    assert.strictEqual(Form.make(form), form)
  })

  it.effect("gives the values as they are", () =>
    Effect.gen(function*() {
      const content = { name: "Jo", size: "s", sizes: ["l"], more: 1 }
      assert.deepStrictEqual(yield* form.decode(content), content)
    }))

  it.effect("refuses what does not fit", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* message(form, { size: "Small", sizes: ["s", "l"] }), [
        "name is missing",
        "size is not one of the options",
        "sizes has more than 1 values"
      ])
      yield* message(form, { name: "Jo", more: null })
      yield* message(form, [])
    }))
})
