/**
 * Prompts, by revision (PROMPT-1).
 */
import * as content from "./content.ts"
import { always, type Feature, items, object, since } from "./shape.ts"

const argument = object({
  title: since("2025-06-18")
})

const prompt = object({
  title: since("2025-06-18"),
  _meta: since("2025-06-18"),
  icons: since("2025-11-25"),
  arguments: always(items(argument))
})

const message = object({
  content: always(content.block)
})

export const prompts: Feature = {
  "prompts/list": {
    result: object({
      prompts: always(items(prompt)),
      nextCursor: content.nextCursor
    })
  },
  "prompts/get": {
    result: object({ messages: always(items(message)) })
  }
}
