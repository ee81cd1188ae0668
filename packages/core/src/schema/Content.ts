/**
 * What tools, prompts and models say: text, images, sound, resources, and calls of tools.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Annotations, Icon, isJsonObject, JsonObject, JsonValue, Meta, opaque } from "./Common.ts"

/**
 * Binary data stays a base64 string in the model; the check takes linear time, about a millisecond per megabyte.
 *
 * @internal
 */
export const Base64 = Schema.String.check(Schema.isBase64())

/**
 * A block of text. All revisions (TOOL-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface TextContent extends Schema.Schema.Type<typeof TextContent> {}

/**
 * Accepts a text block.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TextContent = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String,
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

/**
 * An image in base64. All revisions (TOOL-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface ImageContent extends Schema.Schema.Type<typeof ImageContent> {}

/**
 * Accepts an image block.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: Base64,
  mimeType: Schema.String,
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

/**
 * Sound in base64. From 2025-03-26 on (TOOL-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface AudioContent extends Schema.Schema.Type<typeof AudioContent> {}

/**
 * Accepts a sound block.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AudioContent = Schema.Struct({
  type: Schema.Literal("audio"),
  data: Base64,
  mimeType: Schema.String,
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

/**
 * A pointer to a resource that the client may read. From 2025-06-18 on; it need not be listed (TOOL-13, TOOL-14).
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceLink extends Schema.Schema.Type<typeof ResourceLink> {}

/**
 * Accepts a resource link.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
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
 * The contents of a resource as text. All revisions (RES-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface TextResourceContents extends Schema.Schema.Type<typeof TextResourceContents> {}

/**
 * Accepts text contents.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TextResourceContents = Schema.Struct({
  uri: Schema.String,
  text: Schema.String,
  mimeType: Schema.optional(Schema.String),
  _meta: Schema.optional(Meta)
})

/**
 * The contents of a resource as base64. All revisions (RES-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface BlobResourceContents extends Schema.Schema.Type<typeof BlobResourceContents> {}

/**
 * Accepts binary contents.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BlobResourceContents = Schema.Struct({
  uri: Schema.String,
  blob: Base64,
  mimeType: Schema.optional(Schema.String),
  _meta: Schema.optional(Meta)
})

/**
 * The contents of a resource, either text or binary. All revisions (RES-4).
 *
 * @category models
 * @since 0.1.0
 */
export type ResourceContents = typeof ResourceContents.Type

/**
 * Accepts the contents of a resource.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceContents = Schema.Union([TextResourceContents, BlobResourceContents])

/**
 * A resource with its contents inside the message. All revisions (TOOL-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface EmbeddedResource extends Schema.Schema.Type<typeof EmbeddedResource> {}

/**
 * Accepts an embedded resource.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: ResourceContents,
  annotations: Schema.optional(Annotations),
  _meta: Schema.optional(Meta)
})

declare enum UnknownType {
  Unknown = "\u0000"
}

/**
 * A block of a kind that this version of the library does not know, kept as it came.
 *
 * Its `type` is any other string. For the compiler it is a literal of its own, so that a `switch` can tell this kind
 * from the known ones; assign it to a `string` before comparing it with something else.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnknownContent {
  readonly type: UnknownType
  readonly [member: string]: unknown
}

/**
 * Tells a block of an unknown kind from everything else.
 *
 * @category guards
 * @since 0.1.0
 */
export const isUnknownContent = (u: unknown): u is UnknownContent =>
  isJsonObject(u) && typeof u["type"] === "string" && !knownTypes.has(u["type"])

const knownTypes = new Set(["text", "image", "audio", "resource_link", "resource"])

const SomeUnknownContent = Schema.Struct({ type: Schema.TemplateLiteral(["x-", Schema.Int]), value: Schema.Json })

/**
 * Accepts a block whose `type` is not a known one; a block of a known kind with a fault in it is not accepted.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnknownContent = opaque<UnknownContent, typeof SomeUnknownContent>({
  is: isUnknownContent,
  identifier: "UnknownContent",
  expected: "a content block of another type",
  from: SomeUnknownContent,
  make: ({ type, value }) => ({ type: type as UnknownType, value })
})

/**
 * One piece of what a tool or prompt answers. All revisions, with the kinds each of them has (TOOL-13).
 *
 * @category models
 * @since 0.1.0
 */
export type ContentBlock = typeof ContentBlock.Type

/**
 * Accepts a content block, of an unknown kind as well, so that one new kind does not spoil a whole result.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ContentBlock = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ResourceLink,
  EmbeddedResource,
  UnknownContent
])

/**
 * The wish of a model to call a tool. From 2025-11-25 on, in sampling only (SAMP-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolUseContent extends Schema.Schema.Type<typeof ToolUseContent> {}

/**
 * Accepts a tool call of a model.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolUseContent = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: JsonObject,
  _meta: Schema.optional(Meta)
})

/**
 * What a tool answered to a model. From 2025-11-25 on, in sampling only (SAMP-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolResultContent extends Schema.Schema.Type<typeof ToolResultContent> {}

/**
 * Accepts the answer of a tool; `structuredContent` may be any JSON value since 2026-07-28 (TOOL-15).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolResultContent = Schema.Struct({
  type: Schema.Literal("tool_result"),
  toolUseId: Schema.String,
  content: Schema.Array(ContentBlock),
  structuredContent: Schema.optional(JsonValue),
  isError: Schema.optional(Schema.Boolean),
  _meta: Schema.optional(Meta)
})
