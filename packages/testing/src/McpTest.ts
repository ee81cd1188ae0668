/**
 * A client in memory over the real endpoint of a server, for tests of features.
 *
 * @since 0.1.0
 */
import type * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import type * as McpError from "@effect-mcp/core/McpError"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import type * as RequestService from "@effect-mcp/core/RequestService"
import type * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * The options of {@link layer}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<RequestServices = never, Client extends McpClient.Options<unknown> = McpClient.Options> {
  /** What the server says of itself, and how it is set up. */
  readonly server?: Partial<McpServer.Options> | undefined
  /** How the client is set up, with its handlers. The layer requires what they require. */
  readonly client?: Client | undefined
  /** Services of the request, as a transport with authorization would provide them. */
  readonly request?: Context.Context<RequestServices> | undefined
  /** Mirror fields beside the body, as HTTP does. */
  readonly mirror?: boolean | undefined
  /** Print and parse every message within `Limits`, so that the test sees what a wire would make of it. */
  readonly serialize?: boolean | undefined
}

const codec = Layer.unwrap(Effect.map(
  Effect.serviceOption(RequestStateCodec.RequestStateCodec),
  Option.match({
    onNone: () => RequestStateCodec.layerMemory,
    onSome: (codec) => Layer.succeed(RequestStateCodec.RequestStateCodec, codec)
  })
))

/**
 * A server made of features, and a client connected to it.
 *
 * **Details**
 *
 * What a request remembers between its rounds is sealed with `RequestStateCodec.layerMemory`, unless a codec is provided.
 *
 * **Example** (Testing a tool)
 *
 * ```ts
 * import * as McpClient from "@effect-mcp/client/McpClient"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as McpTest from "@effect-mcp/testing/McpTest"
 * import * as Effect from "effect/Effect"
 *
 * const Hello = Tool.make("hello", { description: "Say hello" })
 * const Features = McpServer.tool(Hello, () => Effect.succeed("Hello!"))
 *
 * const test = Effect.gen(function*() {
 *   const client = yield* McpClient.McpClient
 *   return yield* client.call(Hello, {})
 * }).pipe(Effect.provide(McpTest.layer(Features)))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <
  A,
  E,
  R,
  RequestServices = never,
  const Client extends McpClient.Options<unknown> = McpClient.Options
>(
  features: Layer.Layer<A, E, R>,
  options?: Options<RequestServices, Client>
): Layer.Layer<
  McpClient.McpClient | McpEndpoint,
  E | McpServer.RegistrationError | Revision.InvalidAllowList | McpClientError.McpClientError | McpError.McpError,
  | Exclude<R, McpServer.Registry | RequestService.Provision<RequestServices>>
  | Exclude<Handlers.Services<Client>, Scope.Scope>
> => {
  const server = McpServer.layer({ name: "test", version: "0.0.0", ...options?.server }, features).pipe(
    Layer.provide(codec)
  )
  const transport = MemoryTransport.layer({
    // The services are looked up by their keys; which they are is said by the type parameter.
    context: options?.request as Context.Context<never> | undefined,
    mirror: options?.mirror,
    serialize: options?.serialize
  })
  const client = McpClient.layer({ name: "test-client", version: "0.0.0" }, options?.client)
  return client.pipe(Layer.provide(transport), Layer.provideMerge(server)) as never
}
