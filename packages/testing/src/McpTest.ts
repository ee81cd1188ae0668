/**
 * A client in memory over the real endpoint of a server, for tests of features.
 *
 * @since 0.1.0
 */
import * as McpClient from "@effect-mcp/client/McpClient"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import type * as McpError from "@effect-mcp/core/McpError"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import type * as RequestService from "@effect-mcp/core/RequestService"
import type * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpServer from "@effect-mcp/server/McpServer"
import type * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/**
 * The options of {@link layer}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<RequestServices = never> {
  /** What the server says of itself, and how it is set up. */
  readonly server?: Partial<McpServer.Options> | undefined
  /** How the client is set up. */
  readonly client?: McpClient.Options | undefined
  /** Services of the request, as a transport with authorization would provide them. */
  readonly request?: Context.Context<RequestServices> | undefined
  /** Mirror fields beside the body, as HTTP does. */
  readonly mirror?: boolean | undefined
  /** Print and parse every message within `Limits`, so that the test sees what a wire would make of it. */
  readonly serialize?: boolean | undefined
}

/**
 * A server made of features, and a client connected to it.
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
export const layer = <A, E, R, RequestServices = never>(
  features: Layer.Layer<A, E, R>,
  options?: Options<RequestServices>
): Layer.Layer<
  McpClient.McpClient | McpEndpoint,
  E | McpServer.RegistrationError | Revision.InvalidAllowList | McpClientError.McpClientError | McpError.McpError,
  Exclude<R, McpServer.Registry | RequestService.Provision<RequestServices>>
> => {
  const server = McpServer.layer({ name: "test", version: "0.0.0", ...options?.server }, features)
  const transport = MemoryTransport.layer({
    // The services are looked up by their keys; which they are is said by the type parameter.
    context: options?.request as Context.Context<never> | undefined,
    mirror: options?.mirror,
    serialize: options?.serialize
  })
  const client = McpClient.layer({ name: "test-client", version: "0.0.0" }, options?.client)
  return client.pipe(Layer.provide(transport), Layer.provideMerge(server)) as never
}
