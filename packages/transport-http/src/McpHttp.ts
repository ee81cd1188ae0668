/**
 * The Model Context Protocol over HTTP: a server as routes of the application's own router or as a web-standard handler,
 * and a client on Effect's `HttpClient`.
 *
 * On Node, `NodeMcpHttp` serves the same at less cost.
 *
 * @since 0.1.0
 */
import type { McpTransport } from "@effect-mcp/core/ClientTransport"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as Duration from "effect/Duration"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as client from "./internal/client.ts"
import * as portable from "./internal/portable.ts"
import * as route from "./internal/route.ts"

/**
 * The options of a server.
 *
 * **Details**
 *
 * - `path`: where messages are posted to, `/mcp` by default.
 * - `allowedHosts`: the names a request may be sent to. An entry without a port, like `mcp.example.com` or `[::1]`,
 *   stands for every port; one with a port for that one. By default the loopback names: `localhost`, `127.0.0.1` and
 *   `[::1]`. A page that has its own name point at the machine of its reader is refused by this.
 * - `allowedOrigins`: the origins of pages that may call, like `https://app.example.com`. By default those whose host is
 *   in `allowedHosts`. A request without an origin does not come from a page and may pass.
 * - `cors`: lets pages of these origins read the answers too. They need not be repeated in `allowedOrigins`.
 * - `keepAlive`: after this time without an answer a stream is opened, and a stream never is silent for longer, so that
 *   no proxy takes the connection for dead. The limit `keepAlive` by default, which is 15 seconds. With `false`, only
 *   something that is sent before the answer opens a stream, and the connection may be silent for as long as it takes.
 *
 * `"any"` lets everybody in. It is for servers that check a token, or that have another guard in front.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions {
  readonly path?: HttpRouter.PathInput | undefined
  readonly allowedHosts?: ReadonlyArray<string> | "any" | undefined
  readonly allowedOrigins?: ReadonlyArray<string> | "any" | undefined
  readonly cors?: { readonly allowedOrigins: ReadonlyArray<string> | "any" } | undefined
  readonly keepAlive?: Duration.Input | false | undefined
}

/**
 * Adds a server to the application's router.
 *
 * **Details**
 *
 * An answer is one JSON body, unless something is sent before it: then it is a stream of events. A client that closes
 * the connection cancels its request. Bodies, waiting events and headers are bounded by `Limits`.
 *
 * **Example** (Serving on a router)
 *
 * ```ts
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
 * import * as HttpRouter from "effect/http/HttpRouter"
 * import * as Layer from "effect/Layer"
 *
 * // What `McpServer.layer` gives.
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * const App = HttpRouter.serve(McpHttp.layerServer({ path: "/mcp" }).pipe(Layer.provide(Server)))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (
  options?: ServerOptions
): Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint> => route.layer(portable.post, options)

/**
 * A server as a web-standard handler, for runtimes that are given a function from `Request` to `Response`.
 *
 * **Details**
 *
 * The layer is built at once, and the requests that come before it is ready wait for it. When it cannot be built, every
 * request is rejected with the reason. `dispose` ends what is in flight and releases the layer.
 *
 * **Example** (An edge function)
 *
 * ```ts
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
 * import type * as Layer from "effect/Layer"
 *
 * // What `McpServer.layer` gives.
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * const { handler } = McpHttp.toWebHandler(Server, { allowedHosts: ["mcp.example.com"] })
 *
 * export default { fetch: handler }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toWebHandler = <E>(server: Layer.Layer<McpEndpoint, E>, options?: ServerOptions): {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
} => {
  const { dispose, handler } = HttpRouter.toWebHandler(layerServer(options).pipe(Layer.provide(server)), {
    disableLogger: true
  })
  // Runtimes give more arguments than the request, which are no context of ours.
  return { dispose, handler: (request) => handler(request) }
}

/**
 * The options of a client.
 *
 * **Details**
 *
 * - `url`: where messages are posted to.
 * - `headers`: sent with every request. Those of the protocol cannot be changed by it.
 * - `httpSpans`: keeps the spans of `HttpClient` for these requests. By default there is one span for a call, the
 *   client's, and its trace headers are sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions {
  readonly url: string | URL
  readonly headers?: Headers.Input | undefined
  readonly httpSpans?: boolean | undefined
}

/**
 * A connection to a server at a URL.
 *
 * **Details**
 *
 * Each message is a POST of its own, so nothing is sent before the first one. An interrupted request closes its
 * connection, which is how the server learns that it is cancelled.
 *
 * **Example** (Connecting)
 *
 * ```ts
 * import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
 * import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
 * import * as Layer from "effect/Layer"
 *
 * const Transport = McpHttp.layerClient({ url: "http://127.0.0.1:3000/mcp" }).pipe(
 *   Layer.provide(NodeHttpClient.layerUndici)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: ClientOptions
): Layer.Layer<McpTransport, never, HttpClient.HttpClient> => client.layer(options)
