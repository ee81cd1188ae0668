/**
 * What servers say that belongs to no request: one stream for as long as the client lives, whichever process is current.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Room } from "./room.ts"

export type Incoming = JsonRpc.Notification | JsonRpc.Request

type Waiting = Queue.Queue<Incoming, McpClientError.McpClientError | Cause.Done>

// The oldest gives way where nobody reads.
const makeQueue = (max: number): Effect.Effect<Waiting> => Queue.sliding(max)

export class Unrelated {
  readonly #max: number
  readonly room = new Room()
  #queue: Waiting
  #readers = 0
  #isOver = false

  constructor(max: number, queue: Waiting) {
    this.#max = max
    this.#queue = queue
  }

  readonly stream: Stream.Stream<Incoming, McpClientError.McpClientError> = Stream.suspend(() => {
    this.#readers++
    return Stream.fromQueue(this.#queue).pipe(
      Stream.mapArray((messages) => {
        this.room.made()
        return messages
      }),
      Stream.ensuring(Effect.sync(() => {
        this.#readers--
        this.room.made()
      }))
    )
  })

  /** How many more there is room for. */
  get free(): number {
    return this.#max - Queue.sizeUnsafe(this.#queue)
  }

  /** Whether somebody reads, for whom it is worth to wait. */
  get isRead(): boolean {
    return this.#readers > 0
  }

  /** `false` if another message was dropped for it. */
  offer(message: Incoming): boolean {
    if (this.#isOver) return true
    const { free } = this
    Queue.offerUnsafe(this.#queue, message)
    return free > 0
  }

  fail(error: McpClientError.McpClientError): void {
    this.#isOver = true
    Queue.failCauseUnsafe(this.#queue, Cause.fail(error))
    this.room.made()
  }

  end(): void {
    this.#isOver = true
    Queue.endUnsafe(this.#queue)
    this.room.made()
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
