/**
 * The request a handler answers: what it says about itself, its client, and the way back to it.
 *
 * @since 0.1.0
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { TraceContext } from "@effect-mcp/core/Meta"
import type * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { Implementation, ProgressToken } from "@effect-mcp/core/schema/Common"
import type { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * The request that is being answered. Every handler, middleware and visibility condition may use it.
 *
 * **Gotchas**
 *
 * `clientInfo` is what the client says of itself. Neither behaviour nor access may depend on it (META-15).
 *
 * **Example** (Who is asking?)
 *
 * ```ts
 * import * as McpRequest from "@effect-mcp/server/McpRequest"
 * import * as Effect from "effect/Effect"
 *
 * const whoAsks = Effect.gen(function*() {
 *   const request = yield* McpRequest.McpRequest
 *   return request.clientInfo?.name ?? "somebody"
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class McpRequest extends Context.Service<McpRequest, {
  readonly id: JsonRpc.Id
  readonly method: string
  readonly revision: Revision.Revision
  /** `stdio`, `http`, `memory`. */
  readonly transport: string
  readonly clientInfo: Implementation | undefined
  /** What this request declared; nothing is inferred from earlier ones (META-12). */
  readonly clientCapabilities: ClientCapabilities
  readonly progressToken: ProgressToken | undefined
  readonly logLevel: LoggingLevel | undefined
  /** The whole `_meta`, unknown keys included. */
  readonly meta: JsonRpc.JsonObject
  readonly trace: TraceContext
  /** Sends a notification on this request's own stream, and waits until there is room for the next. */
  readonly notify: (method: string, params: JsonRpc.JsonObject) => Effect.Effect<void>
}>()("@effect-mcp/server/McpRequest") {}
