/**
 * The routes of a server on the application's router, for any way of writing answers.
 */
import * as Limits from "@effect-mcp/core/Limits"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AccessOptions } from "./access.ts"
import { KeepAlive } from "./keepAlive.ts"
import { hostOf, type Services } from "./request.ts"
import { HttpServer } from "./server.ts"

/** The options of both entries. */
export interface Options extends AccessOptions {
  readonly path?: HttpRouter.PathInput | undefined
  readonly keepAlive?: Duration.Input | false | undefined
  readonly services?: Services | undefined
}

/** How a platform answers a POST. */
export type Post = (
  server: HttpServer
) => (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>

/** Adds the routes. */
export const layer = (
  post: Post,
  options: Options = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint> =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const server = yield* make(options)
    const path = options.path ?? "/mcp"
    const notAllowed = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.succeed(server.notAllowed(request.headers, hostOf(request)).response)
    yield* router.add("POST", path, post(server))
    yield* router.add("GET", path, notAllowed)
    yield* router.add("DELETE", path, notAllowed)
    if (!server.cors) return
    const preflight = router.add(
      "OPTIONS",
      path,
      (request) => Effect.succeed(server.preflight(request.headers, hostOf(request)).response)
    )
    // A browser asks without credentials, so a middleware that wants them must not come before the answer. The router finds
    // the middlewares of a route in the context in which it is added.
    yield* Effect.updateContext(preflight, (_: Context.Context<never>) => Context.empty())
  }))

const make = Effect.fnUntraced(function*(options: Options) {
  const endpoint = yield* McpEndpoint
  const limits = yield* Limits.Limits
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const interval = options.keepAlive ?? Duration.millis(limits.keepAlive)
  return new HttpServer(endpoint, limits, options, {
    inFlight: { count: 0 },
    keepAlive: interval === false
      ? undefined
      : new KeepAlive(Duration.fromInputUnsafe(interval), scope, context),
    unprintable: (method, cause) =>
      void run(Effect.logError(`A part of the answer to ${method} cannot be written as JSON`, cause)),
    overflow: (method) =>
      void run(Effect.logWarning(
        `The stream of ${method} was ended: its client does not read, and no more may wait (the limits streamBuffer and messageBytes)`
      ))
  })
})
