/** The ways from a client to a server of the matrix: over every transport. */
import type { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as path from "node:path"
import * as servers from "./servers.ts"

export type Revisions = ReadonlyArray<Revision.Revision> | undefined

/** A connection to a server of some revisions. */
export type Connect = (server: servers.Name, revisions?: Revisions) => Layer.Layer<McpTransport, unknown>

const memory = (serialize: boolean): Connect => (server, revisions) =>
  MemoryTransport.layer({ serialize }).pipe(Layer.provide(servers.server(server)(revisions)))

const stdio: Connect = (server, revisions = []) =>
  McpStdio.layerClient({
    command: process.execPath,
    args: [path.join(import.meta.dirname, "server.ts"), server, ...revisions]
  }).pipe(Layer.provide(NodeServices.layer))

type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint>

const serve = (routes: Routes, server: servers.Name, revisions: Revisions) =>
  HttpRouter.serve(routes.pipe(Layer.provide(servers.server(server)(revisions))), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))

const urlOf = (path: string) =>
  Effect.map(HttpServer.HttpServer, ({ address }) => `${HttpServer.formatAddress(address)}${path}`)

const http = (routes: Routes, path: string): Connect => (server, revisions) =>
  Layer.unwrap(Effect.map(urlOf(path), (url) => McpHttp.layerClient({ url }))).pipe(
    Layer.provide([NodeHttpClient.layerUndici, serve(routes, server, revisions)])
  )

/** The two servers over HTTP. */
const routes = {
  portable: McpHttp.layerServer({ path: "/mcp" }),
  ofNode: NodeMcpHttp.layerServer({ path: "/mcp" })
}

/** The address of a server over HTTP, which ends with the scope. */
export const address = (which: keyof typeof routes, server: servers.Name) =>
  Effect.flatMap(
    Layer.build(serve(routes[which], server, undefined)),
    (context) => Effect.provideContext(urlOf("/mcp"), context)
  )

export interface Way {
  readonly name: string
  readonly connect: Connect
  /** What can be spoken this way, in order. The last is settled on where nothing is said. */
  readonly revisions: ReadonlyArray<Revision.Revision>
}

export const ways: ReadonlyArray<Way> = [
  { name: "memory", connect: memory(false), revisions: Revision.all },
  { name: "memory, in JSON", connect: memory(true), revisions: Revision.all },
  { name: "stdio", connect: stdio, revisions: Revision.all },
  { name: "Streamable HTTP", connect: http(routes.portable, "/mcp"), revisions: Revision.all },
  { name: "Streamable HTTP of Node", connect: http(routes.ofNode, "/mcp"), revisions: Revision.all },
  {
    name: "HTTP+SSE (ERA-15)",
    connect: http(McpHttp.layerServer({ path: "/mcp", httpSse: { path: "/sse" } }), "/sse"),
    revisions: ["2024-11-05"]
  },
  {
    name: "HTTP+SSE of Node (ERA-15)",
    connect: http(NodeMcpHttp.layerServer({ path: "/mcp", httpSse: { path: "/sse" } }), "/sse"),
    revisions: ["2024-11-05"]
  }
]
