/** A tool with an argument that HTTP mirrors into the header `Mcp-Param-Region`. */
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const XMcpHeader = Tool.make("test_x_mcp_header", {
  description: "Takes an argument that intermediaries can route on",
  input: { region: Schema.String.annotate(JsonSchema.mcpHeader("Region")) }
})

export const layer = McpServer.tool(XMcpHeader, ({ region }) => Effect.succeed(`The region is ${region}`))
