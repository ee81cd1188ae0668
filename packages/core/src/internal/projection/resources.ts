/**
 * Resources, by revision (RES-2, RES-13).
 */
import * as content from "./content.ts"
import { always, type Feature, items, object } from "./shape.ts"

export const resources: Feature = {
  "resources/list": {
    result: object({
      resources: always(items(content.resource)),
      nextCursor: content.nextCursor
    })
  },
  "resources/templates/list": {
    result: object({
      resourceTemplates: always(items(content.resource)),
      nextCursor: content.nextCursor
    })
  },
  "resources/read": {
    result: object({ contents: always(items(content.contents)) })
  }
}
