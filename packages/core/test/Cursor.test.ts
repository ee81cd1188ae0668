import * as Cursor from "@effect-mcp/core/Cursor"
import { assert, describe, it } from "@effect/vitest"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A lone surrogate has no UTF-8, and is no name of a feature. */
const wellFormed = Schema.String.check(Schema.isPattern(/^[^\ud800-\udfff]*$/))

const position = { key: "a", place: 1, run: 2 }

describe("Cursor", () => {
  it.prop("PAGE-6: decoding inverts encoding", [wellFormed, wellFormed, Schema.Int, Schema.Int], ([
    list,
    key,
    place,
    run
  ]) => {
    // JSON has no negative zero.
    const position = { key, place: place + 0, run: run + 0 }
    const cursor = Cursor.encode(list, position)
    assert.match(cursor, /^[A-Za-z0-9_-]+$/)
    assert.deepStrictEqual(Cursor.decode(list, cursor), Option.some(position))
  })

  it("PAGE-6: a cursor of another list is refused", () => {
    assert.deepStrictEqual(Cursor.decode("prompts/list", Cursor.encode("tools/list", position)), Option.none())
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
      "[\"tools/list\",\"a\",1]",
      "[\"tools/list\",\"a\",\"1\",2]",
      "[\"tools/list\",1,1,2]",
      "[\"tools/list\",\"a\",1,2,3]",
      "[\"tools/list\",\"a\",1, 2]",
      "[\"tools/list\",\"a\",1.0,2]",
      "[\"tools/list\",\"a\",1,1e400]",
      "{\"__proto__\":1}",
      "[".repeat(100_000)
    ]
  ) {
    it(`PAGE-6: ${content.slice(0, 30)} is not a cursor`, () => {
      assert.deepStrictEqual(Cursor.decode("tools/list", Base64Url.encode(content)), Option.none())
    })
  }

  it("PAGE-6: padding, line breaks and another alphabet are refused", () => {
    const cursor = Cursor.encode("a", position)
    for (const changed of [`${cursor}=`, `${cursor}\n`, ` ${cursor}`, `${cursor}A`, cursor.slice(1), ""]) {
      assert.deepStrictEqual(Cursor.decode("a", changed), Option.none(), JSON.stringify(changed))
    }
  })
})
