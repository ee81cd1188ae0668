/** What the client answers when a server asks it something. */
import * as Handlers from "@effect-mcp/client/Handlers"
import * as Effect from "effect/Effect"

export const handlers = {
  // Forms are sent as they come, with the defaults of their fields.
  elicitation: { form: () => Effect.succeed(Handlers.accept()) },
  sampling: {
    createMessage: () => Effect.succeed({ role: "assistant", content: { type: "text", text: "Hello!" }, model: "none" })
  },
  roots: [{ uri: "file:///project", name: "The project" }]
} satisfies Handlers.Handlers
