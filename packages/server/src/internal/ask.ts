/**
 * From a question that an author writes down to the dialogue of the request that is being answered.
 */
import type * as McpError from "@effect-mcp/core/McpError"
import * as Effect from "effect/Effect"
import type { InteractionError } from "../InteractionError.ts"
import { McpRequest } from "../McpRequest.ts"
import { type Dialogue, dialogueOf, type Question } from "./dialogue.ts"
import { stateOf } from "./requestState.ts"

/** Asks the client of the request that is being answered. */
export const ask = <A, R>(
  question: Question<A, R>
): Effect.Effect<A, McpError.McpError | InteractionError, McpRequest | R> =>
  Effect.flatMap(
    dialogue,
    (dialogue) => Effect.andThen(dialogue.resumed, Effect.withFiber((fiber) => dialogue.ask(question, fiber)))
  )

/** The dialogue of the request that is being answered. */
export const dialogue: Effect.Effect<Dialogue, never, McpRequest> = Effect.flatMap(McpRequest, (request) => {
  const state = stateOf(request)
  return state === undefined
    ? Effect.die(
      new TypeError("The McpRequest in context was not made by a server, so that its client cannot be asked")
    )
    : Effect.succeed(dialogueOf(state))
})

/** An id that nobody else has. */
export const newId: Effect.Effect<string, never, McpRequest> = Effect.flatMap(dialogue, ({ newId }) => newId)
