import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { readdirSync } from "node:fs"
import { decodeOpen } from "../../src/schema/Common.ts"
import { type AnyCodec, isObject, overTheWire, schemas } from "./modules.ts"

const check = <A>(self: Arbitrary.Arbitrary<A>, property: (value: A) => void) =>
  Arbitrary.checkEffect(self, (value) =>
    Effect.sync(() => {
      property(value)
      return true
    }), { runs: 60, size: 4 }).pipe(
      Effect.map((result) => assert.isUndefined(Arbitrary.formatCheckFailure(result)))
    )

/** Structs that other members may be added to without being looked at. */
const isOpenStruct = (schema: AnyCodec) =>
  SchemaAST.isObjects(schema.ast) && schema.ast.indexSignatures.length === 0 ||
  SchemaAST.isUnion(schema.ast) && schema.ast.types.every(SchemaAST.isObjects)

describe("every schema of the model", () => {
  it("is tested here", () => {
    const files = readdirSync(new URL("../../src/schema", import.meta.url)).map((file) => file.replace(/\.ts$/, ""))
    assert.sameMembers(files, [...new Set(schemas.map(([module]) => module))])
  })

  for (const [module, name, schema] of schemas) {
    const decode = Schema.decodeUnknownSync(schema)
    const encode = Schema.encodeUnknownSync(schema)
    const open = decodeOpen(schema)

    it.effect(`${module}.${name} survives encoding, JSON and decoding`, () =>
      check(Arbitrary.schema(schema), (value) => {
        const json = overTheWire(encode(value))
        assert.deepStrictEqual(json, overTheWire(value))
        assert.deepStrictEqual(decode(json), json)
        assert.deepStrictEqual(encode(decode(json)), json)
      }))

    it.effect(`${module}.${name} is open: unknown members pass, and stay with decodeOpen (RPC-21)`, () =>
      check(Arbitrary.schema(schema), (value) => {
        const json = overTheWire(value)
        const extended = isOpenStruct(schema) && isObject(json) ? { ...json, "com.example/unknown": [null] } : json
        if (isOpenStruct(schema)) assert.deepStrictEqual(decode(extended), json)
        const result = open(extended)
        assert.isTrue(Result.isSuccess(result) && result.success === extended)
      }))
  }
})
