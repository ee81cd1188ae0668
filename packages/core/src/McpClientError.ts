/**
 * What can go wrong on a client's own side. It has no code and never goes on the wire; what the server answered is
 * `McpError`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { LimitExceeded } from "./Limits.ts"
import { excerpt, McpError } from "./McpError.ts"
import { Revision } from "./Revision.ts"

/**
 * No answer came within the deadline. The request was cancelled.
 *
 * @category errors
 * @since 0.1.0
 */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>(
  "@effect-mcp/core/McpClientError/DeadlineExceeded"
)("DeadlineExceeded", {
  method: Schema.String,
  /** Milliseconds. */
  deadline: Schema.Finite,
  /** Which of the two deadlines it was: since the last sign of life, or since the request was sent. */
  kind: Schema.Literals(["idle", "absolute"])
}) {
  override get message(): string {
    return this.kind === "idle"
      ? `No answer to ${this.method} and no progress for ${this.deadline} ms`
      : `No answer to ${this.method} within ${this.deadline} ms in all`
  }
}

/**
 * The connection could not be made: the command did not start, the address did not answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>("@effect-mcp/core/McpClientError/ConnectFailed")(
  "ConnectFailed",
  { message: Schema.String, cause: Schema.optional(Schema.Defect()) }
) {}

/**
 * The connection ended while an answer was awaited, or before a message could be sent. `detail` has what is known of
 * the reason: an exit code, the end of the server's standard error.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransportClosed extends Schema.TaggedError<TransportClosed>(
  "@effect-mcp/core/McpClientError/TransportClosed"
)("TransportClosed", { detail: Schema.String, cause: Schema.optional(Schema.Defect()) }) {
  override get message(): string {
    return `The connection is closed: ${this.detail}`
  }
}

/**
 * The stream that should have carried the answer ended without one (HTTP-14).
 *
 * @category errors
 * @since 0.1.0
 */
export class StreamEnded extends Schema.TaggedError<StreamEnded>("@effect-mcp/core/McpClientError/StreamEnded")(
  "StreamEnded",
  { method: Schema.String }
) {
  override get message(): string {
    return `The stream of ${this.method} ended without an answer`
  }
}

/**
 * The HTTP answer is none the protocol knows.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>(
  "@effect-mcp/core/McpClientError/UnexpectedStatus"
)("UnexpectedStatus", {
  status: Schema.Int,
  /** The beginning of the body. */
  body: Schema.String
}) {
  override get message(): string {
    return `Unexpected HTTP status ${this.status}${this.body === "" ? "" : `: ${this.body}`}`
  }
}

/**
 * The server answered, but not with what the revision says. `raw` is what it sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>("@effect-mcp/core/McpClientError/InvalidAnswer")(
  "InvalidAnswer",
  { method: Schema.String, problem: Schema.String, raw: Schema.Unknown }
) {
  override get message(): string {
    return `The answer to ${this.method} is invalid: ${this.problem}`
  }
}

/**
 * What was asked for cannot be sent: an argument does not fit its schema, or the server does not declare the capability.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCall extends Schema.TaggedError<InvalidCall>("@effect-mcp/core/McpClientError/InvalidCall")(
  "InvalidCall",
  { method: Schema.String, problem: Schema.String }
) {
  override get message(): string {
    return `${this.method} was not sent: ${this.problem}`
  }
}

/**
 * The two sides have no protocol revision in common.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoCommonRevision extends Schema.TaggedError<NoCommonRevision>(
  "@effect-mcp/core/McpClientError/NoCommonRevision"
)("NoCommonRevision", { client: Schema.Array(Schema.String), server: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `No common protocol revision: this client speaks ${this.client.join(", ")}, the server ${
      this.server.join(", ") || "an older one"
    }`
  }
}

/**
 * What was asked for does not exist in the revision that was settled on. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotInRevision extends Schema.TaggedError<NotInRevision>("@effect-mcp/core/McpClientError/NotInRevision")(
  "NotInRevision",
  { what: Schema.String, revision: Revision }
) {
  override get message(): string {
    return `${this.what} does not exist in revision ${this.revision}, which the server and this client have settled on`
  }
}

/**
 * The server has forgotten the session, and the request may not be repeated without being asked to: it may have had an
 * effect. A new session is open, or is opened with the next request (LHTTP-23).
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionExpired extends Schema.TaggedError<SessionExpired>(
  "@effect-mcp/core/McpClientError/SessionExpired"
)("SessionExpired", { method: Schema.String }) {
  override get message(): string {
    return `The server does not know the session of this client any more; ${this.method} was not repeated`
  }
}

/**
 * The server asked for input before it would answer, and got none: the client has not declared that it may be asked this, or
 * its handler failed. The protocol has no way to say so, so that the request was not sent again (MRTR-13).
 *
 * **Details**
 *
 * A person who declines a form, or looks away, has given an answer, which is sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InputNotGiven extends Schema.TaggedError<InputNotGiven>("@effect-mcp/core/McpClientError/InputNotGiven")(
  "InputNotGiven",
  {
    method: Schema.String,
    /** The key the server has given the question. */
    key: Schema.String,
    /** The method of the question, such as `elicitation/create`. */
    request: Schema.String,
    problem: Schema.String,
    /** What the handler failed with: `UserRejected`, for instance. */
    cause: Schema.optional(McpError)
  }
) {
  override get message(): string {
    const question = `${this.request} (${JSON.stringify(excerpt(this.key))})`
    return `${this.method} was given up, because the server asked for ${question}, which was not answered: ${this.problem}`
  }
}

export {
  /**
   * A limit of this side was hit, on the way out or on the way in.
   *
   * @category errors
   * @since 0.1.0
   */
  LimitExceeded
} from "./Limits.ts"

/**
 * Why a call failed on our own side.
 *
 * @category models
 * @since 0.1.0
 */
export type Reason = typeof Reason.Type

/**
 * The schema of {@link Reason}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  DeadlineExceeded,
  ConnectFailed,
  TransportClosed,
  StreamEnded,
  UnexpectedStatus,
  InvalidAnswer,
  InvalidCall,
  NoCommonRevision,
  NotInRevision,
  SessionExpired,
  InputNotGiven,
  LimitExceeded
])

/**
 * A call failed on our own side, for one `reason`. Single reasons can be caught with `Effect.catchReason`.
 *
 * **Example** (Catching one reason)
 *
 * ```ts
 * import * as McpClientError from "@effect-mcp/core/McpClientError"
 * import * as Effect from "effect/Effect"
 *
 * declare const call: Effect.Effect<string, McpClientError.McpClientError>
 *
 * const patient = call.pipe(
 *   Effect.catchReason("McpClientError", "DeadlineExceeded", (reason) => Effect.succeed(reason.message))
 * )
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class McpClientError
  extends Schema.TaggedError<McpClientError>("@effect-mcp/core/McpClientError")("McpClientError", {
    reason: Reason,
    /** What was tried before this, where a client could not come to terms with a server. */
    tried: Schema.optionalKey(Schema.Array(Schema.String))
  })
{
  override get message(): string {
    const { reason, tried } = this
    return tried === undefined ? reason.message : `${reason.message}. Tried: ${tried.join("; ")}`
  }
}

/**
 * Wraps a reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (reason: Reason): McpClientError => new McpClientError({ reason })
