import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as Meta from "@effect-mcp/core/Meta"
import * as MetaKey from "@effect-mcp/core/MetaKey"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { anyObject, check } from "./support/check.ts"

const required = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

const clientInfo = "io.modelcontextprotocol/clientInfo"
const logLevel = "io.modelcontextprotocol/logLevel"
const capabilities = "io.modelcontextprotocol/clientCapabilities"

describe("read", () => {
  it("META-9: the required fields are enough, and what is not there is undefined", () => {
    assert.deepStrictEqual(
      Meta.read(required),
      Result.succeed({
        protocolVersion: "2026-07-28",
        clientCapabilities: {},
        clientInfo: undefined,
        logLevel: undefined,
        progressToken: undefined,
        raw: required
      })
    )
  })

  const accepted: ReadonlyArray<readonly [title: string, JsonObject, expected: JsonObject]> = [
    ["META-10: who asks", { [clientInfo]: { name: "n", version: "1" } }, { clientInfo: { name: "n", version: "1" } }],
    [
      "RPC-21: unknown members stay",
      {
        [clientInfo]: { name: "n", version: "", x: 1 },
        [capabilities]: { later: 1, roots: { listChanged: true, x: 1 } }
      },
      {
        clientInfo: { name: "n", version: "", x: 1 },
        clientCapabilities: { later: 1, roots: { listChanged: true, x: 1 } }
      }
    ],
    ["META-16, LOG-7: the lowest level", { [logLevel]: "debug" }, { logLevel: "debug" }],
    ["META-16, LOG-7: the highest level", { [logLevel]: "emergency" }, { logLevel: "emergency" }],
    ["PROG-1: a token that is text", { progressToken: "t" }, { progressToken: "t" }],
    ["PROG-1: a token that is 0 (trap 19)", { progressToken: 0 }, { progressToken: 0 }],
    ["PROG-1: a token that is empty (trap 19)", { progressToken: "" }, { progressToken: "" }],
    [
      "EXT-1: extensions with their settings",
      { [capabilities]: { extensions: { "com.example/jobs": { max: 1 } } } },
      { clientCapabilities: { extensions: { "com.example/jobs": { max: 1 } } } }
    ],
    ["ERA-2: any version, for others to judge", { "io.modelcontextprotocol/protocolVersion": "x" }, {
      protocolVersion: "x"
    }]
  ]
  for (const [title, members, expected] of accepted) {
    it(title, () => {
      const raw = { ...required, ...members }
      const result = Meta.read(raw)
      assert(Result.isSuccess(result))
      assert.deepInclude(result.success, { ...expected, raw })
    })
  }

  const refused: ReadonlyArray<readonly [title: string, JsonObject, message: RegExp]> = [
    [
      "META-11: no version",
      { "io.modelcontextprotocol/protocolVersion": undefined },
      /protocolVersion"\] must be a string/
    ],
    ["META-11: a version that is a number", { "io.modelcontextprotocol/protocolVersion": 20260728 }, /protocolVersion/],
    ["META-11: a version that is null", { "io.modelcontextprotocol/protocolVersion": null }, /protocolVersion/],
    ["META-11: no capabilities", { [capabilities]: undefined }, /clientCapabilities"\] must be an object/],
    ["META-11: capabilities that are null", { [capabilities]: null }, /clientCapabilities/],
    ["META-11, B6: capabilities that are an array", { [capabilities]: [] }, /clientCapabilities/],
    ...["roots", "sampling", "elicitation", "experimental", "extensions"].map((name) =>
      [`B6: the capability ${name} is true`, { [capabilities]: { [name]: true } }, /an object of objects/] as const
    ),
    [
      "META-10: an identity without a version",
      { [clientInfo]: { name: "n" } },
      /clientInfo"\] must have a string "name"/
    ],
    ["META-10: an identity that is text", { [clientInfo]: "n" }, /clientInfo/],
    ["LOG-7: an unknown level", { [logLevel]: "verbose" }, /logLevel"\] must be one of debug, info, notice,/],
    ["LOG-7: a level in another case", { [logLevel]: "DEBUG" }, /logLevel/],
    ["LOG-7: a level that is null", { [logLevel]: null }, /logLevel/],
    ["PROG-1: a token with a fraction", { progressToken: 1.5 }, /progressToken must be a string or an integer/],
    ["PROG-1: a token that is null", { progressToken: null }, /progressToken/],
    ["PROG-1: a token that is an object", { progressToken: {} }, /progressToken/]
  ]
  for (const [title, members, message] of refused) {
    it(`${title} is -32602`, () => {
      const result = Meta.read({ ...required, ...members })
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure.code, -32602)
      assert.match(result.failure.message, message)
    })
  }

  it.effect("META-6, RPC-21: other members decide nothing", () =>
    check(anyObject, (other) => {
      const result = Meta.read({ ...other, progressToken: undefined, ...required })
      assert(Result.isSuccess(result))
      assert.deepStrictEqual(result.success.clientCapabilities, {})
    }))
})

describe("claimsVersion", () => {
  const version = "io.modelcontextprotocol/protocolVersion"
  const cases: ReadonlyArray<readonly [JsonObject | undefined, boolean]> = [
    [undefined, false],
    [{}, false],
    [{ _meta: null }, false],
    [{ _meta: [version] }, false],
    [{ _meta: "x" }, false],
    [{ _meta: {} }, false],
    [{ [version]: "2026-07-28" }, false],
    [{ _meta: { [version.toUpperCase()]: "2026-07-28" } }, false],
    [{ _meta: { [version]: "2026-07-28" } }, true],
    [{ _meta: { [version]: "2024-11-05" } }, true],
    [{ _meta: { [version]: null } }, true],
    [{ _meta: { [version]: 1 } }, true]
  ]
  for (const [params, expected] of cases) {
    it(`ERA-6, trap 1: ${JSON.stringify(params)} is ${expected ? "modern" : "not"}`, () => {
      assert.strictEqual(Meta.claimsVersion(params), expected ? params?._meta : undefined)
    })
  }

  it("B4: an inherited member is none", () => {
    const params = JSON.parse(`{"_meta":{"__proto__":{"${version}":"2026-07-28"}}}`)
    assert.isUndefined(Meta.claimsVersion(params))
  })
})

describe("traceContext", () => {
  it("META-8: takes text, and leaves out what is none", () => {
    assert.deepStrictEqual(
      Meta.traceContext({ traceparent: "00-1-2-01", tracestate: 1, baggage: null }),
      { traceparent: "00-1-2-01", tracestate: undefined, baggage: undefined }
    )
  })
})

it("META-7, META-21: the reserved keys follow the grammar of keys", () => {
  for (const key of Object.values(Meta.key)) assert.isTrue(MetaKey.isValid(key))
  assert.deepStrictEqual(
    Object.values(Meta.key).filter((key) => !MetaKey.isReserved(key)),
    ["progressToken", "traceparent", "tracestate", "baggage"]
  )
})
