/** Completion of arguments, for the prompts and the resource template. */
import * as Effect from "effect/Effect"

/** Completes an argument with those of some values that begin with what was typed. */
export const oneOf = (...values: ReadonlyArray<string>) => (typed: string) =>
  Effect.succeed(values.filter((value) => value.startsWith(typed)))
