/** A form, field by field. The person sees who asks, may decline or cancel at any time, and sends nothing unseen (ELI-14). */
import * as Handlers from "@effect-mcp/client/Handlers"
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { ElicitRequestFormParams, RequestedSchema } from "@effect-mcp/core/schema/Elicitation"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { choose } from "./choose.ts"
import * as field from "./field.ts"
import { introduce } from "./show.ts"

export const form = (
  { message, requestedSchema }: ElicitRequestFormParams,
  asker: Handlers.Asker
): Effect.Effect<Handlers.FormAnswer, never, Prompt.Environment> =>
  introduce(asker, "asks you:", message).pipe(
    Effect.andThen(Prompt.run(answer(requestedSchema))),
    // Ctrl-C, Escape, or an end of the input.
    Effect.catchTag("QuitError", () => Effect.succeed(Handlers.cancel))
  )

const refusals = {
  Decline: () => Prompt.succeed<Handlers.FormAnswer>(Handlers.decline),
  "Not now": () => Prompt.succeed<Handlers.FormAnswer>(Handlers.cancel)
}

const answer = (schema: RequestedSchema): Prompt.Prompt<Handlers.FormAnswer> =>
  Object.keys(schema.properties).length === 0
    ? choose("Your answer", { Agree: () => Prompt.succeed<Handlers.FormAnswer>(Handlers.accept({})), ...refusals })
    : choose("Your answer", {
      "Fill in the form": () => fillIn(schema, ElicitationForm.withDefaults(schema, {})),
      ...refusals
    })

const fillIn = (schema: RequestedSchema, given: Handlers.FormValues): Prompt.Prompt<Handlers.FormAnswer> =>
  Prompt.all(
    Object.entries(schema.properties).map(([name, definition]) =>
      field.prompt({
        name,
        definition,
        required: schema.required?.includes(name) === true,
        value: given[name]
      }).pipe(Prompt.map((value) => [name, value] as const))
    )
  ).pipe(Prompt.flatMap((entries) => {
    const values: Handlers.FormValues = Object.fromEntries(
      entries.flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
    )
    return choose("All of this is sent", {
      Send: () => Prompt.succeed<Handlers.FormAnswer>(Handlers.accept(values)),
      Change: () => fillIn(schema, values),
      ...refusals
    })
  }))
