/**
 * How the two sides learn who the other is: `initialize` up to 2025-11-25, `server/discover` since 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
import { Implementation, Meta } from "./Common.ts"
import { cacheFields, NotificationParams, RequestParams, resultFields } from "./Params.ts"

/**
 * The first message of a legacy client. Up to 2025-11-25 (INIT-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface InitializeRequestParams extends Schema.Schema.Type<typeof InitializeRequestParams> {}

/**
 * Accepts the params of `initialize` (INIT-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  protocolVersion: Schema.String,
  capabilities: ClientCapabilities,
  clientInfo: Implementation
})

/**
 * What a server answers to `initialize`. Up to 2025-11-25 (INIT-5).
 *
 * @category models
 * @since 0.1.0
 */
export interface InitializeResult extends Schema.Schema.Type<typeof InitializeResult> {}

/**
 * Accepts the result of `initialize` (INIT-5).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeResult = Schema.Struct({
  ...resultFields,
  protocolVersion: Schema.String,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: Schema.optional(Schema.String)
})

/**
 * The params of `notifications/initialized`. Up to 2025-11-25 (INIT-6).
 *
 * @category models
 * @since 0.1.0
 */
export type InitializedNotificationParams = NotificationParams

/**
 * Accepts the params of `notifications/initialized` (INIT-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializedNotificationParams = NotificationParams

/**
 * The params of `ping`. Up to 2025-11-25, in both directions (PING-1).
 *
 * @category models
 * @since 0.1.0
 */
export type PingRequestParams = RequestParams

/**
 * Accepts the params of `ping` (PING-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PingRequestParams = RequestParams

/**
 * The params of `server/discover`. Since 2026-07-28 (DISC-1).
 *
 * @category models
 * @since 0.1.0
 */
export type DiscoverRequestParams = RequestParams

/**
 * Accepts the params of `server/discover` (DISC-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const DiscoverRequestParams = RequestParams

/**
 * What a server tells about itself without a session. Since 2026-07-28 (DISC-2).
 *
 * Its name and version are not here but in `_meta`.
 *
 * @category models
 * @since 0.1.0
 */
export interface DiscoverResult extends Schema.Schema.Type<typeof DiscoverResult> {}

/**
 * Accepts the result of `server/discover` (DISC-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const DiscoverResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  supportedVersions: Schema.Array(Schema.String),
  capabilities: ServerCapabilities,
  instructions: Schema.optional(Schema.String)
})
