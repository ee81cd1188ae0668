/**
 * Reading a stream of events up to the answer that it should carry.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Sse from "effect/encoding/Sse"
import * as Exit from "effect/Exit"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { patience } from "./body.ts"
import { type Chunks, Events, type Place } from "./events.ts"
import { type Receiver, take } from "./messages.ts"

/** What is needed to read a stream. */
export interface Reading {
  readonly limits: Limits.Values
  /** The scope of the whole connection, in which what is left of a stream ends. */
  readonly connection: Scope.Scope
  /** Where the place in the stream is kept, if it may be gone on with. */
  readonly place?: Place | undefined
  /** Takes events that are no messages. */
  readonly onOther?: ((event: Sse.Event) => void) | undefined
}

/**
 * Reads a stream up to the answer, and gives what comes before it to the receiver, in order. `undefined` if it ends
 * without one. Leaving it in any other way closes the connection.
 */
export const read = (
  response: HttpClientResponse.HttpClientResponse,
  receiver: Receiver,
  { connection, limits, onOther, place }: Reading
): Effect.Effect<JsonRpc.Response | undefined, McpClientError.McpClientError> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    let chunks: Chunks = Cause.done()
    return Stream.toPull(response.stream).pipe(
      Scope.provide(scope),
      Effect.flatMap((pull) => upToAnswer(new Events(chunks = pull, limits, place, onOther), receiver, limits)),
      Effect.onExit((exit) =>
        Exit.isSuccess(exit)
          // The connection can serve again once the stream has ended, which the answer need not wait for.
          ? Effect.forkIn(release(chunks, scope), connection, { startImmediately: true })
          : Scope.close(scope, exit)
      )
    )
  })

const release = (chunks: Chunks, scope: Scope.Closeable): Effect.Effect<void> =>
  Effect.forever(chunks).pipe(
    Effect.timeoutOption(patience),
    Effect.ignore,
    Effect.onExit((exit) => Scope.close(scope, exit))
  )

const upToAnswer = Effect.fnUntraced(function*(events: Events, receiver: Receiver, limits: Limits.Values) {
  while (true) {
    const texts = yield* events.next
    if (texts === undefined) return undefined
    for (const text of texts) {
      const found = yield* take(text, receiver, limits)
      if (found !== undefined) return found
    }
  }
})
