/**
 * One server of a client: sends requests, and sorts what comes back. Reading waits for a consumer only shortly.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { requestOf } from "./correlation.ts"
import type { Line } from "./lineReader.ts"
import type { Output } from "./output.ts"
import { PendingRequest } from "./pendingRequest.ts"
import type { Room } from "./room.ts"
import type { Incoming, Unrelated } from "./unrelated.ts"

/** What a connection tells about things that are nobody's answer. */
export interface Reporter {
  /** Text that is no message. */
  readonly text: (text: string) => void
  /** A message that cannot be used. */
  readonly problem: (problem: string) => void
  /** A message that nobody takes. */
  readonly dropped: (problem: string) => void
  /** Something that happens in good order. */
  readonly detail: (detail: string) => void
}

export class ClientConnection {
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
  #revision: Revision.Revision | undefined
  #wasAsked = false
  /** Where a message went last that there may be no room for another one. */
  #crowded: Room | undefined
  #hasAnswered = false

  constructor(output: Output, limits: Limits.Values, unrelated: Unrelated, report: Reporter) {
    this.#output = output
    this.#limits = limits
    this.#unrelated = unrelated
    this.#report = report
  }

  /** Whether anything has been asked. */
  get wasAsked(): boolean {
    return this.#wasAsked
  }

  /** Whether anything was answered that was no error, so that the two sides understand each other. */
  get hasAnswered(): boolean {
    return this.#hasAnswered
  }

  /** `initialize` has settled on a revision. */
  opened(revision: Revision.Revision): void {
    this.#revision = revision
  }

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
      this.#wasAsked = true
      const pending = new PendingRequest(request)
      this.#add(pending)
      this.#output.write(text.success)
      return Effect.onInterrupt(pending.settled, () => Effect.sync(() => this.#cancel(pending, undefined)))
    })

  readonly notify = (notification: JsonRpc.Notification) => this.#write(notification, notification.method)

  readonly reply = (response: JsonRpc.Response) => this.#write(response, "response")

  /** Takes a line. What is given back has to be waited for before the next one. */
  receive(line: Line): Effect.Effect<void> | undefined {
    this.#received(line)
    const crowded = this.#crowded
    this.#crowded = undefined
    return crowded?.wait
  }

  #received(line: Line): void {
    // What comes after the end is nobody's.
    if (this.#closed !== undefined) return
    if (typeof line === "string") return this.#parsed(JsonRpc.parse(line, this.#limits), line)
    if (line._tag === "NotUtf8") return this.#report.text(line.text)
    const pending = line.id === undefined ? undefined : this.byId.get(line.id)
    if (pending === undefined) return this.#report.problem(`A message of more than ${this.#limits.messageBytes} bytes`)
    this.#remove(pending)
    pending.fail(limitExceeded("messageBytes", this.#limits.messageBytes))
  }

  /** Ends the connection for everybody. The first reason counts. */
  close(error: McpClientError.McpClientError): void {
    if (this.#closed !== undefined) return
    this.#closed = error
    for (const pending of this.byId.values()) {
      pending.fail(error)
      pending.room.made()
    }
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

  #parsed(parsed: JsonRpc.Parsed, raw: unknown): void {
    switch (parsed._tag) {
      case "Success":
      case "Failure":
        return this.#answered(parsed)
      case "Notification":
      case "Request":
        return this.#message(parsed)
      case "Batch":
        return this.#batch(parsed)
      case "Malformed": {
        if (parsed.error._tag === "ParseError") return this.#report.text(String(raw))
        const pending = parsed.id === undefined || parsed.answer ? undefined : this.byId.get(parsed.id)
        if (pending === undefined) return this.#report.problem(`Not a message: ${parsed.error.message}`)
        // Its answer has come, and it is none: waiting for another would be in vain.
        this.#remove(pending)
        const { method } = pending.message
        pending.fail(McpClientError.make(
          new McpClientError.InvalidAnswer({ method, problem: parsed.error.message, raw })
        ))
      }
    }
  }

  /** RPC-16, RPC-18: one revision has batches, and each message in one is for itself. */
  #batch({ items }: JsonRpc.Batch): void {
    const { batchMessages } = this.#limits
    if (!Revision.hasBatches(this.#revision)) return this.#report.problem("An array of messages")
    if (items.length <= batchMessages) return items.forEach((item) => this.#parsed(JsonRpc.fromItem(item), item))
    this.#report.problem(`A batch of more than ${batchMessages} messages`)
    // Their answers have come, and are not looked at: waiting for others would be in vain.
    for (const item of items) {
      const message = JsonRpc.fromItem(item)
      const pending = JsonRpc.isResponse(message) && message.id !== undefined ? this.byId.get(message.id) : undefined
      if (pending === undefined) continue
      this.#remove(pending)
      pending.fail(limitExceeded("batchMessages", batchMessages))
    }
  }

  #answered(response: JsonRpc.Response): void {
    const { id } = response
    const pending = id === undefined ? undefined : this.byId.get(id)
    if (pending !== undefined) {
      this.#remove(pending)
      if (response._tag === "Success") this.#hasAnswered = true
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
    const { batchMessages, streamBuffer } = this.#limits
    // Between the messages of a batch nobody waits.
    const needed = Revision.hasBatches(this.#revision) ? batchMessages : 1
    if (pending === undefined) {
      const unrelated = this.#unrelated
      if (!unrelated.offer(message)) {
        this.#report.dropped(`More than ${streamBuffer} messages of the server wait: the oldest are dropped`)
      }
      if (unrelated.free < needed && unrelated.isRead) this.#crowd(unrelated.room)
      return
    }
    if (pending.waiting >= streamBuffer) return this.#cancel(pending, limitExceeded("streamBuffer", streamBuffer))
    pending.deliver(message)
    if (streamBuffer - pending.waiting < needed) this.#crowd(pending.room)
  }

  #crowd(room: Room): void {
    if (room.isGivenUp) return
    room.lack()
    this.#crowded = room
  }

  /** CAN-2, STDIO-10. A request that has its answer is not cancelled any more. */
  #cancel(pending: PendingRequest, error: McpClientError.McpClientError | undefined): void {
    if (pending.isSettled || this.#closed !== undefined) return
    const { id, method } = pending.message
    this.#remove(pending)
    this.#cancelled.add(id)
    if (this.#cancelled.size > this.#limits.inFlightRequests) {
      const [oldest] = this.#cancelled
      if (oldest !== undefined) this.#cancelled.delete(oldest)
    }
    if (error !== undefined) pending.fail(error)
    if (method === Method.initialize.name) return // INIT-10
    const text = JsonRpc.print(JsonRpc.notification(Method.cancelled.name, { requestId: id }))
    if (Result.isSuccess(text)) this.#output.write(text.success)
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
    pending.room.made()
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
