/**
 * Tools, by revision (TOOL-4, TOOL-9, TOOL-15, TOOL-17).
 */
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import { isToolInputSchema } from "../../schema/Tools.ts"
import * as content from "./content.ts"
import {
  always,
  between,
  type Feature,
  items,
  type Members,
  object,
  only,
  since,
  upTo,
  value,
  values,
  where
} from "./shape.ts"

/**
 * Up to 2025-11-25 the schemas name `type`, `properties`, `required` and, lastly, `$schema`, and are open: any other keyword
 * is valid (TOOL-9, JS-7). Only a property described by `true` or `false` has to be put in the older way.
 */
const keywords: Members = {
  $schema: always(where((u) => typeof u === "string")),
  required: always(where((u) => Array.isArray(u) && u.every((name) => typeof name === "string"))),
  properties: always(values(value((schema) => isJsonObject(schema) ? schema : schema === false ? { not: {} } : {})))
}

const inputSchema = object(keywords)

/** TOOL-9: any schema since 2026-07-28, one of an object before. */
const outputSchema = object(
  keywords,
  upTo("2025-11-25", (schema) => isToolInputSchema(schema) ? schema : undefined)
)

/** TOOL-7: where a tool has no title yet, its annotations have. */
const titleInAnnotations = (tool: JsonObject): JsonObject => {
  const { annotations, title } = tool
  if (typeof title !== "string" || isJsonObject(annotations) && annotations.title !== undefined) return tool
  return { ...tool, annotations: isJsonObject(annotations) ? { ...annotations, title } : { title } }
}

/** TOOL-4 */
export const tool = object({
  annotations: since("2025-03-26"),
  title: since("2025-06-18"),
  _meta: since("2025-06-18"),
  icons: since("2025-11-25"),
  execution: only("2025-11-25"),
  inputSchema: always(inputSchema),
  outputSchema: since("2025-06-18", outputSchema)
}, between("2025-03-26", "2025-03-26", titleInAnnotations))

export const tools: Feature = {
  "tools/list": {
    result: object({
      tools: always(items(tool)),
      nextCursor: content.nextCursor
    })
  },
  "tools/call": {
    params: object({ task: only("2025-11-25") }),
    result: object({
      content: always(items(content.block)),
      structuredContent: content.structuredContent
    }, ...content.structuredAsText)
  }
}
