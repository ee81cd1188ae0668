/**
 * Which revisions a client may speak, which of them it has in common with a server, and what an answer says about the era
 * of a server. The rules only: asking is the business of `connect.ts`.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import { isJsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Revision from "@effect-mcp/core/Revision"
import * as Result from "effect/Result"
import type { Preference } from "../Negotiation.ts"

export interface Rules {
  /** Newest first. */
  readonly allowed: Revision.AllowList
  /** The newest revision of the modern era, and of the legacy era: where one is allowed. */
  readonly modern: Revision.Revision | undefined
  readonly legacy: Revision.Revision | undefined
  /** Whether the legacy era comes first. */
  readonly legacyFirst: boolean
  /** The newest revision that is allowed and among those of the server. */
  readonly common: (server: ReadonlyArray<string>) => Revision.Revision | undefined
  readonly commonLegacy: (server: ReadonlyArray<string>) => Revision.Revision | undefined
  readonly none: (server: ReadonlyArray<string>) => McpClientError.McpClientError
}

const isLegacy = (revision: Revision.Revision): boolean => Revision.era(revision) === "legacy"

export const rules = (
  revisions: ReadonlyArray<Revision.Revision> | undefined,
  prefer: Preference = "newest"
): Result.Result<Rules, McpClientError.McpClientError> =>
  Result.flatMap(
    Result.mapError(Revision.allowList(revisions ?? Revision.all), (error) => refused(error.message)),
    (allowed) => {
      const legacies = allowed.filter(isLegacy)
      if (prefer !== "newest" && prefer !== "legacy" && !Revision.isRevision(prefer)) {
        return Result.fail(
          refused(`the option \`prefer\` is "newest", "legacy" or a revision, and not ${JSON.stringify(prefer)}`)
        )
      }
      if (Revision.isRevision(prefer) && !allowed.includes(prefer)) {
        return Result.fail(
          refused(`the option \`prefer\` names ${prefer}, which the option \`revisions\` does not allow`)
        )
      }
      const first = Revision.isRevision(prefer) && isLegacy(prefer) ? prefer : legacies[0]
      return Result.succeed<Rules>({
        allowed,
        modern: allowed.find((revision) => !isLegacy(revision)),
        legacy: first,
        legacyFirst: prefer === "legacy" || (Revision.isRevision(prefer) && isLegacy(prefer)),
        common: (server) => allowed.find((revision) => server.includes(revision)),
        commonLegacy: (server) => legacies.find((revision) => server.includes(revision)),
        none: (server) => McpClientError.make(new McpClientError.NoCommonRevision({ client: allowed, server }))
      })
    }
  )

const refused = (problem: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidCall({ method: "server/discover", problem }))

/** A server that is busy, or wants the request once more, says nothing of what it speaks. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * Whether a failure says nothing about the era of a server: it could not be asked, or not without authorization. Such a
 * failure is reported, and nothing else is tried (ERA-12).
 */
export const provesNothing = (error: RequestError, silenceIsLegacy: boolean): boolean => {
  if (error._tag !== "McpClientError") return false
  const { reason } = error
  switch (reason._tag) {
    case "UnexpectedStatus":
      return reason.status >= 500 || passing.has(reason.status) || reason.status === 401 || reason.status === 403 ||
        (reason.status >= 300 && reason.status < 400)
    // ERA-10: over a pipe silence and the end of the process are signs, over HTTP they are outages.
    case "DeadlineExceeded":
    case "TransportClosed":
      return !silenceIsLegacy
    case "InvalidAnswer":
    case "NoCommonRevision":
      return false
    default:
      return true
  }
}

/** Whether the transport that came before may be what a server waits for (ERA-15). */
export const mayBeOlder = (error: RequestError): boolean => {
  if (error._tag === "McpClientError") {
    const { reason } = error
    return reason._tag === "UnexpectedStatus" && [400, 404, 405].includes(reason.status)
  }
  // The status of an answer with a body cannot be told any more. These codes come with one of those.
  return error.code === -32700 || error.code === -32600 || error.code === -32601 ||
    (error.code <= -32000 && error.code >= -32019)
}

/** ERA-9: only these prove that a server is of the modern era; drafts of it used other numbers (ERR-16). */
export const isModernError = (error: RequestError): boolean =>
  error._tag !== "McpClientError" && (error.code === -32020 || error.code === -32021 || error.code === -32022)

/**
 * The versions a server names in an error, as `-32022` does, and `-32602` in answer to `initialize` (INIT-15). `undefined`
 * if it names none.
 */
export const versionsOf = (error: RequestError): ReadonlyArray<string> | undefined => {
  if (error._tag === "UnsupportedProtocolVersion") return error.supported
  if (error._tag === "McpClientError" || (error.code !== -32602 && error.code !== -32022)) return undefined
  const supported = "data" in error && isJsonObject(error.data) ? error.data.supported : undefined
  return Array.isArray(supported) && supported.every((version) => typeof version === "string") ? supported : undefined
}
