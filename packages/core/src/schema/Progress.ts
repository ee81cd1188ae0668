/**
 * How far a request has come.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta, ProgressToken } from "./Common.ts"

/**
 * The params of `notifications/progress`. All revisions; `message` from 2025-03-26 on (PROG-3, PROG-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ProgressNotificationParams extends Schema.Schema.Type<typeof ProgressNotificationParams> {}

/**
 * Accepts the params of `notifications/progress`, whose numbers may have fractions (PROG-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProgressNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  progressToken: ProgressToken,
  progress: Schema.Finite,
  total: Schema.optional(Schema.Finite),
  message: Schema.optional(Schema.String)
})
