/**
 * The published revisions of the Model Context Protocol as values: their order, their era, and the allow-list a server
 * or a client is given.
 *
 * Revisions are compared for equality and by their place in {@link all}; no other module compares dates (ERA-1).
 *
 * @since 0.1.0
 */
import * as Array from "effect/Array"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * Every published revision, oldest first.
 *
 * @category constants
 * @since 0.1.0
 */
export const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

/**
 * The schema of a published revision.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Revision = Schema.Literals(all)

/**
 * A published revision of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type Revision = (typeof all)[number]

/**
 * The two ways the protocol is spoken: `legacy` opens a session with `initialize`, `modern` says everything in each
 * request.
 *
 * @category models
 * @since 0.1.0
 */
export type Era = "legacy" | "modern"

/**
 * The newest revision.
 *
 * @category constants
 * @since 0.1.0
 */
export const latest: Revision = "2026-07-28"

/**
 * Tells whether a string names a published revision.
 *
 * @category guards
 * @since 0.1.0
 */
export const isRevision: (u: unknown) => u is Revision = Schema.is(Revision)

/**
 * The era a revision belongs to.
 *
 * **Example** (Which era is it?)
 *
 * ```ts
 * import * as Revision from "@effect-mcp/core/Revision"
 *
 * Revision.era("2025-11-25") // "legacy"
 * Revision.era("2026-07-28") // "modern"
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const era = (revision: Revision): Era => revision === "2026-07-28" ? "modern" : "legacy"

/**
 * Whether a revision has batches: several messages in one array (RPC-16, RPC-18). None has been settled on before
 * `initialize` is answered, and nothing has batches then.
 *
 * @category getters
 * @since 0.1.0
 */
export const hasBatches = (revision: Revision | undefined): boolean => revision === "2025-03-26"

/**
 * Orders revisions by their date of publication.
 *
 * @category instances
 * @since 0.1.0
 */
export const order: Order.Order<Revision> = Order.mapInput(Order.Number, (revision: Revision) => all.indexOf(revision))

/**
 * An allow-list that cannot be used: it is empty, names a revision twice, or names one that was never published.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidAllowList
  extends Schema.TaggedError<InvalidAllowList>("@effect-mcp/core/Revision/InvalidAllowList")("InvalidAllowList", {
    revisions: Schema.Array(Schema.String),
    problem: Schema.Literals(["empty", "duplicate", "unknown"])
  })
{
  override get message(): string {
    switch (this.problem) {
      case "empty":
        return "No protocol revision is allowed: name at least one, or leave the option out to allow all of them"
      case "duplicate":
        return `A protocol revision is named twice: ${this.revisions.join(", ")}`
      case "unknown":
        return `Not a published protocol revision: ${this.revisions.join(", ")} (known: ${all.join(", ")})`
    }
  }
}

/**
 * The revisions a server or client speaks, newest first: never empty, no duplicates.
 *
 * @category models
 * @since 0.1.0
 */
export type AllowList = Array.NonEmptyReadonlyArray<Revision>

/**
 * Checks and orders an allow-list, newest first.
 *
 * **Details**
 *
 * Takes plain strings, so that a list can come from configuration.
 *
 * **Example** (Two revisions only)
 *
 * ```ts
 * import * as Revision from "@effect-mcp/core/Revision"
 *
 * Revision.allowList(["2025-11-25", "2026-07-28"]) // Result.succeed(["2026-07-28", "2025-11-25"])
 * Revision.allowList([]) // Result.fail(new InvalidAllowList({ revisions: [], problem: "empty" }))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const allowList = (revisions: ReadonlyArray<string>): Result.Result<AllowList, InvalidAllowList> => {
  const unknown = revisions.filter((revision) => !isRevision(revision))
  if (unknown.length > 0) return Result.fail(new InvalidAllowList({ revisions: unknown, problem: "unknown" }))
  const known = revisions.filter(isRevision)
  if (new Set(known).size !== known.length) {
    return Result.fail(new InvalidAllowList({ revisions, problem: "duplicate" }))
  }
  const sorted = Array.sort(known, Order.flip(order))
  return Array.isReadonlyArrayNonEmpty(sorted)
    ? Result.succeed(sorted)
    : Result.fail(new InvalidAllowList({ revisions: [], problem: "empty" }))
}
