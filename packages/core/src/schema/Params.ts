/**
 * The params and results that carry nothing of their own, and the members that many params and results share.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Cursor, JsonObject, Meta } from "./Common.ts"

/**
 * The params of a request that only takes metadata. All revisions.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestParams extends Schema.Schema.Type<typeof RequestParams> {}

/**
 * Accepts the params of `ping`, `server/discover` and `roots/list`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestParams = Schema.Struct({
  _meta: Schema.optional(Meta)
})

/**
 * The params of a notification that only takes metadata. All revisions.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationParams extends Schema.Schema.Type<typeof NotificationParams> {}

/**
 * Accepts the params of `notifications/initialized` and of the `list_changed` notifications.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta)
})

/**
 * The params of a request for one page of a list. All revisions (PAGE-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface PaginatedRequestParams extends Schema.Schema.Type<typeof PaginatedRequestParams> {}

/**
 * Accepts the params of the four list requests (PAGE-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaginatedRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  cursor: Schema.optional(Cursor)
})

/**
 * Who may be given a cached answer. Since 2026-07-28 (CACHE-1).
 *
 * @category models
 * @since 0.1.0
 */
export type CacheScope = typeof CacheScope.Type

/**
 * Accepts `"public"` and `"private"` (CACHE-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CacheScope = Schema.Literals(["public", "private"])

/** @internal */
export const resultFields = {
  _meta: Schema.optional(Meta),
  resultType: Schema.optional(Schema.String)
}

/**
 * Negative values pass, because a client has to read them as already stale (CACHE-5).
 *
 * @internal
 */
export const cacheFields = {
  ttlMs: Schema.optional(Schema.Int),
  cacheScope: Schema.optional(CacheScope)
}

/**
 * An explicit `null` ends a list just like an absent cursor (PAGE-3).
 *
 * @internal
 */
export const pageFields = {
  nextCursor: Schema.optional(Schema.NullOr(Cursor))
}

/**
 * How long and for whom an answer may be kept. Since 2026-07-28, where both are required (CACHE-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface CacheableResult extends Schema.Schema.Type<typeof CacheableResult> {}

/**
 * Accepts the cache hints of a result.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CacheableResult = Schema.Struct({ ...resultFields, ...cacheFields })

/**
 * The members every page of a list has. All revisions (PAGE-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface PaginatedResult extends Schema.Schema.Type<typeof PaginatedResult> {}

/**
 * Accepts the common part of a page.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaginatedResult = Schema.Struct({ ...resultFields, ...pageFields })

/**
 * A result that says nothing but that it is done. All revisions (PING-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface EmptyResult extends Schema.Schema.Type<typeof EmptyResult> {}

/**
 * Accepts an empty result, and any other result for those who only need its common members.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EmptyResult = Schema.Struct(resultFields)

/**
 * The answers a client gives when it retries a request that asked for input. Since 2026-07-28 (MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export type InputResponses = typeof InputResponses.Type

/**
 * Accepts answers by key without looking into them: what an answer has to look like depends on what was asked under
 * its key, and an answer under an unknown key is to be ignored (MRTR-19).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputResponses = Schema.Record(Schema.String, JsonObject)

/**
 * The members a retry adds to the params of `tools/call`, `prompts/get` and `resources/read` (MRTR-2, MRTR-6).
 *
 * @internal
 */
export const inputResponseFields = {
  inputResponses: Schema.optional(InputResponses),
  requestState: Schema.optional(Schema.String)
}

/**
 * The wish that a request be run as a task. Only in 2025-11-25.
 *
 * @category models
 * @since 0.1.0
 */
export interface TaskMetadata extends Schema.Schema.Type<typeof TaskMetadata> {}

/**
 * Accepts the `task` member of params.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TaskMetadata = Schema.Struct({
  ttl: Schema.optional(Schema.Int)
})

/** @internal */
export const taskFields = {
  task: Schema.optional(TaskMetadata)
}
