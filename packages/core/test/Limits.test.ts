import * as Limits from "@effect-mcp/core/Limits"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const read = Effect.gen(function*() {
  return yield* Limits.Limits
})

describe("Limits", () => {
  it("every row has its own name, a positive integer and words for its error", () => {
    for (const [name, row] of Object.entries(Limits.table)) {
      assert.strictEqual(row.name, name)
      assert.isTrue(Number.isSafeInteger(row.default) && row.default > 0, name)
      assert.isNotEmpty(row.error, name)
      assert.isNotEmpty(row.sides, name)
      assert.match(row.description, /^[A-Z].*\.$/, name)
    }
  })

  it("the defaults are the table's", () => {
    assert.deepStrictEqual(
      { ...Limits.defaults },
      Object.fromEntries(Object.values(Limits.table).map((row) => [row.name, row.default]))
    )
  })

  it("B1-B4: the bounds of a message", () => {
    assert.strictEqual(Limits.defaults.messageBytes, 4 * 1024 * 1024)
    assert.strictEqual(Limits.defaults.sseEventBytes, 8 * 1024 * 1024)
    assert.strictEqual(Limits.defaults.jsonDepth, 64)
    assert.strictEqual(Limits.defaults.jsonKeys, 100_000)
  })

  it.effect("without a layer the defaults are in force", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read, Limits.defaults)
    }))

  it.effect("a layer changes what it names and keeps the rest", () =>
    Effect.gen(function*() {
      const values = yield* Effect.provide(read, Limits.layer({ messageBytes: 10, pages: undefined }))
      assert.deepStrictEqual(values, { ...Limits.defaults, messageBytes: 10 })
    }))

  it.effect("a layer inside another one adds to it", () =>
    Effect.gen(function*() {
      const both = Limits.layer({ pageSize: 2 }).pipe(Layer.provideMerge(Limits.layer({ pageSize: 1, pages: 3 })))
      const values = yield* Effect.provide(read, both)
      assert.deepStrictEqual(values, { ...Limits.defaults, pageSize: 2, pages: 3 })
    }))

  for (const value of [0, -1, 1.5, NaN, Infinity, 2 ** 53]) {
    it.effect(`${value} is refused`, () =>
      Effect.gen(function*() {
        const result = yield* Effect.result(Effect.provide(read, Limits.layer({ jsonDepth: value })))
        assert.isTrue(Result.isFailure(result))
        if (Result.isFailure(result)) {
          assert.strictEqual(
            result.failure.message,
            `the limit "jsonDepth" must be a positive integer of levels, got ${value}`
          )
        }
      }))
  }

  it.effect("a name that is no limit does not compile, and fails where types were left behind", () =>
    Effect.gen(function*() {
      // @ts-expect-error a misspelt name
      const misspelt = Limits.layer({ messageByte: 1 })
      const result = yield* Effect.result(Effect.provide(read, misspelt))
      assert.isTrue(Result.isFailure(result) && result.failure.message === "there is no limit called \"messageByte\"")
      assert.isFalse(Limits.isName("toString"))
    }))

  it("LimitExceeded says how much, and how to raise it", () => {
    const error = new Limits.LimitExceeded({ limit: "messageBytes", max: 10, actual: 12 })
    assert.strictEqual(error.unit, "bytes")
    assert.strictEqual(
      error.message,
      "12 bytes, more than 10 (the limit messageBytes: One JSON-RPC message: an HTTP body or a line on stdio). Limits.layer({ messageBytes: ... }) raises it"
    )
    assert.strictEqual(
      new Limits.LimitExceeded({ limit: "pages", max: 3 }).message,
      "more than 3 pages (the limit pages: Pages that a client walks to read one list to its end). Limits.layer({ pages: ... }) raises it"
    )
    const encoded = Schema.encodeSync(Limits.LimitExceeded)(error)
    assert.deepStrictEqual({ ...encoded }, { _tag: "LimitExceeded", limit: "messageBytes", max: 10, actual: 12 })
  })
})
