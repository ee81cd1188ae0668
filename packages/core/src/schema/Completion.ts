/**
 * Completion of the arguments of prompts and of the variables of resource templates.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Common.ts"
import { resultFields } from "./Params.ts"

/**
 * Names a prompt. All revisions; `title` from 2025-06-18 on (COMP-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptReference extends Schema.Schema.Type<typeof PromptReference> {}

/**
 * Accepts a reference to a prompt (COMP-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptReference = Schema.Struct({
  type: Schema.Literal("ref/prompt"),
  name: Schema.String,
  title: Schema.optional(Schema.String)
})

/**
 * Names a resource or a resource template. All revisions (COMP-2).
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceTemplateReference extends Schema.Schema.Type<typeof ResourceTemplateReference> {}

/**
 * Accepts a reference to a resource or a resource template (COMP-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceTemplateReference = Schema.Struct({
  type: Schema.Literal("ref/resource"),
  uri: Schema.String
})

/**
 * The params of `completion/complete`. All revisions; `context` from 2025-06-18 on (COMP-2, COMP-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface CompleteRequestParams extends Schema.Schema.Type<typeof CompleteRequestParams> {}

/**
 * Accepts the params of `completion/complete` (COMP-2, COMP-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompleteRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  ref: Schema.Union([PromptReference, ResourceTemplateReference]),
  argument: Schema.Struct({
    name: Schema.String,
    value: Schema.String
  }),
  context: Schema.optional(Schema.Struct({
    arguments: Schema.optional(Schema.Record(Schema.String, Schema.String))
  }))
})

/**
 * Suggestions for a value, best first. All revisions (COMP-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface CompleteResult extends Schema.Schema.Type<typeof CompleteResult> {}

/**
 * Accepts the result of `completion/complete`, with at most 100 suggestions (COMP-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompleteResult = Schema.Struct({
  ...resultFields,
  completion: Schema.Struct({
    values: Schema.Array(Schema.String).check(Schema.isMaxLength(100)),
    total: Schema.optional(Schema.Int),
    hasMore: Schema.optional(Schema.Boolean)
  })
})
