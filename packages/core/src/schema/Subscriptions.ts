/**
 * The stream on which a client listens for changes. Since 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Common.ts"
import { resultFields } from "./Params.ts"

/**
 * Which changes a client wants to hear of, or a server has agreed to tell (SUB-1, SUB-3).
 *
 * Extensions add members of their own, which survive `Common.decodeOpen`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionFilter extends Schema.Schema.Type<typeof SubscriptionFilter> {}

/**
 * Accepts a filter; what is absent or `false` is off (SUB-1, SUB-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionFilter = Schema.Struct({
  toolsListChanged: Schema.optional(Schema.Boolean),
  promptsListChanged: Schema.optional(Schema.Boolean),
  resourcesListChanged: Schema.optional(Schema.Boolean),
  resourceSubscriptions: Schema.optional(Schema.Array(Schema.String))
})

/**
 * The params of `subscriptions/listen`. Since 2026-07-28 (SUB-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionsListenRequestParams extends Schema.Schema.Type<typeof SubscriptionsListenRequestParams> {}

/**
 * Accepts the params of `subscriptions/listen`, of which the filter is required (SUB-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionsListenRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  notifications: SubscriptionFilter
})

/**
 * The params of `notifications/subscriptions/acknowledged`. Since 2026-07-28 (SUB-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionsAcknowledgedNotificationParams
  extends Schema.Schema.Type<typeof SubscriptionsAcknowledgedNotificationParams>
{}

/**
 * Accepts the params of `notifications/subscriptions/acknowledged` (SUB-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionsAcknowledgedNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  notifications: SubscriptionFilter
})

/**
 * The result with which a server ends a subscription. Since 2026-07-28 (SUB-10).
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionsListenResult extends Schema.Schema.Type<typeof SubscriptionsListenResult> {}

/**
 * Accepts the result of `subscriptions/listen`. The subscription's id in `_meta` is the server's to add; a client knows
 * it from the response and does without (SUB-5, SUB-10).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscriptionsListenResult = Schema.Struct(resultFields)
