/**
 * Answers that are one body.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as clientError from "./error.ts"
import { answerTo, type Receiver, take } from "./messages.ts"

type Response = HttpClientResponse.HttpClientResponse

/** How long a server that has answered may take to end its response before the connection is given up. */
export const patience = Duration.seconds(1)

/** How much of the body of an error is read. */
const errorBytes = 64 * 1024

/** How much of a body is shown to a person. */
export const shown = 500

/** The answer in a JSON body. */
export const answer = Effect.fnUntraced(function*(
  response: Response,
  request: JsonRpc.Request,
  limits: Limits.Values
) {
  const text = yield* whole(response, limits)
  const parsed = JsonRpc.parse(text, limits)
  const found = answerTo(request.id, parsed)
  if (found !== undefined) return found
  return yield* noAnswer(request, parsed._tag === "Malformed" ? parsed.error.message : undefined, text)
})

/** The answer in a JSON body that may have other messages beside it, as a batch has. */
export const answerAmong = Effect.fnUntraced(function*(
  response: Response,
  request: JsonRpc.Request,
  receiver: Receiver,
  limits: Limits.Values
) {
  const text = yield* whole(response, limits)
  return (yield* take(text, receiver, limits)) ?? (yield* noAnswer(request, undefined, text))
})

const whole = Effect.fnUntraced(function*(response: Response, limits: Limits.Values) {
  const { complete, text } = yield* read(response, limits.messageBytes)
  return complete ? text : yield* clientError.limitExceeded("messageBytes", limits.messageBytes)
})

const noAnswer = (request: JsonRpc.Request, problem = "the body is no answer to this request", text: string) =>
  clientError.invalidAnswer(request.method, problem, text.slice(0, shown))

/** A successful status with a body that is neither of the two forms an answer has (HTTP-6). */
export const unreadable = Effect.fnUntraced(function*(response: Response, request: JsonRpc.Request) {
  const contentType = response.headers["content-type"]
  const problem = contentType === undefined ? "it has no content type" : `its content type is ${contentType}`
  const raw = (yield* beginning(response)).slice(0, shown)
  return yield* clientError.invalidAnswer(request.method, `status ${response.status}, and ${problem}`, raw)
})

/** Reads what nobody wants: a body that is left would hold the connection, and one that does not end would hold the caller. */
export const drain = (response: Response): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(beginning(response), patience))

/** The beginning of a body. The status is known, so a body that breaks off is no error of its own. */
export const beginning = (response: Response): Effect.Effect<string> =>
  read(response, errorBytes).pipe(
    Effect.map(({ text }) => text),
    Effect.orElseSucceed(() => "")
  )

interface Body {
  readonly text: string
  /** Whether this is all of it. */
  readonly complete: boolean
}

const read = (response: Response, max: number): Effect.Effect<Body, McpClientError.McpClientError> => {
  const length = Number(response.headers["content-length"] ?? Number.NaN)
  // A length that holds needs no counting. That of a compressed body is not the one that matters.
  const body = length <= max && response.headers["content-encoding"] === undefined
    ? Effect.map(response.text, (text): Body => ({ text, complete: true }))
    : count(response, max)
  return Effect.mapError(body, clientError.brokenOff)
}

const count = (response: Response, max: number) =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    return response.stream.pipe(
      Stream.runForEachWhile((chunk) =>
        Effect.sync(() => {
          length += chunk.length
          text += decoder.decode(chunk, { stream: true })
          return length <= max
        })
      ),
      Effect.map((): Body => ({ text: text + decoder.decode(), complete: length <= max }))
    )
  })
