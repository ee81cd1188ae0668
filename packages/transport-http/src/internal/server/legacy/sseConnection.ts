/**
 * One connection of HTTP+SSE: its stream, and its session once it has one.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import type { Exchange, LegacyEndpoint, Session } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Endless, Work } from "../closing.ts"
import type { Silent } from "../keepAlive.ts"
import { type Peer, settled } from "../peer.ts"
import { accepted, type ExtraHeaders, failure, refused, type Reply } from "../reply.ts"
import type { Asker } from "./sessionExchange.ts"
import { deliver } from "./sessionMessage.ts"
import type { Shared } from "../shared.ts"
import { comment, event, type Sink, streamHeaders } from "../platform/sink.ts"

/** What is known of a connection when it begins. */
export interface About {
  readonly principal: string | undefined
  readonly headers: ExtraHeaders
  /** Called once, when it has ended. */
  readonly onEnd: () => void
}

export class SseConnection implements Silent, Peer, Endless {
  touched = 0
  readonly #shared: Shared
  readonly #endpoint: LegacyEndpoint
  readonly #about: About
  readonly #sink: Sink
  readonly #works = new Set<Work>()
  #session: Session | undefined
  #isOpening = false
  #isFinishing = false
  #isOver = false

  constructor(shared: Shared, endpoint: LegacyEndpoint, about: About, sink: Sink) {
    this.#shared = shared
    this.#endpoint = endpoint
    this.#about = about
    this.#sink = sink
  }

  get principal(): string | undefined {
    return this.#about.principal
  }

  /** SSE-2: the first event tells where to post. */
  start(address: string): void {
    this.#sink.open({ ...streamHeaders, ...this.#about.headers }, true)
    this.#shared.keepAlive?.add(this)
    this.#shared.closing.addEndless(this)
    this.#put(`event: endpoint\ndata: ${address}\n\n`)
  }

