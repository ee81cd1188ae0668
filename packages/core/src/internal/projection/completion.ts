/**
 * Completion, by revision (COMP-2, COMP-3).
 */
import { always, type Feature, object, since } from "./shape.ts"

export const completion: Feature = {
  "completion/complete": {
    params: object({
      ref: always(object({ title: since("2025-06-18") })),
      context: since("2025-06-18")
    })
  }
}
