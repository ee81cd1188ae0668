/**
 * Finds which part of a URI belongs to which expression of a template.
 *
 * For each part of the template, from the last one to the first, a row says at which positions the rest of the URI can
 * be matched by the rest of the template. One pass over these rows then takes the longest text for each expression. There
 * is no way back, so the time is the length of the URI times the number of parts.
 */
import type { Value } from "../UriTemplate.ts"
import { bindExpression, Bindings } from "./uriTemplateBind.ts"
import { normalize, type Part, reserved, unreserved } from "./uriTemplateSyntax.ts"

type Expression = Extract<Part, { readonly _tag: "Expression" }>

interface ExpressionElement {
  readonly _tag: "Expression"
  readonly expression: Expression
  /** The character that it begins with, or -1. */
  readonly first: number
  readonly allowed: Uint8Array
  /** The number of characters of a `{var:3}` on its own, so that the next expression has the others. */
  readonly limit: number
}

type Element = { readonly _tag: "Literal"; readonly text: string } | ExpressionElement

export interface Matcher {
  /** The literals at both ends: most URIs that do not match are told by them alone. */
  readonly head: string
  readonly tail: string
  readonly elements: ReadonlyArray<Element>
}

const percent = 0x25

/** @internal */
export const compile = (parts: ReadonlyArray<Part>): Matcher => {
  const merged = merge(parts)
  const elements: Array<Element> = []
  const later = new Set<string>()
  const operators = new Set<string>()
  for (let i = merged.length - 1; i >= 0; i--) {
    const part = merged[i]
    if (part === undefined) continue
    if (part._tag === "Literal") {
      elements.unshift(part)
      for (const character of part.text) later.add(character)
    } else {
      const { first } = part.operator
      elements.unshift({
        _tag: "Expression",
        expression: part,
        first: first === "" ? -1 : first.charCodeAt(0),
        allowed: table(characters(part, later, operators)),
        limit: limitOf(part)
      })
      later.add(first)
      operators.add(first)
    }
  }
  const head = literalAt(elements, 0)
  const tail = elements.length > 1 ? literalAt(elements, elements.length - 1) : ""
  return {
    head,
    tail,
    elements: elements.slice(head === "" ? 0 : 1, tail === "" ? elements.length : -1)
  }
}

// `{?a}{&b}` is `{?a,b}`: only together can their parameters come in any order.
const merge = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const merged: Array<Part> = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (
      last?._tag === "Expression" && part._tag === "Expression" && part.operator.first === "&" &&
      last.operator.separator === "&"
    ) {
      merged[merged.length - 1] = { ...last, variables: [...last.variables, ...part.variables] }
    } else if (last?._tag === "Literal" && part._tag === "Literal") {
      merged[merged.length - 1] = { _tag: "Literal", text: last.text + part.text }
    } else {
      merged.push(part)
    }
  }
  return merged
}

const literalAt = (elements: ReadonlyArray<Element>, index: number): string => {
  const element = elements[index]
  return element?._tag === "Literal" ? element.text : ""
}

// What an expansion of the expression can contain. Clients also write `a:b` or `a@b` without encoding, which the RFC on
// URIs allows in a segment, so these characters are taken as well, as long as they mean nothing further on in the template.
const characters = (
  { operator, variables }: Expression,
  later: ReadonlySet<string>,
  operators: ReadonlySet<string>
): Iterable<string> => {
  const allowed = new Set(`${unreserved}%`)
  if (operator.reserved) {
    for (const character of reserved) {
      if (!((character === "?" || character === "#") && operators.has(character))) allowed.add(character)
    }
    return allowed
  }
  for (const character of operator.first === "?" || operator.first === "&" ? "!$&'()*+,;=:@/?" : "!$&'()*+,;=:@") {
    if (!later.has(character)) allowed.add(character)
  }
  if (operator.named || variables.some(({ explode }) => explode)) allowed.add("=")
  if (operator.named || operator.separator !== "," || variables.length > 1 || variables[0]?.explode === true) {
    allowed.add(operator.separator)
  }
  return allowed
}

const limitOf = ({ operator, variables }: Expression): number =>
  operator.named || variables.length > 1 ? Infinity : variables[0]?.prefix ?? Infinity

