/**
 * One request while it is answered: the service handlers see, and what the library itself keeps for it.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Meta from "@effect-mcp/core/Meta"
import type { Exchange } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { McpRequest } from "../McpRequest.ts"
import type { Visibility } from "../Visibility.ts"
import type { Dialect } from "./dialect.ts"
import type { Dialogue } from "./dialogue.ts"
import type { LegacySession } from "./legacySession.ts"
import { internalError } from "./needs.ts"
import type { Registry } from "./registry.ts"
import type { RunningCall } from "./runningCall.ts"

// A class with getters, so that a request costs next to nothing that it does not use.
export class RequestState {
  /** Set when the call has ended: nothing may follow the answer (PROG-2, LOG-6). */
  ended = false
  lastProgress = Number.NEGATIVE_INFINITY
  /** Each condition is evaluated at most once per request. */
  visibility: Map<Visibility, boolean> | undefined
  /** The services of the feature that answers, without what was added for the request. */
  root: Context.Context<never> = Context.empty()
  /** The services that the handler started with. */
  services: Context.Context<never> = Context.empty()
  /** The fiber of the handler, and of nothing else. */
  handler: Fiber.Fiber<unknown, unknown> | undefined
  /** How it is answered. */
  call: RunningCall | undefined
  /** What its handler asks the client; only where it does. */
  dialogue: Dialogue | undefined
  #trace: Meta.TraceContext | undefined
  readonly request: Inbound.Request
  readonly exchange: Exchange
  readonly dialect: Dialect
  /** The session it belongs to; the legacy era only. */
  readonly session: LegacySession | undefined
  readonly registry: Registry

  constructor(
    request: Inbound.Request,
    exchange: Exchange,
    dialect: Dialect,
    session: LegacySession | undefined,
    registry: Registry
  ) {
    this.request = request
    this.exchange = exchange
    this.dialect = dialect
    this.session = session
    this.registry = registry
  }

  get id() {
    return this.request.id
  }
  get method() {
    return this.request.definition.name
  }
  /** The method, and what it is called on where that has a name. */
  get target(): string {
    const { mirroredName, name } = this.request.definition
    const on = mirroredName === undefined ? undefined : this.request.params[mirroredName]
    return typeof on === "string" ? `${name} ${McpError.excerpt(on)}` : name
  }
  get revision() {
    return this.request.revision
  }
  get transport() {
    return this.exchange.transport
  }
  get clientInfo() {
    return this.request.meta.clientInfo
  }
  get clientCapabilities() {
    return this.request.meta.clientCapabilities
  }
  get progressToken() {
    return this.request.meta.progressToken
  }
  get logLevel() {
    return this.request.meta.logLevel
  }
  get meta() {
    return this.request.meta.raw
  }
  get trace(): Meta.TraceContext {
    return this.#trace ??= Meta.traceContext(this.request.meta.raw)
  }

  emit(method: string, params: JsonRpc.JsonObject): void {
    if (!this.ended) this.exchange.emit(JsonRpc.notification(method, this.dialect.params(method, params)))
  }

  /** Answers without waiting for the handler, which may never end. */
  abandon(defect: unknown): void {
    if (this.ended) return
    const { call, dialect, id } = this
    Effect.runForkWith(this.services)(
      this.toOperator(Effect.logError("A request ended with a defect", Cause.die(defect)))
    )
    call?.end(JsonRpc.failure(id, dialect.error(internalError)))
  }

  /** Logs what is not for the client, which may have asked for the logs of its request. */
  toOperator(log: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.updateContext(
      Effect.annotateLogs(log, { method: this.target, id: this.id }),
      (_: Context.Context<never>) => this.root
    )
  }

  /** Asks the client something on this request's own stream (RPC-15). */
  ask(method: string, params: JsonRpc.JsonObject): Effect.Effect<JsonRpc.JsonObject, McpError.McpError> {
    return Effect.suspend(() => {
      // What is put on a stream that has ended is dropped, and would never be answered.
      if (this.ended) return Effect.fail(hasEnded)
      return this.session?.ask(method, params, this) ?? Effect.fail(nobodyToAsk)
    })
  }

  // A member of its own, for handlers that take it out of the request.
  readonly notify = (method: string, params: JsonRpc.JsonObject): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.emit(method, params)
      return this.exchange.drained
    })
}

const nobodyToAsk = new McpError.InternalError({ message: "The client of this request cannot be asked anything" })

const hasEnded = new McpError.InternalError({ message: "The request has ended, and its client is asked nothing more" })

/** The state behind the service; the library makes no other value of it. */
export const stateOf = (request: McpRequest["Service"]): RequestState | undefined =>
  request instanceof RequestState ? request : undefined
