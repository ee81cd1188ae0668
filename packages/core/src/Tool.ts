/**
 * The contract of a tool: its name, what it takes, what it gives, how it may fail. A server attaches a handler to it, a
 * client calls it with the same types.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Content from "./Content.ts"
import * as JsonSchema from "./JsonSchema.ts"
import type * as McpError from "./McpError.ts"
import * as ParameterHeader from "./ParameterHeader.ts"
import type { Icon, JsonObject } from "./schema/Common.ts"
import { ContentBlock } from "./schema/Content.ts"
import type * as Wire from "./schema/Tools.ts"

const TypeId = "~@effect-mcp/core/Tool"

/**
 * A tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tool<
  out Name extends string,
  out Input extends Schema.Constraint,
  out Output extends Schema.Constraint | undefined,
  out Failure extends Schema.Constraint
> {
  readonly [TypeId]: typeof TypeId
  readonly name: Name
  readonly input: Input
  readonly output: Output
  readonly failure: Failure
  /** What the model reads of an output, instead of its JSON. */
  readonly render: ((output: never) => string | ContentBlock | ReadonlyArray<ContentBlock>) | undefined
  /** The tool as it stands in lists, prepared once. */
  readonly definition: Wire.Tool
  /** The arguments that HTTP mirrors into headers. */
  readonly headers: ReadonlyArray<ParameterHeader.ParameterHeader>
}

/**
 * Any tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any extends Tool<string, Schema.Constraint, Schema.Constraint | undefined, Schema.Constraint> {}

/**
 * The decoded arguments of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export type Input<T extends Any> = T["input"]["Type"]

/**
 * What a call of a tool gives a client: its decoded output, or the content of a tool without one.
 *
 * @category models
 * @since 0.1.0
 */
export type Output<T extends Any> = T["output"] extends Schema.Constraint ? T["output"]["Type"]
  : ReadonlyArray<ContentBlock>

/**
 * What a tool's handler may succeed with: its output, or content where none is declared. {@link Reply} says more.
 *
 * @category models
 * @since 0.1.0
 */
export type Success<T extends Any> = T["output"] extends Schema.Constraint ?
  T["output"]["Type"] | Reply<T["output"]["Type"]>
  : string | ContentBlock | ReadonlyArray<ContentBlock> | Reply<undefined>

/**
 * What a tool's handler may fail with: the declared failures, {@link ToolFailure}, or an error of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type Failure<T extends Any> = T["failure"]["Type"] | ToolFailure | McpError.McpError

/**
 * The services that the schemas of a tool need on the side that runs it.
 *
 * @category models
 * @since 0.1.0
 */
export type HandlerServices<T extends Any> =
  | T["input"]["DecodingServices"]
  | T["failure"]["EncodingServices"]
  | (T["output"] extends Schema.Constraint ? T["output"]["EncodingServices"] : never)

/**
 * The services that the schemas of a tool need on the side that calls it.
 *
 * @category models
 * @since 0.1.0
 */
export type CallServices<T extends Any> =
  | T["input"]["EncodingServices"]
  | T["failure"]["DecodingServices"]
  | (T["output"] extends Schema.Constraint ? T["output"]["DecodingServices"] : never)

/**
 * A failure of a tool that is only told in words: the model reads the message (TOOL-19). Every tool may fail with it.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>("@effect-mcp/core/Tool/ToolFailure")("ToolFailure", {
  message: Schema.String,
  /** What the model reads instead of the message. */
  content: Schema.optional(Schema.Array(ContentBlock))
}) {}

/**
 * The `_meta` key under which a result with `isError` carries the encoded failure a tool declares, so that a client which
 * shares the contract gets the same value back. Other clients read the content.
 *
 * @category constants
 * @since 0.1.0
 */
export const failureKey = "dev.effect-mcp/failure"

const ReplyTypeId = "~@effect-mcp/core/Tool/Reply"

/**
 * The answer of a tool that says more than its output: content of its own, or `_meta`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reply<out Output> {
  readonly [ReplyTypeId]: typeof ReplyTypeId
  readonly output: Output
  readonly content: ReadonlyArray<ContentBlock> | undefined
  readonly meta: JsonObject | undefined
}

/**
 * Tells whether a value is a {@link Reply}.
 *
 * @category guards
 * @since 0.1.0
 */
export const isReply = (u: unknown): u is Reply<unknown> => typeof u === "object" && u !== null && ReplyTypeId in u

/**
 * What a {@link Reply} says beside the output.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReplyOptions {
  /** What the model reads. By default the output, rendered or as JSON. */
  readonly content?: string | ContentBlock | ReadonlyArray<ContentBlock> | undefined
  readonly meta?: JsonObject | undefined
}

