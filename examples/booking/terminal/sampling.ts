/** A request to the model. The person sees what is asked and what is answered, and may change it or refuse (SAMP-13). */
import type * as Handlers from "@effect-mcp/client/Handlers"
import * as McpError from "@effect-mcp/core/McpError"
import type { CreateMessageRequestParams, SamplingMessage } from "@effect-mcp/core/schema/Sampling"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as model from "./model.ts"
import { introduce, plain, show } from "./show.ts"

export const createMessage = Effect.fnUntraced(
  function*(params: CreateMessageRequestParams, asker: Handlers.Asker) {
    const { maxTokens, messages, systemPrompt } = params
    yield* introduce(asker, "wants to ask your model:", `${systemPrompt ?? ""} (at most ${maxTokens} tokens)`)
    yield* Effect.forEach(messages, (message) => show(`   ${message.role}: ${plain(textOf(message))}`))
    if (!(yield* confirm("Ask the model?"))) return yield* refused
    const answer = yield* model.answer(params)
    const text = yield* Prompt.String({ message: "It says, and you may change it", default: plain(textOf(answer)) })
    if (!(yield* confirm("Send it?"))) return yield* refused
    return { ...answer, content: { type: "text" as const, text } }
  },
  Effect.catchTag("QuitError", () => Effect.fail(refused))
)

const confirm = (message: string) => Prompt.Confirm({ message, initial: true })

const refused = new McpError.UserRejected({ message: "The person did not want the model to be asked" })

const textOf = ({ content }: Pick<SamplingMessage, "content">): string =>
  [content].flat().map((block) => block.type === "text" ? block.text : `(${block.type})`).join("\n")
