/**
 * Content in words, for peers whose revision has no such content: what it was, and all of it that can be written.
 */
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import * as json from "../json.ts"

/** The text block that stands for a block of another kind. */
export const toTextBlock = (block: JsonObject): JsonObject => ({
  type: "text",
  text: describe(block),
  ...(isJsonObject(block.annotations) ? { annotations: block.annotations } : undefined),
  ...(isJsonObject(block._meta) ? { _meta: block._meta } : undefined)
})

/** A text block with the JSON of a value, if it has one. */
export const jsonBlock = (value: unknown): ReadonlyArray<JsonObject> =>
  Result.match(json.print(value), {
    onSuccess: (text) => [{ type: "text", text }],
    onFailure: () => []
  })

/** Any block in words. */
export const describe = (block: unknown): string => {
  if (!isJsonObject(block)) return printed(block)
  switch (block.type) {
    case "text":
      return string(block.text)
    case "image":
    case "audio":
      return binary(block.type, block.mimeType, block.data)
    case "resource":
      return isJsonObject(block.resource) ? contents(block.resource) : printed(block)
    case "resource_link":
      return link(block)
    case "tool_use":
      return `[tool call ${string(block.id)}: ${string(block.name)}] ${printed(block.input)}`
    case "tool_result":
      return toolResult(block)
    default:
      return printed(block)
  }
}

const link = ({ description, mimeType, name, title, uri }: JsonObject): string => {
  const label = typeof title === "string" ? `${title} (${string(name)})` : string(name)
  const type = typeof mimeType === "string" ? `, ${mimeType}` : ""
  const head = `[resource link: ${label}${type}] ${string(uri)}`
  return typeof description === "string" ? `${head}\n${description}` : head
}

const contents = ({ blob, mimeType, text, uri }: JsonObject): string =>
  typeof text === "string"
    ? `[resource: ${string(uri)}]\n${text}`
    : `[resource: ${string(uri)}] ${binary("blob", mimeType, blob)}`

const toolResult = ({ content, isError, structuredContent, toolUseId }: JsonObject): string => {
  const blocks = Array.isArray(content) ? content : []
  const said = hasText(blocks) || structuredContent === undefined
    ? blocks.map(describe)
    : [...blocks.map(describe), printed(structuredContent)]
  return [`[tool ${isError === true ? "error" : "result"} for call ${string(toolUseId)}]`, ...said].join("\n")
}

/** Whether one of these blocks is a text. */
export const hasText = (content: ReadonlyArray<unknown>): boolean =>
  content.some((block) => isJsonObject(block) && block.type === "text")

const binary = (kind: string, mimeType: unknown, data: unknown): string =>
  `[${kind}: ${string(mimeType)}, ${inBytes(size(string(data)))}]`

const inBytes = (size: number): string => size === 1 ? "1 byte" : `${size} bytes`

const size = (base64: string): number => {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0
  return Math.floor(base64.length / 4) * 3 - padding
}

const string = (u: unknown): string => typeof u === "string" ? u : "unknown"

const printed = (u: unknown): string => Result.getOrElse(json.print(u), () => "[content that cannot be written]")
