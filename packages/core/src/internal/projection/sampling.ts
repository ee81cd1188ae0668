/**
 * Requests to the client's model, by revision (SAMP-3, SAMP-5, SAMP-6).
 */
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import * as content from "./content.ts"
import { always, type Feature, items, object, oneOrMany, only, since, upTo } from "./shape.ts"
import { describe } from "./text.ts"
import { tool } from "./tools.ts"

const block = content.samplingBlock({
  content: always(items(content.block)),
  structuredContent: content.structuredContent
}, ...content.structuredAsText)

/** SAMP-6: a turn of several blocks is several turns of the same speaker where a turn has one. */
const oneBlockATurn = (params: JsonObject): JsonObject => {
  const { messages } = params
  if (!Array.isArray(messages) || !messages.some(hasBlocks)) return params
  return {
    ...params,
    messages: messages.flatMap((message) =>
      hasBlocks(message) ? message.content.map((content) => ({ ...message, content })) : [message]
    )
  }
}

const hasBlocks = (message: unknown): message is JsonObject & { readonly content: ReadonlyArray<unknown> } =>
  isJsonObject(message) && Array.isArray(message.content)

/** SAMP-6: an answer cannot become several, so that several blocks become one text. */
const oneBlock = (result: JsonObject): JsonObject => {
  if (!hasBlocks(result)) return result
  const [first, ...others] = result.content
  return {
    ...result,
    content: first !== undefined && others.length === 0
      ? first
      : { type: "text", text: result.content.map(describe).join("\n") }
  }
}

const message = object({
  content: always(oneOrMany(block)),
  _meta: since("2025-11-25")
})

export const sampling: Feature = {
  "sampling/createMessage": {
    params: object({
      messages: always(items(message)),
      tools: since("2025-11-25", items(tool)),
      toolChoice: since("2025-11-25"),
      task: only("2025-11-25")
    }, upTo("2025-06-18", oneBlockATurn)),
    result: object({
      content: always(oneOrMany(block))
    }, upTo("2025-06-18", oneBlock))
  }
}
