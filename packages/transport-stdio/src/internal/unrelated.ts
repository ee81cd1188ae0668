/**
 * What servers say that belongs to no request: one stream for as long as the client lives, whichever process is current.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

export type Incoming = JsonRpc.Notification | JsonRpc.Request

type Waiting = Queue.Queue<Incoming, McpClientError.McpClientError | Cause.Done>

const makeQueue = (max: number): Effect.Effect<Waiting> => Queue.dropping(max)

export class Unrelated {
  readonly #max: number
  #queue: Waiting
  #isOver = false

  constructor(max: number, queue: Waiting) {
    this.#max = max
    this.#queue = queue
  }

  readonly stream: Stream.Stream<Incoming, McpClientError.McpClientError> = Stream.suspend(() =>
    Stream.fromQueue(this.#queue)
  )

  offer(message: Incoming): void {
    if (this.#isOver || Queue.offerUnsafe(this.#queue, message)) return
    this.fail(McpClientError.make(new McpClientError.LimitExceeded({ limit: "streamBuffer", max: this.#max })))
  }

  fail(error: McpClientError.McpClientError): void {
    this.#isOver = true
    Queue.failCauseUnsafe(this.#queue, Cause.fail(error))
  }

  end(): void {
    this.#isOver = true
    Queue.endUnsafe(this.#queue)
  }

  /** There is a new server. Who still listens goes on listening; who was told of the old one's end may begin again. */
  readonly renew: Effect.Effect<void> = Effect.suspend(() =>
    this.#isOver
      ? Effect.map(makeQueue(this.#max), (queue) => {
        this.#queue = queue
        this.#isOver = false
      })
      : Effect.void
  )
}

export const make = (max: number): Effect.Effect<Unrelated> =>
  Effect.map(makeQueue(max), (queue) => new Unrelated(max, queue))
