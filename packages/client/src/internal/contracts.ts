/**
 * The codecs of shared contracts, made once per contract, and the reading of a tool's answer by its contract.
 */
import { isJsonObject, type JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import type { ContentBlock, TextContent } from "@effect-mcp/core/schema/Content"
import type { CallToolResult } from "@effect-mcp/core/schema/Tools"
import * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalid } from "./answer.ts"

const method = Method.toolsCall.name

const cached = <K extends object, V>(make: (key: K) => V): (key: K) => V => {
  const known = new WeakMap<K, V>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const value = make(key)
    known.set(key, value)
    return value
  }
}

const encoder = cached((schema: Schema.Constraint) => Schema.encodeUnknownEffect(Schema.toCodecJson(schema)))
const decoder = cached((schema: Schema.Constraint) => Schema.decodeUnknownEffect(Schema.toCodecJson(schema)))

/** Encodes what goes out, always an object: arguments or parameters. */
export const encode = <S extends Schema.Constraint>(
  method: string,
  subject: string,
  schema: S,
  value: S["Type"]
): Effect.Effect<JsonObject, McpClientError.McpClientError, S["EncodingServices"]> =>
  Effect.matchEffect(encoder(schema)(value) as Effect.Effect<unknown, Schema.SchemaError, S["EncodingServices"]>, {
    onFailure: (error) => Effect.fail(unsendable(method, `${subject}: ${error.message}`)),
    onSuccess: (encoded) =>
      isJsonObject(encoded)
        ? Effect.succeed(encoded)
        : Effect.fail(unsendable(method, `${subject} do not encode to an object`))
  })

const unsendable = (method: string, problem: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidCall({ method, problem }))

// The cache forgets which schema a codec belongs to, and with it the services it needs.
const decode = <S extends Schema.Constraint>(schema: S, value: unknown) =>
  decoder(schema)(value) as Effect.Effect<S["Type"], Schema.SchemaError, S["DecodingServices"]>

type Failure<T extends Tool.Any> = T["failure"]["Type"] | Tool.ToolFailure | McpClientError.McpClientError

/** Reads the answer of a tool by its contract. */
export const read = <T extends Tool.Any>(
  tool: T,
  result: CallToolResult,
  revision: Revision.Revision
): Effect.Effect<Tool.Output<T>, Failure<T>, Tool.CallServices<T>> => {
  // What the conditional types of `Tool` decide by `output` is decided here by its presence, which the compiler does
  // not relate to each other.
  if (result.isError === true) return failed(tool, result) as Effect.Effect<never, Failure<T>, Tool.CallServices<T>>
  const { output } = tool
  if (output === undefined) return Effect.succeed(result.content as Tool.Output<T>)
  const structured = structuredOf(result, revision)
  if (structured === undefined) {
    return Effect.fail(
      hasStructured(revision, tool)
        ? invalid(method, `the tool ${tool.name} gave no structuredContent`, result)
        : notInRevision(tool, revision)
    )
  }
  return Effect.mapError(
    decode(output, structured.value),
    (error) => invalid(method, `structuredContent of the tool ${tool.name}: ${error.message}`, result)
  ) as Effect.Effect<Tool.Output<T>, Failure<T>, Tool.CallServices<T>>
}

/** TOOL-4, TOOL-15: whether an answer under this revision can have the output of a tool. */
const hasStructured = (revision: Revision.Revision, { definition: { outputSchema } }: Tool.Any): boolean =>
  Revision.order(revision, outputSchema?.type === "object" ? "2025-06-18" : "2026-07-28") >= 0

const notInRevision = ({ name }: Tool.Any, revision: Revision.Revision): McpClientError.McpClientError =>
  McpClientError.make(
    new McpClientError.NotInRevision({
      what: `Structured output of the tool ${name}`,
      revision
    })
  )

/**
 * The structured content of an answer. A revision of the legacy era has it for objects only, or not at all: there a text
 * that stands alone has the same in JSON (TOOL-15, TOOL-17).
 */
const structuredOf = (
  result: CallToolResult,
  revision: Revision.Revision
): { readonly value: unknown } | undefined => {
  // `null`, `0` and `""` are outputs like any other (TOOL-15).
  if (Object.hasOwn(result, "structuredContent")) return { value: result.structuredContent }
  const [only, ...more] = result.content
  return Revision.era(revision) === "legacy" && more.length === 0 && only?.type === "text"
    ? Option.getOrUndefined(Option.map(parse((only as TextContent).text), (value) => ({ value })))
    : undefined
}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** A declared failure comes back as what it was; any other as its words (TOOL-19). */
const failed = (tool: Tool.Any, result: CallToolResult): Effect.Effect<never, unknown, unknown> => {
  const inWords = new Tool.ToolFailure({ message: textOf(result.content), content: result.content })
  if (result._meta === undefined || !Object.hasOwn(result._meta, Tool.failureKey)) return Effect.fail(inWords)
  return Effect.matchEffect(decode(tool.failure, result._meta[Tool.failureKey]), {
    onFailure: () => Effect.fail(inWords),
    onSuccess: Effect.fail
  })
}

const textOf = (content: ReadonlyArray<ContentBlock>): string =>
  content.filter((block): block is TextContent => block.type === "text").map((block) => block.text).join("\n")
