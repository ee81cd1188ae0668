/**
 * Puts generated JSON Schemas into the form hosts and header annotations need: the same instances are valid, but for an
 * empty struct, which becomes an object.
 */
import { isJsonObject, type JsonObject } from "../schema/Common.ts"

const single = new Set(["items", "contains", "additionalProperties", "propertyNames", "not"])
const lists = new Set(["prefixItems", "anyOf", "oneOf", "allOf"])
const maps = new Set(["properties", "patternProperties", "$defs"])

/** Keywords that mean the same beside any others, and may so be moved out of an `allOf`. */
const independent = new Set([
  "title",
  "description",
  "default",
  "examples",
  "readOnly",
  "writeOnly",
  "format",
  "contentEncoding",
  "contentMediaType",
  "multipleOf",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties"
])

const mapValues = (object: JsonObject, f: (value: unknown, key: string) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

/** Tidies a schema and everything inside of it. Data, such as `default` and `enum`, is not looked at. */
export const tidy = (schema: JsonObject): JsonObject => {
  const inner = mapValues(schema, (value, keyword) => {
    if (single.has(keyword)) return tidyAny(value)
    if (lists.has(keyword) && Array.isArray(value)) return value.map(tidyAny)
    if (maps.has(keyword) && isJsonObject(value)) return mapValues(value, tidyAny)
    return value
  })
  return withoutOptionalNulls(hoist(emptyStruct(inner)))
}

const tidyAny = (schema: unknown): unknown => isJsonObject(schema) ? tidy(schema) : schema

/** The generator has no object to show for a struct without fields: it says what is not `null`. */
export const isEmptyStruct = ({ not }: JsonObject): boolean =>
  isJsonObject(not) && not.type === "null" && Object.keys(not).length === 1

const emptyStruct = (schema: JsonObject): JsonObject => {
  if (!isEmptyStruct(schema)) return schema
  const { not: _, ...rest } = schema
  return { type: "object", ...rest }
}

/** The annotations of a schema with checks are generated into an `allOf`, out of reach for `x-mcp-header`. */
const hoist = (schema: JsonObject): JsonObject => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const kept: Array<unknown> = []
  const hoisted: Record<string, unknown> = { ...rest }
  for (const member of allOf) {
    const keys = isJsonObject(member) ? Object.keys(member) : []
    if (isJsonObject(member) && keys.every((key) => canMove(key) && !Object.hasOwn(hoisted, key))) {
      Object.assign(hoisted, member)
    } else kept.push(member)
  }
  return kept.length === 0 ? hoisted : { ...hoisted, allOf: kept }
}

const canMove = (keyword: string): boolean => independent.has(keyword) || keyword.startsWith("x-")

/** `Schema.optional` also takes `null`, for "omitted" (HDR-15). An argument with a header has one type (HDR-12). */
const withoutOptionalNulls = (schema: JsonObject): JsonObject => {
  const { properties } = schema
  if (!isJsonObject(properties)) return schema
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    properties: mapValues(properties, (property, name) => required.includes(name) ? property : withoutNull(property))
  }
}

const withoutNull = (property: unknown): unknown => {
  if (!isJsonObject(property) || !Array.isArray(property.anyOf) || property.anyOf.length !== 2) return property
  const { anyOf, ...rest } = property
  const [value, nothing]: ReadonlyArray<unknown> = anyOf
  return isJsonObject(value) && "x-mcp-header" in value && isJsonObject(nothing) && nothing.type === "null"
    ? { ...value, ...rest }
    : property
}

const reference = /^#\/\$defs\/([^/]+)$/

const definitionName = (schema: JsonObject): string | undefined =>
  typeof schema.$ref === "string"
    ? reference.exec(schema.$ref)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~")
    : undefined

/** What a reference refers to, with what stands beside the reference. */
export const resolve = (schema: JsonObject, definitions: JsonObject): JsonObject => {
  const name = definitionName(schema)
  const target = name === undefined ? undefined : definitions[name]
  if (!isJsonObject(target)) return schema
  const { $ref: _, ...rest } = schema
  return { ...target, ...rest }
}

/** Whether a schema only admits objects, as far as it can be told from its structure. */
export const isOfObjects = (
  schema: unknown,
  definitions: JsonObject,
  seen: ReadonlyArray<string> = []
): boolean => {
  if (!isJsonObject(schema)) return false
  if (schema.type === "object") return true
  const name = definitionName(schema)
  if (name !== undefined) {
    return !seen.includes(name) && isOfObjects(definitions[name], definitions, [...seen, name])
  }
  const members = schema.anyOf ?? schema.oneOf
  return Array.isArray(members) && members.length > 0 &&
    members.every((member) => isOfObjects(member, definitions, seen))
}

/** The definitions that are referred to, from the root or from one of these. */
export const usedDefinitions = (root: JsonObject, definitions: JsonObject): JsonObject => {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isJsonObject(value)) return
    const name = definitionName(value)
    if (name !== undefined && !used.has(name)) {
      used.add(name)
      visit(definitions[name])
    }
    Object.values(value).forEach(visit)
  }
  visit(root)
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name)))
}
