/** A tool that says how far it has come. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Effect from "effect/Effect"

const ToolWithProgress = Tool.make("test_tool_with_progress", { description: "Reports progress while it works" })

export const layer = McpServer.tool(ToolWithProgress, () =>
  Effect.gen(function*() {
    yield* Progress.report({ progress: 0, total: 100 })
    yield* Effect.sleep("50 millis")
    yield* Progress.report({ progress: 50, total: 100 })
    yield* Effect.sleep("50 millis")
    yield* Progress.report({ progress: 100, total: 100 })
    return "Tool with progress completed"
  }))
