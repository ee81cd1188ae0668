/**
 * The definition of a field of a form, from the JSON Schema of a schema: the flat subset that forms have (ELI-5), or the
 * reason why there is none.
 *
 * What the subset has no word for is left out where the rest only admits more, since the answer is decoded by the schema
 * anyway. Where the rest would be a field of another kind there is none.
 */
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import { isJsonObject, type JsonObject } from "@effect-mcp/core/schema/Common"
import { PrimitiveSchemaDefinition } from "@effect-mcp/core/schema/ElicitationSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

type Definition = Result.Result<PrimitiveSchemaDefinition, string>

const decode = Schema.decodeUnknownResult(PrimitiveSchemaDefinition)

/** The decoder leaves out the words that are not of the subset. */
const definition = (json: JsonObject): Definition => Result.mapError(decode(json), ({ message }) => message)

/** What is said of a field beside its type. */
export interface Said {
  readonly title?: string
  readonly description?: string
  /** As it stands on the wire. */
  readonly default?: unknown
}

/** The field that a JSON Schema describes, with what else is said of it. */
export const toDefinition = (json: JsonObject, isOptional: boolean, said: Said): Definition => {
  const { default: value, ...schema } = { ...withoutNothing(merged(json), isOptional), ...said }
  const field = withoutDefault(schema)
  return value === undefined ? field : Result.flatMap(field, (field) => withDefault(field, value))
}

/** A default has to be an answer. */
const withDefault = (field: PrimitiveSchemaDefinition, value: unknown): Definition => {
  const problems = ElicitationForm.problems({ type: "object", properties: { default: field } }, { default: value })
  return problems.length === 0
    ? definition({ ...field, default: value })
    : Result.fail(`its ${problems.join(", ")}`)
}

const withoutDefault = (schema: JsonObject): Definition => {
  const options = choices(schema)
  if (options !== undefined) return definition({ ...schema, type: "string", ...selection(options, "oneOf") })
  switch (schema.type) {
    case "string":
      return definition(withKnownFormat(schema))
    case "number":
    case "integer":
      return "enum" in schema ? Result.fail(noStrings) : definition(bounded(schema))
    case "boolean":
      return definition(schema)
    case "array": {
      const items = itemChoices(schema)
      return items === undefined
        ? Result.fail("a list is a choice of several: use Form.multiSelect, or Schema.Array of Schema.Literals")
        : definition({ ...schema, items: { type: "string", ...selection(items, "anyOf") } })
    }
    case "object":
      return Result.fail("a form is flat, and has no objects in it")
  }
  if (isNullable(schema)) return Result.fail("a form has no null: use Schema.optionalKey")
  if (Array.isArray(schema.anyOf)) {
    const isChoice = schema.anyOf.every((member) => isJsonObject(member) && "enum" in member)
    return Result.fail(isChoice ? noStrings : "a field has one type, and is no union")
  }
  if ("$ref" in schema) return Result.fail("a form is flat, and nothing in it is recursive")
  return Result.fail("not" in schema ? "there is nothing to choose from" : "its type cannot be told")
}

const noStrings = "the options of a choice are strings"

const isNullable = ({ anyOf, type }: JsonObject): boolean =>
  type === "null" || (Array.isArray(anyOf) && anyOf.some(isNullable))

const lower = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems"])
const upper = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems"])

/** One schema for those that all have to hold. Of what is no bound, the last one counts. */
const merged = ({ allOf, ...own }: JsonObject): JsonObject => {
  const all: Record<string, unknown> = { ...own }
  for (const member of Array.isArray(allOf) ? allOf.filter(isJsonObject) : []) {
    for (const [keyword, value] of Object.entries(merged(member))) {
      const other = all[keyword]
      const isBound = typeof value === "number" && typeof other === "number"
      all[keyword] = isBound && lower.has(keyword)
        ? Math.max(value, other)
        : isBound && upper.has(keyword)
        ? Math.min(value, other)
        : value
    }
  }
  return all
}

