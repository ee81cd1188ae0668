/**
 * The news that the answer to a request is no longer wanted.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta, RequestId } from "./Common.ts"

/**
 * The params of `notifications/cancelled`. All revisions; only 2025-11-25 lets `requestId` be absent (CAN-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface CancelledNotificationParams extends Schema.Schema.Type<typeof CancelledNotificationParams> {}

/**
 * Accepts the params of `notifications/cancelled` (CAN-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CancelledNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  requestId: Schema.optional(RequestId),
  reason: Schema.optional(Schema.String)
})
