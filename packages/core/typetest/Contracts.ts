import * as Content from "@effect-mcp/core/Content"
import type * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type { ContentBlock, ResourceContents } from "@effect-mcp/core/schema/Content"
import type { PromptMessage } from "@effect-mcp/core/schema/Prompts"
import * as Tool from "@effect-mcp/core/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Types from "effect/Types"

class Quota extends Schema.TaggedError<Quota>()("Quota", { limit: Schema.Finite }) {}

class Units extends Context.Service<Units, { readonly factor: number }>()("typetest/Units") {}

class Zones extends Context.Service<Zones, { readonly names: ReadonlyArray<string> }>()("typetest/Zones") {}

/** Decoding needs `Units`, encoding `Zones`. */
const Length = Schema.String.pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transformEffect((text: string) => Effect.map(Units, ({ factor }) => Number(text) * factor)),
    encode: SchemaGetter.transformEffect((value: number) => Effect.map(Zones, ({ names }) => `${value}${names.length}`))
  })
)

const Add = Tool.make("add", {
  input: { a: Schema.Finite, b: Schema.optional(Schema.Finite), at: Schema.DateFromString },
  output: { sum: Schema.Finite },
  failure: Quota,
  render: ({ sum }) => `${sum}`
})
const Now = Tool.make("now", {})
const Count = Tool.make("count", { input: Schema.Struct({ of: Schema.String }), output: Schema.Int })
const Measure = Tool.make("measure", { input: { length: Length }, output: Length })

// Tools

export const aToolKeepsItsName: Types.Equals<typeof Add.name, "add"> = true

export const theInputIsDecoded: Types.Equals<
  Tool.Input<typeof Add>,
  { readonly a: number; readonly b?: number | undefined; readonly at: Date }
> = true

export const noInputIsAnEmptyStruct: Types.Equals<Tool.Input<typeof Now>, {}> = true

export const aSchemaIsTakenAsItIs: Types.Equals<Tool.Input<typeof Count>, { readonly of: string }> = true

export const theOutputIsDecoded: Types.Equals<Tool.Output<typeof Add>, { readonly sum: number }> = true

export const theOutputMayBeAnything: Types.Equals<Tool.Output<typeof Count>, number> = true

export const withoutOutputThereIsContent: Types.Equals<Tool.Output<typeof Now>, ReadonlyArray<ContentBlock>> = true

export const aHandlerGivesTheOutputOrAReply: Types.Equals<
  Tool.Success<typeof Add>,
  { readonly sum: number } | Tool.Reply<{ readonly sum: number }>
> = true

export const aHandlerWithoutOutputGivesContent: Types.Equals<
  Tool.Success<typeof Now>,
  string | ContentBlock | ReadonlyArray<ContentBlock> | Tool.Reply<undefined>
> = true

export const aHandlerFailsAsDeclared: Types.Equals<
  Tool.Failure<typeof Add>,
  Quota | Tool.ToolFailure | McpError.McpError
> = true

export const anyHandlerFailsInWords: Types.Equals<
  Tool.Failure<typeof Now>,
  Tool.ToolFailure | McpError.McpError
> = true

export const mostSchemasNeedNothing: Types.Equals<Tool.HandlerServices<typeof Add>, never> = true

export const aHandlerDecodesTheInputAndEncodesTheOutput: Types.Equals<
  Tool.HandlerServices<typeof Measure>,
  Units | Zones
> = true

export const aCallEncodesTheInputAndDecodesTheOutput: Types.Equals<
  Tool.CallServices<typeof Measure>,
  Units | Zones
> = true

const Decoding = Tool.make("decoding", { input: { length: Length } })

export const onlyTheHandlerDecodesTheInput: Types.Equals<Tool.HandlerServices<typeof Decoding>, Units> = true

export const onlyTheCallEncodesTheInput: Types.Equals<Tool.CallServices<typeof Decoding>, Zones> = true

export const anyTool: ReadonlyArray<Tool.Any> = [Add, Now, Count, Measure, Decoding]

export const aReplyHasTheTypeOfItsOutput: Types.Equals<
  ReturnType<typeof replyOfSum>,
  Tool.Reply<{ readonly sum: number }>
> = true

declare const sum: { readonly sum: number }

