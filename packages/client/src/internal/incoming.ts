/**
 * What arrives for a request before its answer: progress and log messages.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Method from "@effect-mcp/core/Method"
import { decodeOpen, type ProgressToken } from "@effect-mcp/core/schema/Common"
import { LoggingLevel, LoggingMessageNotificationParams } from "@effect-mcp/core/schema/Logging"
import { ProgressNotificationParams } from "@effect-mcp/core/schema/Progress"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { RequestOptions } from "../RequestOptions.ts"
import type { Pending } from "./pending.ts"

const progressOf = decodeOpen(ProgressNotificationParams)
const logOf = decodeOpen(LoggingMessageNotificationParams)

/** The levels from low to high (LOG-2). */
export const severity = (level: LoggingLevel): number => LoggingLevel.literals.indexOf(level)

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
    if (message._tag === "Request") return Effect.void
    const callback = callbackOf(message, pending, token, options, 0)
    return callback === undefined ? Effect.void : pending.call(context, callback)
  })

/** What a notification means for a request: the callback to run, if any. Progress is counted here. */
export const callbackOf = (
  message: JsonRpc.Notification,
  pending: Pending,
  token: ProgressToken | undefined,
  options: RequestOptions<unknown> | undefined,
  leastSeverity: number
): Effect.Effect<unknown> | undefined => {
  if (pending.ended !== undefined) return undefined
  switch (message.method) {
    case Method.progress.name: {
      const progress = progressOf(message.params)
      // PROG-2, PROG-3: another request's token, or a step backwards, means nothing.
      if (
        Result.isFailure(progress) || progress.success.progressToken !== token ||
        progress.success.progress <= pending.progress
      ) return undefined
      pending.progress = progress.success.progress
      pending.touch()
      return options?.onProgress === undefined ? undefined : closed(options.onProgress(progress.success))
    }
    case Method.message.name: {
      if (options?.onLog === undefined) return undefined
      const log = logOf(message.params)
      return Result.isFailure(log) || severity(log.success.level) < leastSeverity
        ? undefined
        : closed(options.onLog(log.success))
    }
    default:
      return undefined
  }
}

// The request's effect requires what its callbacks require, so the context it runs in has it.
const closed = (callback: Effect.Effect<unknown, never, unknown>): Effect.Effect<unknown> =>
  callback as Effect.Effect<unknown>
