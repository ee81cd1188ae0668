/**
 * An answer that is sent as a whole, before it is known how.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type * as Limits from "@effect-mcp/core/Limits"
import type * as Revision from "@effect-mcp/core/Revision"
import * as Result from "effect/Result"
import { json } from "../negotiate.ts"

/** Headers beside those of the body. */
export type ExtraHeaders = Readonly<Record<string, string>>

/** No headers. */
export const noHeaders: ExtraHeaders = {}

/** A status, and a JSON text unless there is no body. */
export class Reply {
  readonly status: number
  readonly body: string | undefined
  readonly headers: ExtraHeaders

  constructor(status: number, body: string | undefined, headers: ExtraHeaders = noHeaders) {
    this.status = status
    this.body = body
    this.headers = headers
  }

  /** The same with more headers. */
  with(headers: ExtraHeaders): Reply {
    return headers === noHeaders ? this : new Reply(this.status, this.body, { ...this.headers, ...headers })
  }

  /** In the portable form, which every platform of Effect can send. */
  get response(): HttpServerResponse.HttpServerResponse {
    return this.body === undefined
      // Without a length an empty answer is sent in chunks.
      ? HttpServerResponse.empty({
        status: this.status,
        headers: this.status === 204 ? this.headers : { ...this.headers, "content-length": "0" }
      })
      : HttpServerResponse.text(this.body, {
        status: this.status,
        contentType: json,
        ...(this.headers === noHeaders ? undefined : { headers: this.headers })
      })
  }
}

/** An accepted message that has no answer (HTTP-7). */
export const accepted = new Reply(202, undefined)

/** A JSON-RPC error with a status. Without an id it answers what is no request, or none that could be read. */
export const failure = (
  status: number,
  error: McpError.McpError,
  id?: JsonRpc.Id | undefined,
  era?: Revision.Era | undefined
): Reply => new Reply(status, Result.getOrThrow(JsonRpc.print(JsonRpc.failure(id, McpError.toErrorObject(error, era)))))

/** A request that HTTP itself refuses, with the reason for a person to read. */
export const refused = (status: number, message: string): Reply =>
  failure(status, new McpError.InvalidRequest({ message }))

/** The answer to a request that the server has interrupted. */
export const gaveUp = refused(503, "The server gave up this request")

/** An answer for those who should come again in a moment. */
export const later = (message: string, id?: JsonRpc.Id | undefined): Reply =>
  failure(503, new McpError.InternalError({ message }), id).with({ "retry-after": "1" })

/** The answer to a request too many. */
export const overLimit = ({ inFlightRequests }: Limits.Values, id: JsonRpc.Id): Reply =>
  later(`More than ${inFlightRequests} requests in flight (the limit inFlightRequests)`, id)

/** The answer while the server is closing. */
export const closed = later("The server is closing").with({ connection: "close" })

/** The answer when the log of events does not work. */
export const logUnavailable = later("The log of events is not available")

/** The answer to a fault of the server itself. */
export const defect = failure(500, new McpError.InternalError({ message: "Internal error" }))
