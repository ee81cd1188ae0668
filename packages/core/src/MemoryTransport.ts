/**
 * The two seams joined in memory: a client's messages reach a server as they are, without being printed and parsed.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ClientTransport } from "./ClientTransport.ts"
import { McpTransport } from "./ClientTransport.ts"
import { Connection } from "./internal/memoryConnection.ts"
import { throughJson } from "./internal/memoryJson.ts"
import * as Limits from "./Limits.ts"
import type { ServerEndpoint } from "./ServerEndpoint.ts"
import { McpEndpoint } from "./ServerEndpoint.ts"

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Services of the request, as a transport with authorization would provide them. */
  readonly context?: Context.Context<never> | undefined
  /** Behave like a transport that mirrors fields beside the body. By default nothing is mirrored, as on stdio. */
  readonly mirror?: boolean | undefined
  /**
   * Print and parse every message, within `Limits` (for `make` their defaults), as a transport with bytes does. By default messages are handed over
   * as they are, which is faster and lets values through that JSON has not.
   */
  readonly serialize?: boolean | undefined
}

/**
 * Connects to an endpoint.
 *
 * **Details**
 *
 * Both eras are spoken, as far as the endpoint serves them, and as on stdio the connection has one session: `initialize`
 * opens it, and from then on it is given every message that does not say that it is of the modern era.
 *
 * **Gotchas**
 *
 * An open session is left to the endpoint; {@link layer} closes it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (endpoint: ServerEndpoint, options: Options = {}): ClientTransport => {
  const { transport } = new Connection(endpoint, options, Limits.defaults)
  return options.serialize === true ? throughJson(transport, Limits.defaults) : transport
}

/**
 * Connects to the endpoint in context. The connection, with its session if it has one, ends with the layer.
 *
 * **Example** (A server without bytes)
 *
 * ```ts
 * import type { McpTransport } from "@effect-mcp/core/ClientTransport"
 * import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as Layer from "effect/Layer"
 *
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * const Connected: Layer.Layer<McpTransport> = MemoryTransport.layer().pipe(Layer.provide(Server))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options?: Options): Layer.Layer<McpTransport, never, McpEndpoint> =>
  Layer.effect(
    McpTransport,
    Effect.gen(function*() {
      const limits = yield* Limits.Limits
      const connection = new Connection(yield* McpEndpoint, options ?? {}, limits)
      yield* Effect.addFinalizer(() => connection.close)
      return options?.serialize === true
        ? throughJson(connection.transport, limits)
        : connection.transport
    })
  )
