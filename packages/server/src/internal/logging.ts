/**
 * `Effect.log*` of a handler as `notifications/message`, for the request that asked for a level, and for no other.
 */
import type { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { printable } from "./printable.ts"
import type { RequestState } from "./requestState.ts"

/** Effect's level at which a client that asked for an MCP level starts to be told. */
const minimumFor: Readonly<Record<LoggingLevel, LogLevel.LogLevel>> = {
  debug: "Trace",
  info: "Info",
  notice: "Warn",
  warning: "Warn",
  error: "Error",
  critical: "Fatal",
  alert: "None",
  emergency: "None"
}

const levelOf: Readonly<Record<LogLevel.LogLevel, LoggingLevel>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "critical",
  None: "emergency"
}

/**
 * The services of a handler whose request asked for logs. `floor` is the lowest level the server lets out, whatever a
 * client asks for; `undefined` lets nothing out.
 */
export const forward = (
  context: Context.Context<never>,
  state: RequestState,
  floor: LogLevel.LogLevel | undefined
): Context.Context<never> => {
  if (state.logLevel === undefined || floor === undefined) return context
  const asked = minimumFor[state.logLevel]
  const minimum = LogLevel.isLessThan(asked, floor) ? floor : asked
  const before = Context.get(context, References.MinimumLogLevel)
  const lowered = LogLevel.isLessThan(minimum, before) ? minimum : before
  const loggers = new Set<Logger.Logger<unknown, unknown>>()
  for (const logger of Context.get(context, Logger.CurrentLoggers)) {
    loggers.add(keepMinimum(logger, before, lowered))
  }
  loggers.add(toClient(state, minimum))
  return Context.add(Context.add(context, Logger.CurrentLoggers, loggers), References.MinimumLogLevel, lowered)
}

/** The server's own loggers print what they print without a client, though the level is lowered for the request. */
const keepMinimum = (
  logger: Logger.Logger<unknown, unknown>,
  before: LogLevel.LogLevel,
  lowered: LogLevel.LogLevel
) =>
  Logger.make<unknown, unknown>((options) => {
    const current = options.fiber.getRef(References.MinimumLogLevel)
    // A handler may have chosen a level of its own, which Effect itself has already compared with.
    const minimum = current === lowered ? before : current
    return LogLevel.isGreaterThanOrEqualTo(options.logLevel, minimum) ? logger.log(options) : undefined
  })

const toClient = (state: RequestState, minimum: LogLevel.LogLevel) =>
  Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    if (LogLevel.isLessThan(logLevel, minimum)) return // LOG-6
    // LOG-3: a client may ask for less while a call is running.
    const asked = state.session?.data.logLevel
    if (asked !== undefined && LogLevel.isLessThan(logLevel, minimumFor[asked])) return
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    const text = Array.isArray(message) && message.length === 1 ? message[0] : message
    const hasAnnotations = Object.keys(annotations).length > 0
    const errors = cause.reasons.length === 0 ? undefined : Cause.prettyErrors(cause).map(({ message }) => message)
    state.emit("notifications/message", {
      level: levelOf[logLevel],
      data: printable(
        !hasAnnotations && errors === undefined ? text : {
          message: text,
          ...(hasAnnotations ? { annotations } : undefined),
          // LOG-8: what went wrong, without the stack, which tells of the server's inside.
          ...(errors === undefined ? undefined : { errors })
        }
      )
    })
  })
