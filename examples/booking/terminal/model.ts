/** The model of this client: a script, so that the example needs no network. A real one is called here instead. */
import type { CreateMessageRequestParams, CreateMessageResult } from "@effect-mcp/core/schema/Sampling"
import * as Effect from "effect/Effect"

const words = "Good afternoon, we look forward to our stay. Please have a look at our wishes. Kind regards".split(" ")

/** SAMP-4: no more than was asked for. A word counts as one token here. */
export const answer = ({ maxTokens }: CreateMessageRequestParams): Effect.Effect<CreateMessageResult> =>
  Effect.succeed({
    role: "assistant",
    content: { type: "text", text: words.slice(0, maxTokens).join(" ") },
    model: "script-1",
    stopReason: maxTokens < words.length ? "maxTokens" : "endTurn"
  })
