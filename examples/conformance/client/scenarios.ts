/** What the client does in each scenario of the conformance suite. */
import * as McpClient from "@effect-mcp/client/McpClient"
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

type Scenario = Effect.Effect<void, RequestError | Config.ConfigError | Schema.SchemaError, McpClient.McpClient>

const listTools = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  return yield* Stream.runCollect(client.tools)
})

/** Lists the tools, and calls one of them. */
const call = Effect.fnUntraced(function*(name: string, args?: Readonly<Record<string, Schema.Json>>) {
  const client = yield* McpClient.McpClient
  yield* listTools
  yield* client.callTool(name, args)
})

/** Calls, reads and gets whatever the server has. */
const everything: Scenario = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  yield* Stream.runForEach(client.tools, ({ name }) => client.callTool(name))
  yield* Stream.runForEach(client.resources, ({ uri }) => client.readResource(uri))
  yield* Stream.runForEach(client.prompts, ({ name }) => client.getPrompt(name))
})

const Context = Schema.fromJsonString(Schema.Struct({
  toolCalls: Schema.Array(Schema.Struct({ name: Schema.String, arguments: Schema.Record(Schema.String, Schema.Json) }))
}))

/** Makes the calls that the suite asks for. */
const customHeaders: Scenario = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  const { toolCalls } = yield* Config.schema(Context, "MCP_CONFORMANCE_CONTEXT")
  yield* listTools
  yield* Effect.forEach(toolCalls, (call) => client.callTool(call.name, call.arguments), { discard: true })
})

/** Calls every tool that the client lets through: those with an illegal header annotation are left out. */
const invalidToolHeaders: Scenario = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  yield* Stream.runForEach(client.tools, ({ name }) => client.callTool(name, { region: "eu" }))
})

/** Calls tools of which some ask before they answer, side by side. The client answers, and calls them again, by itself. */
const inputRequired: Scenario = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  const tools = yield* listTools
  yield* Effect.forEach(tools, ({ name }) => client.callTool(name), { concurrency: "unbounded", discard: true })
})

/** Sends a schema back as it came. */
const schemaPreservation: Scenario = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  const tools = yield* listTools
  const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema
  yield* client.callTool("json_schema_echo", { schema: schema ?? null })
})

export const scenarios: Readonly<Record<string, Scenario>> = {
  // The server of this scenario declares nothing, so that nothing can be asked of it.
  "initialize": Effect.void,
  "tools_call": call("add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": call("test_client_elicitation_defaults"),
  "sse-retry": call("test_reconnection"),
  "request-metadata": Effect.asVoid(listTools),
  "http-standard-headers": everything,
  "http-custom-headers": customHeaders,
  "http-invalid-tool-headers": invalidToolHeaders,
  "sep-2322-client-request-state": inputRequired,
  "json-schema-ref-no-deref": Effect.asVoid(listTools),
  "json-schema-2020-12-preservation": schemaPreservation
}
