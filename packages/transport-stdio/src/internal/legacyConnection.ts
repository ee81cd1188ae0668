/**
 * The legacy era on one connection: the session that `initialize` opens, and what goes to it and comes from it (ERA-6).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import * as Revision from "@effect-mcp/core/Revision"
import type { Call, Exchange, LegacyEndpoint, Session, Unrelated } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { Batch } from "./batch.ts"
import type { Ask, Calls, Reply } from "./calls.ts"
import type { Messages } from "./messages.ts"

export type Run = <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>

export class LegacyConnection {
  readonly #endpoint: LegacyEndpoint
  readonly #calls: Calls
  readonly #messages: Messages
  readonly #limits: Limits.Values
  readonly #run: Run
  #session: Session | undefined
  #isOpening = false
  #isClosed = false
  #hasInputEnded = false
  // What the client was asked and has not answered. One that it never answers is forgotten at last.
  readonly #questions = new Set<JsonRpc.Id>()
  #stopListening: (() => void) | undefined
  #isPaused = false

  constructor(endpoint: LegacyEndpoint, calls: Calls, messages: Messages, limits: Limits.Values, run: Run) {
    this.#endpoint = endpoint
    this.#calls = calls
    this.#messages = messages
    this.#limits = limits
    this.#run = run
  }

  receive(message: JsonRpc.Message | JsonRpc.Batch): void {
    const session = this.#session
    switch (message._tag) {
      case "Request":
        if (session !== undefined) return this.#request(session, message, this.#reply)
        // INIT-7: the one request that may come first.
        if (message.method === Method.ping.name) return this.#messages.answer(JsonRpc.success(message.id, {}))
        if (this.#isOpening) return this.#messages.refuse(message.id, initializing)
        return message.method === Method.initialize.name
          ? this.#open(message)
          : this.#messages.refuse(message.id, notInitialized)
      case "Batch":
        return session === undefined
          ? this.#messages.refuse(undefined, notInitialized)
          : this.#batch(session, message)
      case "Notification":
        this.notify(message)
        return
      case "Success":
      case "Failure":
        // CAN-6: an answer nobody waits for is ignored.
        if (message.id !== undefined) this.#questions.delete(message.id)
        session?.accept(message)
    }
  }

  /** `false`: there is no session it could be for. */
  notify(notification: JsonRpc.Notification): boolean {
    const session = this.#session
    if (session === undefined) return false
    const outcome = session.classify(notification)
    if (outcome._tag === "Cancel") this.#calls.cancel(outcome.requestId)
    else if (outcome._tag === "Notification") {
      this.#calls.notify((exchange) => session.notify(outcome.notification, exchange), this.#ask)
    }
    return true
  }

  /** Nobody can answer any more: who waits for the client is told at once. */
  inputHasEnded(): void {
    this.#hasInputEnded = true
    const questions = [...this.#questions]
    this.#questions.clear()
    for (const id of questions) this.#session?.accept(unanswered(id))
  }

  /** Ends the session, and everything in it. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    this.#stop()
    return this.#session?.close ?? Effect.void
  })

  readonly #reply: Reply = (response) => {
    if (response !== undefined) this.#messages.answer(response)
  }

  #request(session: Session, message: JsonRpc.Request, reply: Reply): void {
    const outcome = session.classify(message)
    if (outcome._tag === "Request") {
      const begin = (exchange: Exchange) => session.call(outcome, exchange)
      return this.#calls.start({ id: message.id, reply, begin, ask: this.#ask })
    }
    const error = outcome._tag === "Rejected" ? outcome.error : notServed
    reply(JsonRpc.failure(message.id, Projection.error(session.revision, error)))
  }

  #batch(session: Session, message: JsonRpc.Batch): void {
    const { items } = message
    const { batchMessages } = this.#limits
    if (!Revision.hasBatches(session.revision)) {
      return this.#messages.refuse(undefined, noBatches(session.revision)) // RPC-18
    }
    if (items.length > batchMessages) {
      const message = `A batch has at most ${batchMessages} messages here (the limit batchMessages)`
      return this.#messages.refuse(undefined, new McpError.InvalidRequest({ message }))
    }
    const batch = new Batch(this.#messages.answerAll)
    for (const item of items) {
      const message = JsonRpc.fromItem(item)
      // RPC-17: the session refuses `initialize`, here as elsewhere.
      if (message._tag === "Request") this.#request(session, message, batch.expect())
      else if (message._tag !== "Malformed") this.receive(message)
      else if (message.answer) batch.expect()(JsonRpc.failure(message.id, McpError.toErrorObject(message.error)))
    }
    batch.end()
  }

  #open(request: JsonRpc.Request): void {
    this.#isOpening = true
    let session: Session | undefined
    this.#calls.start({
      id: request.id,
      isHandshake: true,
      reply: (response) => {
        this.#isOpening = false
        this.#reply(response)
        if (session !== undefined) this.#opened(session)
      },
      begin: (exchange) =>
        callOf(this.#run(
          Effect.matchCauseEffect(this.#endpoint.open(request, exchange, "connection"), {
            onSuccess: (opened) => {
              session = opened.session
              const tooLate = this.#isClosed ? opened.session : undefined
              return Effect.as(tooLate?.close ?? Effect.void, opened.response)
            },
            onFailure: (cause) => Effect.as(reportDefect(cause), JsonRpc.failure(request.id, unavailable(cause)))
          })
        ))
    })
  }

  #opened(session: Session): void {
    if (this.#isClosed) return
    this.#session = session
    session.onClose(() => {
      this.#stop()
      this.#session = undefined
    })
    this.#listen(session)
  }

  /** What belongs to no request leaves as it comes. To a client that does not read the session tells less, and later. */
  #listen(session: Session): void {
    if (this.#isClosed || this.#session !== session || this.#messages.output.isClosed) return
    this.#isPaused = false
    const stop = session.listen((message) => {
      this.#tell(message)
      if (this.#messages.output.isFull) this.#pause(session)
    })
    // What has waited is told at once, and may have been too much already.
    if (this.#isPaused) stop()
    else this.#stopListening = stop
  }

  #tell(message: Unrelated): void {
    const put = () => this.#messages.send(message)
    if (message._tag === "Request") this.#ask(message, put)
    else put()
  }

  #pause(session: Session): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#stop()
    this.#run(Effect.andThen(this.#messages.output.drained, Effect.sync(() => this.#listen(session))))
  }

  #stop(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  readonly #ask: Ask = ({ id }, put) => {
    if (this.#hasInputEnded || !put()) {
      this.#session?.accept(unanswered(id))
      return
    }
    this.#questions.add(id)
    const [oldest] = this.#questions
    if (oldest !== undefined && this.#questions.size > this.#limits.inFlightRequests) this.#questions.delete(oldest)
  }
}

