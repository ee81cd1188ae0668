/**
 * How requests are made in each era.
 */
import * as Meta from "@effect-mcp/core/Meta"
import type { Revision } from "@effect-mcp/core/Revision"
import type { ClientCapabilities, ServerCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import { refusal } from "./capabilities.ts"
import type { Legacy, Modern } from "./connection.ts"

export const modern = (
  revision: Revision,
  capabilities: ClientCapabilities,
  info: Implementation | undefined
): Modern => ({
  era: "modern",
  revision,
  meta: {
    [Meta.key.protocolVersion]: revision,
    [Meta.key.clientCapabilities]: capabilities,
    ...(info === undefined ? undefined : { [Meta.key.clientInfo]: info })
  }
})

export const legacy = (revision: Revision, server: ServerCapabilities): Legacy => ({
  era: "legacy",
  revision,
  refusal: refusal(revision, server)
})
