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
import * as Schema from "effect/Schema"
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
  /** Who is asking, as the transport has found out: a session that has an id is for nobody else (LHTTP-28). */
  readonly principal: string | undefined
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
 * The session chooses the id, as it does for the requests that {@link Session.listen} gives: all of them are of one id
 * space, apart from the client's ids. The answer is for {@link Session.accept}, on whichever connection it comes.
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
 * How long a session of the legacy era lives, and who finds it again.
 *
 * **Details**
 *
 * - `connection`: as long as its connection, which alone has it. It is in no store, and nobody else can name it.
 * - `stored`: in the `SessionStore`, until it is closed or expires. Each message names it by its id.
 * - `none`: there is none. The client is answered, and what follows is given to {@link LegacyEndpoint.stateless}.
 *
 * @category models
 * @since 0.1.0
 */
export type Lifetime = "connection" | "stored" | "none"

/**
 * The answer to `initialize`. There is no session if it is an error, or if none was asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opened {
  readonly response: JsonRpc.Response
  readonly session: Session | undefined
}

/**
 * A session could not be opened or looked up for now: there are as many as may be, or the store of sessions is down.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionUnavailable extends Schema.TaggedError<SessionUnavailable>("@effect-mcp/core/SessionUnavailable")(
  "SessionUnavailable",
  { message: Schema.String, cause: Schema.optional(Schema.Defect()) }
) {}

/**
 * What the legacy era adds: sessions. How a session is found is for the transport: one connection has one session, or
 * each message brings the id of its session.
 *
 * @category models
 * @since 0.1.0
 */
export interface LegacyEndpoint {
  /** The revisions of the legacy era that are served, newest first. */
  readonly revisions: ReadonlyArray<Revision.Revision>
  /** Answers `initialize`. */
  readonly open: (
    initialize: JsonRpc.Request,
    exchange: Exchange,
    lifetime: Lifetime
  ) => Effect.Effect<Opened, SessionUnavailable>
  /** Finds a session that is stored, for the principal of the exchange, and counts that as use of it. */
  readonly find: (
    id: string,
    exchange: Pick<Exchange, "principal">
  ) => Effect.Effect<Session | undefined, SessionUnavailable>
  /** What answers under a revision without any memory: nothing is asked of the client, and nothing is told unasked. */
  readonly stateless: (revision: Revision.Revision) => Session
}

/**
 * A message of the server that answers none.
 *
 * @category models
 * @since 0.1.0
 */
export type Unrelated = JsonRpc.Request | JsonRpc.Notification

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
  /** Sorts a message of the client under the session's revision. Its answers and batches are for the transport to take apart. */
  readonly classify: Inbound.Classifier
  /** Starts to answer a request of the client. An id that is in use is refused. */
  readonly call: (request: Inbound.Request, exchange: Exchange) => Call
  /** Takes a notification of the client. */
  readonly notify: (notification: JsonRpc.Notification, exchange: Exchange) => void
  /** The client gives up a request of this session, on whichever connection it was made (CAN-4). */
  readonly cancel: (requestId: JsonRpc.Id) => void
  /** Takes the client's answer to a request of ours. `false` when no such request is open. */
  readonly accept: (response: JsonRpc.Response) => boolean
  /**
   * Gives the messages that belong to no request to a listener, until the function that is returned is called. Each goes to
   * one listener only, the one that came last (LHTTP-15). While there is none, they wait: changes as one of each kind, and
   * no more than `streamBuffer` in all.
   */
  readonly listen: (listener: (message: Unrelated) => void) => () => void
  /** Calls back when the session has ended: it was closed, has expired, or the server closes. At once if it has already. */
  readonly onClose: (callback: () => void) => void
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