const callOf = (fiber: Fiber.Fiber<JsonRpc.Response>): Call => {
  const responseOf = (exit: Exit.Exit<JsonRpc.Response>) => Exit.isSuccess(exit) ? exit.value : undefined
  const exit = fiber.pollUnsafe()
  return {
    response: exit === undefined ? undefined : responseOf(exit),
    onEnd: (callback) => void fiber.addObserver((exit) => callback(responseOf(exit))),
    cancel: () => fiber.interruptUnsafe()
  }
}

const reportDefect = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  cause.reasons.some(Cause.isDieReason) ? Effect.logError("A session could not be opened", cause) : Effect.void

const unavailable = (cause: Cause.Cause<{ readonly message: string }>): McpError.ErrorObject => {
  const failed = cause.reasons.find(Cause.isFailReason)
  return McpError.toErrorObject(new McpError.InternalError({ message: failed?.error.message ?? "Internal error" }))
}

const unanswered = (id: JsonRpc.Id): JsonRpc.Response =>
  JsonRpc.failure(
    id,
    McpError.toErrorObject(new McpError.InternalError({ message: "The client cannot be asked any more" }))
  )

const notInitialized = new McpError.InvalidRequest({
  message: "The connection is not initialized: send \"initialize\" first"
})

const initializing = new McpError.InternalError({ message: "\"initialize\" has no answer yet" })

const notServed = new McpError.InvalidRequest({ message: "Not a request that is served here" })

const noBatches = (revision: Revision.Revision) =>
  new McpError.InvalidRequest({ message: `One message a line: revision ${revision} has no batches` })
