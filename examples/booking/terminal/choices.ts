/** What there is to choose from, as the terminal shows it. */
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { PrimitiveSchemaDefinition } from "@effect-mcp/core/schema/ElicitationSchema"
import type * as Prompt from "effect/cli/Prompt"
import { plain } from "./show.ts"

/** The choices of a field, of which `selected` is what is filled in already; none for a field that is free. */
export const choicesOf = (
  definition: PrimitiveSchemaDefinition,
  selected: unknown
): ReadonlyArray<Prompt.SelectChoice<string>> =>
  (ElicitationForm.choices(definition) ?? []).map(({ title, value }) => ({
    title: plain(title),
    value,
    selected: Array.isArray(selected) ? selected.includes(value) : selected === value
  }))
