/**
 * Tools: how they are described, listed and called.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { AnyJsonObject, Icon, isJsonObject, JsonObject, JsonValue, Meta, opaque } from "./Common.ts"
import { ContentBlock } from "./Content.ts"
import {
  cacheFields,
  inputResponseFields,
  pageFields,
  PaginatedRequestParams,
  resultFields,
  taskFields
} from "./Params.ts"

/**
 * Hints about the behaviour of a tool, which a client must not trust. From 2025-03-26 on (TOOL-10).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolAnnotations extends Schema.Schema.Type<typeof ToolAnnotations> {}

/**
 * Accepts the annotations of a tool. Defaults for absent hints are not filled in (TOOL-10).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolAnnotations = Schema.Struct({
  title: Schema.optional(Schema.String),
  readOnlyHint: Schema.optional(Schema.Boolean),
  destructiveHint: Schema.optional(Schema.Boolean),
  idempotentHint: Schema.optional(Schema.Boolean),
  openWorldHint: Schema.optional(Schema.Boolean)
})

/**
 * Whether a tool may or must be run as a task. Only in 2025-11-25 (TOOL-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolExecution extends Schema.Schema.Type<typeof ToolExecution> {}

/**
 * Accepts the `execution` member of a tool.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolExecution = Schema.Struct({
  taskSupport: Schema.optional(Schema.Literals(["forbidden", "optional", "required"]))
})

/**
 * The JSON Schema of a tool's arguments: any keywords beside `type: "object"` (TOOL-3, TOOL-9).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolInputSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

/**
 * Tells a JSON object with `type: "object"` from everything else.
 *
 * @category guards
 * @since 0.1.0
 */
export const isToolInputSchema = (u: unknown): u is ToolInputSchema => isJsonObject(u) && u["type"] === "object"

/**
 * Accepts the input schema of a tool and keeps every keyword of it (TOOL-3, TOOL-8, JS-7).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolInputSchema = opaque<ToolInputSchema, typeof AnyJsonObject>({
  is: isToolInputSchema,
  identifier: "ToolInputSchema",
  expected: "a JSON Schema with type \"object\"",
  from: AnyJsonObject,
  make: (keywords) => ({ ...keywords, type: "object" })
})

/**
 * The description of a tool.
 *
 * All revisions; `annotations` from 2025-03-26 on; `title`, `outputSchema` and `_meta` from 2025-06-18 on; `icons` from
 * 2025-11-25 on; `execution` only in 2025-11-25 (TOOL-4). The rules for names are checked elsewhere (TOOL-5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Tool extends Schema.Schema.Type<typeof Tool> {}

/**
 * Accepts the description of a tool (TOOL-3, TOOL-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Tool = Schema.Struct({
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  inputSchema: ToolInputSchema,
  outputSchema: Schema.optional(JsonObject),
  annotations: Schema.optional(ToolAnnotations),
  icons: Schema.optional(Schema.Array(Icon)),
  execution: Schema.optional(ToolExecution),
  _meta: Schema.optional(Meta)
})

/**
 * The params of `tools/list`. All revisions (TOOL-1).
 *
 * @category models
 * @since 0.1.0
 */
export type ListToolsRequestParams = PaginatedRequestParams

/**
 * Accepts the params of `tools/list` (TOOL-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListToolsRequestParams = PaginatedRequestParams

/**
 * A page of tools. All revisions (TOOL-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListToolsResult extends Schema.Schema.Type<typeof ListToolsResult> {}

/**
 * Accepts the result of `tools/list` (TOOL-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListToolsResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  ...pageFields,
  tools: Schema.Array(Tool)
})

/**
 * The params of `tools/call`.
 *
 * All revisions; `task` only in 2025-11-25; `inputResponses` and `requestState` since 2026-07-28 (TOOL-11, MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface CallToolRequestParams extends Schema.Schema.Type<typeof CallToolRequestParams> {}

/**
 * Accepts the params of `tools/call`. The arguments are only checked to be an object (TOOL-11).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CallToolRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  name: Schema.String,
  arguments: Schema.optional(JsonObject),
  ...inputResponseFields,
  ...taskFields
})

/**
 * What a tool answers.
 *
 * All revisions; `structuredContent` from 2025-06-18 on, an object up to 2025-11-25 and any JSON value, `null` too,
 * since 2026-07-28 (TOOL-12, TOOL-15).
 *
 * @category models
 * @since 0.1.0
 */
export interface CallToolResult extends Schema.Schema.Type<typeof CallToolResult> {}

/**
 * Accepts the result of `tools/call`: `content` may be empty but must be there (TOOL-12).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CallToolResult = Schema.Struct({
  ...resultFields,
  content: Schema.Array(ContentBlock),
  structuredContent: Schema.optional(JsonValue),
  isError: Schema.optional(Schema.Boolean)
})
