/**
 * A request that waits for its answer. What arrives for it is kept in order until the fiber that sent it takes it: that
 * fiber runs the consumer, so a slow consumer stops nobody else (the reader waits for it only shortly).
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Marks, marksOf } from "./correlation.ts"
import { Room } from "./room.ts"

type Message = JsonRpc.Notification | JsonRpc.Request
type Answer = Exit.Exit<JsonRpc.Response, McpClientError>

export class PendingRequest {
  readonly message: JsonRpc.Request
  readonly marks: Marks
  readonly room = new Room()
  readonly #onMessage: Outgoing["onMessage"]
  #inbox: Array<Message> = []
  #answer: Answer | undefined
  #wake: (() => void) | undefined

  constructor(request: Outgoing) {
    this.message = request.message
    this.marks = marksOf(request.message)
    this.#onMessage = request.onMessage
  }

  /** Whether its fate is decided, taken by its fiber or not. */
  get isSettled(): boolean {
    return this.#answer !== undefined
  }

  /** Messages that wait for the consumer. */
  get waiting(): number {
    return this.#inbox.length
  }

  deliver(message: Message): void {
    this.#inbox.push(message)
    this.#wake?.()
  }

  /** The answer comes after the messages before it. */
  answer(response: JsonRpc.Response): void {
    this.#answer ??= Exit.succeed(response)
    this.#wake?.()
  }

  fail(error: McpClientError): void {
    this.#answer ??= Exit.fail(error)
    this.#wake?.()
  }

  /** Hands the messages to the consumer, one by one, and ends with the answer. */
  readonly settled: Effect.Effect<JsonRpc.Response, McpClientError> = Effect.suspend(() => {
    if (this.#inbox.length > 0) {
      const messages = this.#inbox
      this.#inbox = []
      this.room.made()
      return Effect.andThen(Effect.forEach(messages, this.#consume, { discard: true }), this.settled)
    }
    return this.#answer ?? this.#arrival
  })

  readonly #consume = (message: Message): Effect.Effect<void> => {
    this.room.moved()
    return this.#onMessage(message)
  }

  readonly #arrival: Effect.Effect<JsonRpc.Response, McpClientError> = Effect.callback((resume) => {
    this.#wake = () => {
      this.#wake = undefined
      resume(this.settled)
    }
  })
}
