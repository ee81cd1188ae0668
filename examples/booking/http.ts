/** The hotel over HTTP, on this machine only: `node examples/booking/http.ts [port]`. */
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as hotel from "./server.ts"

const [port = "3000"] = process.argv.slice(2)

const Listening = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.log(`The hotel is at ${address}/mcp`))
)

const Routes = NodeMcpHttp.layerServer({ path: "/mcp" }).pipe(Layer.provide(hotel.layer))

HttpRouter.serve(Routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.merge(Listening),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(port) })),
  Layer.launch,
  NodeRuntime.runMain
)
