/**
 * The server that the official conformance suite tests: `PORT=3000 node examples/conformance/server.ts`.
 *
 * Each file of `server/` has the features of one area.
 */
import * as McpServer from "@effect-mcp/server/McpServer"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Config from "effect/Config"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as content from "./server/content.ts"
import * as errors from "./server/errors.ts"
import * as headers from "./server/headers.ts"
import * as logging from "./server/logging.ts"
import * as progress from "./server/progress.ts"
import * as prompts from "./server/prompts.ts"
import * as resources from "./server/resources.ts"
import * as streaming from "./server/streaming.ts"

const Server = McpServer.layer(
  { name: "effect-mcp-conformance", version: "1.0.0" },
  Layer.mergeAll(
    content.layer,
    errors.layer,
    progress.layer,
    logging.layer,
    headers.layer,
    streaming.layer,
    resources.layer,
    prompts.layer
  )
)

const App = HttpRouter.serve(McpHttp.layerServer({ path: "/mcp" }).pipe(Layer.provide(Server)), {
  disableLogger: true
}).pipe(
  Layer.provide(NodeHttpServer.layerConfig(createServer, {
    host: Config.succeed("127.0.0.1"),
    port: Config.Port("PORT").pipe(Config.withDefault(3000))
  }))
)

NodeRuntime.runMain(Layer.launch(App))
