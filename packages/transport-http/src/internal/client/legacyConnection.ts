/**
 * A server of the legacy era: a session, whose messages go both ways on several streams.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import type { Revision } from "@effect-mcp/core/Revision"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as clientBody from "./body.ts"
import * as clientError from "./error.ts"
import { firstWarns, type Incoming, type Receiver, receiverFor } from "./messages.ts"
import * as clientOlder from "./httpSse.ts"
import * as clientResume from "./resume.ts"
import { Session } from "./session.ts"
import * as clientStandalone from "./standalone.ts"
import * as clientStatus from "./status.ts"
import { eventStream, json, mediaType } from "../negotiate.ts"

export class LegacyConnection {
  readonly #parts: clientOlder.Parts
  readonly #session = new Session()
  readonly #problem = firstWarns()
  readonly #waiting = new Map<JsonRpc.Id, Deferred.Deferred<JsonRpc.Response>>()
  #standalone: Fiber.Fiber<void> | undefined
  #lost = Deferred.makeUnsafe<never, McpClientError.McpClientError>()
  #older: clientOlder.OlderConnection | undefined
  #isUsed = false

  constructor(parts: Omit<clientOlder.Parts, "session">) {
    this.#parts = { ...parts, session: this.#session }
  }

  /** Whether this era is spoken with the server: its notifications say nothing about themselves. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  send(outgoing: Outgoing): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> {
    this.#isUsed = true
    return this.#older === undefined ? this.#send(outgoing) : this.#older.send(outgoing)
  }

  notify(notification: JsonRpc.Notification): Effect.Effect<void, McpClientError.McpClientError> {
    return this.#tell(notification, notification.method)
  }

  reply(response: JsonRpc.Response): Effect.Effect<void, McpClientError.McpClientError> {
    return this.#tell(response, "an answer")
  }

  opened(revision: Revision): Effect.Effect<void> {
    return Effect.sync(() => this.#session.open(revision))
  }

  readonly initialized: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#older !== undefined) return Effect.void
    const { connection, unrelated } = this.#parts
    const receiver: Receiver = {
      batches: this.#session.hasBatches,
      // A slow consumer slows the stream.
      message: (message) => Queue.offer(unrelated, message),
      response: (response) => this.#deliver(response),
      problem: (problem) => Effect.as(this.#problem(`The MCP server sent what is no message: ${problem}`), undefined)
    }
    return this.#silence.pipe(
      Effect.andThen(
        Effect.forkIn(
          clientStandalone.run(receiver, this.#parts, this.#isLost),
          connection,
          { startImmediately: true }
        )
      ),
      Effect.map((fiber) => {
        this.#standalone = fiber
      })
    )
  })

  /** What the server says unasked. It fails when the server has forgotten the session, and can be read again. */
  get unrelated(): Stream.Stream<Incoming, McpClientError.McpClientError> {
    return Stream.suspend(() => {
      this.#lost = Deferred.makeUnsafe()
      return Stream.interruptWhen(Stream.fromQueue(this.#parts.unrelated), Deferred.await(this.#lost))
    })
  }

  /** LHTTP-23. */
  readonly #isLost: Effect.Effect<void> = Effect.suspend(() => {
    Deferred.doneUnsafe(this.#lost, Effect.fail(clientStatus.sessionExpired("the stream of notifications")))
    return Effect.logDebug("The MCP server does not know the session any more")
  })

  readonly forget: Effect.Effect<void> = Effect.suspend(() => {
    this.#session.forget()
    return this.#silence
  })

  readonly older: Effect.Effect<void, McpClientError.McpClientError> = Effect.suspend(() =>
    Effect.map(Effect.andThen(this.forget, clientOlder.open(this.#parts)), (older) => {
      this.#older = older
    })
  )

  /** LHTTP-24. Whatever is answered is good, and what is not answered in time is not waited for. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const { id } = this.#session
    return id === undefined ? this.#silence : Effect.andThen(
      this.#silence,
      this.#parts.wire.delete(this.#session.headers()).pipe(
        Effect.flatMap(clientBody.beginning),
        Effect.interruptible,
        Effect.timeoutOption(clientBody.patience),
        Effect.ignore
      )
    )
  })

  readonly #silence: Effect.Effect<void> = Effect.suspend(() => {
    const fiber = this.#standalone
    this.#standalone = undefined
    return fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
  })

  readonly #send = Effect.fnUntraced({ self: this }, function*(this: LegacyConnection, outgoing: Outgoing) {
    const { message } = outgoing
    const text = yield* Effect.fromResult(clientError.printed(message))
    if (this.#waiting.has(message.id)) {
      return yield* clientError.invalidCall(message.method, "its id is that of a request without an answer yet")
    }
    // Servers answer on another stream than that of the request, too.
    const elsewhere = Deferred.makeUnsafe<JsonRpc.Response>()
    this.#waiting.set(message.id, elsewhere)
    const answer = message.method === Method.initialize.name
      ? this.#initialize(outgoing, text, elsewhere)
      // LHTTP-12, CAN-4: to lose the connection says nothing to the server.
      : Effect.onInterrupt(this.#call(outgoing, text, elsewhere), () => this.#cancel(message.id))
    return yield* Effect.ensuring(answer, Effect.sync(() => this.#waiting.delete(message.id)))
  })

  /** INIT-10: it is never cancelled. LHTTP-23: it never names a session. */
  readonly #initialize = Effect.fnUntraced({ self: this }, function*(
    this: LegacyConnection,
    outgoing: Outgoing,
    text: string,
    elsewhere: Deferred.Deferred<JsonRpc.Response>
  ) {
    yield* this.forget
    const { limits, wire } = this.#parts
    const response = yield* wire.post(text, {})
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.refusal(response, outgoing.message, false)
    if (!this.#session.begin(response, limits.headerBytes)) {
      yield* Effect.logWarning(
        "The MCP server names its session with what cannot be sent back; its Mcp-Session-Id is ignored"
      )
    }
    const answer = yield* this.#answer(response, outgoing, elsewhere)
    // A refusal opens no session.
    if (answer._tag === "Failure") this.#session.forget()
    return answer
  })

  readonly #call = Effect.fnUntraced({ self: this }, function*(
    this: LegacyConnection,
    outgoing: Outgoing,
    text: string,
    elsewhere: Deferred.Deferred<JsonRpc.Response>
  ) {
    const hasSession = this.#session.id !== undefined
    const response = yield* this.#parts.wire.post(text, this.#session.headers())
    return clientStatus.isSuccess(response)
      ? yield* this.#answer(response, outgoing, elsewhere)
      : yield* clientStatus.refusal(response, outgoing.message, hasSession)
  })

  #answer(
    response: Parameters<typeof clientBody.unreadable>[0],
    outgoing: Outgoing,
    elsewhere: Deferred.Deferred<JsonRpc.Response>
  ): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> {
    const { limits } = this.#parts
    const { message } = outgoing
    const receiver = receiverFor(outgoing, this.#session.hasBatches, (response) => this.#deliver(response))
    switch (mediaType(response.headers["content-type"])) {
      case json:
        return clientBody.answerAmong(response, message, receiver, limits)
      case eventStream:
        return Effect.raceFirst(
          clientResume.answer(response, message, receiver, this.#parts),
          Deferred.await(elsewhere)
        )
      default:
        return clientBody.unreadable(response, message)
    }
  }

  /** Gives an answer to the request that waits for it. One that nobody waits for is ignored (CAN-6). */
  #deliver(response: JsonRpc.Response): undefined {
    const waiting = response.id === undefined ? undefined : this.#waiting.get(response.id)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(response))
  }

  /** The caller need not wait for it, and nobody learns whether it arrived. */
  #cancel(requestId: JsonRpc.Id): Effect.Effect<void> {
    return this.notify(JsonRpc.notification(Method.cancelled.name, { requestId })).pipe(
      Effect.interruptible,
      Effect.timeoutOption(clientBody.patience),
      Effect.ignore,
      Effect.forkIn(this.#parts.connection),
      Effect.asVoid
    )
  }

  #tell(
    message: JsonRpc.Notification | JsonRpc.Response,
    what: string
  ): Effect.Effect<void, McpClientError.McpClientError> {
    return this.#older === undefined ? this.#post(message, what) : this.#older.tell(message)
  }

  readonly #post = Effect.fnUntraced({ self: this }, function*(
    this: LegacyConnection,
    message: JsonRpc.Notification | JsonRpc.Response,
    what: string
  ) {
    const text = yield* Effect.fromResult(clientError.printed(message))
    const hasSession = this.#session.id !== undefined
    const response = yield* this.#parts.wire.post(text, this.#session.headers())
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.refused(response, what, hasSession)
    yield* clientBody.drain(response)
  })
}
