/**
 * What the rounds of one request remember of each other. It goes to the client and comes back, sealed.
 */
import { JsonObject } from "@effect-mcp/core/schema/Common"
import * as Schema from "effect/Schema"

const Entry = Schema.Struct({ key: Schema.String, print: Schema.String })

/** How an effect that is run once came out. */
export const Outcome = Schema.Struct({ key: Schema.String, isFailure: Schema.Boolean, value: Schema.Json })

export interface Outcome extends Schema.Schema.Type<typeof Outcome> {}

/** A question that has its answer. `print` is the fingerprint of what was asked. */
export const Answered = Schema.Struct({ key: Schema.String, print: Schema.String, answer: JsonObject })

export interface Answered extends Schema.Schema.Type<typeof Answered> {}

export const Chain = Schema.Struct({
  /** Nobody else's, and the same in all rounds. */
  id: Schema.String,
  /** How often input was asked for. */
  rounds: Schema.Int,
  /** What the last round has asked. */
  asked: Schema.Array(Entry),
  answered: Schema.Array(Answered),
  outcomes: Schema.Array(Outcome)
})

export interface Chain extends Schema.Schema.Type<typeof Chain> {}

const Text = Schema.fromJsonString(Chain)

export const decode = Schema.decodeUnknownResult(Text)

export const encode = (chain: Chain): string => JSON.stringify(chain)

/** The entries that take the most room. */
export const largest = (
  { answered, outcomes }: Chain
): ReadonlyArray<{ readonly key: string; readonly size: number }> =>
  [
    ...answered.map(({ answer, key }) => ({ key, size: JSON.stringify(answer).length })),
    ...outcomes.map(({ key, value }) => ({ key, size: JSON.stringify(value).length }))
  ].toSorted((a, b) => b.size - a.size).slice(0, 3)
