/**
 * Middleware around the methods of a server.
 *
 * @since 0.1.0
 */
import { type JsonObject, Prepared } from "@effect-mcp/core/JsonRpc"
import type * as McpError from "@effect-mcp/core/McpError"
import type * as RequestService from "@effect-mcp/core/RequestService"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as middlewares from "../internal/middleware.ts"
import { nextOrder } from "../internal/order.ts"
import { Registry, type Requirements } from "./Feature.ts"

/**
 * A result, as a middleware sees it: read it with {@link resultOf}, or give another one.
 *
 * @category models
 * @since 0.1.0
 */
export type MethodResult = JsonObject | Prepared

/**
 * The call a middleware sees.
 *
 * @category models
 * @since 0.1.0
 */
export interface MiddlewareCall {
  readonly method: string
  /** As the client sent them, `_meta` included, or as a middleware further outside changed them. */
  readonly params: JsonObject
}

/**
 * The plain value of a result.
 *
 * @category getters
 * @since 0.1.0
 */
export const resultOf = (result: MethodResult): JsonObject => result instanceof Prepared ? result.value : result

/**
 * Goes on with other params than the client sent. They are checked as the client's are, and middlewares further inside
 * see them.
 *
 * **Example** (One name for two tools)
 *
 * ```ts
 * import * as McpServer from "@effect-mcp/server/McpServer"
 *
 * const Renamed = McpServer.middleware()((next, { method, params }) =>
 *   method === "tools/call" && params.name === "sum" ? McpServer.withParams(next, { ...params, name: "add" }) : next
 * )
 * ```
 *
 * @category middleware
 * @since 0.1.0
 */
export const withParams: {
  (params: JsonObject): <A, E, R>(next: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(next: Effect.Effect<A, E, R>, params: JsonObject): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(next: Effect.Effect<A, E, R>, params: JsonObject): Effect.Effect<A, E, R> =>
    Effect.provideService(next, middlewares.Params, params)
)

/**
 * Observes or changes the call and the result of any method of a server, and provides services of the request.
 *
 * **Details**
 *
 * Middlewares of one server run in the order they were made, but one whose layer is built upon another's runs inside
 * that. What one provides is there for every feature of the server; features that need it get its layer by
 * `Layer.provide`, which is how the compiler knows.
 *
 * **Gotchas**
 *
 * The params and their `_meta` are the client's word: it can write anything there. Who it is, is for the transport to find
 * out ({@link fromTransport}).
 *
 * **Example** (The account of the principal)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 * import * as RequestService from "@effect-mcp/core/RequestService"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * class Principal extends RequestService.make<Principal, { readonly subject: string }>()("app/Principal") {}
 * class Account extends RequestService.make<Account, { readonly credit: number }>()("app/Account") {}
 *
 * const accounts = new Map([["alice", { credit: 3 }]])
 *
 * const WithAccount = McpServer.middleware<Account>()((next) =>
 *   Effect.gen(function*() {
 *     const { subject } = yield* Principal
 *     const account = accounts.get(subject)
 *     if (account === undefined) return yield* new McpError.Application({ code: 404, message: "No such account" })
 *     return yield* Effect.provideService(next, Account, account)
 *   })
 * ).pipe(Layer.provide(McpServer.fromTransport(Principal)))
 * ```
 *
 * @category middleware
 * @since 0.1.0
 */
export const middleware = <Provides = never>() =>
<R>(
  run: (
    next: Effect.Effect<MethodResult, McpError.McpError, Provides>,
    call: MiddlewareCall
  ) => Effect.Effect<MethodResult, McpError.McpError, R>
): Layer.Layer<RequestService.Provision<Provides>, never, Exclude<Requirements<R>, Scope.Scope>> => {
  // What `next` requires is what this middleware provides to it.
  const wrap = run as never
  return layer((context) => ({ run: wrap, context: Context.omit(Scope.Scope)(context) })) as never
}

/**
 * Says that the transport provides a service with every request: the principal that an HTTP router has authenticated, or
 * on whose behalf a server on standard input and output was started.
 *
 * **Details**
 *
 * Features that need the service get this layer by `Layer.provide`. The transport has the service in its option
 * `services`, and a test in `request` of `McpTest.layer`.
 *
 * **Gotchas**
 *
 * A server does not know which transport will serve it, so this is checked when requests come: one without the service
 * reaches no handler, is answered with an internal error, and the log says which service is missing.
 *
 * **Example** (Who is asking?)
 *
 * ```ts
 * import * as RequestService from "@effect-mcp/core/RequestService"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * class Principal extends RequestService.make<Principal, { readonly subject: string }>()("app/Principal") {}
 *
 * const WhoAmI = Tool.make("who-am-i", {})
 *
 * const Features = McpServer.tool(WhoAmI, () => Effect.map(Principal, ({ subject }) => subject)).pipe(
 *   Layer.provide(McpServer.fromTransport(Principal))
 * )
 * ```
 *
 * @category middleware
 * @since 0.1.0
 */
export const fromTransport = <Service extends RequestService.Branded>(
  service: Context.Key<Service, unknown>
): Layer.Layer<RequestService.Provision<Service>, never, Registry> => layer(() => ({ service: service.key })) as never

/** A service of the request has no value at start-up: the layer only says that requests will have it. */
const layer = (
  make: (context: Context.Context<never>) => middlewares.Kind
): Layer.Layer<never, never, Registry> => {
  const order = nextOrder()
  return Layer.effectContext(Effect.gen(function*() {
    const registry = yield* Registry
    const context = yield* Effect.context<never>()
    const depth = middlewares.depthOf(context)
    middlewares.insert(registry.middlewares, { ...make(context), depth, order })
    return middlewares.withDepth(order, depth + 1)
  }))
}
