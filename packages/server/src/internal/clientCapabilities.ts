/**
 * Whether a client has declared what it is about to be asked for, under the revision of the request (MRTR-5, ELI-2, SAMP-7).
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { RequestState } from "./requestState.ts"

interface Row {
  /** The first revision that has it. */
  readonly since: Revision.Revision
  readonly isDeclared: (capabilities: ClientCapabilities, revision: Revision.Revision) => boolean
  /** What a client would have to declare (META-13). */
  readonly required: Readonly<Record<string, JsonObject>>
}

const isBefore = (revision: Revision.Revision, other: Revision.Revision): boolean => Revision.order(revision, other) < 0

const rows = {
  elicitation: {
    since: "2025-06-18",
    // ELI-1: without a mode it is forms; a client of 2025-06-18 knows nothing else.
    isDeclared: ({ elicitation }, revision) =>
      elicitation !== undefined &&
      (elicitation.form !== undefined || elicitation.url === undefined || isBefore(revision, "2025-11-25")),
    required: { elicitation: { form: {} } }
  },
  "elicitation.url": {
    since: "2025-11-25",
    isDeclared: ({ elicitation }) => elicitation?.url !== undefined,
    required: { elicitation: { url: {} } }
  },
  sampling: {
    since: "2024-11-05",
    isDeclared: ({ sampling }) => sampling !== undefined,
    required: { sampling: {} }
  },
  "sampling.tools": {
    since: "2025-11-25",
    isDeclared: ({ sampling }) => sampling?.tools !== undefined,
    required: { sampling: { tools: {} } }
  },
  "sampling.context": {
    since: "2024-11-05",
    // SAMP-12: it was there from the start, and has had a capability of its own from 2025-11-25 on.
    isDeclared: ({ sampling }, revision) =>
      sampling !== undefined && (sampling.context !== undefined || isBefore(revision, "2025-11-25")),
    required: { sampling: { context: {} } }
  },
  roots: {
    since: "2024-11-05",
    isDeclared: ({ roots }) => roots !== undefined,
    required: { roots: {} }
  }
} satisfies Record<string, Row>

export type Capability = keyof typeof rows

/** The error for those of the capabilities that the client of a request has not declared; nothing if it has all of them. */
export const missing = (
  { clientCapabilities, revision }: Pick<RequestState, "clientCapabilities" | "revision">,
  capabilities: ReadonlyArray<Capability>
): McpError.MissingClientCapability | undefined => {
  const names = capabilities.filter((name) => {
    const row: Row = rows[name]
    return isBefore(revision, row.since) || !row.isDeclared(clientCapabilities, revision)
  })
  if (names.length === 0) return undefined
  const requiredCapabilities: Record<string, JsonObject> = {}
  for (const name of names) {
    for (const [member, settings] of Object.entries<JsonObject>(rows[name].required)) {
      requiredCapabilities[member] = { ...requiredCapabilities[member], ...settings }
    }
  }
  const newer = names.filter((name) => isBefore(revision, rows[name].since))
  const why = newer.length === 0 ? "" : ` (revision ${revision} does not have ${newer.join(", ")})`
  return new McpError.MissingClientCapability({
    message: `The client has not declared ${names.join(", ")}, which this request needs${why}`,
    requiredCapabilities
  })
}
