import * as HeaderValue from "@effect-mcp/core/HeaderValue"
import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const annotated = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header })

const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest })

const reasons = (schema: unknown): ReadonlyArray<string> =>
  Result.match(ParameterHeader.scan(schema), {
    onSuccess: () => [],
    onFailure: ({ violations }) => violations.map(({ reason, where }) => `${reason} at ${where.join("/")}`)
  })

const region: ParameterHeader.ParameterHeader = { header: "Region", path: ["region"], type: "string" }
const count: ParameterHeader.ParameterHeader = { header: "Count", path: ["count"], type: "integer" }
const dry: ParameterHeader.ParameterHeader = { header: "Dry", path: ["options", "dry"], type: "boolean" }
const all = [region, count, dry]

describe("ParameterHeader.scan", () => {
  it("HDR-9 HDR-13: finds annotations through properties at any depth, in order", () => {
    const schema = object({
      region: annotated("Region"),
      count: annotated("Count", "integer"),
      options: object({ dry: annotated("Dry", "boolean"), deep: object({ a: annotated("A~b") }) }),
      other: { type: "number" }
    })
    assert.deepStrictEqual(
      ParameterHeader.scan(schema),
      Result.succeed([...all, { header: "A~b", path: ["options", "deep", "a"], type: "string" }])
    )
  })

  it("a schema without annotations has none", () => {
    for (const schema of [{ type: "object" }, object({ a: { type: "string" } }), {}, true, null, undefined, "x", []]) {
      assert.deepStrictEqual(ParameterHeader.scan(schema), Result.succeed([]))
    }
  })

  for (
    const header of [
      "",
      "My Region",
      "Region:Primary",
      "Région",
      "Region\t1",
      "a\r\nb",
      "a\n",
      "a/b",
      "(a)",
      1,
      null,
      {}
    ]
  ) {
    it(`HDR-11: ${JSON.stringify(header)} is not a token`, () => {
      assert.deepStrictEqual(reasons(object({ a: annotated(header) })), ["Name at properties/a"])
    })
  }

  it("HDR-11: names are unique in the whole schema, case aside", () => {
    const schema = object({ a: annotated("MyField"), b: object({ c: annotated("myfield") }) })
    assert.deepStrictEqual(reasons(schema), ["Duplicate at properties/b/properties/c"])
  })

  for (const type of ["number", "object", "array", "null", undefined, ["string"], ["string", "null"], 1]) {
    it(`HDR-12: the type ${JSON.stringify(type)} is refused`, () => {
      assert.deepStrictEqual(reasons(object({ a: { type, "x-mcp-header": "A" } })), ["Type at properties/a"])
    })
  }

  const hidden = annotated("A")
  const keywords = [
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema"
  ]
  for (
    const [where, schema] of [
      ...keywords.map((keyword) => [keyword, Object.fromEntries([[keyword, hidden]])] as const),
      ["items/0", { items: [hidden] }],
      ["prefixItems/0", { prefixItems: [hidden] }],
      ["patternProperties/^a", { patternProperties: { "^a": hidden } }],
      ["patternProperties/properties/properties/b", {
        patternProperties: { properties: { properties: { b: hidden } } }
      }],
      ["dependentSchemas/a", { dependentSchemas: { a: hidden } }],
      ["dependencies/a", { dependencies: { a: hidden } }],
      ["oneOf/0", { oneOf: [hidden] }],
      ["anyOf/1", { anyOf: [{}, hidden] }],
      ["allOf/0/properties/b", { allOf: [object({ b: hidden })] }],
      ["$defs/a", { $defs: { a: hidden } }],
      ["definitions/a", { definitions: { a: hidden } }],
      ["$ref", { $ref: hidden }],
      ["x-unknown/0/a", { "x-unknown": [{ a: hidden }] }]
    ] as const
  ) {
    it(`HDR-13: an annotation under ${where} is refused, at the root and in a property`, () => {
      assert.deepStrictEqual(reasons({ type: "object", ...schema }), [`NotReachable at ${where}`])
      assert.deepStrictEqual(reasons(object({ a: schema })), [`NotReachable at properties/a/${where}`])
    })
  }

  it("HDR-13: an annotation on the root is refused", () => {
    assert.deepStrictEqual(reasons({ ...object({}), "x-mcp-header": "A" }), ["NotReachable at "])
  })

  it("HDR-13: a $ref is not followed, and what it points to is refused where it stands", () => {
    const schema = object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: annotated("A") } })
    assert.deepStrictEqual(reasons(schema), ["NotReachable at $defs/a"])
    assert.deepStrictEqual(reasons(object({ a: { $ref: "https://example.com/schema" } })), [])
  })

  it("data and property names are not annotations", () => {
    const schema = object({
      "x-mcp-header": { type: "string" },
      properties: annotated("A"),
      a: { default: hidden, const: hidden, enum: [hidden], examples: [hidden] }
    })
    assert.deepStrictEqual(
      ParameterHeader.scan(schema),
      Result.succeed([{ header: "A", path: ["properties"], type: "string" }])
    )
  })

  it("all violations are reported, and the message stays short", () => {
    const schema = object({ a: annotated(""), b: annotated("B", "number"), c: { items: annotated("C") } })
    assert.deepStrictEqual(reasons(schema), [
      "Name at properties/a",
      "Type at properties/b",
      "NotReachable at properties/c/items"
    ])
    const many = ParameterHeader.scan(object(Object.fromEntries([..."abcdefg"].map((name) => [name, annotated("")]))))
    assert.isTrue(Result.isFailure(many) && many.failure.message.endsWith("; and 2 more"))
  })

  it("JS-6: depth is bounded, and a cycle ends", () => {
    let deep: object = annotated("A")
    for (let i = 0; i < 100_000; i++) deep = object({ a: deep })
    assert.deepStrictEqual(reasons(deep), ["TooDeep at "])
    const cyclic: { [key: string]: unknown } = { type: "object" }
    cyclic["not"] = cyclic
    assert.deepStrictEqual(reasons(cyclic), ["TooDeep at "])
    // The root, `properties` and the property: three levels.
    assert.isTrue(Result.isSuccess(ParameterHeader.scan(object({ a: annotated("A") }), { maxDepth: 3 })))
    assert.isTrue(Result.isFailure(ParameterHeader.scan(object({ a: annotated("A") }), { maxDepth: 2 })))
  })
})

