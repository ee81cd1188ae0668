/**
 * Resources and templates: how they are described, listed, read and watched.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Annotations, Icon, Meta } from "./Common.ts"
import { ResourceContents } from "./Content.ts"
import { cacheFields, inputResponseFields, pageFields, PaginatedRequestParams, resultFields } from "./Params.ts"

/**
 * The description of something a client may read.
 *
 * All revisions; `title` and `_meta` from 2025-06-18 on; `icons` from 2025-11-25 on (RES-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface Resource extends Schema.Schema.Type<typeof Resource> {}

/**
 * Accepts the description of a resource (RES-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Resource = Schema.Struct({
  uri: Schema.String,
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  mimeType: Schema.optional(Schema.String),
  size: Schema.optional(Schema.Int),
  icons: Schema.optional(Schema.Array(Icon)),
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

/**
 * The description of a family of resources whose URIs follow an RFC 6570 template.
 *
 * All revisions; `title` and `_meta` from 2025-06-18 on; `icons` from 2025-11-25 on (RES-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceTemplate extends Schema.Schema.Type<typeof ResourceTemplate> {}

/**
 * Accepts the description of a resource template; the template itself is not parsed here (RES-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceTemplate = Schema.Struct({
  uriTemplate: Schema.String,
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  mimeType: Schema.optional(Schema.String),
  icons: Schema.optional(Schema.Array(Icon)),
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

/**
 * The params of `resources/list`. All revisions (RES-1).
 *
 * @category models
 * @since 0.1.0
 */
export type ListResourcesRequestParams = PaginatedRequestParams

/**
 * Accepts the params of `resources/list` (RES-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListResourcesRequestParams = PaginatedRequestParams

/**
 * A page of resources. All revisions (RES-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListResourcesResult extends Schema.Schema.Type<typeof ListResourcesResult> {}

/**
 * Accepts the result of `resources/list` (RES-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListResourcesResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  ...pageFields,
  resources: Schema.Array(Resource)
})

/**
 * The params of `resources/templates/list`. All revisions (RES-3).
 *
 * @category models
 * @since 0.1.0
 */
export type ListResourceTemplatesRequestParams = PaginatedRequestParams

/**
 * Accepts the params of `resources/templates/list` (RES-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListResourceTemplatesRequestParams = PaginatedRequestParams

/**
 * A page of resource templates. All revisions (RES-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListResourceTemplatesResult extends Schema.Schema.Type<typeof ListResourceTemplatesResult> {}

/**
 * Accepts the result of `resources/templates/list` (RES-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListResourceTemplatesResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  ...pageFields,
  resourceTemplates: Schema.Array(ResourceTemplate)
})

/**
 * The params of `resources/read`. All revisions; `inputResponses` and `requestState` since 2026-07-28 (RES-4, MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadResourceRequestParams extends Schema.Schema.Type<typeof ReadResourceRequestParams> {}

/**
 * Accepts the params of `resources/read` (RES-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReadResourceRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  uri: Schema.String,
  ...inputResponseFields
})

/**
 * What a resource holds, in one or more parts. All revisions (RES-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadResourceResult extends Schema.Schema.Type<typeof ReadResourceResult> {}

/**
 * Accepts the result of `resources/read` (RES-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReadResourceResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  contents: Schema.Array(ResourceContents)
})

/**
 * The params of `resources/subscribe`. Up to 2025-11-25 (RES-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscribeRequestParams extends Schema.Schema.Type<typeof SubscribeRequestParams> {}

/**
 * Accepts the params of `resources/subscribe` (RES-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubscribeRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  uri: Schema.String
})

/**
 * The params of `resources/unsubscribe`. Up to 2025-11-25 (RES-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface UnsubscribeRequestParams extends Schema.Schema.Type<typeof UnsubscribeRequestParams> {}

/**
 * Accepts the params of `resources/unsubscribe` (RES-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnsubscribeRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  uri: Schema.String
})

/**
 * The params of `notifications/resources/updated`. All revisions; the URI may be that of a part of what was subscribed
 * to (SUB-14).
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceUpdatedNotificationParams
  extends Schema.Schema.Type<typeof ResourceUpdatedNotificationParams>
{}

/**
 * Accepts the params of `notifications/resources/updated` (RES-8, SUB-14).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceUpdatedNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  uri: Schema.String
})
