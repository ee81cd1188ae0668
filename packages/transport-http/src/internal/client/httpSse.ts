/**
 * The transport that came before Streamable HTTP: the server speaks on one stream, and what it is told is posted to where
 * that stream says (SSE-1 to SSE-4).
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Sse from "effect/encoding/Sse"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as clientBody from "./body.ts"
import * as clientError from "./error.ts"
import { firstWarns, type Incoming, type Receiver, type Unrelated } from "./messages.ts"
import { makeInbox, Pending, tokenOf } from "./pending.ts"
import type { Session } from "./session.ts"
import * as clientStatus from "./status.ts"
import * as clientStream from "./stream.ts"
import type { Wire } from "./wire.ts"

/** How long the stream waits for a consumer that takes nothing, before it goes on without the message. */
const patience = "1 second"

/** How often that is, for one that is at work. */
const rounds = 5

/** What all of a connection share. */
export interface Parts {
  readonly wire: Wire
  readonly limits: Limits.Values
  /** The scope of the connection. */
  readonly connection: Scope.Scope
  readonly session: Session
  readonly unrelated: Unrelated
}

/** Connects, and waits until the server has said where to post to. */
export const open = Effect.fnUntraced(function*(parts: Parts) {
  const { connection, limits, wire } = parts
  const older = new OlderConnection(parts)
  const reader = yield* Effect.forkIn(older.run, connection, { startImmediately: true })
  return yield* older.ready.pipe(
    Effect.timeoutOrElse({
      duration: limits.discoverTimeout,
      orElse: () => Effect.fail(notSpoken(wire.url, `it sent no event "endpoint" within ${limits.discoverTimeout} ms`))
    }),
    Effect.as(older),
    Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Fiber.interrupt(reader))
  )
})

const notSpoken = (url: string, why: string) =>
  McpClientError.make(new McpClientError.ConnectFailed({ message: `${url} does not speak HTTP+SSE: ${why}` }))

