import * as Content from "@effect-mcp/core/Content"
import * as Prompt from "@effect-mcp/core/Prompt"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assertOfficial } from "./support/official.ts"

const described = { title: "T", description: "D" }

describe("make", () => {
  it("PROMPT-1: a prompt without arguments has none in its definition", () => {
    const prompt = Prompt.make("hello", {})
    assert.deepStrictEqual(prompt.definition, { name: "hello" })
    assert.deepStrictEqual(prompt.argumentNames, [])
    assertOfficial("Prompt", prompt.definition)
  })

  it("PROMPT-1, ICON-1, META-19: what is given is in the definition", () => {
    const prompt = Prompt.make("review", {
      title: "Review",
      description: "Reviews code",
      arguments: { code: Schema.String, style: Schema.optional(Schema.String) },
      icons: [{ src: "data:image/png;base64,AAAA" }],
      meta: { "com.example/a": 1 }
    })
    assert.deepStrictEqual(prompt.definition, {
      name: "review",
      title: "Review",
      description: "Reviews code",
      arguments: [{ name: "code", required: true }, { name: "style", required: false }],
      icons: [{ src: "data:image/png;base64,AAAA" }],
      _meta: { "com.example/a": 1 }
    })
    assert.deepStrictEqual(prompt.argumentNames, ["code", "style"])
    assertOfficial("Prompt", prompt.definition)
  })

  const args: ReadonlyArray<readonly [title: string, Prompt.Arguments[string], expected: object]> = [
    ["text", Schema.String, { required: true }],
    ["text with annotations", Schema.String.annotate(described), { ...described, required: true }],
    ["text with a check", Schema.String.check(Schema.isMinLength(1)).annotate(described), {
      ...described,
      required: true
    }],
    ["a number in text", Schema.NumberFromString.annotate(described), { ...described, required: true }],
    ["one of some", Schema.Literals(["a", "b"]).annotate(described), { ...described, required: true }],
    ["annotations of the key", Schema.String.annotateKey(described), { ...described, required: true }],
    [
      "annotations of both: the key counts",
      Schema.String.annotate({ description: "inner" }).annotateKey({ description: "D" }),
      { description: "D", required: true }
    ],
    ["optional", Schema.optional(Schema.String), { required: false }],
    ["optional, annotated inside", Schema.optional(Schema.String.annotate(described)), {
      ...described,
      required: false
    }],
    ["optional, annotated outside", Schema.optional(Schema.String).annotate(described), {
      ...described,
      required: false
    }],
    ["optional key", Schema.optionalKey(Schema.String.annotate(described)), { ...described, required: false }],
    [
      "with a default",
      Schema.String.annotate(described).pipe(Schema.withDecodingDefaultKey(Effect.succeed("x"))),
      { ...described, required: false }
    ],
    ["a title only", Schema.String.annotate({ title: "T" }), { title: "T", required: true }]
  ]
  for (const [title, schema, expected] of args) {
    it(`PROMPT-1: ${title}`, () => {
      const { definition } = Prompt.make("p", { arguments: { a: schema } })
      assert.deepStrictEqual<unknown>(definition.arguments, [{ name: "a", ...expected }])
      assertOfficial("Prompt", definition)
    })
  }

  it("PROMPT-2: arguments are decoded from strings", () => {
    const prompt = Prompt.make("p", {
      arguments: { count: Schema.NumberFromString, style: Schema.optional(Schema.Literals(["short", "long"])) }
    })
    const decode = Schema.decodeUnknownSync(prompt.arguments)
    assert.deepStrictEqual(decode({ count: "3" }), { count: 3 })
    assert.throws(() => decode({ count: 3 }))
    assert.throws(() => decode({}))
    assert.throws(() => decode({ count: "3", style: "other" }))
  })
})

describe("messages", () => {
  it("PROMPT-3: have a role and one block of content", () => {
    const messages = [Prompt.user("Hi"), Prompt.assistant(Content.image("AAAA", "image/png"))]
    assert.deepStrictEqual<unknown>(messages, [
      { role: "user", content: { type: "text", text: "Hi" } },
      { role: "assistant", content: { type: "image", data: "AAAA", mimeType: "image/png" } }
    ])
    for (const message of messages) assertOfficial("PromptMessage", message)
  })
})
