/**
 * Getting prompts.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import { isJsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HandlerError } from "../features/Feature.ts"
import { decoder } from "./codecs.ts"
import { type Needs, toMcpError, undeclaredOf } from "./needs.ts"
import type { Completers, MethodHandler, PromptEntry, Registry } from "./registry.ts"
import { isVisible } from "./visibility.ts"

export const makeEntry = (options: {
  readonly prompt: Prompt.Any
  readonly handler: (input: unknown) => Effect.Effect<Prompt.Success, HandlerError>
  readonly complete: Completers
  readonly order: number
  readonly visibility: PromptEntry["visibility"]
  readonly needs: Needs
  readonly context: Context.Context<never>
}): PromptEntry => {
  const { context, handler, needs, prompt } = options
  const decode = decoder(prompt.arguments)
  const run = (params: JsonObject) =>
    Effect.matchEffect(decode(isJsonObject(params.arguments) ? params.arguments : {}), {
      // PROMPT-4.
      onFailure: (error) =>
        Effect.fail(
          new McpError.InvalidParams({ message: `The arguments of ${prompt.name} are not valid: ${error.message}` })
        ),
      onSuccess: (input) => Effect.mapBoth(handler(input), { onFailure: toMcpError, onSuccess: toResult })
    })
  return {
    key: prompt.name,
    order: options.order,
    definition: { ...prompt.definition },
    visibility: options.visibility,
    context,
    complete: options.complete,
    get: (params, state) => {
      const undeclared = undeclaredOf(state, needs)
      return { context, effect: undeclared === undefined ? run(params) : Effect.fail(undeclared) }
    }
  }
}

const toResult = (success: Prompt.Success): JsonObject => {
  if (typeof success === "string") return { messages: [Prompt.user(success)] }
  if (isList(success)) return { messages: success }
  if ("role" in success) return { messages: [success] }
  return success.description === undefined
    ? { messages: success.messages }
    : { description: success.description, messages: success.messages }
}

const isList = <A, B>(u: A | ReadonlyArray<B>): u is ReadonlyArray<B> => Array.isArray(u)

export const unknownPrompt = (name: unknown): McpError.InvalidParams =>
  new McpError.InvalidParams({ message: `Unknown prompt: ${McpError.excerpt(name)}` }) // PROMPT-4

export const install = (registry: Registry): void => {
  const { prompts } = registry
  const get: MethodHandler = (params, state) => {
    const root = registry.options.context
    const entry = prompts.get(String(params.name))
    if (entry === undefined) return { context: root, effect: Effect.fail(unknownPrompt(params.name)) }
    const dispatch = entry.get(params, state)
    return entry.visibility === undefined ? dispatch : {
      context: entry.context,
      effect: Effect.flatMap(
        isVisible(entry, entry.context, state),
        (visible) => visible ? dispatch.effect : Effect.fail(unknownPrompt(params.name))
      )
    }
  }
  registry.handlers.set("prompts/get", get)
}
