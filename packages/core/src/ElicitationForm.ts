/**
 * The answer to a form: the defaults of its fields, and whether the values fit. A client checks an answer before it is
 * sent, and a server when it has come (ELI-12).
 *
 * @since 0.1.0
 */
import type { JsonObject } from "./schema/Common.ts"
import type { ElicitResult, RequestedSchema } from "./schema/Elicitation.ts"
import type { PrimitiveSchemaDefinition, StringSchema } from "./schema/ElicitationSchema.ts"

/**
 * The values of a form, by field (ELI-11).
 *
 * @category models
 * @since 0.1.0
 */
export type Values = NonNullable<ElicitResult["content"]>

/**
 * A format that the text of a field may be asked to have (ELI-6).
 *
 * @category models
 * @since 0.1.0
 */
export type Format = NonNullable<StringSchema["format"]>

/**
 * What a person can choose from, and what is shown of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Choice {
  readonly value: string
  readonly title: string
}

/**
 * The choices of a field, in whichever way the form has them; `undefined` for a field that is free (ELI-8, ELI-9).
 *
 * **Example** (Titles in the older way)
 *
 * ```ts
 * import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
 *
 * ElicitationForm.choices({ type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] })
 * // [{ value: "s", title: "Small" }, { value: "l", title: "Large" }]
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const choices = (definition: PrimitiveSchemaDefinition): ReadonlyArray<Choice> | undefined => {
  if (definition.type === "array") {
    const { items } = definition
    return "enum" in items ? untitled(items.enum) : titled(items.anyOf)
  }
  if ("oneOf" in definition && definition.oneOf !== undefined) return titled(definition.oneOf)
  if (!("enum" in definition) || definition.enum === undefined) return undefined
  return untitled(definition.enum, "enumNames" in definition ? definition.enumNames : undefined)
}

const titled = (options: ReadonlyArray<{ readonly const: string; readonly title: string }>): ReadonlyArray<Choice> =>
  options.map(({ const: value, title }) => ({ value, title }))

const untitled = (values: ReadonlyArray<string>, titles?: ReadonlyArray<string>): ReadonlyArray<Choice> =>
  values.map((value, index) => ({ value, title: titles?.[index] ?? value }))

/**
 * The values, with the defaults of the fields that were left out (ELI-10).
 *
 * **Example** (Filling in what was left out)
 *
 * ```ts
 * import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
 *
 * ElicitationForm.withDefaults({ type: "object", properties: { nights: { type: "integer", default: 1 } } }, {})
 * // { nights: 1 }
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const withDefaults = (schema: RequestedSchema, given: Values | undefined): Values => {
  // Without a prototype: a field may be called anything.
  const content: Record<string, Values[string]> = Object.create(null)
  for (const [field, definition] of Object.entries(schema.properties)) {
    if (definition.default !== undefined) content[field] = definition.default
  }
  for (const [field, value] of Object.entries(given ?? {})) {
    if (value !== undefined) content[field] = value
  }
  return { ...content }
}

/**
 * What is wrong with the values of a form, field by field; nothing if they fit (ELI-12). The values are not told.
 *
 * **Details**
 *
 * The schema is the flat subset that forms have, so that nothing more than this is needed to check it. Values of fields
 * that the form does not have are not looked at.
 *
 * **Example** (A number that is too small)
 *
 * ```ts
 * import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
 *
 * ElicitationForm.problems({ type: "object", properties: { nights: { type: "integer", minimum: 1 } } }, { nights: 0 })
 * // ["nights is less than 1"]
 * ```
 *
 * @category validation
 * @since 0.1.0
 */
export const problems = (schema: RequestedSchema, content: JsonObject): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const field of schema.required ?? []) {
    if (!Object.hasOwn(content, field)) found.push(`${field} is missing`)
  }
  for (const [field, definition] of Object.entries(schema.properties)) {
    const problem = Object.hasOwn(content, field) ? problemOf(definition, content[field]) : undefined
    if (problem !== undefined) found.push(`${field} ${problem}`)
  }
  return found
}

const problemOf = (definition: PrimitiveSchemaDefinition, value: unknown): string | undefined => {
  switch (definition.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "is not a boolean"
    case "number":
    case "integer":
      return numberProblem(definition, value)
    case "array":
      return listProblem(definition, value)
    case "string":
      return typeof value === "string" ? stringProblem(definition, value) : "is not a string"
  }
}

type Of<T> = Extract<PrimitiveSchemaDefinition, { readonly type: T }>

const numberProblem = (
  { maximum, minimum, type }: Extract<PrimitiveSchemaDefinition, { readonly minimum?: unknown }>,
  value: unknown
): string | undefined => {
  if (typeof value !== "number" || !Number.isFinite(value)) return "is not a number"
  if (type === "integer" && !Number.isInteger(value)) return "is not an integer"
  if (minimum !== undefined && value < minimum) return `is less than ${minimum}`
  if (maximum !== undefined && value > maximum) return `is more than ${maximum}`
  return undefined
}

const listProblem = (definition: Of<"array">, value: unknown): string | undefined => {
  const { maxItems, minItems } = definition
  if (!Array.isArray(value)) return "is not a list"
  if (!value.every((item) => isChoice(definition, item))) return "has a value that is not an option"
  if (minItems !== undefined && value.length < minItems) return `has fewer than ${minItems} values`
  if (maxItems !== undefined && value.length > maxItems) return `has more than ${maxItems} values`
  return undefined
}

/** A field that is free takes anything. */
const isChoice = (definition: PrimitiveSchemaDefinition, value: unknown): boolean =>
  choices(definition)?.some((choice) => choice.value === value) ?? true

const stringProblem = (definition: Of<"string">, value: string): string | undefined => {
  if (!isChoice(definition, value)) return "is not one of the options"
  if (!("format" in definition || "minLength" in definition || "maxLength" in definition)) return undefined
  const { format, maxLength, minLength } = definition
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...value].length
  if (minLength !== undefined && length < minLength) return `is shorter than ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `is longer than ${maxLength} characters`
  return format === undefined || hasFormat(value, format) ? undefined : `is not in the format ${format}`
}

/**
 * Tells whether a text is in a format of forms (ELI-6).
 *
 * **Details**
 *
 * - `email` has something on both sides of an `@`, and no spaces: more than that only sending a mail can tell.
 * - `uri` is absolute.
 * - `date` and `date-time` are those of RFC 3339, and the day exists.
 *
 * **Example** (A day that does not exist)
 *
 * ```ts
 * import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
 *
 * ElicitationForm.hasFormat("2023-02-29", "date") // false
 * ```
 *
 * @category validation
 * @since 0.1.0
 */
export const hasFormat = (text: string, format: Format): boolean => formats[format](text)

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const millis = Date.parse(`${text}T00:00:00Z`)
  // A day the month does not have would be taken for one of the next.
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text)
}

const formats: Readonly<Record<Format, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: isDate,
  "date-time": (text) => {
    const match =
      /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
        .exec(text)
    return match !== null && isDate(match[1] ?? "")
  }
}
