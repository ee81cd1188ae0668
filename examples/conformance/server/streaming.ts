/** A tool that ends in time, whatever the stream of its answer is asked to carry. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"

const StreamingElicitation = Tool.make("test_streaming_elicitation", {
  description: "Answers at once, and asks nothing on the stream of its answer"
})

export const layer = McpServer.tool(StreamingElicitation, () => Effect.succeed("Nothing was asked"))
