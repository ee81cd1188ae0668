/**
 * What a server says unasked: its requests are answered, what belongs to requests in flight goes to them, and its
 * notifications go to whoever listens.
 */
import type { ClientTransport, RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Notification } from "../Notifications.ts"
import type { Pending } from "./pending.ts"
import { notificationParams } from "./prepared.ts"
import type { Questions } from "./questions.ts"
import type { Session } from "./session.ts"

/** How long a listener, or a callback, is waited for that has no room. Questions of the server wait with it. */
const patience = "1 second"

type Listener = Queue.Queue<Notification, McpClientError.McpClientError | Cause.Done>
type End = Exit.Exit<void, McpClientError.McpClientError>

export class Unasked {
  readonly #transport: ClientTransport
  readonly #session: Session
  readonly #questions: Questions
  readonly #max: number
  readonly #run: (effect: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
  readonly #reopen: Effect.Effect<void, RequestError>
  readonly #listeners = new Set<Listener>()
  #isReading = false
  /** Whether anything came since reading began. */
  #hasHeard = false
  #hasWarned = false
  /** How the connection has ended, once it has. */
  #end: End | undefined

  constructor(options: {
    readonly transport: ClientTransport
    readonly session: Session
    readonly questions: Questions
    readonly max: number
    readonly run: (effect: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>
    /** Opens another session in the place of one that is lost. */
    readonly reopen: Effect.Effect<void, RequestError>
  }) {
    this.#reopen = options.reopen
    this.#transport = options.transport
    this.#session = options.session
    this.#questions = options.questions
    this.#max = options.max
    this.#run = options.run
  }

  /** Reads, unless somebody does already. A connection that was made anew is read anew. */
  readonly listen: Effect.Effect<void> = Effect.sync(() => {
    if (this.#isReading) return
    this.#isReading = true
    this.#end = undefined
    this.#hasHeard = false
    this.#run(
      Stream.runForEach(this.#transport.unrelated, (message) => this.#take(message)).pipe(
        Effect.onExit((exit) => this.#ended(exit))
      )
    )
  })

  /** The one place that all notifications pass which no request wants for itself. */
  receive(notification: JsonRpc.Notification, own: Pending | undefined): void {
    this.#publish(notification, own, undefined)
  }

  /** What has to be waited for is added to `waits`, where that can be. */
  #publish(
    notification: JsonRpc.Notification,
    own: Pending | undefined,
    waits: Array<Effect.Effect<void>> | undefined
  ): void {
    if (notification.method === Method.cancelled.name) {
      const id = notification.params?.requestId
      if (JsonRpc.isId(id)) this.#questions.cancel(id)
      return
    }
    // What came on the stream of a request is no other request's.
    if (own === undefined) {
      for (const inbox of this.#session.route(notification)) {
        waits?.push(Effect.asVoid(Effect.timeoutOption(inbox.drained, patience)))
      }
      // A request that has asked for logs has got it, and nobody is told twice.
      if (notification.method === Method.message.name && this.#session.isTaken(notification)) return
    }
    if (this.#listeners.size === 0) return
    const typed = read(notification)
    if (typed === undefined) return
    for (const listener of this.#listeners) {
      if (Queue.offerUnsafe(listener, typed)) continue
      if (waits === undefined) this.#drop(listener)
      else waits.push(this.#offer(listener, typed))
    }
  }

  #drop(listener: Listener): void {
    this.#listeners.delete(listener)
    Queue.failCauseUnsafe(
      listener,
      Cause.fail(McpClientError.make(new McpClientError.LimitExceeded({ limit: "streamBuffer", max: this.#max })))
    )
  }

  /** What comes from now on, until the connection ends. */
  get notifications(): Stream.Stream<Notification, McpClientError.McpClientError> {
    return Stream.callback<Notification, McpClientError.McpClientError>(
      (queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            if (this.#end === undefined) this.#listeners.add(queue)
            else end(queue, this.#end)
          }),
          () => Effect.sync(() => this.#listeners.delete(queue))
        ),
      { bufferSize: this.#max, strategy: "suspend" }
    )
  }

  #take(message: JsonRpc.Request | JsonRpc.Notification): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#hasHeard = true
      if (message._tag === "Request") {
        // Which request it is asked for cannot be told, so that none is held against the server.
        this.#questions.ask(message, undefined, this.#session.pending)
        return Effect.void
      }
      const waits: Array<Effect.Effect<void>> = []
      this.#publish(message, undefined, waits)
      return waits.length === 0 ? Effect.void : Effect.all(waits, { concurrency: "unbounded", discard: true })
    })
  }

  /** A burst may be longer than the buffer: a listener has its turn before it is said to be too slow. */
  #offer(listener: Listener, typed: Notification): Effect.Effect<void> {
    return Queue.offer(listener, typed).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.sync(() => this.#drop(listener)) }),
      Effect.asVoid
    )
  }

  /** The transport had more than it could keep. What comes from now on is heard. */
  #goOn(error: McpClientError.McpClientError): Effect.Effect<void> {
    const log = this.#hasWarned ? Effect.logDebug : Effect.logWarning
    this.#hasWarned = true
    return Effect.andThen(log(`Messages of the MCP server may be lost: ${error.message}`), this.listen)
  }

  #ended(exit: End): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isReading = false
      const failure = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason) : undefined
      // A transport that says so again and again, and brings nothing, has ended.
      if (failure?.error.reason._tag === "LimitExceeded" && this.#hasHeard) return this.#goOn(failure.error)
      return Effect.sync(() => this.#finish(failure?.error))
    })
  }

  #finish(error: McpClientError.McpClientError | undefined): void {
    if (error?.reason._tag === "SessionExpired") {
      this.#session.lose(this.#session.epoch)
      // Whoever listens goes on listening, in another session. If nobody does, the next request opens it.
      if (this.#listeners.size > 0) {
        this.#run(Effect.tapError(this.#reopen, (failed) => Effect.logDebug(`No new session: ${failed.message}`)))
      }
      return
    }
    this.#end = error === undefined ? Exit.void : Exit.fail(error)
    for (const listener of this.#listeners) end(listener, this.#end)
    this.#listeners.clear()
  }
}

const end = (listener: Listener, exit: End): void => {
  if (Exit.isSuccess(exit)) Queue.endUnsafe(listener)
  else Queue.failCauseUnsafe(listener, exit.cause)
}

const read = ({ method, params = {} }: JsonRpc.Notification): Notification | undefined => {
  const definition = Method.core.notifications.get(method)
  if (definition === undefined || !shown.has(method)) return undefined
  const decoded = notificationParams(definition)(params)
  // A name and its params belong together, as they do in the table.
  return Result.isSuccess(decoded) ? { method, params: decoded.success } as Notification : undefined
}

const shown: ReadonlySet<string> = new Set<Notification["method"]>([
  Method.toolsListChanged.name,
  Method.promptsListChanged.name,
  Method.resourcesListChanged.name,
  Method.resourceUpdated.name,
  Method.message.name,
  Method.elicitationComplete.name
])
