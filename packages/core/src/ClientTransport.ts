/**
 * The seam between a client and its transport: send one request and get its answer, with what belongs to it on the way.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as JsonRpc from "./JsonRpc.ts"
import type { McpClientError } from "./McpClientError.ts"
import type { McpError } from "./McpError.ts"

/**
 * What a transport that has headers mirrors into them (HDR-1, HDR-2, HDR-10). Values are plain: encoding them for a
 * header is the transport's work.
 *
 * @category models
 * @since 0.1.0
 */
export interface Mirror {
  readonly protocolVersion: string | undefined
  readonly method: string
  readonly name: string | undefined
  /** `Mcp-Param-*`: the part after the prefix, and the value. */
  readonly params: ReadonlyArray<readonly [header: string, value: string]>
}

/**
 * A request on its way out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outgoing {
  readonly message: JsonRpc.Request
  readonly mirror: Mirror
  /**
   * Takes what arrives for this request before its answer: notifications, and requests of the server in the legacy era.
   * The transport waits for it before it reads on, so that a slow consumer slows the stream.
   */
  readonly onMessage: (message: JsonRpc.Notification | JsonRpc.Request) => Effect.Effect<void>
}

/**
 * A connection as the client sees it.
 *
 * **Details**
 *
 * It neither knows the methods nor checks results: it gives back the response to the request's own id, whatever it says.
 * What fails is the connection, never the call.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientTransport {
  /** The kind of transport, for spans and logs: `stdio`, `http`, `memory`. */
  readonly kind: string
  /** Whether it mirrors fields beside the body, so that the rules for mirrored arguments hold (HDR-10, HDR-14). */
  readonly mirrors: boolean
  /**
   * Sends a request and waits for its answer. Interrupting it is the cancellation, in the transport's own way: a
   * notification or a closed stream (CAN-2). An answer for another id is never taken.
   */
  readonly send: (request: Outgoing) => Effect.Effect<JsonRpc.Response, McpClientError>
  /** Sends a notification. */
  readonly notify: (notification: JsonRpc.Notification) => Effect.Effect<void, McpClientError>
  /** Answers a request of the server. The legacy era only. */
  readonly reply: (response: JsonRpc.Response) => Effect.Effect<void, McpClientError>
  /** The messages that belong to no request of ours. It ends, or fails, with the connection. */
  readonly unrelated: Stream.Stream<JsonRpc.Notification | JsonRpc.Request, McpClientError>
}

/**
 * The connection a client speaks over.
 *
 * @category services
 * @since 0.1.0
 */
export class McpTransport extends Context.Service<McpTransport, ClientTransport>()(
  "@effect-mcp/core/ClientTransport"
) {}

/**
 * The errors of a request: what the server answered, or what went wrong on our own side.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestError = McpError | McpClientError
