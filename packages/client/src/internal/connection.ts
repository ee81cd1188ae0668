/**
 * What the requests of one client share.
 */
import type { ClientTransport, RequestError } from "@effect-mcp/core/ClientTransport"
import type { JsonObject, Notification } from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type { McpError } from "@effect-mcp/core/McpError"
import type { Revision } from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Server } from "../Client.ts"
import type { Asker } from "../Handlers.ts"
import type { Negotiation } from "../Negotiation.ts"
import type { Knows } from "./answer.ts"
import type { Capabilities, Question } from "./capabilities.ts"
import type { Deadlines } from "./deadlines.ts"
import type { Rules } from "./negotiation.ts"
import type { InFlight, Pending, Times } from "./pending.ts"
import type { Questions } from "./questions.ts"
import type { Session } from "./session.ts"

/** How requests of the modern era are made: each says everything itself. */
export interface Modern {
  readonly era: "modern"
  readonly revision: Revision
  /** The members of `_meta` that every request has (META-9, META-10). */
  readonly meta: JsonObject
}

/** How requests of the legacy era are made: the handshake has said the most. */
export interface Legacy {
  readonly era: "legacy"
  readonly revision: Revision
  /** Why a method may not be used with this server, if it may not. */
  readonly refusal: (method: string) => McpClientError | undefined
}

export type Dialect = Modern | Legacy

export interface Connection {
  readonly transport: ClientTransport
  readonly info: Implementation
  readonly capabilities: Capabilities
  readonly deadlines: Deadlines
  readonly times: Times
  readonly inFlight: InFlight
  /** How many pages a walk through a list may read. */
  readonly maxPages: number
  /** How many messages may wait for a callback. */
  readonly maxWaiting: number
  /** How often a request may be sent again with what it has asked for. */
  readonly maxRounds: number
  /** How long the server may take to say what it is. */
  readonly greeting: number
  readonly rules: Rules
  readonly knows: Knows
  readonly session: Session
  readonly questions: Questions
  /** Begins to answer a question, in the context the client was made in. It ends with the client. */
  readonly answer: (question: Question, asker: Asker) => Fiber.Fiber<JsonObject, McpError>
  /** Takes a notification that no request wants for itself, from the stream of one, or outside of any. */
  readonly receive: (notification: Notification, own: Pending | undefined) => void
  /** How requests are made under a revision of the modern era. */
  readonly modern: (revision: Revision) => Modern
  /** Makes sure that somebody reads what the server says unasked. */
  readonly listen: Effect.Effect<void>
  /** Opens a session of the legacy era, or another one. */
  readonly open: (revision: Revision) => Effect.Effect<void, RequestError>
  /** What the next request is sent under. */
  dialect: Dialect
  server: Server
  negotiation: Negotiation
  /** The last id that was used: no id is used twice (RPC-3, RPC-4). */
  lastId: number
}
