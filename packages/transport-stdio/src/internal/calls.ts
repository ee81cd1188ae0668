/**
 * The calls of one connection, of both eras in one space of ids: started, bounded, cancelled, and answered once.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import type { Call, Exchange } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Messages } from "./messages.ts"

/** How long a full connection may go without an end of any call before it reads on and refuses. */
const patience = "1 second"

/** Takes the answer to a request; `undefined` when there is none. It is called once. */
export type Reply = (response: JsonRpc.Response | undefined) => void

/** Asks the peer something. `put` writes the question, and is `false` when that cannot be. */
export type Ask = (request: JsonRpc.Request, put: () => boolean) => void

/** A request that is to be answered. */
export interface Start {
  readonly id: JsonRpc.Id
  readonly reply: Reply
  readonly begin: (exchange: Exchange) => Call
  /** Missing where nothing may be asked. */
  readonly ask?: Ask | undefined
  /** Whether it is `initialize`: it cannot be cancelled (INIT-10), and what comes after it waits for it. */
  readonly isHandshake?: boolean | undefined
}

/** A request that has no answer yet. */
interface InFlight {
  /** Missing for a notification: what its handling sends belongs to no request, and is bounded all the same. */
  readonly request: Start | undefined
  /** Missing while the call is being started. */
  call: Call | undefined
  /** Whether something may still be sent for it. */
  isOpen: boolean
  /** Its messages that have not left. */
  queued: number
}

export class Calls {
  readonly #messages: Messages
  readonly #limits: Limits.Values
  readonly #services: Context.Context<never>
  // The ids that are taken (RPC-3). A cancelled request frees its id at once and still counts until it has ended.
  readonly #byId = new Map<JsonRpc.Id, InFlight>()
  readonly #running = new Set<InFlight>()
  #handshakes = 0
  #isSaturated = false
  #waiting: Array<() => void> = []

  constructor(messages: Messages, limits: Limits.Values, services: Context.Context<never>) {
    this.#messages = messages
    this.#limits = limits
    this.#services = services
  }

  /** Whether nothing more should be read for now. */
  get isFull(): boolean {
    return this.#messages.output.isFull || ((this.#isCrowded || this.#handshakes > 0) && !this.#isSaturated)
  }

  get #isCrowded(): boolean {
    return this.#running.size >= this.#limits.inFlightRequests
  }

  /**
   * Waits until there is room. When the calls in flight are as many as may be and none of them ends, reading goes on
   * nevertheless and further requests are refused: cancellations and the end of the input have to be seen.
   */
  readonly hasRoom: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#messages.output.isFull) return this.#messages.output.drained
    if (!this.isFull) return Effect.void
    return this.#nextEnd.pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () =>
          Effect.sync(() => {
            this.#isSaturated = true
          })
      })
    )
  })

  /** Waits until no call is running. */
  readonly isIdle: Effect.Effect<void> = Effect.suspend(() =>
    this.#running.size === 0 ? Effect.void : Effect.andThen(this.#nextEnd, this.isIdle)
  )

  readonly #nextEnd: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.#waiting.push(wake)
    return Effect.sync(() => {
      this.#waiting = this.#waiting.filter((other) => other !== wake)
    })
  })

  /** Interrupts whatever runs. Nothing is sent for it any more. */
  close(): void {
    for (const inFlight of this.#running) this.#give(inFlight, undefined)
  }

  start(request: Start): void {
    const { begin, id, reply } = request
    if (this.#byId.has(id)) return reply(refusal(id, idInUse))
    if (this.#isCrowded) {
      const message = `More than ${this.#limits.inFlightRequests} requests in flight (the limit inFlightRequests)`
      return reply(refusal(id, new McpError.InternalError({ message })))
    }
    const inFlight: InFlight = { request, call: undefined, isOpen: true, queued: 0 }
    const call = begin(this.#exchange(inFlight, request.ask))
    // The usual case: the answer is there, and the request was never in flight.
    if (call.response !== undefined) {
      if (!inFlight.isOpen) return
      inFlight.isOpen = false
      return reply(call.response)
    }
    // A handler that flooded the output has been answered already.
    if (inFlight.isOpen) this.#byId.set(id, inFlight)
    else call.cancel()
    inFlight.call = call
    this.#running.add(inFlight)
    if (request.isHandshake === true) this.#handshakes++
    call.onEnd((response) => this.#ended(inFlight, response))
  }

  /** A notification is handled with what a request has, but for an answer. */
  notify(handle: (exchange: Exchange) => void, ask?: Ask): void {
    handle(this.#exchange({ request: undefined, call: undefined, isOpen: true, queued: 0 }, ask))
  }

  /** CAN-5: an id that is unknown, or whose call has ended, is ignored. */
  cancel(id: JsonRpc.Id): void {
    const inFlight = this.#byId.get(id)
    if (inFlight === undefined || inFlight.request?.isHandshake === true) return
    this.#give(inFlight, undefined)
  }

  /** Ends a call before its end. STDIO-11: nothing more is sent, whatever the handler still does. */
  #give(inFlight: InFlight, response: JsonRpc.Response | undefined): void {
    if (!inFlight.isOpen) return
    inFlight.isOpen = false
    inFlight.call?.cancel()
    this.#settle(inFlight, response)
  }

  #ended(inFlight: InFlight, response: JsonRpc.Response | undefined): void {
    if (inFlight.isOpen) {
      inFlight.isOpen = false
      this.#settle(inFlight, response)
    }
    if (!this.#running.delete(inFlight)) return
    if (inFlight.request?.isHandshake === true) this.#handshakes--
    this.#isSaturated = false
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  #settle({ request }: InFlight, response: JsonRpc.Response | undefined): void {
    if (request === undefined) return
    this.#byId.delete(request.id)
    request.reply(response)
  }

  #exchange(inFlight: InFlight, ask: Ask | undefined): Exchange {
    return {
      transport: "stdio",
      context: this.#services,
      principal: undefined,
      mirrored: undefined,
      emit: (notification) => {
        this.#put(inFlight, notification)
      },
      drained: this.#messages.output.drained,
      ask: ask === undefined ? undefined : (request) => ask(request, () => this.#put(inFlight, request))
    }
  }

  #put(inFlight: InFlight, message: JsonRpc.Notification | JsonRpc.Request): boolean {
    if (!inFlight.isOpen) return false
    if (inFlight.queued >= this.#limits.streamBuffer && this.#messages.output.isBusy) {
      this.#endFlood(inFlight)
      return false
    }
    inFlight.queued++
    const isSent = this.#messages.send(message, () => {
      inFlight.queued--
    })
    if (!isSent) inFlight.queued--
    return isSent
  }

  /** More messages than may wait for a peer that does not read: this request ends, the others go on. */
  #endFlood(inFlight: InFlight): void {
    const message = `More than ${this.#limits.streamBuffer} messages wait to be read (the limit streamBuffer)`
    const { request } = inFlight
    this.#give(inFlight, request && refusal(request.id, new McpError.InternalError({ message })))
  }
}

const refusal = (id: JsonRpc.Id, error: McpError.McpError): JsonRpc.Response =>
  JsonRpc.failure(id, McpError.toErrorObject(error))

const idInUse = new McpError.InvalidRequest({ message: "The id is that of a request without an answer yet" })
