/**
 * Calling tools: arguments are decoded once, outputs encoded once, and failures told so that a model can act on them.
 */
import * as Content from "@effect-mcp/core/Content"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
import type { ContentBlock } from "@effect-mcp/core/schema/Content"
import * as Tool from "@effect-mcp/core/Tool"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { isInteractionError } from "../InteractionError.ts"
import { decoder, encoder } from "./codecs.ts"
import { type Needs, toMcpError, undeclaredOf } from "./needs.ts"
import type { MethodHandler, Registry, ToolEntry } from "./registry.ts"
import type { RequestState } from "./requestState.ts"
import { isVisible } from "./visibility.ts"

type Json = JsonRpc.JsonObject

/** Prepares everything about a tool that does not depend on a request. */
export const makeEntry = (options: {
  readonly tool: Tool.Any
  readonly handler: (input: unknown) => Effect.Effect<unknown, unknown>
  readonly order: number
  readonly visibility: ToolEntry["visibility"]
  readonly needs: Needs
  readonly context: Context.Context<never>
}): ToolEntry => {
  const { context, handler, needs, tool } = options
  const decode = decoder(Schema.toCodecJson(tool.input))
  const succeed = tool.output === undefined ? withContent : withOutput(tool, tool.output)
  const failWith = onFailure(tool)
  const failWithResult = onLegacyFailure(failWith)
  const run = (args: Json, failWith: OnFailure): Effect.Effect<Json, McpError.McpError> =>
    Effect.matchEffect(decode(args), {
      onFailure: (error) => Effect.succeed(badArguments(tool.name, error)),
      onSuccess: (input) => Effect.matchEffect(handler(input), { onFailure: failWith, onSuccess: succeed })
    })
  return {
    key: tool.name,
    order: options.order,
    definition: { ...tool.definition },
    visibility: options.visibility,
    context,
    call: (params, state) => {
      const args = JsonRpc.isJsonObject(params.arguments) ? params.arguments : {}
      const mismatch = mirroredMismatch(tool, args, state)
      if (mismatch !== undefined) return { context, effect: Effect.fail(mismatch) }
      const undeclared = undeclaredOf(state, needs)
      const onFailure = state.session === undefined ? failWith : failWithResult
      return { context, effect: undeclared === undefined ? run(args, onFailure) : onFailure(undeclared) }
    }
  }
}

/** HDR-16, HDR-17. */
const mirroredMismatch = (tool: Tool.Any, args: Json, state: RequestState): McpError.HeaderMismatch | undefined => {
  const { mirrored } = state.exchange
  if (mirrored === undefined || tool.headers.length === 0) return undefined
  const mismatch = ParameterHeader.check(tool.headers, args, (header) => mirrored(`param:${header}`))
  return Option.isNone(mismatch) ? undefined : new McpError.HeaderMismatch({ message: mismatch.value })
}

/** TOOL-20: something the model can correct, not an error of the protocol. */
const badArguments = (name: string, error: Schema.SchemaError): Json => ({
  content: [Content.text(`The arguments of ${name} are not valid. Correct them and call again:\n${error.message}`)],
  isError: true
})

const withContent = (success: unknown): Effect.Effect<Json> => {
  if (Tool.isReply(success)) {
    return Effect.succeed({ content: success.content ?? [], ...meta(success.meta) })
  }
  // The handler's type says that it is content, but nothing else may go out unseen where that was got around.
  const content = Tool.toContent(success as string | ContentBlock | ReadonlyArray<ContentBlock>)
  return content.every(isBlock)
    ? Effect.succeed({ content })
    : Effect.die(new TypeError("The handler of a tool without an output gave neither text nor content"))
}

const isBlock = (u: unknown): boolean => JsonRpc.isJsonObject(u) && typeof u.type === "string"

const meta = (meta: Json | undefined): Json | undefined => meta === undefined ? undefined : { _meta: meta }

/** TOOL-16, TOOL-17: the structured output, and text beside it for those who read text. */
const withOutput = (tool: Tool.Any, schema: Schema.Constraint) => {
  const encode = encoder(Schema.toCodecJson(schema))
  // The tool's own type says that it renders its own output.
  const render = tool.render as ((output: unknown) => Parameters<typeof Tool.toContent>[0]) | undefined
  const result = (output: unknown, reply: Tool.Reply<unknown> | undefined): Effect.Effect<Json> =>
    Effect.matchEffect(encode(output), {
      onFailure: (error) => misfit(tool.name, error),
      onSuccess: (structuredContent) =>
        Effect.succeed({
          content: reply?.content ??
            (render === undefined ? [Content.text(JSON.stringify(structuredContent))] : Tool.toContent(render(output))),
          structuredContent,
          ...meta(reply?.meta)
        })
    })
  return (success: unknown): Effect.Effect<Json> =>
    Tool.isReply(success) ? result(success.output, success) : result(success, undefined)
}

/** An output that breaks its own schema never goes out, and the operator is told: it is the server's fault (TOOL-16). */
const misfit = (name: string, error: Schema.SchemaError): Effect.Effect<Json> => {
  const message = `The tool ${name} gave an output that does not fit its own schema:\n${error.message}`
  return Effect.as(Effect.logError(message), { content: [Content.text(message)], isError: true })
}

type OnFailure = (error: unknown) => Effect.Effect<Json, McpError.McpError>

/** TOOL-19: declared failures and `ToolFailure` are results; errors of the protocol stay errors. */
const onFailure = (tool: Tool.Any): OnFailure => {
  const encode = encoder(Schema.toCodecJson(tool.failure))
  return (error) => {
    if (error instanceof Tool.ToolFailure) return Effect.succeed(inWords(error.message, error.content))
    if (McpError.isMcpError(error)) return Effect.fail(error)
    if (isInteractionError(error)) return Effect.fail(toMcpError(error))
    return Effect.matchEffect(encode(error), {
      // Not a declared failure, whatever its type said: a defect like any other.
      onFailure: () => Effect.die(error),
      onSuccess: (failure) =>
        Effect.succeed({
          content: [Content.text(failureText(error, failure))],
          isError: true,
          _meta: { [Tool.failureKey]: failure }
        })
    })
  }
}

/** ERR-3: the legacy era has no code for it, but a model that reads of it may find another way. */
const onLegacyFailure = (failWith: OnFailure): OnFailure => (error) =>
  error instanceof McpError.MissingClientCapability ? Effect.succeed(inWords(error.message)) : failWith(error)

const inWords = (message: string, content: Tool.ToolFailure["content"] = [Content.text(message)]): Json => ({
  content,
  isError: true
})

/** What a model reads of a declared failure: its message, or all of it where it has none. */
const failureText = (error: unknown, encoded: unknown): string =>
  Predicate.hasProperty(error, "message") && typeof error.message === "string" && error.message !== ""
    ? error.message
    : JSON.stringify(encoded)

const unknownTool = (name: unknown): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Unknown tool: ${McpError.excerpt(name)}` }) // TOOL-18

export const install = (registry: Registry): void => {
  const { tools } = registry
  const call: MethodHandler = (params, state) => {
    const root = registry.options.context
    const entry = tools.get(String(params.name))
    if (entry === undefined) return { context: root, effect: Effect.fail(unknownTool(params.name)) }
    const dispatch = entry.call(params, state)
    if (entry.visibility === undefined) return dispatch
    return {
      context: entry.context,
      effect: Effect.flatMap(
        isVisible(entry, entry.context, state),
        (visible) => visible ? dispatch.effect : Effect.fail(unknownTool(params.name))
      )
    }
  }
  registry.handlers.set("tools/call", call)
}
