/** A tool that takes longer than the server keeps the stream of its answer open: a client comes back for the answer. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"

const Reconnection = Tool.make("test_reconnection", { description: "Answers after the stream of its call was closed" })

export const layer = McpServer.tool(
  Reconnection,
  () => Effect.as(Effect.sleep("1 second"), "Whoever reads this came back for it")
)