/** The numbers of Effect that JSON does not have, which are strings in a schema. */
const areNoNumbers = (member: JsonObject): boolean => Array.isArray(member.enum) && member.enum.includes("NaN")

/** Takes out what no answer is: `null`, where the field may be left out, and what is no number in JSON. */
const withoutNothing = (schema: JsonObject, isOptional: boolean): JsonObject => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const all = anyOf.filter(isJsonObject).map(merged)
  const isNumeric = all.some(({ type }) => type === "number")
  const members = all.filter((member) =>
    !(isOptional && member.type === "null") && !(isNumeric && areNoNumbers(member))
  )
  const [only] = members
  return only === undefined || members.length > 1 || members.length === all.length || isTitled(only)
    ? { ...rest, anyOf: members }
    : withoutNothing({ ...only, ...rest }, isOptional)
}

const formats = new Set<unknown>(["email", "uri", "date", "date-time"] satisfies Array<ElicitationForm.Format>)

const withKnownFormat = ({ format, ...schema }: JsonObject): JsonObject =>
  formats.has(format) ? { ...schema, format } : schema

const isNumber = (u: unknown): u is number => typeof u === "number"

/** ELI-7: bounds are inclusive. Those of every integer are none. */
const bounded = ({ exclusiveMaximum, exclusiveMinimum, maximum, minimum, ...schema }: JsonObject): JsonObject => {
  const isInteger = schema.type === "integer"
  const above = isInteger && isNumber(exclusiveMinimum) ? Math.floor(exclusiveMinimum) + 1 : exclusiveMinimum
  const below = isInteger && isNumber(exclusiveMaximum) ? Math.ceil(exclusiveMaximum) - 1 : exclusiveMaximum
  const least = Math.max(...[minimum, above].filter(isNumber))
  const most = Math.min(...[maximum, below].filter(isNumber))
  return {
    ...schema,
    ...(least > (isInteger ? Number.MIN_SAFE_INTEGER : -Infinity) ? { minimum: least } : undefined),
    ...(most < (isInteger ? Number.MAX_SAFE_INTEGER : Infinity) ? { maximum: most } : undefined)
  }
}

interface Choice {
  readonly value: unknown
  readonly title: unknown
}

/** What there is to choose from, if a schema is a choice of strings. */
const choices = (schema: unknown): ReadonlyArray<Choice> | undefined => {
  if (!isJsonObject(schema)) return undefined
  if (Array.isArray(schema.anyOf)) {
    const members = schema.anyOf.map((member) => isTitled(member) ? [option(member)] : choices(member))
    return members.length > 0 && members.every((member) => member !== undefined) ? members.flat() : undefined
  }
  return schema.type === "string" && Array.isArray(schema.enum)
    ? schema.enum.map((value) => ({ value, title: undefined }))
    : undefined
}

interface Titled extends JsonObject {
  readonly enum: readonly [value: unknown]
  readonly title: unknown
}

/** A title beside a single value is that of an option, if there may be others. */
const isTitled = (schema: unknown): schema is Titled =>
  isJsonObject(schema) && schema.type === "string" && "title" in schema &&
  Array.isArray(schema.enum) && schema.enum.length === 1

const option = ({ enum: [value], title }: Titled): Choice => ({ value, title })

/** What is first in a list has to be a choice of the same. */
const itemChoices = ({ items, prefixItems = [] }: JsonObject): ReadonlyArray<Choice> | undefined =>
  Array.isArray(prefixItems) && prefixItems.every((first) => JSON.stringify(first) === JSON.stringify(items))
    ? choices(items)
    : undefined

/** ELI-8: with titles, if there are any. */
const selection = (options: ReadonlyArray<Choice>, titled: "oneOf" | "anyOf"): JsonObject =>
  options.some(({ title }) => title !== undefined)
    ? { [titled]: options.map(({ title, value }) => ({ const: value, title: title ?? value })) }
    : { enum: options.map(({ value }) => value) }
