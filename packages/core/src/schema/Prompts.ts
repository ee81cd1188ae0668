/**
 * Prompts: how they are described, listed and filled in.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Icon, Meta, Role } from "./Common.ts"
import { ContentBlock } from "./Content.ts"
import { cacheFields, inputResponseFields, pageFields, PaginatedRequestParams, resultFields } from "./Params.ts"

/**
 * The description of one argument of a prompt. All revisions; `title` from 2025-06-18 on (PROMPT-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptArgument extends Schema.Schema.Type<typeof PromptArgument> {}

/**
 * Accepts the description of a prompt argument (PROMPT-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptArgument = Schema.Struct({
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  required: Schema.optional(Schema.Boolean)
})

/**
 * The description of a prompt.
 *
 * All revisions; `title` and `_meta` from 2025-06-18 on; `icons` from 2025-11-25 on (PROMPT-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

/**
 * Accepts the description of a prompt (PROMPT-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Prompt = Schema.Struct({
  name: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  arguments: Schema.optional(Schema.Array(PromptArgument)),
  icons: Schema.optional(Schema.Array(Icon)),
  _meta: Schema.optional(Meta)
})

/**
 * The params of `prompts/list`. All revisions (PROMPT-1).
 *
 * @category models
 * @since 0.1.0
 */
export type ListPromptsRequestParams = PaginatedRequestParams

/**
 * Accepts the params of `prompts/list` (PROMPT-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListPromptsRequestParams = PaginatedRequestParams

/**
 * A page of prompts. All revisions (PROMPT-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListPromptsResult extends Schema.Schema.Type<typeof ListPromptsResult> {}

/**
 * Accepts the result of `prompts/list` (PROMPT-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListPromptsResult = Schema.Struct({
  ...resultFields,
  ...cacheFields,
  ...pageFields,
  prompts: Schema.Array(Prompt)
})

/**
 * The params of `prompts/get`. All revisions; `inputResponses` and `requestState` since 2026-07-28 (PROMPT-2, MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface GetPromptRequestParams extends Schema.Schema.Type<typeof GetPromptRequestParams> {}

/**
 * Accepts the params of `prompts/get`, whose arguments are all strings (PROMPT-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const GetPromptRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  name: Schema.String,
  arguments: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  ...inputResponseFields
})

/**
 * One message of a prompt: a role and a single block. All revisions (PROMPT-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptMessage extends Schema.Schema.Type<typeof PromptMessage> {}

/**
 * Accepts a message of a prompt (PROMPT-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptMessage = Schema.Struct({
  role: Role,
  content: ContentBlock
})

/**
 * A prompt with its arguments filled in. All revisions (PROMPT-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface GetPromptResult extends Schema.Schema.Type<typeof GetPromptResult> {}

/**
 * Accepts the result of `prompts/get` (PROMPT-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const GetPromptResult = Schema.Struct({
  ...resultFields,
  description: Schema.optional(Schema.String),
  messages: Schema.Array(PromptMessage)
})
