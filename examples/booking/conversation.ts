/** What the client wants of the hotel. What the hotel asks meanwhile is for its handlers. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as Effect from "effect/Effect"
import { Book } from "./contract.ts"
import { show } from "./terminal/show.ts"

export const conversation = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  yield* show(`Connected to ${client.server.info?.title ?? "a server"}, revision ${client.server.revision}`)
  const { arrival, departure, euros, note, number, payment, receipt, room } = yield* client.call(Book, {})
  yield* show(`\nBooked: ${number}, a ${room} from ${arrival} to ${departure} for ${euros} €, paid ${payment}.`)
  yield* show(`The hotel has read: ${note}`)
  if (receipt !== undefined) yield* show(`The receipt is in ${receipt}`)
}).pipe(
  // Declined, Cancelled and SoldOut come back as what they were.
  Effect.catchTag(["Declined", "Cancelled", "SoldOut"], ({ message }) => show(`\nNot booked. ${message}`)),
  // A person who refuses the model is one error up to 2025-11-25, and another since.
  Effect.catchTag("UserRejected", ({ message }) => show(`\nNot booked. ${message}`)),
  Effect.catchReason(
    "McpClientError",
    "InputNotGiven",
    ({ cause, problem }) => show(`\nNot booked. ${cause?.message ?? problem}`)
  )
)
