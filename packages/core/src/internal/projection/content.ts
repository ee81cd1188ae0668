/**
 * What tools, prompts and resources say, by revision (TOOL-13, RES-13, META-19, ICON-1).
 */
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import { always, between, kinds, type Members, object, type Rewrite, since, upTo, value, where } from "./shape.ts"
import { hasText, jsonBlock, toTextBlock } from "./text.ts"

/** RES-13: content and resources have annotations in every revision; the first two inline, under no name. */
export const annotations = object({
  lastModified: since("2025-06-18")
})

/** META-19: what is part of a message has metadata of its own only since then. */
const part: Members = {
  annotations: always(annotations),
  _meta: since("2025-06-18")
}

/** What a resource, a template, and a link to a resource have in common (RES-2, RES-3). */
export const resource = object({
  ...part,
  title: since("2025-06-18"),
  icons: since("2025-11-25")
})

/** One item of what a resource holds. */
export const contents = object({
  _meta: since("2025-06-18")
})

/** TOOL-13: text, images and resources are in all revisions; what a revision does not have is said in words. */
export const block = kinds({
  text: always(object(part)),
  image: always(object(part)),
  resource: always(object({ ...part, resource: always(contents) })),
  audio: since("2025-03-26", object(part)),
  resource_link: since("2025-06-18", resource)
}, toTextBlock)

/** What models are told and say (SAMP-6). A resource is not among it. */
export const samplingBlock = (toolResult: Members, ...rewrites: ReadonlyArray<Rewrite>) =>
  kinds({
    text: always(object(part)),
    image: always(object(part)),
    audio: since("2025-03-26", object(part)),
    tool_use: since("2025-11-25"),
    tool_result: since("2025-11-25", object(toolResult, ...rewrites))
  }, toTextBlock)

/** TOOL-15: an object or nothing, up to 2025-11-25. */
export const structuredContent = since("2025-06-18", where(isJsonObject))

/** TOOL-17: what cannot be structured content is a text, unless there is a text already. */
const keepAsText = (isLost: (structured: unknown) => boolean) => (result: JsonObject): JsonObject => {
  const { content, structuredContent } = result
  // The value may be `null`, `0` or `""`: only its presence counts.
  if (structuredContent === undefined || !isLost(structuredContent)) return result
  if (Array.isArray(content) && hasText(content)) return result
  return { ...result, content: [...(Array.isArray(content) ? content : []), ...jsonBlock(structuredContent)] }
}

export const structuredAsText: ReadonlyArray<Rewrite> = [
  upTo("2025-03-26", keepAsText(() => true)),
  between("2025-06-18", "2025-11-25", keepAsText((structured) => !isJsonObject(structured)))
]

/** An explicit `null` ends a list in the newest revision only. */
export const nextCursor = always(value((cursor) => cursor === null ? undefined : cursor))
