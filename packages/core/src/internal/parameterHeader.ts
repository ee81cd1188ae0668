/**
 * The walk over an input schema that finds `x-mcp-header` annotations, wherever they are.
 */
import * as Predicate from "effect/Predicate"

/** @internal */
export const annotationKey = "x-mcp-header"

/** @internal */
export interface Found {
  /** The names that lead there, for a message. */
  readonly where: ReadonlyArray<string>
  /** The path of an argument, where `properties` alone leads there. */
  readonly path: ReadonlyArray<string> | undefined
  readonly schema: { readonly [key: PropertyKey]: unknown }
}

interface Node {
  readonly value: unknown
  readonly where: ReadonlyArray<string>
  readonly path: ReadonlyArray<string> | undefined
  readonly depth: number
  /** Whether the keys are names that an author chose (of properties, of definitions), and not keywords. */
  readonly named: boolean
}

// Their values are data, in which a key called `x-mcp-header` annotates nothing.
const data = new Set(["const", "default", "enum", "example", "examples"])

const maps = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions"
])

/**
 * Visits every annotated schema once. The answer is `false` where the schema is nested deeper than `maxDepth`, which
 * also ends a cycle.
 *
 * Keywords that are not known here are walked as if they held schemas, because a `$ref` may point into them. A `$ref` is
 * never followed: what it points to inside this document is visited where it stands.
 *
 * @internal
 */
export const walk = (inputSchema: unknown, maxDepth: number, visit: (found: Found) => void): boolean => {
  const stack: Array<Node> = [{ value: inputSchema, where: [], path: [], depth: 1, named: false }]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { depth, named, path, value, where } = node
    if (!Predicate.isObjectOrArray(value)) continue
    if (depth > maxDepth) return false
    const annotated = !named && !Array.isArray(value) && Object.hasOwn(value, annotationKey)
    if (annotated && Predicate.isObject(value)) visit({ where, path, schema: value })
    // The stack turns the order around, and what is found first should be reported first.
    const keys = Object.keys(value)
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] ?? ""
      if (!named && (data.has(key) || key === annotationKey)) continue
      const child: unknown = Reflect.get(value, key)
      stack.push({
        value: child,
        where: [...where, key],
        path: pathOf(path, key, named, Array.isArray(value)),
        depth: depth + 1,
        named: !named && maps.has(key) && Predicate.isObject(child)
      })
    }
  }
  return true
}

// Inside `properties` a key is a step of the path. `properties` itself is none, and any other keyword ends the path.
const pathOf = (
  path: ReadonlyArray<string> | undefined,
  key: string,
  named: boolean,
  array: boolean
): ReadonlyArray<string> | undefined => {
  if (path === undefined || array) return undefined
  if (named) return [...path, key]
  return key === "properties" ? path : undefined
}

/** @internal */
export const at = (value: unknown, path: ReadonlyArray<string>): unknown => {
  let current = value
  for (const key of path) {
    if (!Predicate.isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}