export class OlderConnection {
  readonly #parts: Parts
  readonly #endpoint = Deferred.makeUnsafe<HttpClientRequest.HttpClientRequest, McpClientError.McpClientError>()
  readonly #byId = new Map<JsonRpc.Id, Pending>()
  readonly #byToken = new Map<JsonRpc.Id, Pending>()
  readonly #problem = firstWarns()
  readonly #dropped = firstWarns()
  /** Whether nobody has made room in what belongs to no request, for as long as that was waited for. */
  #isUnread = false
  #closed: McpClientError.McpClientError | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Ends when it is known where to post to. */
  get ready(): Effect.Effect<unknown, McpClientError.McpClientError> {
    return Deferred.await(this.#endpoint)
  }

  /** Reads the stream to its end, which is that of the session. */
  get run(): Effect.Effect<void> {
    return this.#read().pipe(
      Effect.onExit((exit) => Effect.sync(() => this.#end(reasonOf(exit)))),
      Effect.ignore
    )
  }

  readonly send = Effect.fnUntraced({ self: this }, function*(this: OlderConnection, outgoing: Outgoing) {
    const { message } = outgoing
    const text = yield* Effect.fromResult(clientError.printed(message))
    if (this.#closed !== undefined) return yield* this.#closed
    if (this.#byId.has(message.id)) {
      return yield* clientError.invalidCall(message.method, "its id is that of a request without an answer yet")
    }
    const { connection, limits } = this.#parts
    const pending = new Pending(outgoing, yield* makeInbox(limits.streamBuffer))
    this.#add(pending)
    // In a fiber of its own: the answer may come while the server still holds the POST, and so may questions of its own.
    const post = yield* Effect.forkIn(this.#request(pending, text), connection, { startImmediately: true })
    return yield* Effect.onExit(pending.settled, (exit) => {
      this.#remove(pending)
      if (Exit.isSuccess(exit)) return Effect.forkIn(release(post), connection)
      const left = Fiber.interrupt(post)
      return Cause.hasInterrupts(exit.cause) || pending.isOverrun ? Effect.andThen(left, this.#cancel(message)) : left
    })
  })

  readonly tell = Effect.fnUntraced({ self: this }, function*(
    this: OlderConnection,
    message: JsonRpc.Notification | JsonRpc.Response
  ) {
    const text = yield* Effect.fromResult(clientError.printed(message))
    const response = yield* this.#post(text)
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.unexpected(response)
    yield* clientBody.drain(response)
  })

  #post(text: string): Effect.Effect<HttpClientResponse.HttpClientResponse, McpClientError.McpClientError> {
    return Effect.flatMap(Deferred.await(this.#endpoint), (endpoint) =>
      this.#closed === undefined
        ? this.#parts.wire.post(text, this.#parts.session.headers(), endpoint)
        : Effect.fail(this.#closed))
  }

  readonly #request = Effect.fnUntraced({ self: this }, function*(
    this: OlderConnection,
    pending: Pending,
    text: string
  ) {
    const result = yield* Effect.result(Effect.flatMap(this.#post(text), (response) =>
      clientStatus.isSuccess(response)
        // SSE-4: what a status and a body mean is not said. The answer comes on the stream.
        ? Effect.as(clientBody.drain(response), undefined)
        : clientStatus.refusal(response, pending.message, false)))
    if (Result.isFailure(result)) pending.end(Exit.fail(result.failure))
    else if (result.success !== undefined) pending.end(Exit.succeed(result.success))
  })

  /** CAN-4. INIT-10: `initialize` is never cancelled. */
  #cancel({ id, method }: JsonRpc.Request): Effect.Effect<void> {
    if (method === Method.initialize.name || this.#closed !== undefined) return Effect.void
    return this.tell(JsonRpc.notification(Method.cancelled.name, { requestId: id })).pipe(
      Effect.timeoutOption(clientBody.patience),
      Effect.ignore,
      Effect.forkIn(this.#parts.connection),
      Effect.asVoid
    )
  }

  readonly #read = Effect.fnUntraced({ self: this }, function*(this: OlderConnection) {
    const { connection, limits, wire } = this.#parts
    const response = yield* wire.get({})
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.unexpected(response)
    if (!clientStatus.isStream(response)) {
      return yield* notSpoken(wire.url, `it answers GET with ${response.headers["content-type"] ?? "no content type"}`)
    }
    const onOther = ({ data, event }: Sse.Event) => {
      if (event === "endpoint") Deferred.doneUnsafe(this.#endpoint, this.#endpointOf(data, response.url))
    }
    yield* clientStream.read(response, this.#receiver, { limits, connection, onOther })
  })

  /** SSE-2. Whoever names another origin wants what we post, and its headers, to go there. */
  #endpointOf(
    data: string,
    responseUrl: string
  ): Effect.Effect<HttpClientRequest.HttpClientRequest, McpClientError.McpClientError> {
    const { wire } = this.#parts
    const base = URL.canParse(wire.url) ? wire.url : responseUrl
    if (!URL.canParse(data, base)) {
      return Effect.fail(notSpoken(wire.url, `its endpoint is no URL: ${data.slice(0, 200)}`))
    }
    const url = new URL(data, base)
    return url.origin === new URL(base).origin
      ? Effect.succeed(wire.postTo(url))
      : Effect.fail(notSpoken(wire.url, `its endpoint is of another origin, ${url.origin}, and nothing is sent there`))
  }

  get #receiver(): Receiver {
    const { session, wire } = this.#parts
    const taken = (take: () => Effect.Effect<void>) =>
      Effect.suspend(() => {
        if (Deferred.isDoneUnsafe(this.#endpoint)) return take()
        const error = notSpoken(wire.url, "its stream does not begin with the event \"endpoint\"")
        Deferred.doneUnsafe(this.#endpoint, Effect.fail(error))
        return Effect.void
      })
    return {
      get batches() {
        return session.hasBatches
      },
      message: (message) => taken(() => this.#message(message)),
      response: (response) => {
        this.#answered(response)
        return undefined
      },
      problem: (problem) =>
        Effect.as(
          Effect.andThen(taken(() => Effect.void), this.#problem(`The MCP server sent what is no message: ${problem}`)),
          undefined
        )
    }
  }

  /** All share the stream, so that it waits for nobody for long. */
  #message(message: Incoming): Effect.Effect<void> {
    const token = message._tag === "Notification" ? tokenOf(message) : undefined
    const pending = token === undefined ? undefined : this.#byToken.get(token)
    if (pending === undefined) return this.#unrelated(message)
    if (pending.deliver(message)) return Effect.void
    pending.hasMoved()
    return this.#patiently(pending, message, rounds)
  }

  #patiently(pending: Pending, message: Incoming, left: number): Effect.Effect<void> {
    const late = Effect.suspend(() => {
      if (pending.deliver(message)) return Effect.void
      if (pending.hasMoved() && left > 1) return this.#patiently(pending, message, left - 1)
      pending.overrun(clientError.limitExceeded("streamBuffer", this.#parts.limits.streamBuffer))
      return Effect.void
    })
    return pending.room(message).pipe(
      // On a machine that stood still the time is over before the consumer had its turn.
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.andThen(Effect.yieldNow, late) }),
      Effect.asVoid
    )
  }

  /** The oldest gives way where nobody reads. */
  #unrelated(message: Incoming): Effect.Effect<void> {
    const { limits, unrelated } = this.#parts
    if (Queue.offerUnsafe(unrelated, message)) {
      this.#isUnread = false
      return Effect.void
    }
    const drop = Effect.suspend(() => {
      this.#isUnread = true
      Queue.takeUnsafe(unrelated)
      Queue.offerUnsafe(unrelated, message)
      return this.#dropped(`More than ${limits.streamBuffer} messages of the MCP server wait: the oldest are dropped`)
    })
    if (this.#isUnread) return drop
    return Queue.offer(unrelated, message).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => drop }),
      Effect.asVoid
    )
  }

  /** An answer that nobody waits for is ignored (CAN-6). */
  #answered(response: JsonRpc.Response): void {
    if (response.id !== undefined) this.#byId.get(response.id)?.end(Exit.succeed(response))
  }

  #end(reason: McpClientError.McpClientError): void {
    const wasOpen = !Deferred.doneUnsafe(this.#endpoint, Effect.fail(reason))
    this.#closed = reason
    for (const pending of this.#byId.values()) pending.end(Exit.fail(reason))
    if (wasOpen) Queue.failCauseUnsafe(this.#parts.unrelated, Cause.fail(reason))
  }

  #add(pending: Pending): void {
    this.#byId.set(pending.message.id, pending)
    if (pending.progressToken !== undefined) this.#byToken.set(pending.progressToken, pending)
  }

  #remove({ message, progressToken }: Pending): void {
    this.#byId.delete(message.id)
    if (progressToken !== undefined) this.#byToken.delete(progressToken)
  }
}

/** The POST of a request that has its answer may end by itself, so that its connection serves again. */
const release = (post: Fiber.Fiber<void>): Effect.Effect<void> =>
  Effect.andThen(Effect.timeoutOption(Fiber.await(post), clientBody.patience), Fiber.interrupt(post))

const reasonOf = (exit: Exit.Exit<unknown, McpClientError.McpClientError>): McpClientError.McpClientError => {
  if (Exit.isFailure(exit)) {
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (error !== undefined) return error
  }
  const detail = Exit.isSuccess(exit) ? "the server has ended the stream of the session" : "the client has closed it"
  return McpClientError.make(new McpClientError.TransportClosed({ detail }))
}
