/** A hotel that takes bookings, whatever transport it is served over. */
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Layer from "effect/Layer"
import { BookLive } from "./book.ts"
import { Hotel } from "./Hotel.ts"

export const info = { name: "hotel", title: "Hotel Example", version: "1.0.0" }

/**
 * With a `NonceStore` no round is taken twice. On several nodes it is one that they share, and the variable
 * `MCP_REQUEST_STATE_KEYS` has the secret with which each opens what another has sealed.
 */
export const layer = McpServer.layer(info, BookLive).pipe(
  Layer.provide(Hotel.layer),
  Layer.provide(NonceStore.layerMemory)
)
