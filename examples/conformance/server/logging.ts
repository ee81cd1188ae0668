/** Tools that log: a client that asked for the level is told. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const ToolWithLogging = Tool.make("test_tool_with_logging", { description: "Logs while it works" })

const LoggingTool = Tool.make("test_logging_tool", { description: "Logs once" })

export const layer = Layer.mergeAll(
  McpServer.tool(ToolWithLogging, () =>
    Effect.gen(function*() {
      yield* Effect.logInfo("Tool execution started")
      yield* Effect.sleep("50 millis")
      yield* Effect.logInfo("Tool processing data")
      yield* Effect.sleep("50 millis")
      yield* Effect.logInfo("Tool execution completed")
      return "Tool with logging completed"
    })),
  McpServer.tool(LoggingTool, () =>
    Effect.gen(function*() {
      yield* Effect.logInfo("A message for whoever asked for it")
      return "Tool with logging completed"
    }))
)
