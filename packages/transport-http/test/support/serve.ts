/**
 * A server on a port of its own, by either entry.
 */
import type { EventLog } from "@effect-mcp/core/EventLog"
import * as Limits from "@effect-mcp/core/Limits"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as http from "node:http"
import type * as net from "node:net"
import * as Endpoint from "./endpoint.ts"

export const entries = { McpHttp: McpHttp.layerServer, NodeMcpHttp: NodeMcpHttp.layerServer }

export type Entry = keyof typeof entries

export interface ServeOptions extends Endpoint.Options {
  readonly options?: McpHttp.ServerOptions
  readonly limits?: Parameters<typeof Limits.layer>[0]
  /** What else is provided to the routes. */
  readonly provided?: Layer.Layer<EventLog>
  /** Collects what the operator is told. */
  readonly logs?: Array<string>
}

/** Serves a server written by hand until the scope ends, and gives the port. */
export const serve = (entry: Entry, options: ServeOptions = {}) =>
  serveLayer(entry, Layer.succeed(McpEndpoint, Endpoint.make(options)), options)

/** Serves any server. */
export const serveLayer = Effect.fnUntraced(function*(
  entry: Entry,
  endpoint: Layer.Layer<McpEndpoint>,
  options: ServeOptions = {}
) {
  const routes = entries[entry](options.options).pipe(
    Layer.provide(endpoint),
    Layer.provide(Layer.orDie(Limits.layer(options.limits ?? {}))),
    Layer.provide(Logger.layer([
      Logger.make(({ logLevel, message }) => void options.logs?.push(`${logLevel} ${[message].flat()[0]}`))
    ]))
  )
  return yield* serveRoutes(options.provided === undefined ? routes : Layer.provide(routes, options.provided))
})

/** Serves any routes. */
export const serveRoutes = Effect.fnUntraced(function*(routes: Layer.Layer<never, never, HttpRouter.HttpRouter>) {
  const server = http.createServer()
  yield* Layer.build(
    HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", disablePreemptiveShutdown: true }))
    )
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  return (server.address() as net.AddressInfo).port
})
