/**
 * One session of the legacy era: what both sides remember from `initialize` on.
 */
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import type { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import type { Call, Exchange, Lifetime, Session } from "@effect-mcp/core/ServerEndpoint"
import type { SessionData } from "@effect-mcp/core/SessionStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Dialect } from "./dialect.ts"
import type { Driver } from "./driver.ts"
import { type Listener, Outbox } from "./outbox.ts"
import { Questions } from "./questions.ts"
import type { Registry } from "./registry.ts"
import { RequestState } from "./requestState.ts"
import { answered } from "./runningCall.ts"

/** What a session needs from those who keep the sessions. */
export interface Keeper {
  readonly registry: Registry
  readonly driver: Driver
  /** Changes what a session remembers, here and where sessions are written down. */
  readonly change: (session: LegacySession, change: Change) => Effect.Effect<void, McpError.McpError>
  /** The subscriptions of a session have changed. */
  readonly subscribed: (session: LegacySession, uri: string, isOn: boolean) => void
  readonly remove: (session: LegacySession) => Effect.Effect<void>
  readonly ended: (session: LegacySession) => void
}

/** What to remember from now on, or why not. The same data is no change. */
export type Change = (data: SessionData) => Result.Result<SessionData, McpError.McpError>

export interface Options {
  readonly id: string
  readonly lifetime: Lifetime
  readonly data: SessionData
  readonly dialect: Dialect
  /** The capabilities the client was told of. */
  readonly declared: JsonRpc.JsonObject
  /** What the ids of our requests begin with, where others may ask in the same session. */
  readonly idPrefix: string | undefined
  /** Whether the client has been told that the session is open, and may be spoken to. */
  readonly isReady: boolean
}

export class LegacySession implements Session {
  readonly id: string
  readonly lifetime: Lifetime
  readonly classify: Inbound.Classifier
  readonly #keeper: Keeper
  readonly #dialect: Dialect
  readonly #declared: JsonRpc.JsonObject
  readonly #outbox: Outbox
  readonly #questions: Questions
  // CAN-4: a request may be cancelled on another connection than its own.
  readonly #calls = new Map<JsonRpc.Id, Call>()
  #callbacks: Array<() => void> = []
  #isEnded = false
  #data: SessionData

  constructor(keeper: Keeper, options: Options) {
    const { limits } = keeper.registry.options
    this.id = options.id
    this.lifetime = options.lifetime
    this.#keeper = keeper
    this.#dialect = options.dialect
    this.#declared = options.declared
    this.#data = options.data
    this.#questions = new Questions(limits.inFlightRequests, options.idPrefix)
    this.#outbox = new Outbox(limits.streamBuffer, options.isReady, (dropped) => {
      if (dropped._tag === "Request") this.#questions.drop(dropped.id)
    })
    this.classify = Inbound.session({
      revision: options.data.revision,
      methods: keeper.registry.methods,
      // Without a session nobody has said who he is.
      about: () => this.lifetime === "none" ? nobody : this.#data
    })
  }

  get revision() {
    return this.#data.revision
  }

  get data(): SessionData {
    return this.#data
  }

  /** Whether something goes on in it, so that it is in use though no message comes. */
  get isBusy(): boolean {
    return this.#calls.size > 0 || this.#outbox.isHeard
  }

  /** INIT-9: whether the client was told that it will hear of the changes of a list. */
  isToldOf(capability: string): boolean {
    const declared = this.#declared[capability]
    return JsonRpc.isJsonObject(declared) && declared.listChanged === true
  }

  /** INIT-9: what was declared stays there for the session, though the last feature of its kind be gone. */
  hasDeclared(capability: string): boolean {
    return Object.hasOwn(this.#declared, capability)
  }

  /** Takes what was written down, here or by another process. */
  refresh(data: SessionData): void {
    // One that has ended is told nothing any more, and must not be kept for it.
    if (this.#isEnded) return
    const before = new Set(this.#data.subscriptions)
    this.#data = data
    for (const uri of data.subscriptions) if (!before.delete(uri)) this.#keeper.subscribed(this, uri, true)
    for (const uri of before) this.#keeper.subscribed(this, uri, false)
  }

  readonly call = (request: Inbound.Request, exchange: Exchange): Call => {
    if (this.#isEnded) return this.#refuse(request.id, ended)
    if (this.#calls.has(request.id)) return this.#refuse(request.id, idInUse)
    if (request.definition !== Method.ping) this.#outbox.ready()
    const { driver, registry } = this.#keeper
    const call = driver.start(new RequestState(request, exchange, this.#dialect, this, registry))
    // Requests without a session come from everywhere, each with ids of its own.
    if (call.response === undefined && this.lifetime !== "none") {
      this.#calls.set(request.id, call)
      call.onEnd(() => this.#calls.delete(request.id))
    }
    return call
  }

  readonly notify = (notification: JsonRpc.Notification, exchange: Exchange): void => {
    if (this.#isEnded) return
    if (notification.method === Method.initialized.name) return this.#outbox.ready()
    this.#keeper.driver.notify(notification, exchange)
  }

  readonly cancel = (requestId: JsonRpc.Id): void => this.#calls.get(requestId)?.cancel()

  readonly accept = (response: JsonRpc.Response): boolean => this.#questions.accept(response)

  readonly listen = (listener: Listener): () => void => this.#outbox.listen(listener)

  readonly onClose = (callback: () => void): void => {
    if (this.#isEnded) callback()
    else this.#callbacks.push(callback)
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() =>
    Effect.ensuring(this.#keeper.remove(this), Effect.sync(() => this.end()))
  )

  /** Ends it here, whatever is written down elsewhere. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#keeper.ended(this)
    this.#outbox.clear()
    // First, so that no handler goes on with the failure of its question.
    for (const call of this.#calls.values()) call.cancel()
    this.#questions.end()
    const callbacks = this.#callbacks
    this.#callbacks = []
    for (const callback of callbacks) callback()
  }

  /** Tells the client of a change. */
  tell(method: string, params: JsonRpc.JsonObject = {}): void {
    this.#outbox.tell(JsonRpc.notification(method, this.#dialect.params(method, params)))
  }

  /** Asks the client, on the stream of the request that is being answered if there is one. */
  ask(
    method: string,
    params: JsonRpc.JsonObject,
    state: RequestState | undefined
  ): Effect.Effect<JsonRpc.JsonObject, McpError.McpError> {
    if (this.#isEnded) return Effect.fail(ended)
    const ask = state === undefined
      ? (request: JsonRpc.Request) => this.#outbox.put(request, request.id)
      : state.exchange.ask
    if (ask === undefined || this.lifetime === "none") return Effect.fail(nobodyToAsk)
    const withdraw = (id: JsonRpc.Id): void => {
      if (this.#isEnded || this.#outbox.takeBack(method, id)) return
      const withdrawal = JsonRpc.notification(Method.cancelled.name, { requestId: id })
      // Nothing more may be sent on the stream of a request that has ended.
      if (state === undefined || state.ended) this.#outbox.put(withdrawal, id)
      else state.exchange.emit(withdrawal)
    }
    const { askDeadline } = this.#keeper.registry.options.limits
    return this.#questions.ask({ ask, withdraw }, method, this.#dialect.params(method, params)).pipe(
      Effect.map(this.#dialect.answer(method, params)),
      // INIT-17: a client that never answers holds nobody for ever.
      Effect.timeoutOrElse({ duration: askDeadline, orElse: () => Effect.fail(unanswered(method, askDeadline)) })
    )
  }

  setLevel(logLevel: LoggingLevel): Effect.Effect<void, McpError.McpError> {
    return this.#keeper.change(this, (data) => Result.succeed({ ...data, logLevel }))
  }

  subscribe(uri: string): Effect.Effect<void, McpError.McpError> {
    const { sessionSize, sessionSubscriptions: max } = this.#keeper.registry.options.limits
    return this.#keeper.change(this, (data) => {
      const { subscriptions } = data
      if (subscriptions.includes(uri)) return Result.succeed(data)
      if (subscriptions.length >= max) {
        const message = `A session has at most ${max} subscriptions (the limit sessionSubscriptions)`
        return Result.fail(new McpError.InvalidRequest({ message }))
      }
      const changed = { ...data, subscriptions: [...subscriptions, uri] }
      return isTooLarge(changed, sessionSize) ? Result.fail(tooLarge(sessionSize)) : Result.succeed(changed)
    })
  }

  unsubscribe(uri: string): Effect.Effect<void, McpError.McpError> {
    return this.#keeper.change(this, (data) => {
      const subscriptions = data.subscriptions.filter((other) => other !== uri)
      return Result.succeed(subscriptions.length === data.subscriptions.length ? data : { ...data, subscriptions })
    })
  }

  #refuse(id: JsonRpc.Id, error: McpError.McpError): Call {
    return answered(JsonRpc.failure(id, this.#dialect.error(error)))
  }
}

/** Whether a session would remember more than it may. */
export const isTooLarge = (data: SessionData, max: number): boolean => JSON.stringify(data).length > max

export const tooLarge = (max: number): McpError.InvalidRequest =>
  new McpError.InvalidRequest({ message: `A session remembers at most ${max} characters (the limit sessionSize)` })

const nobody = { clientCapabilities: {}, clientInfo: undefined }

const idInUse = new McpError.InvalidRequest({ message: "The id is that of a request without an answer yet" })

/** What is answered for a session that is no more. */
export const ended = new McpError.InvalidRequest({ message: "The session has ended" })

const unanswered = (method: string, ms: number): McpError.InternalError =>
  new McpError.InternalError({
    message: `The client has not answered ${method} within ${ms} ms (the limit askDeadline)`
  })

const nobodyToAsk = new McpError.InternalError({ message: "This client cannot be asked anything: it has no session" })
