/**
 * Log messages for the client, and how it asks for them. Deprecated since 2026-07-28, but still there.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { JsonValue, Meta } from "./Common.ts"

/**
 * How severe a log message is. All revisions (LOG-2).
 *
 * @category models
 * @since 0.1.0
 */
export type LoggingLevel = typeof LoggingLevel.Type

/**
 * Accepts the eight levels; `LoggingLevel.literals` has them from the least to the most severe (LOG-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const LoggingLevel = Schema.Literals([
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency"
])

/**
 * The params of `logging/setLevel`. Up to 2025-11-25 (LOG-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface SetLevelRequestParams extends Schema.Schema.Type<typeof SetLevelRequestParams> {}

/**
 * Accepts the params of `logging/setLevel` (LOG-3, LOG-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetLevelRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  level: LoggingLevel
})

/**
 * The params of `notifications/message`. All revisions (LOG-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface LoggingMessageNotificationParams extends Schema.Schema.Type<typeof LoggingMessageNotificationParams> {}

/**
 * Accepts the params of `notifications/message`, whose `data` is any JSON value, `null` too (LOG-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const LoggingMessageNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  level: LoggingLevel,
  logger: Schema.optional(Schema.String),
  data: JsonValue
})
