/**
 * Roots, by revision (ROOT-2, META-19).
 */
import { always, type Feature, items, object, since } from "./shape.ts"

const root = object({
  _meta: since("2025-06-18")
})

export const roots: Feature = {
  "roots/list": {
    result: object({ roots: always(items(root)) })
  }
}
