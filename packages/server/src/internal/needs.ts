/**
 * What a handler needs of its client, and what the client is told where the asking goes wrong.
 */
import * as McpError from "@effect-mcp/core/McpError"
import type { HandlerError } from "../features/Feature.ts"
import { isInteractionError } from "../InteractionError.ts"
import { type Capability, missing } from "./clientCapabilities.ts"
import type { RequestState } from "./requestState.ts"

export type Needs = ReadonlyArray<Capability> | undefined

/** META-13: the error for a client that has not declared what a handler needs, before the handler is run. */
export const undeclaredOf = (state: RequestState, needs: Needs): McpError.MissingClientCapability | undefined =>
  needs === undefined ? undefined : missing(state, needs)

/** What is wrong with the asking is in the log; only the limit that it has hit is the client's business. */
export const toMcpError = (error: HandlerError): McpError.McpError => {
  if (!isInteractionError(error)) return error
  const { reason } = error
  return reason._tag === "TooManyRounds"
    ? new McpError.InternalError({ message: `More than ${reason.max} rounds of input (the limit inputRounds)` })
    : internalError
}

/** ERR-1: the peer is told nothing of the inside. */
export const internalError = new McpError.InternalError({ message: "Internal error" })
