/**
 * The places a client lets a server work on. Deprecated since 2026-07-28, but still there.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Common.ts"
import { NotificationParams, RequestParams } from "./Params.ts"

/**
 * A directory or file. All revisions; `_meta` from 2025-06-18 on (ROOT-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface Root extends Schema.Schema.Type<typeof Root> {}

/**
 * Accepts a root, whose URI starts with `file://` (ROOT-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Root = Schema.Struct({
  uri: Schema.String.check(Schema.isStartingWith("file://")),
  name: Schema.optional(Schema.String),
  _meta: Schema.optional(Meta)
})

/**
 * The params of `roots/list`. All revisions (ROOT-2).
 *
 * @category models
 * @since 0.1.0
 */
export type ListRootsRequestParams = RequestParams

/**
 * Accepts the params of `roots/list` (ROOT-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListRootsRequestParams = RequestParams

/**
 * The roots of a client. All revisions (ROOT-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListRootsResult extends Schema.Schema.Type<typeof ListRootsResult> {}

/**
 * Accepts the result of `roots/list`. It has no `resultType` in any revision (ROOT-2, MRTR-12).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListRootsResult = Schema.Struct({
  _meta: Schema.optional(Meta),
  roots: Schema.Array(Root)
})

/**
 * The params of `notifications/roots/list_changed`. Up to 2025-11-25 (ROOT-3).
 *
 * @category models
 * @since 0.1.0
 */
export type RootsListChangedNotificationParams = NotificationParams

/**
 * Accepts the params of `notifications/roots/list_changed` (ROOT-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const RootsListChangedNotificationParams = NotificationParams
