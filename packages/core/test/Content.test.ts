import * as Content from "@effect-mcp/core/Content"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { check } from "./support/check.ts"
import { assertOfficial } from "./support/official.ts"

const annotations = { audience: ["user", "assistant"], priority: 1 } as const
const options = { annotations, meta: { "com.example/a": null } }
const rest = { annotations, _meta: { "com.example/a": null } }
const bytes = new Uint8Array([0, 1, 254, 255])
const base64 = "AAH+/w=="

const blocks: ReadonlyArray<readonly [title: string, block: Content.Content, expected: object]> = [
  ["text", Content.text(""), { type: "text", text: "" }],
  ["text and more", Content.text("a", options), { type: "text", text: "a", ...rest }],
  ["an image of bytes", Content.image(bytes, "image/png"), { type: "image", data: base64, mimeType: "image/png" }],
  ["an image of base64", Content.image(base64, "image/png", options), {
    type: "image",
    data: base64,
    mimeType: "image/png",
    ...rest
  }],
  ["an empty image", Content.image(new Uint8Array(), "image/png"), { type: "image", data: "", mimeType: "image/png" }],
  ["a sound", Content.audio(bytes, "audio/wav", options), {
    type: "audio",
    data: base64,
    mimeType: "audio/wav",
    ...rest
  }],
  ["a link", Content.resourceLink({ uri: "a:b", name: "n" }), { type: "resource_link", uri: "a:b", name: "n" }],
  [
    "a link with everything",
    Content.resourceLink({
      uri: "a:b",
      name: "n",
      title: "T",
      description: "D",
      mimeType: "text/plain",
      size: 0,
      icons: [{ src: "https://example.com/i.png" }]
    }, options),
    {
      type: "resource_link",
      uri: "a:b",
      name: "n",
      title: "T",
      description: "D",
      mimeType: "text/plain",
      size: 0,
      icons: [{ src: "https://example.com/i.png" }],
      ...rest
    }
  ],
  [
    "a resource of text",
    Content.resource(Content.contents("a:b", "x", { mimeType: "text/plain", meta: { a: 1 } }), options),
    { type: "resource", resource: { uri: "a:b", mimeType: "text/plain", _meta: { a: 1 }, text: "x" }, ...rest }
  ],
  [
    "a resource of bytes",
    Content.resource(Content.contents("a:b", bytes)),
    { type: "resource", resource: { uri: "a:b", blob: base64 } }
  ]
]

describe("blocks", () => {
  for (const [title, block, expected] of blocks) {
    it(`TOOL-13, RES-13, META-19: ${title}`, () => {
      assert.deepStrictEqual<unknown>(block, expected)
      assertOfficial("ContentBlock", block)
    })
  }
})

describe("bytes", () => {
  it.effect("TOOL-13, RES-12: the bytes of an image, a sound or a blob are those it was made of", () =>
    check(
      Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))),
      (values) => {
        const data = new Uint8Array(values)
        assert.deepStrictEqual(Content.bytes(Content.image(data, "image/png").data), Result.succeed(data))
      }
    ))

  it("what is no base64 has none", () => {
    assert.isTrue(Result.isFailure(Content.bytes("%")))
  })
})
