/**
 * The server that the official conformance suite tests: `PORT=3000 node examples/conformance/server.ts`.
 *
 * `MCP_PROTOCOLS=2025-06-18` (or several, with commas between them) narrows the revisions that it serves. Each file of
 * `server/` has the features of one area.
 */
import * as Revision from "@effect-mcp/core/Revision"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as content from "./server/content.ts"
import * as elicitation from "./server/elicitation.ts"
import * as errors from "./server/errors.ts"
import * as headers from "./server/headers.ts"
import * as inputRequired from "./server/inputRequired.ts"
import * as logging from "./server/logging.ts"
import * as progress from "./server/progress.ts"
import * as prompts from "./server/prompts.ts"
import * as reconnection from "./server/reconnection.ts"
import * as resources from "./server/resources.ts"
import * as sampling from "./server/sampling.ts"
import * as streaming from "./server/streaming.ts"

const Features = Layer.mergeAll(
  content.layer,
  errors.layer,
  progress.layer,
  logging.layer,
  headers.layer,
  streaming.layer,
  reconnection.layer,
  resources.layer,
  prompts.layer,
  elicitation.layer,
  sampling.layer,
  inputRequired.layer
)

const Protocols = Config.Array(Revision.Revision, "MCP_PROTOCOLS").pipe(Config.withDefault(undefined))

const Server = Layer.unwrap(Effect.map(
  Protocols,
  (revisions) => McpServer.layer({ name: "effect-mcp-conformance", version: "1.0.0", revisions }, Features)
))

/** The suite has one call that takes longer than this, and looks whether its client is sent away and comes back. */
const polling = { after: "800 millis", retry: "200 millis" } as const

const App = HttpRouter.serve(McpHttp.layerServer({ path: "/mcp", polling }).pipe(Layer.provide(Server)), {
  disableLogger: true
}).pipe(
  Layer.provide(NodeHttpServer.layerConfig(createServer, {
    host: Config.succeed("127.0.0.1"),
    port: Config.Port("PORT").pipe(Config.withDefault(3000))
  }))
)

NodeRuntime.runMain(Layer.launch(App))
