/**
 * What arrives for a request before its answer: progress and log messages.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import * as Method from "@effect-mcp/core/Method"
import { decodeOpen, type ProgressToken } from "@effect-mcp/core/schema/Common"
import { LoggingMessageNotificationParams } from "@effect-mcp/core/schema/Logging"
import { ProgressNotificationParams } from "@effect-mcp/core/schema/Progress"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { RequestOptions } from "../RequestOptions.ts"
import type { Pending } from "./pending.ts"

const progressOf = decodeOpen(ProgressNotificationParams)
const logOf = decodeOpen(LoggingMessageNotificationParams)

/**
 * The consumer of a request's messages. What does not belong there is dropped, not answered: it is the server's fault
 * alone, and a request of the server does not exist in the modern era (RPC-14).
 */
export const consumer = (
  pending: Pending,
  token: ProgressToken | undefined,
  options: RequestOptions<unknown> | undefined,
  context: Context.Context<never>
): Outgoing["onMessage"] =>
(message) =>
  Effect.suspend(() => {
    if (message._tag === "Request" || pending.ended !== undefined) return Effect.void
    switch (message.method) {
      case Method.progress.name: {
        const progress = progressOf(message.params)
        // PROG-2, PROG-3: another request's token, or a step backwards, means nothing.
        if (
          Result.isFailure(progress) || progress.success.progressToken !== token ||
          progress.success.progress <= pending.progress
        ) return Effect.void
        pending.progress = progress.success.progress
        pending.touch()
        return options?.onProgress === undefined
          ? Effect.void
          : pending.call(context, closed(options.onProgress(progress.success)))
      }
      case Method.message.name: {
        if (options?.onLog === undefined) return Effect.void
        const log = logOf(message.params)
        return Result.isFailure(log) ? Effect.void : pending.call(context, closed(options.onLog(log.success)))
      }
      default:
        return Effect.void
    }
  })

// The request's effect requires what its callbacks require, so the context it runs in has it.
const closed = (callback: Effect.Effect<unknown, never, unknown>): Effect.Effect<unknown> =>
  callback as Effect.Effect<unknown>
