/** An address to visit. It is shown whole, and opened by nobody but the person (ELI-19, ELI-20). */
import * as Handlers from "@effect-mcp/client/Handlers"
import type { ElicitRequestURLParams } from "@effect-mcp/core/schema/Elicitation"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { introduce, plain, show } from "./show.ts"

export const url = Effect.fnUntraced(
  function*({ message, url }: ElicitRequestURLParams, asker: Handlers.Asker) {
    yield* introduce(asker, "wants you to visit an address:", message)
    const { href, host, hostname, protocol } = new URL(url)
    yield* show(`   Host:    ${host}\n   Address: ${plain(href)}`)
    if (protocol !== "https:") yield* show("   Careful: whatever you enter there can be read on the way.")
    if (/(^|\.)xn--/.test(hostname)) yield* show("   Careful: the name of the host is not what it may look like.")
    return yield* Prompt.Select<Handlers.UrlAnswer>({
      message: "Your answer",
      choices: [
        { title: "I open it in my browser", value: { action: "accept" } },
        { title: "Decline", value: Handlers.decline },
        { title: "Not now", value: Handlers.cancel }
      ]
    })
  },
  Effect.catchTag("QuitError", () => Effect.succeed(Handlers.cancel))
)
