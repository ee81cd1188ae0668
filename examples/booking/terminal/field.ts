/** From a field of a form, as it stands on the wire, to a prompt for its value. */
import type { FormValues } from "@effect-mcp/client/Handlers"
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { PrimitiveSchemaDefinition } from "@effect-mcp/core/schema/ElicitationSchema"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { choicesOf } from "./choices.ts"
import { plain } from "./show.ts"

export type Value = FormValues[string]

export interface Field<Definition = PrimitiveSchemaDefinition> {
  readonly name: string
  readonly definition: Definition
  readonly required: boolean
  /** What is filled in already: what was answered before, or the default of the form (ELI-10). */
  readonly value: Value | undefined
}

/** Asks for a field. `undefined` leaves it out. */
export const prompt = (field: Field): Prompt.Prompt<Value | undefined> => {
  const { definition, required, value } = field
  const message = label(field)
  const choices = choicesOf(definition, value)
  switch (definition.type) {
    case "array":
      return Prompt.MultiSelect({ message, choices, ...bounds(definition.minItems, definition.maxItems) })
    case "boolean":
      return required ? Prompt.Confirm({ message, initial: value === true }) : Prompt.Select({
        message,
        choices: [true, false, undefined].map((option) => ({
          title: option === undefined ? "No answer" : option ? "Yes" : "No",
          value: option,
          selected: option === value
        }))
      })
    case "integer":
    case "number":
      return required || value !== undefined
        ? number(message, definition, value)
        : text(message, field, (typed) => Number(typed))
    case "string":
      if (choices.length > 0) {
        const none = { title: "No answer", value: undefined, selected: value === undefined }
        return Prompt.Select({ message, choices: required ? choices : [...choices, none] })
      }
      return text(message, field, (typed) => typed)
  }
}

const label = ({ definition, name, required }: Field): string => {
  const { description, title } = definition
  const format = "format" in definition ? definition.format : undefined
  const more = [
    required ? [] : "optional",
    description ?? [],
    format === "date" ? "like 2000-01-31" : format === "date-time" ? "like 2000-01-31T09:30:00Z" : []
  ].flat()
  return plain(`${title ?? name}${more.length === 0 ? "" : ` (${more.join("; ")})`}`)
}

const bounds = (min: number | undefined, max: number | undefined) => ({
  ...(min === undefined ? undefined : { min }),
  ...(max === undefined ? undefined : { max })
})

const number = (
  message: string,
  { maximum, minimum, type }: Extract<PrimitiveSchemaDefinition, { readonly minimum?: unknown }>,
  value: Value | undefined
): Prompt.Prompt<number> => {
  const options = {
    message,
    ...bounds(minimum, maximum),
    ...(typeof value === "number" ? { default: value } : undefined)
  }
  return type === "integer" ? Prompt.Int(options) : Prompt.Number(options)
}

/** Whatever can be typed. Nothing is no answer, unless a default would then stand for it. */
const text = (
  message: string,
  { definition, name, required, value }: Field,
  read: (typed: string) => Value
): Prompt.Prompt<Value | undefined> => {
  const valueOf = (typed: string) =>
    typed === "" && !required && definition.default === undefined ? undefined : read(typed)
  return Prompt.String({
    message,
    default: value === undefined ? "" : plain(String(value)),
    // ELI-12: what does not fit is said at once.
    validate: (typed) => {
      const value = valueOf(typed)
      const [problem] = value === undefined ? [] : ElicitationForm.problems(
        { type: "object", properties: { [name]: definition } },
        { [name]: value }
      )
      return problem === undefined ? Effect.succeed(typed) : Effect.fail(plain(problem))
    }
  }).pipe(Prompt.map(valueOf))
}
