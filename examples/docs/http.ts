/** The documents over HTTP. */
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as docs from "./server.ts"

/** Serves a folder at `/mcp` on this machine only. The port 0 is any that is free. */
export const layer = (options: { readonly dir: string; readonly port: number }) =>
  HttpRouter.serve(NodeMcpHttp.layerServer({ path: "/mcp" }).pipe(Layer.provide(docs.layer(options.dir))), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: options.port }))
  )

/** Where it is served. */
export const url = HttpServer.addressFormattedWith((address) => Effect.succeed(`${address}/mcp`))
