/**
 * Which revision is spoken, and what every request says because of it.
 *
 * The rules only: asking the server is the business of `discovery.ts`. The legacy era, with its `initialize`, is to be
 * one more outcome of the same negotiation.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import * as Result from "effect/Result"

/** The revision a request is sent under, with the `_meta` members it demands (META-9, META-10). */
export interface Dialect {
  readonly revision: Revision.Revision
  readonly meta: JsonObject
}

export interface Negotiation {
  /** The revision to begin with: the newest. */
  readonly preferred: Dialect
  /** The newest revision both sides speak. */
  readonly choose: (server: ReadonlyArray<string>) => Result.Result<Dialect, McpClientError.McpClientError>
  /** The outcome for a server of the legacy era, which this version of the client does not speak. */
  readonly legacy: McpClientError.McpClientError
}

/** The revisions this version of the client can speak, of those the user allows. */
export const revisions = (
  allowed: ReadonlyArray<Revision.Revision> | undefined
): Result.Result<Revision.AllowList, McpClientError.McpClientError> =>
  Result.flatMap(
    Result.mapError(Revision.allowList(allowed ?? Revision.all), (error) => refused(error.message)),
    (list) => {
      const [first, ...rest] = list.filter((revision) => Revision.era(revision) === "modern")
      return first === undefined
        ? Result.fail(
          refused(`this client speaks ${Revision.latest} only, and the option \`revisions\` rules that out`)
        )
        : Result.succeed([first, ...rest])
    }
  )

const refused = (problem: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidCall({ method: "server/discover", problem }))

export const make = (
  allowed: Revision.AllowList,
  capabilities: ClientCapabilities,
  info: Implementation | undefined
): Negotiation => {
  const dialect = (revision: Revision.Revision): Dialect => ({
    revision,
    meta: {
      [Meta.key.protocolVersion]: revision,
      [Meta.key.clientCapabilities]: capabilities,
      ...(info === undefined ? undefined : { [Meta.key.clientInfo]: info })
    }
  })
  const none = (server: ReadonlyArray<string>) =>
    McpClientError.make(new McpClientError.NoCommonRevision({ client: allowed, server }))
  return {
    preferred: dialect(allowed[0]),
    legacy: none([]),
    choose: (server) => {
      const common = allowed.find((revision) => server.includes(revision))
      return common === undefined ? Result.fail(none(server)) : Result.succeed(dialect(common))
    }
  }
}
