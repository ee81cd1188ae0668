/**
 * What the status of an answer means.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as clientBody from "./body.ts"
import { eventStream, mediaType } from "../negotiate.ts"

type Response = HttpClientResponse.HttpClientResponse

export const isSuccess = ({ status }: Response): boolean => status >= 200 && status <= 299

/** An answer that is a stream of events. */
export const isStream = (response: Response): boolean =>
  isSuccess(response) && mediaType(response.headers["content-type"]) === eventStream

/** Who answers so has not looked at the message: what the body says is not the server's answer to it. */
const isAboutAccess = (status: number): boolean => status === 401 || status === 403 || status >= 500

/** Statuses after which the same request may be taken another time. 409 is a stream that the server takes for open still. */
export const isPassing = ({ status }: Response): boolean =>
  status === 408 || status === 409 || status === 425 || status === 429 || (status >= 500 && status !== 501)

/** Codes with which servers say that they do not know a session, beside the status that says it (LHTTP-22). */
const aboutSession: ReadonlySet<number> = new Set([-32600, -32000, -32001])

/**
 * The answer to a request, or the failure, by a status that refuses. A body that is an error of the protocol says more
 * than the status does, unless the status is about who may ask, or says that the server is in trouble.
 *
 * With a session, 404 means that it is gone (LHTTP-23). Only an error that repeats the id of the request, and is about
 * something else than sessions, is taken for the answer of a method: servers send the loss of a session as an error too,
 * with an id or without.
 */
export const refusal = Effect.fnUntraced(function*(response: Response, request: JsonRpc.Request, hasSession: boolean) {
  const { status } = response
  const text = yield* clientBody.beginning(response)
  const parsed = isAboutAccess(status) ? undefined : JsonRpc.parse(text)
  const error = parsed?._tag === "Failure" ? parsed : undefined
  const isOurs = error !== undefined && error.id === request.id
  if (status === 404 && hasSession) {
    if (isOurs && !aboutSession.has(error.error.code)) return error
    return yield* sessionExpired(request.method)
  }
  // An error without an id answers what the server could not read, and this is all that was sent (HTTP-2, RPC-5).
  if (error !== undefined && (isOurs || error.id === undefined)) return JsonRpc.failure(request.id, error.error)
  return yield* statusError(response, text)
})

/** The failure of a message that has no answer. */
export const refused = Effect.fnUntraced(function*(response: Response, method: string, hasSession: boolean) {
  const text = yield* clientBody.beginning(response)
  return yield* response.status === 404 && hasSession ? sessionExpired(method) : statusError(response, text)
})

/** The failure of a status that was not hoped for. */
export const unexpected = (response: Response) =>
  Effect.flatMap(clientBody.beginning(response), (text) => Effect.fail(statusError(response, text)))

const statusError = ({ status }: Response, body: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.UnexpectedStatus({ status, body: body.slice(0, clientBody.shown).trim() }))

export const sessionExpired = (method: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.SessionExpired({ method }))
