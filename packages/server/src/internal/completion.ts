/**
 * Completion of prompt arguments and template parameters.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type * as Completion from "@effect-mcp/core/schema/Completion"
import * as Effect from "effect/Effect"
import type { Entry } from "./listing.ts"
import { unknownPrompt } from "./prompts.ts"
import type { Completers, Dispatch, MethodHandler, Registry } from "./registry.ts"
import type { RequestState } from "./requestState.ts"
import { isVisible } from "./visibility.ts"

export type Completer = (
  value: string,
  context: Readonly<Record<string, string>>
) => Effect.Effect<ReadonlyArray<string>, McpError.McpError>

export const completers = (
  names: ReadonlyArray<string>,
  complete: Readonly<Record<string, Completer | undefined>> | undefined
): Completers => {
  const map = new Map<string, Completer>()
  for (const [name, completer] of Object.entries(complete ?? {})) {
    if (completer !== undefined) map.set(name, completer)
  }
  return Object.assign(map, { names: new Set(names) })
}

export const install = (registry: Registry): void => {
  // COMP-4: no setting can allow more than the protocol does.
  const most = Math.min(registry.options.limits.completionValues, 100)
  const root = registry.options.context
  const fail = (error: McpError.McpError): Dispatch => ({ context: root, effect: Effect.fail(error) })

  const answer = (values: ReadonlyArray<string>): JsonObject => ({
    completion: values.length <= most
      ? { values, total: values.length, hasMore: false }
      : { values: values.slice(0, most), total: values.length, hasMore: true }
  })

  const dispatch = (
    entry: Entry & { readonly complete: Completers },
    params: Completion.CompleteRequestParams,
    state: RequestState,
    unknown: McpError.McpError
  ): Dispatch => {
    const { argument, context } = params
    const completer = entry.complete.get(argument.name)
    const effect = !entry.complete.names.has(argument.name)
      ? Effect.fail(
        new McpError.InvalidParams({ message: `${entry.key} has no argument ${McpError.excerpt(argument.name)}` })
      ) // COMP-5
      : completer === undefined
      ? Effect.succeed(answer([]))
      : Effect.map(Effect.suspend(() => completer(argument.value, context?.arguments ?? {})), answer)
    return {
      context: entry.context,
      effect: Effect.flatMap(
        isVisible(entry, entry.context, state),
        (visible) => visible ? effect : Effect.fail(unknown)
      )
    }
  }

  const complete: MethodHandler = (checked, state) => {
    // A method's handler is given params that fit the method.
    const params = checked as Completion.CompleteRequestParams & JsonObject
    if (params.ref.type === "ref/prompt") {
      const unknown = unknownPrompt(params.ref.name)
      const entry = registry.prompts.get(params.ref.name)
      return entry === undefined ? fail(unknown) : dispatch(entry, params, state, unknown)
    }
    const unknown = new McpError.InvalidParams({
      message: `Unknown resource template: ${McpError.excerpt(params.ref.uri)}`
    })
    const entry = registry.resourceTemplates.get(params.ref.uri)
    return entry === undefined ? fail(unknown) : dispatch(entry, params, state, unknown)
  }

  registry.handlers.set("completion/complete", complete)
}
