import type { Value, Values } from "../UriTemplate.ts"
import { encodeReserved, encodeUnreserved, type Operator, type Part, type Variable } from "./uriTemplateSyntax.ts"

/** @internal */
export const isList = (value: Value): value is ReadonlyArray<string> => Array.isArray(value)

/** @internal */
export const expand = (parts: ReadonlyArray<Part>, values: Values): string => {
  let uri = ""
  for (const part of parts) uri += part._tag === "Literal" ? part.text : expandExpression(part, values)
  return uri
}

const expandExpression = (
  { operator, variables }: Extract<Part, { readonly _tag: "Expression" }>,
  values: Values
): string => {
  const texts: Array<string> = []
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    if (value === undefined) continue
    const text = expandVariable(operator, variable, value)
    if (text !== undefined) texts.push(text)
  }
  return texts.length === 0 ? "" : operator.first + texts.join(operator.separator)
}

const expandVariable = (operator: Operator, variable: Variable, value: Value): string | undefined => {
  const encode = operator.reserved ? encodeReserved : encodeUnreserved
  const named = (name: string, text: string) => text === "" ? name + operator.ifEmpty : `${name}=${text}`
  if (typeof value === "string") {
    const text = encode(variable.prefix === undefined ? value : takePrefix(value, variable.prefix))
    return operator.named ? named(variable.name, text) : text
  }
  const pairs = isList(value) ? undefined : Object.entries(value)
  const texts = isList(value)
    ? value.map(encode)
    : Object.entries(value).flatMap(([key, item]) => [encode(key), encode(item)])
  // An empty list or map is as good as none.
  if (texts.length === 0) return undefined
  if (!variable.explode) {
    const text = texts.join(",")
    return operator.named ? named(variable.name, text) : text
  }
  const exploded = pairs === undefined
    ? texts.map((text) => operator.named ? named(variable.name, text) : text)
    : pairs.map(([key, item]) => operator.named ? named(encode(key), encode(item)) : `${encode(key)}=${encode(item)}`)
  return exploded.join(operator.separator)
}

/**
 * The first characters of a text, not splitting surrogate pairs.
 *
 * @internal
 */
export const takePrefix = (text: string, count: number): string =>
  text.length <= count ? text : Array.from(text.slice(0, 2 * count)).slice(0, count).join("")
