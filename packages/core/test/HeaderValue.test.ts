import * as HeaderValue from "@effect-mcp/core/HeaderValue"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const reasonOf = (value: string): string =>
  Result.match(HeaderValue.decode(value), { onSuccess: (text) => `text ${text}`, onFailure: (error) => error.reason })

describe("HeaderValue", () => {
  const plain = ["us-west1", "", "a b", "42", "!~", "=?base64?abc", "abc?=", "=?BASE64?YQ==?=", "?==?base64?"]
  for (const text of plain) {
    it(`HDR-4 HDR-5: ${JSON.stringify(text)} stays plain`, () => {
      assert.strictEqual(HeaderValue.encode(text), text)
      assert.deepStrictEqual(HeaderValue.decode(text), Result.succeed(text))
    })
  }

  const encoded: ReadonlyArray<readonly [text: string, value: string]> = [
    ["Zürich", "=?base64?WsO8cmljaA==?="],
    [" a", "=?base64?IGE=?="],
    ["a ", "=?base64?YSA=?="],
    [" ", "=?base64?IA==?="],
    ["a\tb", "=?base64?YQli?="],
    ["\t", "=?base64?CQ==?="],
    ["a\r\nb", "=?base64?YQ0KYg==?="],
    ["\u007f", "=?base64?fw==?="],
    ["\ufeffa", "=?base64?77u/YQ==?="],
    ["\ufffd", "=?base64?77+9?="],
    ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="]
  ]
  for (const [text, value] of encoded) {
    it(`HDR-4 HDR-5: ${JSON.stringify(text)} is encoded`, () => {
      assert.strictEqual(HeaderValue.encode(text), value)
      assert.deepStrictEqual(HeaderValue.decode(value), Result.succeed(text))
    })
  }

  it.prop("HDR-4 HDR-6: decoding inverts encoding, and the value is visible ASCII", [Schema.String], ([text]) => {
    const value = HeaderValue.encode(text)
    assert.match(value, /^([!-~]([ -~]*[!-~])?)?$/)
    // Half a surrogate pair has no UTF-8 form.
    const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))
    assert.deepStrictEqual(HeaderValue.decode(value), Result.succeed(wellFormed))
  })

  it("HDR-6: optional white space around the value is no part of it", () => {
    assert.deepStrictEqual(HeaderValue.decode(" \t a b\t "), Result.succeed("a b"))
    assert.deepStrictEqual(HeaderValue.decode("\t=?base64?IGE=?= "), Result.succeed(" a"))
    assert.deepStrictEqual(HeaderValue.decode(" \t "), Result.succeed(""))
  })

  it("HDR-6: an empty payload is the empty text, overlapping markers are plain", () => {
    assert.deepStrictEqual(HeaderValue.decode("=?base64??="), Result.succeed(""))
    assert.deepStrictEqual(HeaderValue.decode("=?base64?="), Result.succeed("=?base64?="))
  })

  for (
    const [what, payload] of [
      ["missing padding", "YQ"],
      ["half the padding", "YQ="],
      ["too much padding", "YQ==="],
      ["padding in the middle", "YQ==YQ=="],
      ["the URL alphabet", "_-8="],
      ["a space", "YW Jj"],
      ["another alphabet", "YQ$="],
      ["bits after the end", "YR=="],
      ["bytes that are not UTF-8", "/w=="],
      ["an encoded half of a surrogate pair", "7aCA"],
      ["a longer UTF-8 form than needed", "wIA="]
    ] as const
  ) {
    it(`HDR-6: ${what} is refused`, () => {
      assert.strictEqual(reasonOf(`=?base64?${payload}?=`), "Base64")
    })
  }

  it("HDR-8: characters that have to be encoded are refused in a plain value", () => {
    for (const value of ["Zürich", "a\tb", "a\rb", "a\u0000b", "\u007f", "=?base64?YW\nJj?="]) {
      assert.strictEqual(reasonOf(value), "Character", JSON.stringify(value))
    }
  })

  it("B7: a value encoded twice is decoded once", () => {
    const once = HeaderValue.encode("Zürich")
    assert.deepStrictEqual(HeaderValue.decode(HeaderValue.encode(once)), Result.succeed(once))
  })

  it("the error does not repeat the value", () => {
    const result = HeaderValue.decode("=?base64?secret!?=")
    assert.isTrue(Result.isFailure(result) && !result.failure.message.includes("secret"))
  })
})
