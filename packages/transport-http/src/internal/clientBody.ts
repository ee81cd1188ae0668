/**
 * Answers that are one body.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import * as clientError from "./clientError.ts"

type Response = HttpClientResponse.HttpClientResponse

/** How much of the body of an error is read. */
const errorBytes = 64 * 1024

/** How much of a body is shown to a person. */
const shown = 500

/** The answer in a JSON body. */
export const answer = Effect.fnUntraced(function*(
  response: Response,
  request: JsonRpc.Request,
  limits: Limits.Values
) {
  const { complete, text } = yield* read(response, limits.messageBytes)
  if (!complete) return yield* clientError.limitExceeded("messageBytes", limits.messageBytes)
  const parsed = JsonRpc.parse(text, limits)
  const found = answerTo(request.id, parsed)
  if (found !== undefined) return found
  const problem = parsed._tag === "Malformed" ? parsed.error.message : "the body is no answer to this request"
  return yield* clientError.invalidAnswer(request.method, problem, text.slice(0, shown))
})

/**
 * The answer in what was received for a request, if it is one. An error without an id answers what could not be read,
 * and nothing else was sent (RPC-5).
 */
export const answerTo = (id: JsonRpc.Id, message: JsonRpc.Parsed): JsonRpc.Response | undefined => {
  switch (message._tag) {
    case "Success":
      return message.id === id ? message : undefined
    case "Failure":
      return message.id === id || message.id === undefined ? JsonRpc.failure(id, message.error) : undefined
    default:
      return undefined
  }
}

/** A successful status with a body that is neither of the two forms an answer has (HTTP-6). */
export const unreadable = Effect.fnUntraced(function*(response: Response, request: JsonRpc.Request) {
  const contentType = response.headers["content-type"]
  const problem = contentType === undefined ? "it has no content type" : `its content type is ${contentType}`
  const raw = (yield* beginning(response)).slice(0, shown)
  return yield* clientError.invalidAnswer(request.method, `status ${response.status}, and ${problem}`, raw)
})

/** The failure of a status that was not hoped for. */
export const unexpectedStatus = Effect.fnUntraced(function*(response: Response) {
  return yield* statusError(response, yield* beginning(response))
})

/** The same, with the body already read. */
export const statusError = (response: Response, body: string): McpClientError.McpClientError =>
  McpClientError.make(
    new McpClientError.UnexpectedStatus({ status: response.status, body: body.slice(0, shown).trim() })
  )

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
