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
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as client from "./internal/client/transport.ts"
import * as portable from "./internal/server/platform/portable.ts"
import * as route from "./internal/server/route.ts"

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
 * - `sessions`: whether the revisions before 2026-07-28, where the server has them, are served with sessions, which is the
 *   default. With `false` each request is answered by itself, on any node and without memory: nothing is asked of the
 *   client, no stream can be resumed, and `GET` and `DELETE` are answered with `405`.
 * - `polling`: sends clients of 2025-11-25 away that wait for longer than `after`, with the word to come back after `retry`
 *   and go on where they were. No connection has to be held for the time a slow call takes. Off by default.
 * - `httpSse`: serves clients of the transport before this one, HTTP+SSE of 2024-11-05, too: an event stream at `path`,
 *   `/sse` by default, and an address for their messages at `messages`, `/messages` by default. Off by default.
 * - `services`: what handlers, middlewares and conditions of the server get out of the HTTP request, such as the principal
 *   that an `HttpRouter.middleware` of the application has found. The layer requires that middleware. What the router
 *   itself provides, such as `HttpServerRequest`, may be listed too and requires nothing.
 * - `principal`: who is asking, told by those services. A session belongs to whom it was opened by, and does not exist for
 *   anybody else. Without it who knows the id of a session may use it, so set it wherever requests are authenticated.
 *
 * `"any"` lets everybody in. It is for servers that check a token, or that have another guard in front.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions<out Services extends ServiceKeys = readonly []> {
  readonly path?: HttpRouter.PathInput | undefined
  readonly allowedHosts?: ReadonlyArray<string> | "any" | undefined
  readonly allowedOrigins?: ReadonlyArray<string> | "any" | undefined
  readonly cors?: { readonly allowedOrigins: ReadonlyArray<string> | "any" } | undefined
  readonly keepAlive?: Duration.Input | false | undefined
  readonly sessions?: boolean | undefined
  readonly polling?: { readonly after: Duration.Input; readonly retry: Duration.Input } | undefined
  readonly httpSse?: boolean | {
    readonly path?: HttpRouter.PathInput | undefined
    readonly messages?: HttpRouter.PathInput | undefined
  } | undefined
  readonly services?: Services | undefined
  readonly principal?: PrincipalOf<Services> | undefined
}

/**
 * Tells who is asking by the services of a request.
 *
 * @category models
 * @since 0.1.0
 */
export type PrincipalOf<Services extends ServiceKeys> = (
  services: Context.Context<Services[number]["Identifier"]>
) => string | undefined

/**
 * Services that handlers get out of the HTTP request.
 *
 * @category models
 * @since 0.1.0
 */
export type ServiceKeys = ReadonlyArray<Context.Key<unknown, unknown>>

/**
 * The services of a list that are not the router's own, so that a middleware of the application has to provide them.
 *
 * @category models
 * @since 0.1.0
 */
export type FromMiddleware<Services extends ServiceKeys> = Exclude<Services[number]["Identifier"], HttpRouter.Provided>

/**
 * The routes of a server. They require the server, the application's router, and a middleware for each of the services
 * that the router has not by itself.
 *
 * @category models
 * @since 0.1.0
 */
export type ServerLayer<Services extends ServiceKeys> = Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | McpEndpoint | HttpRouter.Request.From<"Requires", FromMiddleware<Services>>
>

/**
 * Adds a server to the application's router.
 *
 * **Details**
 *
 * An answer is one JSON body, unless something is sent before it: then it is a stream of events. A client that closes
 * the connection cancels its request, unless it is of an earlier revision: then it may come back for the rest of the
 * stream, which is in the `EventLog` that is provided to this layer, or else in memory. Bodies, waiting events and headers
 * are bounded by `Limits`.
 *
 * When the server is closed, what is in flight may finish within the limit `shutdownGrace`.
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
 * **Example** (Handlers that know who is asking)
 *
 * ```ts
 * import * as RequestService from "@effect-mcp/core/RequestService"
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
 * import * as Effect from "effect/Effect"
 * import * as HttpRouter from "effect/http/HttpRouter"
 * import * as HttpServerRequest from "effect/http/HttpServerRequest"
 * import * as Layer from "effect/Layer"
 *
 * class Principal extends RequestService.make<Principal, { readonly subject: string }>()("app/Principal") {}
 *
 * // What `McpServer.layer` gives, of features that have got `McpServer.fromTransport(Principal)`.
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * // A proxy in front has checked it, and lets nobody else set this header.
 * const Authenticated = HttpRouter.middleware<{ provides: Principal }>()((next) =>
 *   Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
 *     Effect.provideService(next, Principal, { subject: headers["x-user"] ?? "nobody" }))
 * )
 *
 * const App = HttpRouter.serve(
 *   McpHttp.layerServer({ services: [Principal] }).pipe(Layer.provide([Server, Authenticated.layer]))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <const Services extends ServiceKeys = readonly []>(
  options?: ServerOptions<Services>
): ServerLayer<Services> => route.layer(portable.platform, options)

/**
 * A server as a web-standard handler, for runtimes that are given a function from `Request` to `Response`.
 *
 * **Details**
 *
 * The layer is built at once, and the requests that come before it is ready wait for it. When it cannot be built, every
 * request is rejected with the reason. `dispose` ends what is in flight and releases the layer.
 *
 * With `services`, the handler is called with a context of them: `handler(request, Context.make(Principal, …))`.
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
export const toWebHandler = <E, const Services extends ServiceKeys = readonly []>(
  server: Layer.Layer<McpEndpoint, E>,
  options?: ServerOptions<Services>
): {
  readonly handler: WebHandler<FromMiddleware<Services>>
  readonly dispose: () => Promise<void>
} => {
  const routes = route.layer(portable.platform, options)
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(routes, server), { disableLogger: true })
  // Runtimes give more arguments than the request, which are no context of ours.
  const web: WebHandler<never> = (request: Request, context?: unknown) =>
    handler(request, Context.isContext(context) ? context : undefined)
  // Whether it has to be called with a context is said by its type only.
  return { dispose, handler: web as WebHandler<FromMiddleware<Services>> }
}

/**
 * A web-standard handler, which is called with the services that it needs from outside the request.
 *
 * @category models
 * @since 0.1.0
 */
export type WebHandler<Services> = [Services] extends [never] ? (request: Request) => Promise<Response>
  : (request: Request, context: Context.Context<Services>) => Promise<Response>

/**
 * The options of a client.
 *
 * **Details**
 *
 * - `url`: where messages are posted to. For a server that speaks HTTP+SSE it is where its stream is.
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
 * With a server of a revision before 2026-07-28 there is a session. Its id is sent with every message, and the session is
 * deleted when the layer ends. A stream for what the server says unasked is held open, and streams that end too early are
 * gone on with. There an interrupted request is cancelled by a notification. A server that speaks HTTP+SSE, the transport
 * of 2024-11-05, is spoken to in that way, at the same URL.
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
