/**
 * The answers of clients, read as what they have to be (MRTR-19, ELI-12).
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Reads an answer, or tells what is wrong with it. */
export const reader =
  <A>(decode: (answer: unknown) => Result.Result<A, { readonly message: string }>) =>
  (answer: JsonObject): Effect.Effect<A, McpError.InvalidParams> => {
    const result = decode(answer)
    return Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(misfit(result.failure))
  }

/** The error for an answer that is none to the question. */
export const misfit = ({ message }: { readonly message: string }): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `The client's answer does not fit the question: ${message}` })
