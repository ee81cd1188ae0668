/**
 * How a client and a server came to the revision they speak: what was tried, what came back, what was chosen.
 *
 * @since 0.1.0
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import type { Era, Revision } from "@effect-mcp/core/Revision"

/**
 * Where a client begins.
 *
 * **Details**
 *
 * - `newest`: with the newest revision it may speak. A server that does not know it is met in its own way.
 * - `legacy`: with `initialize`, and the newest revision that has it. A server that only speaks newer revisions is asked
 *   as with `newest` then.
 * - a revision: as `newest` or `legacy`, by its era, and that revision is offered. The server may still answer with
 *   another one that is allowed; `revisions` is what forbids them.
 *
 * @category models
 * @since 0.1.0
 */
export type Preference = "newest" | "legacy" | Revision

/**
 * What came of an attempt.
 *
 * **Details**
 *
 * - `Settled`: both sides speak this revision.
 * - `Told`: the server told what it speaks, which was not what was offered.
 * - `Done`: there was nothing to settle. The transport has gone over to an older one.
 * - `Failed`: the server's error, or what went wrong on the way.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome =
  | { readonly _tag: "Settled"; readonly revision: Revision }
  | { readonly _tag: "Told"; readonly versions: ReadonlyArray<string> }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly error: RequestError }

/**
 * One attempt: a message and what it offered, or the change to the transport of 2024-11-05.
 *
 * @category models
 * @since 0.1.0
 */
export interface Attempt {
  readonly step: "server/discover" | "initialize" | "HTTP+SSE"
  readonly revision: Revision
  readonly outcome: Outcome
}

/**
 * The account of a negotiation.
 *
 * @category models
 * @since 0.1.0
 */
export interface Negotiation {
  readonly era: Era
  readonly revision: Revision
  /** In order. Empty where the server was not asked, and its revision taken for granted. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Whether the client began with what it remembered of this server (`EraCache`). */
  readonly cached: boolean
}

/**
 * An attempt in words.
 *
 * @category rendering
 * @since 0.1.0
 */
export const renderAttempt = ({ outcome, revision, step }: Attempt): string => {
  const what = `${step} ${revision}`
  switch (outcome._tag) {
    case "Settled":
      return outcome.revision === revision ? `${what}: agreed` : `${what}: the server chose ${outcome.revision}`
    case "Told":
      return `${what}: the server speaks ${outcome.versions.join(", ") || "no revision"}`
    case "Done":
      return `${what}: connected`
    case "Failed": {
      const { error } = outcome
      return error._tag === "McpClientError"
        ? `${what}: ${short(error.reason.message)}`
        : `${what}: ${short(error.message)} (${error.code})`
    }
  }
}

/** A server may say much, in many lines. The error itself has all of it. */
const short = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

/**
 * A negotiation in one line.
 *
 * **Example** (Telling a person what was agreed upon)
 *
 * ```ts
 * import * as Negotiation from "@effect-mcp/client/Negotiation"
 *
 * Negotiation.render({
 *   era: "legacy",
 *   revision: "2025-11-25",
 *   attempts: [{
 *     step: "initialize",
 *     revision: "2025-11-25",
 *     outcome: { _tag: "Settled", revision: "2025-11-25" }
 *   }],
 *   cached: true
 * }) // "2025-11-25 (initialize 2025-11-25: agreed; the era was known)"
 * ```
 *
 * @category rendering
 * @since 0.1.0
 */
export const render = ({ attempts, cached, revision }: Negotiation): string => {
  const known = cached ? ["the era was known"] : []
  const steps = attempts.length === 0 ? ["taken for granted"] : attempts.map(renderAttempt)
  return `${revision} (${[...steps, ...known].join("; ")})`
}
