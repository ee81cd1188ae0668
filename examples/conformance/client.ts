/**
 * The client that the official conformance suite tests: `node examples/conformance/client.ts <url>`.
 *
 * The suite names the scenario in `MCP_CONFORMANCE_SCENARIO`; what a scenario does is in `client/scenarios.ts`.
 */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as Revision from "@effect-mcp/core/Revision"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { handlers } from "./client/handlers.ts"
import { scenarios } from "./client/scenarios.ts"

const info = { name: "effect-mcp-conformance-client", version: "1.0.0" }

class UnknownScenario extends Schema.TaggedError<UnknownScenario>()("UnknownScenario", { name: Schema.String }) {
  override get message(): string {
    return `Unknown scenario: ${this.name}`
  }
}

const play = Effect.fn("play")(function*(url: string) {
  const name = yield* Config.String("MCP_CONFORMANCE_SCENARIO")
  const revision = yield* Config.schema(Revision.Revision, "MCP_CONFORMANCE_PROTOCOL_VERSION").pipe(
    Config.withDefault(Revision.latest)
  )
  const scenario = scenarios[name]
  if (scenario === undefined) return yield* new UnknownScenario({ name })
  const client = McpClient.layer(info, { revisions: [revision], ...handlers }).pipe(
    Layer.provide(McpHttp.layerClient({ url })),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  yield* Effect.provide(scenario, client)
}, Effect.timeout("25 seconds")) // The suite does not stop a client that hangs.

const command = Command.make("conformance-client", { url: Argument.String("url") }, ({ url }) => play(url))

Command.run(command, { version: info.version }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
