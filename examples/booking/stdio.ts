/** The hotel over standard input and output: `node examples/booking/stdio.ts`. */
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as hotel from "./server.ts"

// One process and one client: a key that ends with them is all it takes.
McpStdio.run(hotel.layer.pipe(Layer.provide(RequestStateCodec.layerMemory))).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown: McpStdio.teardown })
)
