/**
 * Progress, by revision (PROG-4).
 */
import { type Feature, object, since } from "./shape.ts"

export const progress: Feature = {
  "notifications/progress": {
    params: object({ message: since("2025-03-26") })
  }
}
