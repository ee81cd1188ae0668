/**
 * One peer of a server: takes lines, starts calls, writes what they end with. Nothing here waits, so that a line costs
 * no more than its call.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import type { Call, Exchange, ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Line } from "./lineReader.ts"
import type { Output } from "./output.ts"

/** How long a full connection may go without an end of any call before it reads on and refuses. */
const patience = "1 second"

/** A request that has no answer yet. */
interface InFlight {
  /** Missing for a notification: what its handling sends belongs to no request, and is bounded all the same. */
  readonly id: JsonRpc.Id | undefined
  /** Missing while the call is being started. */
  call: Call | undefined
  /** Whether something may still be sent for it. */
  isOpen: boolean
  /** Its notifications that have not left. */
  queued: number
}

export class ServerConnection {
  readonly #endpoint: ServerEndpoint
  readonly #output: Output
  readonly #limits: Limits.Values
  readonly #services: Context.Context<never>
  readonly #log: (effect: Effect.Effect<void>) => void
  // The ids that are taken (RPC-3). A cancelled request frees its id at once and still counts until it has ended.
  readonly #byId = new Map<JsonRpc.Id, InFlight>()
  readonly #running = new Set<InFlight>()
  #isSaturated = false
  #isClosed = false
  #waiting: Array<() => void> = []

  constructor(
    endpoint: ServerEndpoint,
    output: Output,
    limits: Limits.Values,
    services: Context.Context<never>,
    log: (effect: Effect.Effect<void>) => void
  ) {
    this.#endpoint = endpoint
    this.#output = output
    this.#limits = limits
    this.#services = services
    this.#log = log
  }

  /** Whether nothing more should be read for now. */
  get isFull(): boolean {
    return this.#output.isFull || (this.#isCrowded && !this.#isSaturated)
  }

  get #isCrowded(): boolean {
    return this.#running.size >= this.#limits.inFlightRequests
  }

  /**
   * Waits until there is room. When the calls in flight are as many as may be and none of them ends, reading goes on
   * nevertheless and further requests are refused: cancellations and the end of the input have to be seen.
   */
  readonly hasRoom: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#output.isFull) return this.#output.drained
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
    this.#isClosed = true
    for (const request of this.#running) this.#cancel(request)
    this.#byId.clear()
  }

  receive(line: Line): void {
    if (typeof line !== "string") return this.#refuseLine(line)
    const outcome = this.#endpoint.classify(JsonRpc.parse(line, this.#limits))
    switch (outcome._tag) {
      case "Request":
        return this.#request(outcome)
      case "Cancel":
        return this.#cancelById(outcome.requestId)
      case "Notification":
        return this.#endpoint.notify(outcome.notification, this.#exchange(newInFlight(undefined)))
      case "Rejected":
        return outcome.answer ? this.#refuse(outcome.id, outcome.error) : undefined
      case "Legacy":
        return this.#refuseLegacy(outcome.message)
    }
  }

  #refuseLine(line: Exclude<Line, string>): void {
    const error = line._tag === "NotUtf8"
      ? new McpError.ParseError({ message: "Not valid UTF-8" })
      : new McpError.InvalidRequest({
        message: `A message has at most ${this.#limits.messageBytes} bytes here (the limit messageBytes)`
      })
    this.#refuse(line._tag === "TooLong" ? line.id : undefined, error)
  }

  #refuseLegacy(message: JsonRpc.Message | JsonRpc.Batch): void {
    if (message._tag === "Request") this.#refuse(message.id, noLegacy)
    else if (message._tag === "Batch") this.#refuse(undefined, noLegacy)
  }

  #refuse(id: JsonRpc.Id | undefined, error: McpError.McpError): void {
    this.#answer(JsonRpc.failure(id, McpError.toErrorObject(error)))
  }

  #answer(response: JsonRpc.Response): void {
    this.#output.writeLater(() => JsonRpc.printResponse(response, this.#reportUnprintable))
  }

  readonly #reportUnprintable = (unprintable: JsonRpc.Unprintable): void => {
    this.#log(Effect.logError("An answer has no JSON form", unprintable.cause))
  }

  #request(request: Inbound.Request): void {
    const { id } = request
    if (this.#byId.has(id)) return this.#refuse(id, idInUse)
    if (this.#isCrowded) {
      return this.#refuse(
        id,
        new McpError.InternalError({
          message: `More than ${this.#limits.inFlightRequests} requests in flight (the limit inFlightRequests)`
        })
      )
    }
    const inFlight = newInFlight(id)
    const call = this.#endpoint.call(request, this.#exchange(inFlight))
    // The usual case: the answer is there, and the request was never in flight.
    if (call.response !== undefined) {
      if (inFlight.isOpen) this.#answer(call.response)
      inFlight.isOpen = false
      return
    }
    // A handler that flooded the output has been answered already.
    if (inFlight.isOpen) this.#byId.set(id, inFlight)
    else call.cancel()
    inFlight.call = call
    this.#running.add(inFlight)
    call.onEnd((response) => this.#ended(id, inFlight, response))
  }

  #ended(id: JsonRpc.Id, inFlight: InFlight, response: JsonRpc.Response | undefined): void {
    if (inFlight.isOpen) {
      this.#byId.delete(id)
      inFlight.isOpen = false
      if (response !== undefined && !this.#isClosed) this.#answer(response)
    }
    this.#running.delete(inFlight)
    this.#isSaturated = false
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** CAN-5: an id that is unknown, or whose call has ended, is ignored. */
  #cancelById(id: JsonRpc.Id): void {
    const inFlight = this.#byId.get(id)
    if (inFlight === undefined) return
    this.#byId.delete(id)
    this.#cancel(inFlight)
  }

  #cancel(inFlight: InFlight): void {
    // STDIO-11: nothing more is sent, whatever the handler still does.
    inFlight.isOpen = false
    inFlight.call?.cancel()
  }

  #exchange(inFlight: InFlight): Exchange {
    return {
      transport: "stdio",
      context: this.#services,
      mirrored: undefined,
      emit: (notification) => this.#emit(inFlight, notification),
      drained: this.#output.drained,
      ask: undefined
    }
  }

  #emit(inFlight: InFlight, notification: JsonRpc.Notification): void {
    if (!inFlight.isOpen || this.#isClosed) return
    if (inFlight.queued >= this.#limits.streamBuffer && this.#output.isBusy) return this.#endFlood(inFlight)
    const printed = JsonRpc.print(notification)
    if (Result.isFailure(printed)) {
      return this.#log(Effect.logError("A notification has no JSON form", printed.failure.cause))
    }
    inFlight.queued++
    this.#output.write(printed.success, () => {
      inFlight.queued--
    })
  }

  /** More notifications than may wait for a peer that does not read: this request ends, the others go on. */
  #endFlood(inFlight: InFlight): void {
    const { id } = inFlight
    this.#cancel(inFlight)
    if (id === undefined) return
    this.#byId.delete(id)
    this.#refuse(
      id,
      new McpError.InternalError({
        message: `More than ${this.#limits.streamBuffer} notifications wait to be read (the limit streamBuffer)`
      })
    )
  }
}

const newInFlight = (id: JsonRpc.Id | undefined): InFlight => ({ id, call: undefined, isOpen: true, queued: 0 })

const idInUse = new McpError.InvalidRequest({ message: "The id is that of a request without an answer yet" })

const noLegacy = new McpError.InvalidRequest({ message: "Revisions before 2026-07-28 are not served over stdio" })
