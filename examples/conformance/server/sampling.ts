/** Tools that have the client's model answer. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const Ask = Tool.make("test_sampling", {
  description: "Has the client's model answer",
  input: { prompt: Schema.String.annotate({ description: "What the model is asked" }) }
})

const AskLive = McpServer.tool(Ask, ({ prompt }) =>
  Effect.gen(function*() {
    const answer = yield* Sampling.createMessage({ messages: prompt, maxTokens: 100 })
    return `LLM response: ${Sampling.textOf(answer)}`
  }))

const Needs = Tool.make("test_missing_capability", { description: "Does nothing for a client without a model" })

const NeedsLive = McpServer.tool(
  Needs,
  () => Effect.map(Sampling.createMessage({ messages: "Are you there?", maxTokens: 10 }), Sampling.textOf),
  // The client is told before anything is done, and not when the question comes.
  { needs: ["sampling"] }
)

export const layer = Layer.mergeAll(AskLive, NeedsLive)
