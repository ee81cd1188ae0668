/** The server of the matrix over stdio: `node server.ts`, and the revisions to serve, by default all. */
import * as Revision from "@effect-mcp/core/Revision"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import { server } from "./features.ts"

const revisions = process.argv.slice(2).filter(Revision.isRevision)

McpStdio.run(server(revisions.length === 0 ? undefined : revisions)).pipe(
  Effect.provide(NodeStdio.layer),
  NodeRuntime.runMain({ teardown: McpStdio.teardown })
)