describe("ParameterHeader.values", () => {
  it("HDR-10 HDR-15: string, integer and boolean, from their exact paths", () => {
    assert.deepStrictEqual(
      ParameterHeader.values(all, { region: "us-west1", count: -42, options: { dry: false }, dry: true }),
      [["Region", "us-west1"], ["Count", "-42"], ["Dry", "false"]]
    )
  })

  it("HDR-5: strings are left as they are, the empty one included", () => {
    assert.deepStrictEqual(ParameterHeader.values([region], { region: " a" }), [["Region", " a"]])
    assert.deepStrictEqual(ParameterHeader.values([region], { region: "" }), [["Region", ""]])
  })

  it("HDR-15: null and absent arguments have no header", () => {
    for (const args of [{ region: null, options: null }, {}, undefined, null, [], "region", { options: [true] }]) {
      assert.deepStrictEqual(ParameterHeader.values(all, args), [])
    }
  })

  it("HDR-12 HDR-15: integers to 2^53−1, in decimal", () => {
    const rendered = (value: unknown) => ParameterHeader.values([count], { count: value })
    assert.deepStrictEqual(rendered(Number.MAX_SAFE_INTEGER), [["Count", "9007199254740991"]])
    assert.deepStrictEqual(rendered(Number.MIN_SAFE_INTEGER), [["Count", "-9007199254740991"]])
    assert.deepStrictEqual(rendered(-0), [["Count", "0"]])
    assert.deepStrictEqual(rendered(2 ** 53), [])
    assert.deepStrictEqual(rendered(NaN), [])
  })

  it("B4: only own members are read", () => {
    const spec = [{ header: "A", path: ["constructor", "name"], type: "string" as const }]
    assert.deepStrictEqual(ParameterHeader.values(spec, {}), [])
    const proto = [{ header: "A", path: ["__proto__", "a"], type: "string" as const }]
    assert.deepStrictEqual(ParameterHeader.values(proto, JSON.parse("{\"__proto__\":{\"a\":\"b\"}}")), [
      ["A", "b"]
    ])
  })
})