const replyOfSum = () => Tool.reply({ output: sum })

export const aReplyIsASuccess: Tool.Success<typeof Add> = Tool.reply({ output: { sum: 1 } })

export const aReplyOfContentIsASuccess: Tool.Success<typeof Now> = Tool.reply({ content: "a", meta: {} })

// @ts-expect-error TOOL-16: a handler gives the output that was declared
export const anotherOutput: Tool.Success<typeof Add> = { total: 1 }

// @ts-expect-error TOOL-16: a tool with an output does not give mere text
export const textForAnOutput: Tool.Success<typeof Add> = "3"

// @ts-expect-error TOOL-16: nor does a reply of it have another output
export const aReplyOfAnotherOutput: Tool.Success<typeof Add> = Tool.reply({ output: { total: 1 } })

// @ts-expect-error TOOL-12: a tool without an output gives content, not any value
export const aValueWithoutOutput: Tool.Success<typeof Now> = { sum: 1 }

// @ts-expect-error an error that was not declared is not a failure of the tool
export const anotherFailure: Tool.Failure<typeof Now> = new Quota({ limit: 1 })

// @ts-expect-error what a model reads is made from the output that was declared
Tool.make("render", { output: { sum: Schema.Finite }, render: ({ total }) => `${total}` })

// @ts-expect-error TOOL-3: an input is made of fields that are schemas
Tool.make("fields", { input: { a: "string" } })

// @ts-expect-error the hints of a tool are known by name
Tool.make("hints", { annotations: { readonly: true } })

// Prompts

const Review = Prompt.make("review", {
  arguments: {
    code: Schema.String,
    lines: Schema.NumberFromString,
    style: Schema.optional(Schema.Literals(["a", "b"]))
  }
})

const Hello = Prompt.make("hello", {})

export const thePromptKeepsItsName: Types.Equals<typeof Review.name, "review"> = true

export const promptArgumentsAreDecoded: Types.Equals<
  Prompt.Input<typeof Review>,
  { readonly code: string; readonly lines: number; readonly style?: "a" | "b" | undefined }
> = true

export const noArgumentsAreAnEmptyStruct: Types.Equals<Prompt.Input<typeof Hello>, {}> = true

export const anyPrompt: ReadonlyArray<Prompt.Any> = [Review, Hello]

export const aPromptGivesTextOrMessages: ReadonlyArray<Prompt.Success> = [
  "a",
  Prompt.user("a"),
  [Prompt.user("a"), Prompt.assistant(Content.text("b"))],
  { description: "d", messages: [] }
]

export const aMessage: Types.Equals<ReturnType<typeof Prompt.user>, PromptMessage> = true

// @ts-expect-error PROMPT-2: an argument is a string on the wire
Prompt.make("number", { arguments: { lines: Schema.Finite } })

// @ts-expect-error PROMPT-2: nor is it null
Prompt.make("null", { arguments: { style: Schema.NullOr(Schema.String) } })

// @ts-expect-error PROMPT-3: a message has one block of content
Prompt.user([Content.text("a"), Content.text("b")])

// Resources

const Today = Resource.make("notes://today")

export const theUriIsKept: Types.Equals<typeof Today.uri, "notes://today"> = true

declare const someContents: ResourceContents

export const aResourceGivesTextBytesOrContents: ReadonlyArray<Resource.Success> = [
  "a",
  new Uint8Array(),
  someContents,
  [someContents]
]

// @ts-expect-error RES-13: only users and assistants are meant by annotations
Resource.make("notes://today", { annotations: { audience: ["model"] } })

// Templates

const File = ResourceTemplate.make("docs:///{+path}{?line}", {
  name: "file",
  parameters: { path: Schema.String, line: Schema.optional(Schema.NumberFromString) }
})

export const theTemplateIsKept: Types.Equals<typeof File.uriTemplate, "docs:///{+path}{?line}"> = true

export const parametersAreDecoded: Types.Equals<
  ResourceTemplate.Input<typeof File>,
  { readonly path: string; readonly line?: number | undefined }
> = true

export const anyTemplate: ReadonlyArray<ResourceTemplate.Any> = [File]

// @ts-expect-error RES-3: a template has a name
ResourceTemplate.make("docs:///{+path}", { parameters: { path: Schema.String } })