const table = (allowed: Iterable<string>): Uint8Array => {
  const bits = new Uint8Array(128)
  for (const character of allowed) bits[character.charCodeAt(0)] = 1
  return bits
}

/** @internal */
export const match = (
  { elements, head, tail }: Matcher,
  uri: string
): { readonly [variable: string]: Value } | undefined => {
  const text = normalize(uri)
  if (text === undefined || text.length < head.length + tail.length) return undefined
  if (!text.startsWith(head) || !text.endsWith(tail)) return undefined
  const middle = text.slice(head.length, text.length - tail.length)
  const codes = codesOf(middle)
  if (codes === undefined) return undefined
  const rows = rowsOf(elements, middle, codes)
  return rows[0]?.[0] === 1 ? bind(elements, middle, codes, rows) : undefined
}

// 0 stands inside of a percent-encoding, where nothing may begin or end.
const codesOf = (text: string): Uint8Array | undefined => {
  const codes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) {
    codes[i] = text.charCodeAt(i)
    if (codes[i] !== percent) continue
    if (i + 2 >= text.length) return undefined
    i += 2
  }
  return codes
}

const rowsOf = (elements: ReadonlyArray<Element>, text: string, codes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const length = text.length
  let next = new Uint8Array(length + 1)
  next[length] = 1
  const rows = elements.map(() => next)
  rows.push(next)
  for (let i = elements.length - 1; i >= 0; i--) {
    const element = elements[i]
    if (element === undefined) continue
    const row = new Uint8Array(length + 1)
    if (element._tag === "Literal") {
      const first = element.text.charCodeAt(0)
      for (let at = length - element.text.length; at >= 0; at--) {
        if (next[at + element.text.length] === 1 && codes[at] === first && text.startsWith(element.text, at)) {
          row[at] = 1
        }
      }
    } else {
      fill(row, element.allowed, next, codes)
      if (element.first !== -1) {
        // An expression with an operator is either not there or begins with it.
        for (let at = 0; at <= length; at++) {
          row[at] = next[at] === 1 || (codes[at] === element.first && row[at + 1] === 1) ? 1 : 0
        }
      }
    }
    rows[i] = row
    next = row
  }
  return rows
}

const fill = (row: Uint8Array, allowed: Uint8Array, next: Uint8Array, codes: Uint8Array): void => {
  const length = codes.length
  row[length] = next[length] ?? 0
  for (let at = length - 1; at >= 0; at--) {
    const code = codes[at] ?? 0
    if (code === 0) continue
    if (next[at] === 1 || (allowed[code] === 1 && row[at + (code === percent ? 3 : 1)] === 1)) row[at] = 1
  }
}

const bind = (
  elements: ReadonlyArray<Element>,
  text: string,
  codes: Uint8Array,
  rows: ReadonlyArray<Uint8Array>
): { readonly [variable: string]: Value } | undefined => {
  const bindings = new Bindings()
  let position = 0
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i]
    const next = rows[i + 1]
    if (element === undefined || next === undefined) return undefined
    if (element._tag === "Literal") {
      position += element.text.length
      continue
    }
    const start = element.first === -1 ? position : codes[position] === element.first ? position + 1 : -1
    const end = start === -1 ? -1 : longest(start, element, next, text, codes)
    // Without an operator, nothing is the same as no expression.
    if (end > start || (end !== -1 && element.first !== -1)) {
      if (!bindExpression(bindings, element.expression, text.slice(start, end))) return undefined
      position = end
    } else if (next[position] !== 1) {
      // The limit of `{var:3}` is the one thing that the rows do not know.
      return undefined
    }
  }
  return bindings.result()
}

const longest = (
  start: number,
  { allowed, limit }: ExpressionElement,
  next: Uint8Array,
  text: string,
  codes: Uint8Array
): number => {
  let end = next[start] === 1 ? start : -1
  let at = start
  let count = 0
  while (at < codes.length) {
    const code = codes[at] ?? 0
    if (allowed[code] !== 1) break
    // `%80` to `%BF` continue the character before them.
    if (code !== percent || !/[89AB]/.test(text.charAt(at + 1))) count++
    if (count > limit) break
    at += code === percent ? 3 : 1
    if (next[at] === 1) end = at
  }
  return end
}