describe("ParameterHeader.check", () => {
  const check = (
    spec: ParameterHeader.ParameterHeader,
    args: unknown,
    value: string | undefined
  ) => Option.getOrElse(ParameterHeader.check([spec], args, () => value), () => "equal")

  it.prop("HDR-4 HDR-16: what is mirrored passes once it is encoded", [
    Schema.Struct({
      region: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isPattern(/^[^\ud800-\udfff]*$/)))),
      count: Schema.optionalKey(Schema.NullOr(Schema.Int)),
      options: Schema.optionalKey(Schema.NullOr(Schema.Struct({ dry: Schema.Boolean })))
    })
  ], ([args]) => {
    const headers = new Map(ParameterHeader.values(all, args))
    const encoded = (name: string) =>
      Option.getOrUndefined(Option.map(Option.fromUndefinedOr(headers.get(name)), HeaderValue.encode))
    assert.deepStrictEqual(ParameterHeader.check(all, args, encoded), Option.none())
  })

  it("HDR-16: a missing, different, badly encoded or illegal header is a mismatch", () => {
    const args = { region: "eu" }
    const name = "Mcp-Param-Region"
    assert.strictEqual(check(region, args, undefined), `${name} is missing, but there is the argument region`)
    assert.strictEqual(check(region, args, "us"), `${name} does not equal the argument region`)
    assert.strictEqual(check(region, args, "EU"), `${name} does not equal the argument region`)
    assert.strictEqual(check(region, args, "=?base64?ZXU?="), `${name} is not a legal value for the argument region`)
    assert.strictEqual(check(region, args, "éu"), `${name} is not a legal value for the argument region`)
    assert.strictEqual(
      check(region, args, HeaderValue.encode("=?base64?ZXU=?=")),
      `${name} does not equal the argument region`
    )
    assert.strictEqual(check(region, args, " =?base64?ZXU=?= "), "equal")
    assert.strictEqual(check(region, { region: "" }, ""), "equal")
    assert.strictEqual(check(region, { region: "" }, undefined), `${name} is missing, but there is the argument region`)
  })

  it("HDR-16: a null or absent argument needs no header, and may not have one", () => {
    for (const args of [{ region: null }, {}, undefined]) {
      assert.strictEqual(check(region, args, undefined), "equal")
      assert.strictEqual(check(region, args, "eu"), "Mcp-Param-Region is present without the argument region")
    }
  })

  it("HDR-17: integers are compared as numbers", () => {
    for (const value of ["42", "42.0", "42.000"]) assert.strictEqual(check(count, { count: 42 }, value), "equal", value)
    for (const value of ["43", "42.5", "042", "0x2a", "4.2e1", "+42", "42.", "", "42 0"]) {
      assert.strictEqual(check(count, { count: 42 }, value), "Mcp-Param-Count does not equal the argument count", value)
    }
    assert.strictEqual(check(count, { count: 0 }, "-0"), "equal")
    assert.strictEqual(check(region, { region: "42" }, "42.0"), "Mcp-Param-Region does not equal the argument region")
  })

  it("HDR-12: an integer that no header can carry exactly is a mismatch", () => {
    const args = { count: 2 ** 53 }
    assert.strictEqual(check(count, args, "9007199254740992"), "Mcp-Param-Count does not equal the argument count")
    assert.strictEqual(check(count, args, undefined), "Mcp-Param-Count is missing, but there is the argument count")
  })

  it("booleans are true and false, exactly", () => {
    assert.strictEqual(check(dry, { options: { dry: true } }, "true"), "equal")
    for (const value of ["True", "1", "false"]) {
      assert.strictEqual(
        check(dry, { options: { dry: true } }, value),
        "Mcp-Param-Dry does not equal the argument options.dry"
      )
    }
  })

  it("TOOL-20: an argument of another type passes with its own header, and is left to validation", () => {
    for (const [value, header] of [[5, "5"], [1.5, "1.5"], [true, "true"]] as const) {
      assert.deepStrictEqual(ParameterHeader.values([region], { region: value }), [["Region", header]])
      assert.strictEqual(check(region, { region: value }, header), "equal")
    }
    for (const value of [["eu"], { a: "eu" }]) {
      assert.deepStrictEqual(ParameterHeader.values([region], { region: value }), [])
      assert.strictEqual(check(region, { region: value }, undefined), "equal")
      assert.strictEqual(check(region, { region: value }, "eu"), "Mcp-Param-Region does not equal the argument region")
    }
  })
})