/**
 * Makes an answer with content or `_meta` of its own. A tool that declares an output still has to give it.
 *
 * **Example** (Metadata beside an output)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 *
 * const reply = Tool.reply({ output: { sum: 3 }, meta: { "com.example/cost": 1 } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const reply: {
  <Output>(options: ReplyOptions & { readonly output: Output }): Reply<Output>
  (options: ReplyOptions): Reply<undefined>
} = <Output>(options: ReplyOptions & { readonly output?: Output }): Reply<Output | undefined> => ({
  [ReplyTypeId]: ReplyTypeId,
  output: options.output,
  content: options.content === undefined ? undefined : toContent(options.content),
  meta: options.meta
})

/**
 * Content as the wire has it: text becomes a block, a block a list.
 *
 * @category converting
 * @since 0.1.0
 */
export const toContent = (content: string | ContentBlock | ReadonlyArray<ContentBlock>): ReadonlyArray<ContentBlock> =>
  typeof content === "string" ? [Content.text(content)] : isList(content) ? content : [content]

const isList = <A>(u: A | ReadonlyArray<A>): u is ReadonlyArray<A> => Array.isArray(u)

/**
 * A tool that cannot be published: its name breaks the rule, or an argument's header annotation does.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidTool extends Schema.TaggedError<InvalidTool>("@effect-mcp/core/Tool/InvalidTool")("InvalidTool", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `The tool ${JSON.stringify(this.name)} cannot be published: ${this.problem}`
  }
}

/** TOOL-5. */
const namePattern = /^[A-Za-z0-9_.-]{1,128}$/

type FieldsOrSchema = Schema.Struct.Fields | Schema.Constraint

/**
 * The schema of an option that takes the fields of a struct or a schema.
 *
 * @category models
 * @since 0.1.0
 */
export type SchemaOf<S> = S extends Schema.Constraint ? S : S extends Schema.Struct.Fields ? Schema.Struct<S> : never

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Input, Output, Failure> {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The arguments: fields, or a schema of objects. Without it the tool takes none. */
  readonly input?: Input
  /** The structured output: fields, or any schema. Objects only where older clients are to be given it (TOOL-15). */
  readonly output?: Output
  /** The failures a client gets back as the same values. */
  readonly failure?: Failure
  /** What the model reads of an output. By default its JSON. */
  readonly render?:
    | ((output: SchemaOf<Output> extends Schema.Constraint ? SchemaOf<Output>["Type"] : never) =>
      | string
      | ContentBlock
      | ReadonlyArray<ContentBlock>)
    | undefined
  readonly annotations?: Wire.ToolAnnotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  readonly meta?: JsonObject | undefined
}

/**
 * Defines a tool. Throws {@link InvalidTool} or `NotAnObject` for a definition that cannot be published, since it is
 * written in code.
 *
 * **Details**
 *
 * - The input is fields, or a schema of objects: a struct, a record, a class, or unions of them. No input takes nothing.
 * - The output is fields or any schema; without one the tool gives content.
 * - Annotated arguments are mirrored into headers over HTTP, see `JsonSchema.mcpHeader`.
 *
 * **Example** (A tool)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as Schema from "effect/Schema"
 *
 * const Add = Tool.make("add", {
 *   description: "Add two numbers",
 *   input: { a: Schema.Finite, b: Schema.Finite },
 *   output: { sum: Schema.Finite }
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  const Name extends string,
  const Input extends FieldsOrSchema = {},
  const Output extends FieldsOrSchema | undefined = undefined,
  Failure extends Schema.Constraint = Schema.Never
>(
  name: Name,
  options: Options<Input, Output, Failure> = {}
): Tool<Name, SchemaOf<Input>, Output extends undefined ? undefined : SchemaOf<Output>, Failure> => {
  if (!namePattern.test(name)) {
    throw new InvalidTool({ name, problem: "a name has 1 to 128 characters of A-Z a-z 0-9 _ . - (TOOL-5)" })
  }
  const input = toSchema(options.input ?? {})
  const output = options.output === undefined ? undefined : toSchema(options.output)
  const inputSchema = JsonSchema.objectFromSchema(input, `The input of the tool ${name}`)
  const headers = ParameterHeader.scan(inputSchema)
  if (Result.isFailure(headers)) throw new InvalidTool({ name, problem: headers.failure.message })
  const definition: Wire.Tool = {
    name,
    ...(options.title === undefined ? undefined : { title: options.title }),
    ...(options.description === undefined ? undefined : { description: options.description }),
    inputSchema,
    ...(output === undefined ? undefined : { outputSchema: JsonSchema.fromSchema(output) }),
    ...(options.annotations === undefined ? undefined : { annotations: options.annotations }),
    ...(options.icons === undefined ? undefined : { icons: options.icons }),
    ...(options.meta === undefined ? undefined : { _meta: options.meta })
  }
  // The conditional types above are decided by what was just looked at, which the compiler cannot follow.
  return {
    [TypeId]: TypeId,
    name,
    input,
    output,
    failure: options.failure ?? Schema.Never,
    render: options.render,
    definition,
    headers: headers.success
  } as never
}

const toSchema = (source: FieldsOrSchema): Schema.Constraint =>
  Schema.isSchema(source) ? source : Schema.Struct(source as Schema.Struct.Fields)
