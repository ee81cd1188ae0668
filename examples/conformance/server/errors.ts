/** A tool that fails: the model reads why. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"

const ErrorHandling = Tool.make("test_error_handling", { description: "Always fails" })

export const layer = McpServer.tool(
  ErrorHandling,
  () => new Tool.ToolFailure({ message: "This tool intentionally returns an error for testing" })
)
