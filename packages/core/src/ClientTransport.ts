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
import type { Revision } from "./Revision.ts"

/**
 * What a transport that has headers mirrors into them (HDR-1, HDR-2, HDR-10). Values are plain: encoding them for a
 * header is the transport's work.
 *
 * @category models
 * @since 0.1.0
 */
export interface Mirror {
  readonly protocolVersion: string | undefined
  /** Missing in the legacy era, which mirrors its version only, and that after `initialize` (LHTTP-25). */
  readonly method: string | undefined
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
  /** What the era of a server can be remembered by: its address. Missing where each connection is a server of its own (ERA-16). */
  readonly peer: string | undefined
  /** Whether it mirrors fields beside the body, so that the rules for mirrored arguments hold (HDR-10, HDR-14). */
  readonly mirrors: boolean
  /**
   * Sends a request and waits for its answer. Interrupting it is the cancellation, in the transport's own way: a
   * notification or a closed stream (CAN-2); `initialize` is left alone (INIT-10). An answer for another id is never taken.
   */
  readonly send: (request: Outgoing) => Effect.Effect<JsonRpc.Response, McpClientError>
  /** Sends a notification. */
  readonly notify: (notification: JsonRpc.Notification) => Effect.Effect<void, McpClientError>
  /** Answers a request of the server. The legacy era only (RPC-14, RPC-15). */
  readonly reply: (response: JsonRpc.Response) => Effect.Effect<void, McpClientError>
  /** The messages that belong to no request of ours. It ends, or fails, with the connection. */
  readonly unrelated: Stream.Stream<JsonRpc.Notification | JsonRpc.Request, McpClientError>
  /** What the legacy era needs beside that. */
  readonly legacy: LegacyTransport
}

/**
 * What a client of the legacy era asks of its transport.
 *
 * @category models
 * @since 0.1.0
 */
export interface LegacyTransport {
  /**
   * Whether a server that says nothing to a question of the modern era is one of the legacy era (ERA-10). Over HTTP every
   * request is answered, so that silence is an outage there.
   */
  readonly silenceIsLegacy: boolean
  /** Makes sure that there is a server: one that did not understand a question may have ended. It is started again then. */
  readonly reconnect: Effect.Effect<void, McpClientError>
  /**
   * Called when `initialize` has settled on a revision, before `notifications/initialized`. From here on the transport
   * keeps to the rules of that revision: its session, the version it mirrors, batches.
   */
  readonly opened: (revision: Revision) => Effect.Effect<void>
  /** Called when `notifications/initialized` was sent: the server may speak unasked now (LHTTP-13). */
  readonly initialized: Effect.Effect<void>
  /** Forgets the session, which the server has forgotten, so that another one can be opened (LHTTP-23). */
  readonly forget: Effect.Effect<void>
  /** Goes on with the transport that came before this one, HTTP+SSE, for the same server (ERA-15). */
  readonly older: Effect.Effect<void, McpClientError> | undefined
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
