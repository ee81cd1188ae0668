/**
 * What is done with the messages of a text from the server.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import * as clientError from "./error.ts"

/** What a server sends by itself. */
export type Incoming = JsonRpc.Notification | JsonRpc.Request

/** Where a connection leaves what belongs to no request. */
export type Unrelated = Queue.Queue<Incoming, McpClientError.McpClientError | Cause.Done>

/** Who takes the messages of a stream or a body. */
export interface Receiver {
  /** Whether an array is a batch of messages (RPC-16), or nothing the revision knows (RPC-18). */
  readonly batches: boolean
  readonly message: (message: Incoming) => Effect.Effect<void>
  /** Gives the response back if it is the one that ends the reading. */
  readonly response: (response: JsonRpc.Response) => JsonRpc.Response | undefined
  /** Something that is no message. */
  readonly problem: (problem: string, text: string) => Effect.Effect<undefined, McpClientError.McpClientError>
}

type Taken = Effect.Effect<JsonRpc.Response | undefined, McpClientError.McpClientError>

/** Takes one text, and gives the response that ends the reading if it has that. */
export const take = (text: string, receiver: Receiver, limits: Limits.Values): Taken => {
  const parsed = JsonRpc.parse(text, limits)
  if (parsed._tag !== "Batch") return one(parsed, text, receiver)
  if (!receiver.batches) return receiver.problem("one message was expected, not an array", text)
  const { batchMessages } = limits
  return parsed.items.length > batchMessages
    ? Effect.fail(clientError.limitExceeded("batchMessages", batchMessages))
    : all(parsed, text, receiver)
}

const one = (parsed: JsonRpc.Message | JsonRpc.Malformed, text: string, receiver: Receiver): Taken => {
  switch (parsed._tag) {
    case "Notification":
    case "Request":
      return Effect.as(receiver.message(parsed), undefined)
    case "Success":
    case "Failure":
      return Effect.succeed(receiver.response(parsed))
    case "Malformed":
      return receiver.problem(parsed.error.message, text)
  }
}

/** What comes after the answer in the same batch was sent with it, and is taken as well. */
const all = Effect.fnUntraced(function*({ items }: JsonRpc.Batch, text: string, receiver: Receiver) {
  let found: JsonRpc.Response | undefined
  for (const item of items) found = (yield* one(JsonRpc.fromItem(item), text, receiver)) ?? found
  return found
})

/** Logs what a server may cause as often as it likes, and must not fill the log with: the first is a warning. */
export const firstWarns = () => {
  let hasWarned = false
  return (message: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const log = hasWarned ? Effect.logDebug : Effect.logWarning
      hasWarned = true
      return log(message)
    })
}

/**
 * The response to a request, if it is one. An error without an id answers what could not be read, and nothing else was
 * sent (RPC-5).
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

/** Takes what answers one request. What answers another one is for `others`. */
export const receiverFor = (
  { message, onMessage }: Outgoing,
  batches: boolean,
  others: (response: JsonRpc.Response) => void
): Receiver => ({
  batches,
  message: onMessage,
  response: (response) => {
    const found = answerTo(message.id, response)
    if (found === undefined) others(response)
    return found
  },
  problem: (problem, text) => Effect.fail(clientError.invalidAnswer(message.method, problem, text.slice(0, 500)))
})
