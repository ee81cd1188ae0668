/**
 * What a tool may fail with when the person it asked does not answer. A contract that declares them needs nothing of the
 * server that asks.
 *
 * **Example** (A tool that may be refused)
 *
 * ```ts
 * import * as Refusal from "@effect-mcp/core/Refusal"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as Schema from "effect/Schema"
 *
 * const Book = Tool.make("book", { failure: Schema.Union([Refusal.Declined, Refusal.Cancelled]) })
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The person said no (ELI-11).
 *
 * @category errors
 * @since 0.1.0
 */
export class Declined extends Schema.TaggedError<Declined>("@effect-mcp/core/Refusal/Declined")("Declined", {
  /** What the person was asked. */
  question: Schema.String
}) {
  override get message(): string {
    return `The person declined: ${this.question}`
  }
}

/**
 * The person said nothing: looked away, or closed the question (ELI-11).
 *
 * @category errors
 * @since 0.1.0
 */
export class Cancelled extends Schema.TaggedError<Cancelled>("@effect-mcp/core/Refusal/Cancelled")("Cancelled", {
  /** What the person was asked. */
  question: Schema.String
}) {
  override get message(): string {
    return `The person did not answer: ${this.question}`
  }
}
