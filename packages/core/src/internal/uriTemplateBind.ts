/**
 * Takes the text of one expression apart into the values of its variables.
 */
import * as Option from "effect/Option"
import type { Value } from "../UriTemplate.ts"
import { takePrefix } from "./uriTemplateExpand.ts"
import type { Part, Variable } from "./uriTemplateSyntax.ts"

type Expression = Extract<Part, { readonly _tag: "Expression" }>

const decodeURIComponentOption = Option.liftThrowable(decodeURIComponent)

const decode = (text: string): string | undefined =>
  text.includes("%") ? Option.getOrUndefined(decodeURIComponentOption(text)) : text

const decodeAll = (texts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  if (!texts.some((text) => text.includes("%"))) return texts
  const decoded: Array<string> = []
  for (const text of texts) {
    const one = decode(text)
    if (one === undefined) return undefined
    decoded.push(one)
  }
  return decoded
}

/** @internal */
export class Bindings {
  readonly #values = new Map<string, Value>()
  readonly #prefixes: Array<{ readonly name: string; readonly count: number; readonly text: string }> = []

  /** `false` where the variable has another value already, or where there is no value. */
  add(variable: Variable, value: Value | undefined): boolean {
    if (value === undefined) return false
    if (variable.prefix !== undefined && typeof value === "string") {
      this.#prefixes.push({ name: variable.name, count: variable.prefix, text: value })
      return takePrefix(value, variable.prefix) === value
    }
    const known = this.#values.get(variable.name)
    if (known !== undefined) return JSON.stringify(known) === JSON.stringify(value)
    this.#values.set(variable.name, value)
    return true
  }

  /** What is known of each variable. The beginning of a value has to agree with the value, or is the value. */
  result(): { readonly [variable: string]: Value } | undefined {
    const known = new Set(this.#values.keys())
    for (const { name, text } of this.#prefixes) {
      const longest = this.#values.get(name)
      if (!known.has(name) && (typeof longest !== "string" || longest.length < text.length)) {
        this.#values.set(name, text)
      }
    }
    for (const { count, name, text } of this.#prefixes) {
      const value = this.#values.get(name)
      if (typeof value !== "string" || takePrefix(value, count) !== text) return undefined
    }
    // Defines own properties whatever the names are, `__proto__` too.
    return Object.fromEntries(this.#values)
  }
}

/** @internal */
export const bindExpression = (bindings: Bindings, expression: Expression, text: string): boolean =>
  expression.operator.named ? bindNamed(bindings, expression, text) : bindPositional(bindings, expression, text)

const bindPositional = (bindings: Bindings, { operator, variables }: Expression, text: string): boolean => {
  const pieces = text.split(operator.separator)
  // Pieces beyond one for each variable belong to the first exploded variable, which can have several, or to the last
  // one, whose value has the separator in it.
  const surplus = Math.max(0, pieces.length - variables.length)
  const exploded = variables.findIndex(({ explode }) => explode)
  const taker = exploded === -1 ? variables.length - 1 : exploded
  let index = 0
  for (const [i, variable] of variables.entries()) {
    if (index >= pieces.length) break
    const end = index + 1 + (i === taker ? surplus : 0)
    const own = pieces.slice(index, end)
    const value = variable.explode
      ? explodedValue(own, operator.reserved)
      : singleValue(own.join(operator.separator), operator.reserved)
    if (!bindings.add(variable, value)) return false
    index = end
  }
  return true
}

const singleValue = (text: string, reserved: boolean): Value | undefined => {
  if (reserved) return decode(text)
  // The separator of `{/var}` in one value: an expansion has it encoded.
  if (text.includes("/")) return undefined
  return listOrString(text)
}

const explodedValue = (pieces: ReadonlyArray<string>, reserved: boolean): Value | undefined =>
  !reserved && pieces.every((piece) => piece.includes("="))
    ? toMap(pieces.map((piece) => splitPair(piece) ?? [piece, ""]))
    : decodeAll(pieces)

type Pair = readonly [name: string, value: string]

const splitPair = (text: string): Pair | undefined => {
  const index = text.indexOf("=")
  return index === -1 ? undefined : [text.slice(0, index), text.slice(index + 1)]
}

const toMap = (pairs: ReadonlyArray<Pair>): Value | undefined => {
  const keys = decodeAll(pairs.map(([key]) => key))
  const values = decodeAll(pairs.map(([, value]) => value))
  // A key that comes twice has no place in a map.
  if (keys === undefined || values === undefined || new Set(keys).size < keys.length) return undefined
  return Object.fromEntries(keys.map((key, i) => [key, values[i] ?? ""]))
}

const bindNamed = (bindings: Bindings, { operator, variables }: Expression, text: string): boolean => {
  const byName = new Map(variables.map((variable) => [variable.name, variable]))
  const rest = variables.find(({ explode }) => explode)
  const exploded = new Map<Variable, Array<Pair>>()
  const seen = new Set<Variable>()
  for (const piece of text.split(operator.separator)) {
    const pair = splitPair(piece) ?? (operator.ifEmpty === "" && piece !== "" ? [piece, ""] as const : undefined)
    if (pair === undefined) return false
    const variable = byName.get(pair[0]) ?? rest
    if (variable === undefined) return false
    if (variable.explode) {
      const pairs = exploded.get(variable)
      if (pairs === undefined) exploded.set(variable, [pair])
      else pairs.push(pair)
      continue
    }
    if (seen.has(variable)) return false
    seen.add(variable)
    if (!bindings.add(variable, listOrString(pair[1]))) return false
  }
  for (const [variable, pairs] of exploded) {
    const value = pairs.every(([name]) => name === variable.name)
      ? decodeAll(pairs.map(([, item]) => item))
      : toMap(pairs)
    if (!bindings.add(variable, value)) return false
  }
  return true
}

const listOrString = (text: string): Value | undefined => text.includes(",") ? decodeAll(text.split(",")) : decode(text)
