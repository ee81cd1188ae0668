import * as Cursor from "@effect-mcp/core/Cursor"
import { assert, describe, it } from "@effect/vitest"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

describe("Cursor", () => {
  it.prop("PAGE-6: decoding inverts encoding", [Schema.String, Schema.Finite], ([list, position]) => {
    const cursor = Cursor.encode(list, position)
    assert.match(cursor, /^[A-Za-z0-9_-]+$/)
    // JSON has no negative zero.
    assert.deepStrictEqual(Cursor.decode(list, cursor), Option.some(position === 0 ? 0 : position))
  })

  it("PAGE-6: a cursor of another list is refused", () => {
    assert.deepStrictEqual(Cursor.decode("prompts/list", Cursor.encode("tools/list", 1)), Option.none())
  })

  it.prop("PAGE-6: any other text is refused, and nothing throws", [Schema.String], ([text]) => {
    assert.deepStrictEqual(Cursor.decode("tools/list", text), Option.none())
    assert.deepStrictEqual(Cursor.decode("tools/list", Base64Url.encode(text)), Option.none())
  })

  for (
    const content of [
      "",
      "null",
      "{}",
      "[]",
      "[\"tools/list\"]",
      "[\"tools/list\",\"1\"]",
      "[\"tools/list\",null]",
      "[\"tools/list\",1,2]",
      "[\"tools/list\", 1]",
      "[\"tools/list\",1.0]",
      "[\"tools/list\",1e400]",
      "{\"__proto__\":1}",
      "[".repeat(100_000)
    ]
  ) {
    it(`PAGE-6: ${content.slice(0, 30)} is not a cursor`, () => {
      assert.deepStrictEqual(Cursor.decode("tools/list", Base64Url.encode(content)), Option.none())
    })
  }

  it("PAGE-6: padding, line breaks and another alphabet are refused", () => {
    const cursor = Cursor.encode("a", 1)
    for (const changed of [`${cursor}=`, `${cursor}\n`, ` ${cursor}`, `${cursor}A`, cursor.slice(1), ""]) {
      assert.deepStrictEqual(Cursor.decode("a", changed), Option.none(), JSON.stringify(changed))
    }
  })
})
