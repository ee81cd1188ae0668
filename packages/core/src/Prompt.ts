/**
 * The contract of a prompt: its name and its arguments.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Content from "./Content.ts"
import type { Icon, JsonObject } from "./schema/Common.ts"
import type { ContentBlock } from "./schema/Content.ts"
import type * as Wire from "./schema/Prompts.ts"

const TypeId = "~@effect-mcp/core/Prompt"

/**
 * The arguments of a prompt: every one is a string on the wire (PROMPT-2), and may be anything a schema makes of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Arguments {
  readonly [name: PropertyKey]: Schema.Constraint & { readonly "Encoded": string | undefined }
}

/**
 * A prompt.
 *
 * @category models
 * @since 0.1.0
 */
export interface Prompt<out Name extends string, out Args extends Schema.Constraint> {
  readonly [TypeId]: typeof TypeId
  readonly name: Name
  readonly arguments: Args
  /** The names of the arguments, in the order they were declared. */
  readonly argumentNames: ReadonlyArray<string>
  /** The prompt as it stands in lists, prepared once. */
  readonly definition: Wire.Prompt
}

/**
 * Any prompt.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any extends Prompt<string, Schema.Constraint> {}

/**
 * The decoded arguments of a prompt.
 *
 * @category models
 * @since 0.1.0
 */
export type Input<P extends Any> = P["arguments"]["Type"]

/**
 * What a prompt's handler may succeed with: text for one message of the user, messages, or messages with a description.
 *
 * @category models
 * @since 0.1.0
 */
export type Success =
  | string
  | Wire.PromptMessage
  | ReadonlyArray<Wire.PromptMessage>
  | { readonly description?: string | undefined; readonly messages: ReadonlyArray<Wire.PromptMessage> }

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Args> {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The arguments. Their titles and descriptions are the `title` and `description` annotations of the schemas. */
  readonly arguments?: Args
  readonly icons?: ReadonlyArray<Icon> | undefined
  readonly meta?: JsonObject | undefined
}

/**
 * Defines a prompt.
 *
 * **Details**
 *
 * What lists say of an argument follows from its schema: it is required unless the key may be absent (`Schema.optional`,
 * `Schema.withDecodingDefaultKey`), and its title and description are annotations of the schema or of the key.
 *
 * **Example** (A prompt with one argument)
 *
 * ```ts
 * import * as Prompt from "@effect-mcp/core/Prompt"
 * import * as Schema from "effect/Schema"
 *
 * const Review = Prompt.make("review", {
 *   description: "Review some code",
 *   arguments: { code: Schema.String.annotate({ description: "What to review" }) }
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Name extends string, const Args extends Arguments = {}>(
  name: Name,
  options: Options<Args>
): Prompt<Name, Schema.Struct<Args>> => {
  // Without the option, Args is its default: the empty record.
  const fields = options.arguments ?? {} as Args
  const argumentNames = Object.keys(fields)
  return {
    [TypeId]: TypeId,
    name,
    arguments: Schema.Struct(fields),
    argumentNames,
    definition: {
      name,
      ...(options.title === undefined ? undefined : { title: options.title }),
      ...(options.description === undefined ? undefined : { description: options.description }),
      ...(argumentNames.length === 0 ? undefined : {
        arguments: Object.entries(fields).map(([name, schema]) => argument(name, schema))
      }),
      ...(options.icons === undefined ? undefined : { icons: options.icons }),
      ...(options.meta === undefined ? undefined : { _meta: options.meta })
    }
  }
}

const argument = (name: string, schema: Schema.Constraint): Wire.PromptArgument => {
  const { description, title } = annotations(schema)
  const document = Schema.toJsonSchemaDocument(Schema.Struct({ value: schema }))
  const required = Array.isArray(document.schema.required)
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    required
  }
}

/** Those of the key, of the schema, or of the schema that `Schema.optional` was given. */
const annotations = (schema: Schema.Constraint): { readonly title?: string; readonly description?: string } => {
  const { ast } = schema
  const members = SchemaAST.isUnion(ast) ? ast.types.filter((member) => !SchemaAST.isUndefined(member)) : []
  const inner = members.length === 1 && members[0] !== undefined ? SchemaAST.resolve(members[0]) : undefined
  return { ...texts(inner), ...texts(SchemaAST.resolve(ast)), ...texts(Schema.resolveAnnotationsKey(schema)) }
}

const texts = (annotations: Schema.Annotations.Annotations | undefined) => ({
  ...(typeof annotations?.title === "string" ? { title: annotations.title } : undefined),
  ...(typeof annotations?.description === "string" ? { description: annotations.description } : undefined)
})

/**
 * A message of the user.
 *
 * @category constructors
 * @since 0.1.0
 */
export const user = (content: string | ContentBlock): Wire.PromptMessage => ({ role: "user", content: block(content) })

/**
 * A message of the assistant.
 *
 * @category constructors
 * @since 0.1.0
 */
export const assistant = (content: string | ContentBlock): Wire.PromptMessage => ({
  role: "assistant",
  content: block(content)
})

const block = (content: string | ContentBlock): ContentBlock =>
  typeof content === "string" ? Content.text(content) : content
