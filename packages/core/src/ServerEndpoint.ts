/**
 * The seam between a server and its transports: what a transport needs from a server, in words of the protocol.
 *
 * A transport parses, asks {@link ServerEndpoint.classify} what a message is, starts a {@link Call} for a request, and
 * writes what comes. It does not know what a tool is, and the server does not know what a header is.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Inbound from "./Inbound.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import type * as Revision from "./Revision.ts"

/**
 * The circumstances of one request: what the transport knows and can do for it.
 *
 * **Gotchas**
 *
 * Nothing of it may be used after the call has ended: what is emitted then is dropped (STDIO-11, PROG-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface Exchange {
  /** The kind of transport, for spans and logs: `stdio`, `http`, `memory`. */
  readonly transport: string
  /** Services that exist only for this request: the authenticated principal, the parent span. */
  readonly context: Context.Context<never>
  /** What the transport mirrored beside the body; `undefined` where it mirrors nothing. */
  readonly mirrored: Inbound.Mirrored | undefined
  /**
   * Sends a notification that belongs to this request, on the request's own stream. Never blocks: a peer that does not
   * read is ended by the transport when its buffer is full (`Limits.streamBuffer`).
   */
  readonly emit: (notification: JsonRpc.Notification) => void
  /** Waits until what was emitted has left, so that a producer keeps to the reader's pace. */
  readonly drained: Effect.Effect<void>
  /** Asks the peer something on this request's stream. The legacy era only (RPC-14, RPC-15). */
  readonly ask: Ask | undefined
}

/**
 * Puts a request to the peer on the stream of the request that is being answered.
 *
 * **Details**
 *
 * The session chooses the id, as it does for the requests in {@link Session.unrelated}: all of them are of one id space,
 * apart from the client's ids. The answer is for {@link Session.accept}, on whichever connection it comes.
 *
 * @category models
 * @since 0.1.0
 */
export type Ask = (request: JsonRpc.Request) => void

/**
 * A request that is being answered. Its handler runs in a fiber of its own that was started at once, so that an answer
 * which needs no waiting is there when the call is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  /** The answer, as soon as there is one. */
  readonly response: JsonRpc.Response | undefined
  /**
   * Calls back once, when the call has ended, at once if it has already: with the answer, or with `undefined` when it was cancelled and nothing
   * may be sent any more (STDIO-11, HTTP-15).
   */
  readonly onEnd: (callback: (response: JsonRpc.Response | undefined) => void) => void
  /** The peer gave up: interrupts the handler. */
  readonly cancel: () => void
}

/**
 * A server as its transports see it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerEndpoint {
  /** Sorts a message. Pure. */
  readonly classify: Inbound.Classifier
  /** Starts to answer a request. */
  readonly call: (request: Inbound.Request, exchange: Exchange) => Call
  /** Takes a notification. */
  readonly notify: (notification: JsonRpc.Notification, exchange: Exchange) => void
  /** The legacy era, where it is served. */
  readonly legacy: LegacyEndpoint | undefined
}

/**
 * What the legacy era adds: sessions. How a session is found is for the transport: one connection has one session, or
 * each message brings the id of its session.
 *
 * @category models
 * @since 0.1.0
 */
export interface LegacyEndpoint {
  /** Answers `initialize`; a session is opened unless the answer is an error. */
  readonly open: (
    initialize: JsonRpc.Request,
    exchange: Exchange
  ) => Effect.Effect<{ readonly response: JsonRpc.Response; readonly session: Session | undefined }>
  /** Finds an open session by its id, for the principal of the exchange. */
  readonly find: (id: string, exchange: Exchange) => Effect.Effect<Session | undefined>
}

/**
 * A session of the legacy era: what both sides remember between messages. A lost connection does not end it
 * (LHTTP-12).
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  readonly id: string
  readonly revision: Revision.Revision
  /** Sorts a message under the session's revision. */
  readonly classify: Inbound.Classifier
  /** Starts to answer a request of the client. */
  readonly call: (request: Inbound.Request, exchange: Exchange) => Call
  /** Takes a notification of the client. */
  readonly notify: (notification: JsonRpc.Notification, exchange: Exchange) => void
  /** Takes the client's answer to a request of ours. `false` when no such request is open. */
  readonly accept: (response: JsonRpc.Response) => boolean
  /** The messages that belong to no request of the client. */
  readonly unrelated: Stream.Stream<JsonRpc.Request | JsonRpc.Notification>
  /** What a stream carried after the event the client saw last; `undefined` when there is no such stream (LHTTP-18). */
  readonly resume: (lastEventId: string) => Effect.Effect<Stream.Stream<JsonRpc.Message> | undefined>
  /** Ends the session and everything in it. */
  readonly close: Effect.Effect<void>
}

/**
 * The server that transports serve. A layer of a server provides it, and the layer of a transport requires it.
 *
 * @category services
 * @since 0.1.0
 */
export class McpEndpoint extends Context.Service<McpEndpoint, ServerEndpoint>()("@effect-mcp/core/ServerEndpoint") {}

/**
 * Waits for the end of a call. Interrupting the wait cancels the call. The result is `undefined` when the call was
 * cancelled from elsewhere.
 *
 * @category combinators
 * @since 0.1.0
 */
export const awaitCall = (call: Call): Effect.Effect<JsonRpc.Response | undefined> =>
  Effect.callback<JsonRpc.Response | undefined>((resume) => {
    call.onEnd((response) => resume(Effect.succeed(response)))
    return Effect.sync(call.cancel)
  })
