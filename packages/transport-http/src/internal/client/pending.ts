/**
 * A request whose answer comes on a stream that it shares with others. What arrives for it is kept in order until the fiber
 * that sent it takes it: that fiber runs the consumer, so a slow one stops nobody else.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Method from "@effect-mcp/core/Method"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type { Incoming } from "./messages.ts"

type Inbox = Queue.Queue<Incoming, McpClientError | Cause.Done>

export const makeInbox = (max: number): Effect.Effect<Inbox> => Queue.bounded(max)

export class Pending {
  readonly message: JsonRpc.Request
  readonly progressToken: JsonRpc.Id | undefined
  readonly #onMessage: Outgoing["onMessage"]
  readonly #inbox: Inbox
  #response: JsonRpc.Response | undefined
  #isOverrun = false
  /** Whether the consumer has begun with a message since that was last looked at. */
  #hasMoved = false

  constructor({ message, onMessage }: Outgoing, inbox: Inbox) {
    const meta = message.params?._meta
    const token = JsonRpc.isJsonObject(meta) ? meta[Meta.key.progressToken] : undefined
    this.message = message
    this.progressToken = JsonRpc.isId(token) ? token : undefined
    this.#onMessage = onMessage
    this.#inbox = inbox
  }

  /** Whether more came than there was room for. */
  get isOverrun(): boolean {
    return this.#isOverrun
  }

  /** `false` if there is no room for it. */
  deliver(message: Incoming): boolean {
    return Queue.offerUnsafe(this.#inbox, message)
  }

  /** Waits until there is room for it, or until the request has ended. */
  room(message: Incoming): Effect.Effect<unknown> {
    return Queue.offer(this.#inbox, message)
  }

  /** Ends it because of a message that there was no room for. */
  overrun(error: McpClientError): void {
    this.#isOverrun ||= Queue.failCauseUnsafe(this.#inbox, Cause.fail(error))
  }

  /** The answer comes after the messages before it. What was decided first holds. */
  end(exit: Exit.Exit<JsonRpc.Response, McpClientError>): void {
    if (Exit.isFailure(exit)) return void Queue.failCauseUnsafe(this.#inbox, exit.cause)
    this.#response ??= exit.value
    Queue.endUnsafe(this.#inbox)
  }

  /** Whether the consumer was at work since it was last asked. */
  hasMoved(): boolean {
    const hasMoved = this.#hasMoved
    this.#hasMoved = false
    return hasMoved
  }

  readonly #consume = (message: Incoming): Effect.Effect<void> => {
    this.#hasMoved = true
    return this.#onMessage(message)
  }

  /** Hands the messages to the consumer, one by one, and ends with the answer. */
  get settled(): Effect.Effect<JsonRpc.Response, McpClientError> {
    return Effect.catchIf(
      // All that there are at once: who waits for room waits for a whole buffer, not at the consumer's pace for each message.
      Effect.forever(
        Effect.flatMap(
          Queue.takeAll(this.#inbox),
          (messages) => Effect.forEach(messages, this.#consume, { discard: true })
        )
      ),
      Cause.isDone,
      () => this.#response === undefined ? Effect.never : Effect.succeed(this.#response)
    )
  }
}

/** The token that says whose progress this is. */
export const tokenOf = ({ method, params }: JsonRpc.Notification): JsonRpc.Id | undefined => {
  const token = method === Method.progress.name ? params?.[Meta.key.progressToken] : undefined
  return JsonRpc.isId(token) ? token : undefined
}
