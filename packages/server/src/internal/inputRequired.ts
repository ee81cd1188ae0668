/**
 * How it is seen from within that a handler was interrupted because it asked something.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"

export class InputRequired extends Context.Service<InputRequired, {
  /** The keys of what was asked. */
  readonly keys: ReadonlyArray<string>
}>()("@effect-mcp/server/Interaction/InputRequired") {}

export const isInputRequired = (cause: Cause.Cause<unknown>): boolean =>
  Context.getOrUndefined(Cause.annotations(cause), InputRequired) !== undefined
