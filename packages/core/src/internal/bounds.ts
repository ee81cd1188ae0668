/**
 * How deep and how wide a parsed value is, against the limits. A walk of the parsed value costs next to nothing; a scan of
 * the text would cost more than parsing it.
 */
import type * as Limits from "../Limits.ts"

export type Bounds = Pick<Limits.Values, "jsonDepth" | "jsonKeys">

/** The limit a value breaks. Iterative: the depth of a value must not become the depth of our stack. */
export const exceeded = (value: unknown, { jsonDepth, jsonKeys }: Bounds): keyof Bounds | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  let level: Array<object> = [value]
  let keys = 0
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > jsonDepth) return "jsonDepth"
    const next: Array<object> = []
    for (const parent of level) {
      if (Array.isArray(parent)) {
        for (const child of parent) {
          if (typeof child !== "object" || child === null) continue
          // A list of empty objects has no keys, and costs as much as one that has.
          if (++keys > jsonKeys) return "jsonKeys"
          next.push(child)
        }
      } else {
        // Only own members exist in what JSON.parse made.
        for (const key in parent) {
          if (++keys > jsonKeys) return "jsonKeys"
          const child: unknown = parent[key as keyof typeof parent]
          if (typeof child === "object" && child !== null) next.push(child)
        }
      }
    }
    level = next
  }
  return undefined
}
