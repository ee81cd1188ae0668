/**
 * The syntax of RFC 6570 templates: characters, operators, and the parser.
 */
import * as Result from "effect/Result"

export interface Variable {
  readonly name: string
  readonly explode: boolean
  /** The number of characters that are kept of the value, where the template limits it. */
  readonly prefix: number | undefined
}

export interface Operator {
  /** What an expression that is not empty begins with. */
  readonly first: string
  readonly separator: string
  /** Whether values come with their names. */
  readonly named: boolean
  /** What follows the name of an empty value. */
  readonly ifEmpty: string
  /** Whether reserved characters stay as they are. */
  readonly reserved: boolean
}

export type Part =
  /** `text` is as in a URI: what has to be encoded is. */
  | { readonly _tag: "Literal"; readonly text: string }
  | { readonly _tag: "Expression"; readonly operator: Operator; readonly variables: ReadonlyArray<Variable> }

/** @internal */
export interface Problem {
  readonly position: number
  readonly reason: string
}

const operator = (
  first: string,
  separator: string,
  options?: { readonly named?: boolean; readonly ifEmpty?: string; readonly reserved?: boolean }
): Operator => ({
  first,
  separator,
  named: options?.named ?? false,
  ifEmpty: options?.ifEmpty ?? "",
  reserved: options?.reserved ?? false
})

const simple = operator("", ",")

const operators: ReadonlyMap<string, Operator> = new Map([
  ["+", operator("", ",", { reserved: true })],
  ["#", operator("#", ",", { reserved: true })],
  [".", operator(".", ".")],
  ["/", operator("/", "/")],
  [";", operator(";", ";", { named: true })],
  ["?", operator("?", "&", { named: true, ifEmpty: "=" })],
  ["&", operator("&", "&", { named: true, ifEmpty: "=" })]
])

/** @internal */
export const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/** @internal */
export const reserved = ":/?#[]@!$&'()*+,;="

const utf8 = new TextEncoder()

const hex = Array.from({ length: 256 }, (_, byte) => `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`)

const encodeBytes = (text: string): string => {
  let encoded = ""
  // Not `encodeURIComponent`, which throws on half a surrogate pair.
  for (const byte of utf8.encode(text)) encoded += hex[byte]
  return encoded
}

/** @internal */
export const encodeUnreserved = (text: string): string => text.replace(/[^A-Za-z0-9\-._~]+/g, encodeBytes)

/** @internal */
export const encodeReserved = (text: string): string =>
  text.replace(
    /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu,
    (found) => found.length === 3 && found.startsWith("%") ? found : encodeBytes(found)
  )

/**
 * One spelling of what means the same: characters outside ASCII encoded, and encodings in upper case. A URI with a
 * percent sign that encodes nothing is none.
 *
 * @internal
 */
export const normalize = (uri: string): string | undefined => {
  if (/%(?![0-9A-Fa-f]{2})/.test(uri)) return undefined
  const ascii = /[\u0080-\uffff]/.test(uri) ? uri.replace(/[\u0080-\uffff]+/g, encodeBytes) : uri
  return /%(?:[a-f]|.[a-f])/.test(ascii) ? ascii.replace(/%../g, (found) => found.toUpperCase()) : ascii
}

/** @internal */
export const parse = (template: string): Result.Result<ReadonlyArray<Part>, Problem> => {
  const parts: Array<Part> = []
  let position = 0
  while (position < template.length) {
    const open = template.indexOf("{", position)
    const end = open === -1 ? template.length : open
    const literal = parseLiteral(template.slice(position, end), position)
    if (Result.isFailure(literal)) return Result.fail(literal.failure)
    if (literal.success !== "") parts.push({ _tag: "Literal", text: literal.success })
    if (open === -1) break
    const close = template.indexOf("}", open)
    if (close === -1) return Result.fail({ position: open, reason: "an expression has no end" })
    const expression = parseExpression(template.slice(open + 1, close), open + 1)
    if (Result.isFailure(expression)) return Result.fail(expression.failure)
    parts.push(expression.success)
    position = close + 1
  }
  return Result.succeed(parts)
}

// An apostrophe is allowed by an erratum of the RFC. Half a surrogate pair is no character.
const notLiteral = /[^!#$%&-;=?-[\]_a-z~\u00a0-\ud7ff\ue000-\u{10ffff}]|%(?![0-9A-Fa-f]{2})/u

const parseLiteral = (text: string, position: number): Result.Result<string, Problem> => {
  const index = text.search(notLiteral)
  return index === -1
    ? Result.succeed(normalize(text) ?? text)
    : Result.fail({ position: position + index, reason: "a character that has to be percent-encoded" })
}

const parseExpression = (text: string, position: number): Result.Result<Part, Problem> => {
  const found = operators.get(text.charAt(0))
  if (found === undefined && /^[=,!@|]/.test(text)) {
    return Result.fail({ position, reason: `the operator "${text.charAt(0)}" is reserved` })
  }
  const variables: Array<Variable> = []
  let start = found === undefined ? 0 : 1
  for (const spec of text.slice(start).split(",")) {
    const match = variableSpec.exec(spec)
    if (match === null) return Result.fail({ position: position + start, reason: `"${spec}" is not a variable` })
    const [, name = "", modifier, digits] = match
    variables.push({ name, explode: modifier === "*", prefix: digits === undefined ? undefined : Number(digits) })
    start += spec.length + 1
  }
  return Result.succeed({ _tag: "Expression", operator: found ?? simple, variables })
}

// Every character has one place in this pattern where it can match, so it takes linear time.
const variableSpec = /^((?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*)(\*|:([1-9][0-9]{0,3}))?$/
