/**
 * A server over HTTP on Node, which writes its answers straight to Node's response.
 *
 * It behaves as `McpHttp.layerServer` does and takes the same options. This is the one module of the package that needs
 * `@effect/platform-node`.
 *
 * @since 0.1.0
 */
import * as node from "./internal/server/platform/nodePost.ts"
import * as route from "./internal/server/route.ts"
import type { ServerLayer, ServerOptions, ServiceKeys } from "./McpHttp.ts"

/**
 * Adds a server to the application's router, which must be served by `NodeHttpServer`.
 *
 * **Details**
 *
 * An answer leaves in one write, and an open stream costs less memory.
 *
 * **Gotchas**
 *
 * What a middleware of the router does to a response after it was made, such as adding a header, is not seen by clients:
 * the response has been sent by then. Use `McpHttp.layerServer` where that matters.
 *
 * **Example** (Serving on Node)
 *
 * ```ts
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
 * import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
 * import * as HttpRouter from "effect/http/HttpRouter"
 * import * as Layer from "effect/Layer"
 * import { createServer } from "node:http"
 *
 * // What `McpServer.layer` gives.
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * const App = HttpRouter.serve(NodeMcpHttp.layerServer().pipe(Layer.provide(Server))).pipe(
 *   Layer.provide(NodeHttpServer.layer(createServer, { port: 3000, host: "127.0.0.1" }))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <const Services extends ServiceKeys = readonly []>(
  options?: ServerOptions<Services>
): ServerLayer<Services> => route.layer(node.platform, options)