  /** Takes a message, and says how the POST that brought it is answered. */
  take(message: JsonRpc.Message | JsonRpc.Batch, outcome: Inbound.Outcome, asker: Asker): Reply {
    // Another revision is spoken elsewhere: this transport has nothing to mirror, and no answers of its own.
    if (outcome._tag === "Request" || outcome._tag === "Rejected" && outcome.answer) return modern
    const session = this.#session
    if (session !== undefined) return this.#inSession(session, message, asker)
    if (message._tag === "Notification") return accepted
    if (message._tag === "Request" && message.method === Method.ping.name) {
      // INIT-7: the one request that may come first.
      this.#answer(JsonRpc.success(message.id, {}))
      return accepted
    }
    if (message._tag !== "Request" || message.method !== "initialize" || this.#isOpening) return notInitialized
    return this.#open(message, asker)
  }

  keepAlive(): void {
    if (!this.#sink.pending) this.#put(comment)
  }

  gone(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { closing, keepAlive, run } = this.#shared
    keepAlive?.delete(this)
    closing.deleteEndless(this)
    this.#about.onEnd()
    if (this.#session !== undefined) run(this.#session.close)
    for (const work of this.#works) {
      closing.delete(work)
      work.giveUp()
    }
  }

  /** Ends it when what is in flight has its answers. */
  finish(): void {
    this.#isFinishing = true
    if (this.#works.size === 0) this.#end()
  }

  #end(): void {
    if (this.#isOver) return
    this.gone()
    this.#sink.end("")
  }

  #open(initialize: JsonRpc.Request, asker: Asker): Reply {
    if (this.#refuses(initialize)) return accepted
    this.#isOpening = true
    const opening = this.#shared.run(this.#endpoint.open(initialize, this.#exchange(asker), "connection"))
    const work = this.#begin(() => opening.interruptUnsafe())
    settled(opening, (exit) => {
      this.#isOpening = false
      if (Exit.isSuccess(exit)) {
        const { response, session } = exit.value
        this.#answer(response)
        if (session !== undefined) this.#opened(session)
      } else {
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (error === undefined && !Cause.hasInterruptsOnly(exit.cause)) this.#shared.tell.defect(exit.cause)
        this.#fail(initialize, error?.message ?? "Internal error")
      }
      this.#ended(work)
      return undefined
    })
    return accepted
  }

  #opened(session: Session): void {
    if (this.#isOver) return void this.#shared.run(session.close)
    this.#session = session
    session.listen((message) => this.#send(message))
    session.onClose(() => this.#end())
  }

  #inSession(session: Session, message: JsonRpc.Message | JsonRpc.Batch, asker: Asker): Reply {
    // RPC-16, RPC-18.
    if (message._tag !== "Batch" || !Revision.hasBatches(session.revision)) {
      const refusal = this.#deliver(session, message, asker)
      return refusal === undefined ? accepted : failure(400, refusal, undefined, "legacy")
    }
    const { batchMessages } = this.#shared.limits
    if (message.items.length > batchMessages) {
      return refused(400, `A batch has at most ${batchMessages} messages here (the limit batchMessages)`)
    }
    for (const item of message.items) {
      const refusal = this.#deliver(session, JsonRpc.fromItem(item), asker)
      if (refusal !== undefined) this.#answer(JsonRpc.failure(undefined, McpError.toErrorObject(refusal, "legacy")))
    }
    return accepted
  }

  /** Gives back why a message is refused that has no id, so that a client could not find what is answered. */
  #deliver(session: Session, message: JsonRpc.Parsed, asker: Asker): McpError.McpError | undefined {
    const wanted = deliver(session, message, asker)
    if (wanted === undefined) return undefined
    if (wanted._tag === "Request") {
      this.#request(session, wanted, asker)
      return undefined
    }
    if (!wanted.answer) return undefined
    if (wanted.id === undefined) return wanted.error
    this.#answer(JsonRpc.failure(wanted.id, McpError.toErrorObject(wanted.error, "legacy")))
    return undefined
  }

  #request(session: Session, request: Inbound.Request, asker: Asker): void {
    if (this.#refuses(request)) return
    const call = session.call(request, this.#exchange(asker))
    if (call.response !== undefined) return this.#answer(call.response)
    const work = this.#begin(() => call.cancel())
    call.onEnd((response) => {
      if (response !== undefined) this.#answer(response)
      this.#ended(work)
    })
  }

  /** Answers a request too many. */
  #refuses(request: Pick<JsonRpc.Request, "id">): boolean {
    const { inFlight, limits } = this.#shared
    if (inFlight.count < limits.inFlightRequests) return false
    this.#fail(request, `More than ${limits.inFlightRequests} requests in flight (the limit inFlightRequests)`)
    return true
  }

  #fail({ id }: Pick<JsonRpc.Request, "id">, message: string): void {
    this.#answer(JsonRpc.failure(id, McpError.toErrorObject(new McpError.InternalError({ message }), "legacy")))
  }

  #begin(giveUp: () => void): Work {
    const { closing, inFlight } = this.#shared
    const work: Work = { isHeard: true, giveUp }
    inFlight.count++
    this.#works.add(work)
    // It may have ended the connection while it was started: it sent more than anybody could read.
    if (this.#isOver) giveUp()
    else closing.add(work)
    return work
  }

  #ended(work: Work): void {
    const { closing, inFlight } = this.#shared
    inFlight.count--
    this.#works.delete(work)
    closing.delete(work)
    if (this.#isFinishing && this.#works.size === 0) this.#end()
  }

  #exchange({ context, principal }: Asker): Exchange {
    return {
      transport: "http",
      context,
      principal,
      mirrored: undefined,
      emit: (notification) => this.#send(notification),
      drained: Effect.suspend(() => this.#isOver ? Effect.void : this.#sink.drained),
      ask: (request) => this.#send(request)
    }
  }

  #send(message: JsonRpc.Notification | JsonRpc.Request): void {
    const printed = JsonRpc.print(message)
    if (Result.isFailure(printed)) return this.#shared.tell.unprintable(message.method, printed.failure.cause)
    this.#put(event(printed.success))
  }

  #answer(response: JsonRpc.Response): void {
    this.#put(event(JsonRpc.printResponse(response, ({ cause }) => this.#shared.tell.unprintable("a request", cause))))
  }

  #put(frame: string): void {
    if (this.#isOver) return
    const { keepAlive, tell } = this.#shared
    if (keepAlive !== undefined) this.touched = keepAlive.tick
    if (this.#sink.write(frame)) return
    tell.overflow("HTTP+SSE")
    this.gone()
    this.#sink.abort()
  }
}

const modern = refused(400, "This address is for revisions before 2026-07-28; a message of the newest has its own")

const notInitialized = refused(400, "The connection is not initialized: send initialize first, and wait for its answer")
