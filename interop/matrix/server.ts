/** A server of the matrix over stdio: `node server.ts`, its name, and the revisions to serve, by default all. */
import * as Revision from "@effect-mcp/core/Revision"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as servers from "./servers.ts"

const [name, ...wanted] = process.argv.slice(2)

if (!servers.isName(name)) throw new Error(`There is no server named ${name}`)

const revisions = wanted.filter(Revision.isRevision)

McpStdio.run(servers.server(name)(revisions.length === 0 ? undefined : revisions)).pipe(
  Effect.provide(NodeStdio.layer),
  NodeRuntime.runMain({ teardown: McpStdio.teardown })
)
