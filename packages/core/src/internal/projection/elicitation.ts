/**
 * Questions for the user, by revision (ELI-4 to ELI-9, ELI-11).
 *
 * There is no form of a URL before 2025-11-25, and no words that could stand for one safely: it is for the sender to see that
 * its peer has not declared the mode (ELI-2).
 */
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import { always, type Feature, kinds, object, only, since, until, upTo, value, values } from "./shape.ts"

/** Between the values of a field in which several are written as one text. */
const separator = ", "

interface Choice {
  readonly value: string
  readonly title: string
}

const choice = (option: unknown): ReadonlyArray<Choice> =>
  typeof option === "string"
    ? [{ value: option, title: option }]
    : isJsonObject(option) && typeof option.const === "string"
    ? [{ value: option.const, title: typeof option.title === "string" ? option.title : option.const }]
    : []

const choices = (options: unknown): ReadonlyArray<Choice> => Array.isArray(options) ? options.flatMap(choice) : []

/** What there is to choose several of, if that is what a field is for. */
const severalOf = (field: unknown): ReadonlyArray<Choice> | undefined =>
  isJsonObject(field) && field.type === "array" && isJsonObject(field.items)
    ? choices(Array.isArray(field.items.anyOf) ? field.items.anyOf : field.items.enum)
    : undefined

/** ELI-9: the older way to give titles to values. */
const enumNames = (field: JsonObject): JsonObject => {
  if (!Array.isArray(field.oneOf)) return field
  const { oneOf, ...rest } = field
  const options = choices(oneOf)
  return { ...rest, enum: options.map(({ value }) => value), enumNames: options.map(({ title }) => title) }
}

/** ELI-8: several of several values have no form before 2025-11-25; they are asked for as one text. */
const asText = (field: JsonObject): JsonObject => {
  const options = severalOf(field)
  if (options === undefined) return field
  const { default: _default, items: _items, maxItems: _maxItems, minItems: _minItems, ...rest } = field
  const list = options.map(({ title, value }) => title === value ? value : `${value} (${title})`).join(separator)
  const hint = `Any of these, separated by commas: ${list}`
  return {
    ...rest,
    type: "string",
    description: typeof field.description === "string" ? `${field.description}\n${hint}` : hint
  }
}

/** ELI-6, ELI-7: only a field for yes or no had a default from the start. */
const field = kinds({
  string: always(object({ default: since("2025-11-25") }, upTo("2025-06-18", enumNames))),
  number: always(object({ default: since("2025-11-25") })),
  integer: always(object({ default: since("2025-11-25") })),
  boolean: {},
  array: since("2025-11-25")
}, asText)

const requestedSchema = object({
  $schema: since("2025-11-25"),
  properties: always(values(field))
})

/** ELI-11: an answer may be several values from 2025-11-25 on. */
const answers = values(value((answer) => Array.isArray(answer) ? answer.join(separator) : answer))

/** The values in a text that stands for several, each by itself or by its title. */
const read = (text: string, options: ReadonlyArray<Choice>): ReadonlyArray<string> => {
  const known = (part: string) => options.find(({ title, value }) => part === value || part === title)?.value
  const whole = known(text.trim())
  if (whole !== undefined) return [whole]
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) => known(part) ?? part)
}

/** What a peer that was asked for a text has answered, as the several values that were wanted. */
export const readAnswer = (params: JsonObject) => (result: JsonObject): JsonObject => {
  const { content } = result
  const { requestedSchema } = params
  if (!isJsonObject(content) || !isJsonObject(requestedSchema) || !isJsonObject(requestedSchema.properties)) {
    return result
  }
  const { properties } = requestedSchema
  const several = Object.entries(content).flatMap(([name, answer]) => {
    const options = typeof answer === "string" && Object.hasOwn(properties, name)
      ? severalOf(properties[name])
      : undefined
    return options === undefined ? [] : [[name, read(String(answer), options)] as const]
  })
  return several.length === 0 ? result : { ...result, content: { ...content, ...Object.fromEntries(several) } }
}

export const elicitation: Feature = {
  "elicitation/create": {
    params: object({
      mode: since("2025-11-25"),
      requestedSchema: always(requestedSchema),
      task: only("2025-11-25")
    }),
    result: object({ content: always(until("2025-06-18", answers)) })
  }
}
