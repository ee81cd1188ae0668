/** The documents over standard input and output: `node examples/docs/stdio.ts [folder]`. */
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as docs from "./server.ts"

const [dir = "."] = process.argv.slice(2)

McpStdio.run(docs.layer(dir)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown: McpStdio.teardown })
)
