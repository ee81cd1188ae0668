import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type { Call } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The least that a call is: a handler in a fiber of its own, started at once. */
export const startCall = (id: JsonRpc.Id, handler: Effect.Effect<JsonRpc.JsonObject, McpError.McpError>): Call => {
  const fiber = Effect.runFork(handler)
  const answer = (exit: Exit.Exit<JsonRpc.JsonObject, McpError.McpError>): JsonRpc.Response | undefined => {
    if (Exit.isSuccess(exit)) return JsonRpc.success(id, exit.value)
    const failure = exit.cause.reasons.find(Cause.isFailReason)
    return failure && JsonRpc.failure(id, McpError.toErrorObject(failure.error, "legacy"))
  }
  const exit = fiber.pollUnsafe()
  return {
    response: exit && answer(exit),
    onEnd: (callback) => {
      fiber.addObserver((exit) => callback(answer(exit)))
    },
    cancel: () => fiber.interruptUnsafe()
  }
}
