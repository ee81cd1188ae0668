/**
 * Requests of a server to the client's language model. Deprecated since 2026-07-28, but still there.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { JsonObject, Meta, Role } from "./Common.ts"
import { AudioContent, ImageContent, TextContent, ToolResultContent, ToolUseContent } from "./Content.ts"
import { taskFields } from "./Params.ts"
import { Tool } from "./Tools.ts"

const Priority = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/**
 * A hint at the model wanted. All revisions (SAMP-11).
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelHint extends Schema.Schema.Type<typeof ModelHint> {}

/**
 * Accepts a hint at a model (SAMP-11).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ModelHint = Schema.Struct({
  name: Schema.optional(Schema.String)
})

/**
 * What matters in the choice of a model. All revisions (SAMP-11).
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelPreferences extends Schema.Schema.Type<typeof ModelPreferences> {}

/**
 * Accepts preferences, with priorities between 0 and 1 (SAMP-11).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optional(Schema.Array(ModelHint)),
  costPriority: Schema.optional(Priority),
  speedPriority: Schema.optional(Priority),
  intelligencePriority: Schema.optional(Priority)
})

/**
 * Whether the model may, must or must not call tools. From 2025-11-25 on (SAMP-10).
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolChoice extends Schema.Schema.Type<typeof ToolChoice> {}

/**
 * Accepts a tool choice; an absent mode means `"auto"` (SAMP-10).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolChoice = Schema.Struct({
  mode: Schema.optional(Schema.Literals(["auto", "required", "none"]))
})

/**
 * One block of a conversation with a model. Sound from 2025-03-26 on, tool calls from 2025-11-25 on (SAMP-6).
 *
 * @category models
 * @since 0.1.0
 */
export type SamplingMessageContentBlock = typeof SamplingMessageContentBlock.Type

/**
 * Accepts one block of a conversation; a kind that is not known cannot be put to a model and is refused (SAMP-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SamplingMessageContentBlock = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ToolUseContent,
  ToolResultContent
])

const SamplingContent = Schema.Union([SamplingMessageContentBlock, Schema.Array(SamplingMessageContentBlock)])

/**
 * One turn of a conversation with a model. All revisions; several blocks and `_meta` from 2025-11-25 on (SAMP-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface SamplingMessage extends Schema.Schema.Type<typeof SamplingMessage> {}

/**
 * Accepts one turn of a conversation. Which turns may follow each other is checked elsewhere (SAMP-8, SAMP-9).
 *
 * @category schemas
 * @since 0.1.0
 */
export const SamplingMessage = Schema.Struct({
  role: Role,
  content: SamplingContent,
  _meta: Schema.optional(Meta)
})

/**
 * The params of `sampling/createMessage`.
 *
 * All revisions; `tools` and `toolChoice` from 2025-11-25 on; `task` only in 2025-11-25 (SAMP-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateMessageRequestParams extends Schema.Schema.Type<typeof CreateMessageRequestParams> {}

/**
 * Accepts the params of `sampling/createMessage` (SAMP-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateMessageRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  messages: Schema.Array(SamplingMessage),
  maxTokens: Schema.Int,
  modelPreferences: Schema.optional(ModelPreferences),
  systemPrompt: Schema.optional(Schema.String),
  includeContext: Schema.optional(Schema.Literals(["none", "thisServer", "allServers"])),
  temperature: Schema.optional(Schema.Finite),
  stopSequences: Schema.optional(Schema.Array(Schema.String)),
  metadata: Schema.optional(JsonObject),
  tools: Schema.optional(Schema.Array(Tool)),
  toolChoice: Schema.optional(ToolChoice),
  ...taskFields
})

/**
 * What the model said. All revisions; several blocks from 2025-11-25 on (SAMP-5, SAMP-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateMessageResult extends Schema.Schema.Type<typeof CreateMessageResult> {}

/**
 * Accepts the answer of a model, with any reason for stopping. It has no `resultType` in any revision (SAMP-5,
 * MRTR-12).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateMessageResult = Schema.Struct({
  _meta: Schema.optional(Meta),
  role: Role,
  content: SamplingContent,
  model: Schema.String,
  stopReason: Schema.optional(Schema.String)
})

/**
 * The blocks of a turn or of an answer, of which there may be one or several (SAMP-6).
 *
 * @category getters
 * @since 0.1.0
 */
export const blocksOf = (
  { content }: Pick<SamplingMessage, "content">
): ReadonlyArray<SamplingMessageContentBlock> => isList(content) ? content : [content]

const isList = <A, B>(u: A | ReadonlyArray<B>): u is ReadonlyArray<B> => Array.isArray(u)

/**
 * Why the turns of a conversation may not follow each other, if they may not: each use of a tool is followed by its
 * result, in a turn of the user that has nothing else (ERR-13, SAMP-8, SAMP-9).
 *
 * @category guards
 * @since 0.1.0
 */
export const toolUseProblem = (messages: ReadonlyArray<SamplingMessage>): string | undefined => {
  let open: ReadonlySet<string> = new Set()
  for (const message of messages) {
    const content = blocksOf(message)
    const results = content.filter((block) => block.type === "tool_result").map((block) => block.toolUseId)
    if (results.length > 0 && (message.role !== "user" || results.length < content.length)) {
      return "Results of tools stand in a message of the user, with nothing else in it"
    }
    const answered = new Set(results)
    if (results.length !== open.size || answered.size !== open.size || !results.every((id) => open.has(id))) {
      return "The uses of tools and their results do not match"
    }
    open = new Set(content.filter((block) => block.type === "tool_use").map((block) => block.id))
  }
  return open.size > 0 ? "The results of a tool are missing" : undefined
}
