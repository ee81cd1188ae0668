/**
 * What the HTTP client's errors mean to a caller.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Codes with which a connection that stood has ended. Any other one says that there was none. */
const ended: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/** The innermost cause that has a code, since clients wrap what the platform tells. */
const root = (error: unknown): unknown => {
  let current = error
  for (let depth = 0; depth < 8; depth++) {
    if (Predicate.hasProperty(current, "code") && typeof current.code === "string") return current
    if (!Predicate.hasProperty(current, "cause") || current.cause === undefined) return current
    current = current.cause
  }
  return current
}

/** A request that got no answer. */
export const fromHttp = (error: HttpClientError.HttpClientError): McpClientError.McpClientError => {
  const { reason } = error
  const cause = root(reason)
  const detail = cause === reason ? reason.message : McpError.messageOf(cause)
  return McpClientError.make(
    Predicate.hasProperty(cause, "code") && ended.has(cause.code)
      ? new McpClientError.TransportClosed({ detail, cause: error })
      : new McpClientError.ConnectFailed({
        message: `${reason.request.url} does not answer: ${detail}`,
        cause: error
      })
  )
}

/** An answer that broke off. */
export const brokenOff = (error: HttpClientError.HttpClientError): McpClientError.McpClientError =>
  McpClientError.make(
    new McpClientError.TransportClosed({
      detail: `the answer broke off: ${McpError.messageOf(root(error.reason))}`,
      cause: error
    })
  )

/** A limit of this side. */
export const limitExceeded = (limit: Limits.Name, max: number): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.LimitExceeded({ limit, max }))

/** An answer that the protocol does not know. */
export const invalidAnswer = (method: string, problem: string, raw: unknown): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidAnswer({ method, problem, raw }))

/** A message that is not sent. */
export const invalidCall = (method: string, problem: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidCall({ method, problem }))

/** The text of a message, or why it has none. */
export const printed = (message: JsonRpc.Message): Result.Result<string, McpClientError.McpClientError> =>
  Result.mapError(JsonRpc.print(message), ({ cause }) =>
    invalidCall(
      "method" in message ? message.method : "an answer",
      `it cannot be written as JSON: ${McpError.messageOf(cause)}`
    ))
