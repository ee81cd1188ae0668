/**
 * One server of a client: sends requests, and sorts what comes back. Reading never waits for a consumer.
 */
import type { ClientTransport, Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { requestOf } from "./correlation.ts"
import type { Line } from "./lineReader.ts"
import type { Output } from "./output.ts"
import { PendingRequest } from "./pendingRequest.ts"

/** What a server sends by itself. */
export type Incoming = JsonRpc.Notification | JsonRpc.Request
export type Unrelated = Queue.Queue<Incoming, McpClientError.McpClientError | Cause.Done>

/** What a connection tells about things that are nobody's answer. */
export interface Reporter {
  /** Text that is no message. */
  readonly text: (text: string) => void
  /** A message that cannot be used. */
  readonly problem: (problem: string) => void
  /** Something that happens in good order. */
  readonly detail: (detail: string) => void
}

export class ClientConnection implements ClientTransport {
  readonly kind = "stdio"
  readonly mirrors = false
  readonly #output: Output
  readonly #limits: Limits.Values
  readonly #unrelated: Unrelated
  readonly #report: Reporter
  readonly byId = new Map<JsonRpc.Id, PendingRequest>()
  readonly byToken = new Map<JsonRpc.Id, PendingRequest>()
  readonly logging = new Set<PendingRequest>()
  // Their answers may still come (CAN-6).
  readonly #cancelled = new Set<JsonRpc.Id>()
  #closed: McpClientError.McpClientError | undefined

  constructor(output: Output, limits: Limits.Values, unrelated: Unrelated, report: Reporter) {
    this.#output = output
    this.#limits = limits
    this.#unrelated = unrelated
    this.#report = report
    this.unrelated = Stream.fromQueue(unrelated)
  }

  readonly unrelated: Stream.Stream<Incoming, McpClientError.McpClientError>

  readonly send = (request: Outgoing): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> =>
    this.#whenReady(() => {
      const { message } = request
      const text = this.#print(message, message.method)
      if (Result.isFailure(text)) return Effect.fail(text.failure)
      if (this.byId.size >= this.#limits.inFlightRequests) {
        return Effect.fail(limitExceeded("inFlightRequests", this.#limits.inFlightRequests))
      }
      if (this.byId.has(message.id)) {
        return Effect.fail(invalidCall(message.method, "its id is that of a request without an answer yet"))
      }
      const pending = new PendingRequest(request)
      this.#add(pending)
      this.#output.write(text.success)
      return Effect.onInterrupt(pending.settled, () => Effect.sync(() => this.#cancel(pending, undefined)))
    })

  readonly notify = (notification: JsonRpc.Notification) => this.#write(notification, notification.method)

  readonly reply = (response: JsonRpc.Response) => this.#write(response, "response")

  receive(line: Line): void {
    if (typeof line === "string") return this.#parsed(JsonRpc.parse(line, this.#limits), line)
    if (line._tag === "NotUtf8") return this.#report.text(line.text)
    const pending = line.id === undefined ? undefined : this.byId.get(line.id)
    if (pending === undefined) return this.#report.problem(`A message of more than ${this.#limits.messageBytes} bytes`)
    this.#remove(pending)
    pending.fail(limitExceeded("messageBytes", this.#limits.messageBytes))
  }

  /** Ends the connection for everybody. The first reason counts. */
  close(reason: McpClientError.TransportClosed, unrelatedEnds: boolean): void {
    if (this.#closed !== undefined) return
    const error = McpClientError.make(reason)
    this.#closed = error
    Queue.failCauseUnsafe(this.#unrelated, unrelatedEnds ? Cause.fail(Cause.Done()) : Cause.fail(error))
    for (const pending of this.byId.values()) pending.fail(error)
    this.byId.clear()
    this.byToken.clear()
    this.logging.clear()
  }

  #whenReady<A>(
    write: () => Effect.Effect<A, McpClientError.McpClientError>
  ): Effect.Effect<A, McpClientError.McpClientError> {
    const now = Effect.suspend(() => this.#closed === undefined ? write() : Effect.fail(this.#closed))
    // A server that does not read stops those who write, and nobody else.
    return Effect.suspend(() => this.#output.isFull ? Effect.andThen(this.#output.drained, now) : now)
  }

  #write(message: JsonRpc.Message, what: string): Effect.Effect<void, McpClientError.McpClientError> {
    return this.#whenReady(() => {
      const text = this.#print(message, what)
      if (Result.isFailure(text)) return Effect.fail(text.failure)
      this.#output.write(text.success)
      return Effect.void
    })
  }

  #print(message: JsonRpc.Message, what: string): Result.Result<string, McpClientError.McpClientError> {
    return Result.mapError(
      JsonRpc.print(message),
      () => invalidCall(what, "its parameters have no JSON form")
    )
  }

  #parsed(parsed: JsonRpc.Parsed, line: string): void {
    switch (parsed._tag) {
      case "Success":
      case "Failure":
        return this.#answered(parsed)
      case "Notification":
      case "Request":
        return this.#message(parsed)
      case "Batch":
        // RPC-18: no revision that is spoken here has batches.
        return this.#report.problem("An array of messages")
      case "Malformed": {
        if (parsed.error._tag === "ParseError") return this.#report.text(line)
        const pending = parsed.id === undefined || parsed.answer ? undefined : this.byId.get(parsed.id)
        if (pending === undefined) return this.#report.problem(`Not a message: ${parsed.error.message}`)
        // Its answer has come, and it is none: waiting for another would be in vain.
        this.#remove(pending)
        const { method } = pending.message
        pending.fail(McpClientError.make(
          new McpClientError.InvalidAnswer({ method, problem: parsed.error.message, raw: line })
        ))
      }
    }
  }

  #answered(response: JsonRpc.Response): void {
    const { id } = response
    const pending = id === undefined ? undefined : this.byId.get(id)
    if (pending !== undefined) {
      this.#remove(pending)
      return pending.answer(response)
    }
    if (id !== undefined && this.#cancelled.delete(id)) {
      return this.#report.detail(`An answer to the cancelled request ${JSON.stringify(id)}`)
    }
    const error = response._tag === "Failure"
      ? `: ${response.error.code} ${JSON.stringify(response.error.message)}`
      : ""
    this.#report.problem(`An answer to no request (id ${JSON.stringify(id)})${error}`)
  }

  #message(message: Incoming): void {
    const pending = requestOf(message, this)
    if (pending === undefined) {
      if (Queue.offerUnsafe(this.#unrelated, message) || this.#closed !== undefined) return
      Queue.failCauseUnsafe(this.#unrelated, Cause.fail(limitExceeded("streamBuffer", this.#limits.streamBuffer)))
      return
    }
    if (pending.waiting < this.#limits.streamBuffer) return pending.deliver(message)
    this.#cancel(pending, limitExceeded("streamBuffer", this.#limits.streamBuffer))
  }

  /** CAN-2, STDIO-10. A request that has its answer is not cancelled any more. */
  #cancel(pending: PendingRequest, error: McpClientError.McpClientError | undefined): void {
    if (pending.isSettled || this.#closed !== undefined) return
    const { id } = pending.message
    this.#remove(pending)
    this.#cancelled.add(id)
    if (this.#cancelled.size > this.#limits.inFlightRequests) {
      const [oldest] = this.#cancelled
      if (oldest !== undefined) this.#cancelled.delete(oldest)
    }
    const text = JsonRpc.print(JsonRpc.notification(Method.cancelled.name, { requestId: id }))
    if (Result.isSuccess(text)) this.#output.write(text.success)
    if (error !== undefined) pending.fail(error)
  }

  #add(pending: PendingRequest): void {
    const { id } = pending.message
    const { progressToken, wantsLogs } = pending.marks
    this.byId.set(id, pending)
    this.#cancelled.delete(id)
    if (progressToken !== undefined) this.byToken.set(progressToken, pending)
    if (wantsLogs) this.logging.add(pending)
  }

  #remove(pending: PendingRequest): void {
    const { progressToken } = pending.marks
    this.byId.delete(pending.message.id)
    if (progressToken !== undefined && this.byToken.get(progressToken) === pending) this.byToken.delete(progressToken)
    this.logging.delete(pending)
  }
}

const limitExceeded = (limit: Limits.Name, max: number) =>
  McpClientError.make(new McpClientError.LimitExceeded({ limit, max }))

const invalidCall = (method: string, problem: string) =>
  McpClientError.make(new McpClientError.InvalidCall({ method, problem }))
