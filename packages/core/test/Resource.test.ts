import * as Content from "@effect-mcp/core/Content"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as UriTemplate from "@effect-mcp/core/UriTemplate"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assertOfficial } from "./support/official.ts"

const thrownBy = (f: () => unknown): unknown => {
  try {
    f()
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}

const common = {
  title: "Notes",
  description: "Notes of today",
  mimeType: "text/markdown",
  annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-11-30T00:00:00Z" },
  icons: [{ src: "https://example.com/i.svg" }]
} as const

describe("Resource.make", () => {
  it("RES-2: the name is the URI, unless it has another", () => {
    const { definition } = Resource.make("notes://today")
    assert.deepStrictEqual(definition, { uri: "notes://today", name: "notes://today" })
    assertOfficial("Resource", definition)
    assert.strictEqual(Resource.make("notes://today", { name: "today" }).definition.name, "today")
  })

  it("RES-2, RES-13, ICON-1, META-19: what is given is in the definition", () => {
    const resource = Resource.make("notes://today", { ...common, name: "today", size: 0, meta: { a: 1 } })
    assert.deepStrictEqual<unknown>(resource.definition, {
      uri: "notes://today",
      name: "today",
      ...common,
      size: 0,
      _meta: { a: 1 }
    })
    assert.strictEqual(resource.uri, "notes://today")
    assertOfficial("Resource", resource.definition)
  })

  for (const uri of ["https://example.com/a?b=c#d", "file:///a/b", "urn:isbn:0451450523", "git+ssh://a", "x:", "a:ü"]) {
    it(`RES-11: ${uri} is a URI`, () => assert.strictEqual(Resource.make(uri).uri, uri))
  }

  for (
    const uri of [
      "",
      "notes",
      "/notes/today",
      "//a/b",
      "1a:b",
      "ü:b",
      "a b:c",
      ":a",
      "a:b c",
      "a:b\n",
      "a:\u0000",
      "a:{id}",
      "a:\"b\""
    ]
  ) {
    it(`RES-11, RES-12: ${JSON.stringify(uri)} is none`, () => {
      const error = thrownBy(() => Resource.make(uri))
      assert.instanceOf(error, Resource.InvalidUri)
      assert.include(error.message, JSON.stringify(uri))
    })
  }
})

describe("Resource.toContents", () => {
  const own = Content.contents("a:other", "x", { mimeType: "text/html" })

  it("RES-4: text and bytes get the URI and the media type, contents stay as they are", () => {
    assert.deepStrictEqual<unknown>(Resource.toContents("a:b", "text/plain", ""), [
      { uri: "a:b", mimeType: "text/plain", text: "" }
    ])
    assert.deepStrictEqual<unknown>(Resource.toContents("a:b", undefined, new Uint8Array([0, 255])), [
      { uri: "a:b", blob: "AP8=" }
    ])
    assert.deepStrictEqual(Resource.toContents("a:b", "text/plain", own), [own])
    assert.deepStrictEqual(Resource.toContents("a:b", "text/plain", [own, own]), [own, own])
  })
})

describe("ResourceTemplate.make", () => {
  it("RES-3, RES-13, META-19: what is given is in the definition", () => {
    const File = ResourceTemplate.make("docs:///{+path}{?line}", {
      ...common,
      name: "file",
      parameters: { path: Schema.String, line: Schema.optional(Schema.NumberFromString) },
      meta: { a: 1 }
    })
    assert.deepStrictEqual<unknown>(File.definition, {
      uriTemplate: "docs:///{+path}{?line}",
      name: "file",
      ...common,
      _meta: { a: 1 }
    })
    assert.deepStrictEqual(File.parameterNames, ["path", "line"])
    assertOfficial("ResourceTemplate", File.definition)
    assert.deepStrictEqual(Schema.decodeUnknownSync(File.parameters)({ path: "a", line: "3" }), { path: "a", line: 3 })
  })

  it("the least is a template and a name", () => {
    const { definition } = ResourceTemplate.make("a:{b}", { name: "n", parameters: { b: Schema.String } })
    assert.deepStrictEqual(definition, { uriTemplate: "a:{b}", name: "n" })
  })

  it("a variable that occurs twice is one parameter", () => {
    const { parameterNames } = ResourceTemplate.make("a:{b}/{b}", { name: "n", parameters: { b: Schema.String } })
    assert.deepStrictEqual(parameterNames, ["b"])
  })

  const mismatches: ReadonlyArray<readonly [uriTemplate: string, parameters: ReadonlyArray<string>, message: string]> =
    [
      ["a:{b}", [], "The template a:{b} has the variables b, its parameters are (none)"],
      ["a:b", ["b"], "The template a:b has the variables (none), its parameters are b"],
      ["a:{b}", ["B"], "The template a:{b} has the variables b, its parameters are B"],
      ["a:{b,c}", ["b", "d"], "The template a:{b,c} has the variables b, c, its parameters are b, d"],
      ["a:{b}", ["b", "c"], "The template a:{b} has the variables b, its parameters are b, c"]
    ]
  for (const [uriTemplate, parameters, message] of mismatches) {
    it(`RES-3: ${message}`, () => {
      const fields = Object.fromEntries(parameters.map((name) => [name, Schema.String]))
      const error = thrownBy(() => ResourceTemplate.make(uriTemplate, { name: "n", parameters: fields }))
      assert.instanceOf(error, ResourceTemplate.ParameterMismatch)
      assert.strictEqual(error.message, message)
    })
  }

  it("RES-3: what is no template is refused", () => {
    const error = thrownBy(() => ResourceTemplate.make("a:{b", { name: "n", parameters: { b: Schema.String } }))
    assert.instanceOf(error, UriTemplate.InvalidUriTemplate)
  })
})
