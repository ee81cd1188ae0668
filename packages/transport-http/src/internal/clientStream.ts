/**
 * Answers that are a stream of events.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Exit from "effect/Exit"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { answerTo } from "./clientBody.ts"
import * as clientError from "./clientError.ts"

type Chunks = Pull.Pull<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError>

/** How long a server that has answered may take to end its response before the connection is given up. */
export const patience = Duration.seconds(1)

/**
 * Reads a stream up to the answer, and gives what comes before it to `onMessage`, in order. Leaving it in any other way
 * closes the connection.
 */
export const answer = (
  response: HttpClientResponse.HttpClientResponse,
  outgoing: Outgoing,
  limits: Limits.Values,
  connection: Scope.Scope
): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    let chunks: Chunks = Cause.done()
    return Stream.toPull(response.stream).pipe(
      Scope.provide(scope),
      Effect.flatMap((pull) => new Reader(chunks = pull, outgoing, limits).answer),
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

class Reader {
  readonly #chunks: Chunks
  readonly #outgoing: Outgoing
  readonly #limits: Limits.Values
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  readonly #parser: Sse.Parser
  #texts: Array<string> = []

  constructor(chunks: Chunks, outgoing: Outgoing, limits: Limits.Values) {
    this.#chunks = chunks
    this.#outgoing = outgoing
    this.#limits = limits
    this.#parser = Sse.makeParser((event) => {
      // Events of other kinds are not messages, and an event without data has nothing to say.
      if (event._tag === "Event" && event.event === "message" && event.data !== "") this.#texts.push(event.data)
    }, { maxEventSize: limits.sseEventBytes })
  }

  get answer(): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> {
    return this.#read()
  }

  readonly #read = Effect.fnUntraced({ self: this }, function*(this: Reader) {
    while (true) {
      const chunk = yield* this.#next()
      if (chunk === undefined) {
        return yield* McpClientError.make(new McpClientError.StreamEnded({ method: this.#outgoing.message.method }))
      }
      for (const bytes of chunk) {
        const error = this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
        // What came before the event that is too large is lost with the stream, as its answer is.
        if (error !== undefined) return yield* clientError.limitExceeded("sseEventBytes", this.#limits.sseEventBytes)
      }
      const texts = this.#texts
      this.#texts = []
      for (const text of texts) {
        const found = yield* this.#take(text)
        if (found !== undefined) return found
      }
    }
  })

  /** The next bytes; `undefined` at the end. */
  #next(): Effect.Effect<ReadonlyArray<Uint8Array> | undefined, McpClientError.McpClientError> {
    return Effect.mapError(Pull.catchDone(this.#chunks, () => Effect.succeed(undefined)), clientError.brokenOff)
  }

  #take(text: string): Effect.Effect<JsonRpc.Response | undefined, McpClientError.McpClientError> {
    const { message, onMessage } = this.#outgoing
    const parsed = JsonRpc.parse(text, this.#limits)
    switch (parsed._tag) {
      case "Notification":
      case "Request":
        return Effect.as(onMessage(parsed), undefined)
      case "Success":
      case "Failure":
        // The answer to another request is not taken for this one.
        return Effect.succeed(answerTo(message.id, parsed))
      default:
        return Effect.fail(
          clientError.invalidAnswer(
            message.method,
            parsed._tag === "Malformed" ? parsed.error.message : "an event has one message",
            text.slice(0, 500)
          )
        )
    }
  }
}
