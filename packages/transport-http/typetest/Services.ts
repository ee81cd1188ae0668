/** What a server over HTTP requires of the application's router when its handlers get services out of the request. */
import * as RequestService from "@effect-mcp/core/RequestService"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type * as Types from "effect/Types"
import { createServer } from "node:http"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("t/Principal") {}
// The same shape, so that only the identifiers tell them apart.
class Actor extends RequestService.make<Actor, { readonly subject: string }>()("t/Actor") {}

type Routes<R> = Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint | R>
type FromRouter<S> = HttpRouter.Request<"Requires", S>

const plain = McpHttp.layerServer({ path: "/mcp" })
export const withoutServicesNothingIsRequired: Types.Equals<typeof plain, Routes<never>> = true

const one = McpHttp.layerServer({ services: [Principal] })
export const aServiceIsRequiredOfTheRouter: Types.Equals<typeof one, Routes<FromRouter<Principal>>> = true

const two = NodeMcpHttp.layerServer({ services: [Principal, Actor] })
export const eachIs: Types.Equals<typeof two, Routes<FromRouter<Principal> | FromRouter<Actor>>> = true

const own = NodeMcpHttp.layerServer({ services: [HttpServerRequest.HttpServerRequest, HttpRouter.RouteContext] })
export const whatTheRouterHasIsNot: Types.Equals<typeof own, Routes<never>> = true

// @ts-expect-error a list of services, not of their names
McpHttp.layerServer({ services: ["t/Principal"] })

const authenticated =
  HttpRouter.middleware<{ provides: Principal }>()((next) =>
    Effect.provideService(next, Principal, { subject: "alice" })
  ).layer
const discharged = Layer.provide(one, authenticated)
export const aMiddlewareOfTheRouterDischarges: Types.Equals<typeof discharged, Routes<never>> = true

const owned = McpHttp.layerServer({
  services: [Principal, HttpServerRequest.HttpServerRequest],
  principal: (services) => Context.get(services, Principal).subject
})
export const whoAsksIsToldByWhatIsListed: Types.Equals<typeof owned, Routes<FromRouter<Principal>>> = true

// @ts-expect-error by nothing else
NodeMcpHttp.layerServer({ services: [Principal], principal: (services) => Context.get(services, Actor).subject })

// @ts-expect-error nor when nothing is listed
McpHttp.layerServer({ principal: (services) => Context.get(services, Principal).subject })

// @ts-expect-error a name, not what it is the name of
McpHttp.layerServer({ services: [Principal], principal: (services) => Context.get(services, Principal) })

declare const Server: Layer.Layer<McpEndpoint>

const Node = NodeHttpServer.layer(createServer, { port: 3000 })

const app = HttpRouter.serve(Layer.provide(one, [Server, authenticated])).pipe(Layer.provide(Node))
NodeRuntime.runMain(Layer.launch(app))

const forgotten = HttpRouter.serve(Layer.provide(one, Server)).pipe(Layer.provide(Node))
// @ts-expect-error forgetting the middleware
NodeRuntime.runMain(Layer.launch(forgotten))

// @ts-expect-error at once
NodeRuntime.runMain(Layer.launch(HttpRouter.serve(Layer.provide(one, Server)).pipe(Layer.provide(Node))))

// @ts-expect-error the other way round
NodeRuntime.runMain(Layer.launch(Layer.provide(HttpRouter.serve(Layer.provide(one, Server)), Node)))

const half = HttpRouter.serve(Layer.provide(two, [Server, authenticated])).pipe(Layer.provide(Node))
// @ts-expect-error forgetting one of two
NodeRuntime.runMain(Layer.launch(half))

const made = Layer.provide(one, [Server, Layer.succeed(Principal, { subject: "made up" })])
const madeUp = HttpRouter.serve(made).pipe(Layer.provide(Node))
// @ts-expect-error providing it by an ordinary layer, to the routes
NodeRuntime.runMain(Layer.launch(madeUp))

const request = new Request("http://localhost/mcp")

void McpHttp.toWebHandler(Server).handler(request)
void McpHttp.toWebHandler(Server, { services: [HttpServerRequest.HttpServerRequest] }).handler(request)

const { handler } = McpHttp.toWebHandler(Server, { services: [Principal] })
void handler(request, Context.make(Principal, { subject: "alice" }))

// @ts-expect-error calling without the service
void handler(request)

// @ts-expect-error calling with another one
void handler(request, Context.make(Actor, { subject: "alice" }))
