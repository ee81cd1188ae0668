import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Checks a property, which fails by throwing. */
export const check = <A>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => void,
  options?: Arbitrary.CheckOptions
): Effect.Effect<void> =>
  Arbitrary.checkEffect(arbitrary, (value) =>
    Effect.sync(() => {
      property(value)
      return true
    }), { runs: 100, ...options }).pipe(
      Effect.map((result) => assert.isUndefined(Arbitrary.formatCheckFailure(result)))
    )

/** Any JSON value. */
export const anyJson = Arbitrary.schema(Schema.Json)

/** Any JSON object. */
export const anyObject = Arbitrary.schema(Schema.Record(Schema.String, Schema.Json))

/** What a peer receives when a value is sent. */
export const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
