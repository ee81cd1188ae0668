/**
 * Who the two sides are and what they can do, by revision (INIT-11, INIT-12, INIT-13).
 */
import type { JsonObject } from "../../JsonRpc.ts"
import { always, type Feature, object, only, since, upTo } from "./shape.ts"

/** INIT-13 */
const implementation = object({
  title: since("2025-06-18"),
  description: since("2025-11-25"),
  icons: since("2025-11-25"),
  websiteUrl: since("2025-11-25")
})

/** ELI-1: without modes it means forms, which who only follows URLs must not say. */
const ifForms = (elicitation: JsonObject): JsonObject | undefined =>
  elicitation.url !== undefined && elicitation.form === undefined ? undefined : elicitation

/** INIT-11 */
const clientCapabilities = object({
  sampling: always(object({
    context: since("2025-11-25"),
    tools: since("2025-11-25")
  })),
  elicitation: since(
    "2025-06-18",
    object({
      form: since("2025-11-25"),
      url: since("2025-11-25")
    }, upTo("2025-06-18", ifForms))
  ),
  tasks: only("2025-11-25")
})

/** INIT-12 */
const serverCapabilities = object({
  completions: since("2025-03-26"),
  tasks: only("2025-11-25")
})

export const lifecycle: Feature = {
  initialize: {
    params: object({
      capabilities: always(clientCapabilities),
      clientInfo: always(implementation)
    }),
    result: object({
      capabilities: always(serverCapabilities),
      serverInfo: always(implementation)
    })
  }
}
