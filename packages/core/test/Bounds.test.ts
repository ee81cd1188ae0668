import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

const request = (params: string): string => `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":${params}}}`

describe("JsonRpc.parse with limits", () => {
  it("B4: 64 levels pass, 65 are refused with the id and the name of the limit", () => {
    // The message and its params are two levels of their own.
    assert.strictEqual(JsonRpc.parse(request(nested(62)), Limits.defaults)._tag, "Request")
    const refused = JsonRpc.parse(request(nested(63)), Limits.defaults)
    assert(refused._tag === "Malformed")
    assert.strictEqual(refused.id, 7)
    assert.strictEqual(refused.error.code, -32600)
    assert.include(refused.error.message, "exceeds 64 (the limit jsonDepth)")
    assert.isTrue(refused.answer)
  })

  it("B4: a depth of a million does not end the process", () => {
    assert.strictEqual(JsonRpc.parse(nested(1_000_000), Limits.defaults)._tag, "Malformed")
  })

  it("B4: 100 000 keys pass, one more is refused", () => {
    const object = (keys: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, 0])))
    // The envelope has four keys and the params one.
    assert.strictEqual(JsonRpc.parse(request(object(99_995)), Limits.defaults)._tag, "Request")
    const refused = JsonRpc.parse(request(object(99_996)), Limits.defaults)
    assert(refused._tag === "Malformed")
    assert.include(refused.error.message, "exceeds 100000 (the limit jsonKeys)")
  })

  it("B4, B5: objects without keys count where they stand in a list, also in a batch", () => {
    const list = (length: number): string => `[${Array.from({ length }, () => "{}").join(",")}]`
    assert.strictEqual(JsonRpc.parse(request(list(99_995)), Limits.defaults)._tag, "Request")
    assert.strictEqual(JsonRpc.parse(request(list(99_996)), Limits.defaults)._tag, "Malformed")
    assert.strictEqual(JsonRpc.parse(list(100_001), Limits.defaults)._tag, "Malformed")
  })

  it("B4 RPC-8: an answer or a notification that is too deep is not answered", () => {
    for (const rest of [`"id":1,"result":{"x":${nested(70)}}`, `"method":"a","params":{"x":${nested(70)}}`]) {
      const refused = JsonRpc.parse(`{"jsonrpc":"2.0",${rest}}`, Limits.defaults)
      assert(refused._tag === "Malformed")
      assert.isFalse(refused.answer)
    }
  })
})
