/**
 * Reading resources: those with a URI of their own first, then the families in their order.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Resource from "@effect-mcp/core/Resource"
import type * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as UriTemplate from "@effect-mcp/core/UriTemplate"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HandlerError } from "../features/Feature.ts"
import { decoder } from "./codecs.ts"
import { runIn } from "./featureContext.ts"
import type { Entry } from "./listing.ts"
import { type Needs, toMcpError, undeclaredOf } from "./needs.ts"
import type { CacheHint, Completers, MethodHandler, Registry, ResourceEntry, TemplateEntry } from "./registry.ts"
import type { RequestState } from "./requestState.ts"
import { isVisible } from "./visibility.ts"

type Read = Effect.Effect<Resource.Success, HandlerError>

interface Common {
  readonly order: number
  readonly visibility: Entry["visibility"]
  readonly needs: Needs
  readonly context: Context.Context<never>
  readonly cache: CacheHint
}

const result = (uri: string, mimeType: string | undefined, cache: CacheHint, read: Read) =>
  Effect.mapBoth(read, {
    onFailure: toMcpError,
    onSuccess: (success): JsonObject => ({ contents: Resource.toContents(uri, mimeType, success), ...cache })
  })

/** Reads where the client has what that needs. */
const reading = <A>(
  state: RequestState,
  needs: Needs,
  read: Effect.Effect<A, McpError.McpError>
): Effect.Effect<A, McpError.McpError> => {
  const undeclared = undeclaredOf(state, needs)
  return undeclared === undefined ? read : Effect.fail(undeclared)
}

export const makeEntry = (
  options: Common & { readonly resource: Resource.Resource; readonly read: Read }
): ResourceEntry => {
  const { cache, context, needs, read, resource } = options
  const effect = result(resource.uri, resource.definition.mimeType, cache, read)
  return {
    key: resource.uri,
    order: options.order,
    definition: { ...resource.definition },
    visibility: options.visibility,
    context,
    read: (state) => reading(state, needs, effect)
  }
}

export const makeTemplateEntry = (
  options: Common & {
    readonly template: ResourceTemplate.Any
    readonly handler: (parameters: unknown, uri: string) => Read
    readonly complete: Completers
  }
): TemplateEntry => {
  const { cache, context, handler, needs, template } = options
  const decode = decoder(template.parameters)
  return {
    key: template.uriTemplate,
    order: options.order,
    definition: { ...template.definition },
    visibility: options.visibility,
    context,
    complete: options.complete,
    match: (uri) => {
      const values = UriTemplate.match(template.template, uri)
      if (Option.isNone(values)) return undefined
      return (state) =>
        Effect.matchEffect(decode(values.value), {
          // Parameters that do not decode are no resource of this family.
          onFailure: () => Effect.succeed(undefined),
          onSuccess: (parameters) =>
            reading(state, needs, result(uri, template.definition.mimeType, cache, handler(parameters, uri)))
        })
    }
  }
}

/** CACHE-12: what depends on a condition differs between requests, and is never shared between clients. */
const forItsClient = (result: JsonObject): JsonObject => ({ ...result, cacheScope: "private" })

const utf8 = new TextEncoder()

const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && utf8.encode(text).length > bytes)

/** Why a URI of a client is not looked at any further, if it is not. */
export const refuseUri = (uri: string, { uriBytes }: Limits.Values): McpError.InvalidParams | undefined =>
  isLonger(uri, uriBytes)
    ? new McpError.InvalidParams({ message: `The URI is longer than ${uriBytes} bytes` })
    : undefined

export const install = (registry: Registry): void => {
  const { resources, resourceTemplates } = registry
  const { limits } = registry.options
  const root = registry.options.context

  // RES-6: what no feature has, or what is hidden, does not exist.
  const fromTemplates = Effect.fnUntraced(function*(uri: string, state: RequestState) {
    let conditional = false
    for (const entry of resourceTemplates.entries) {
      const read = entry.match(uri)
      if (read === undefined) continue
      conditional ||= entry.visibility !== undefined
      if (!(yield* isVisible(entry, root, state))) continue
      const contents = yield* runIn(read(state), entry.context, root)
      if (contents !== undefined) return conditional ? forItsClient(contents) : contents
    }
    return yield* new McpError.ResourceNotFound({ uri })
  })

  const read: MethodHandler = (params, state) => {
    const uri = String(params.uri)
    const refused = refuseUri(uri, limits)
    if (refused !== undefined) return { context: root, effect: Effect.fail(refused) }
    const entry = resources.get(uri)
    if (entry === undefined) return { context: root, effect: fromTemplates(uri, state) }
    if (entry.visibility === undefined) return { context: entry.context, effect: entry.read(state) }
    return {
      context: entry.context,
      effect: Effect.flatMap(
        isVisible(entry, entry.context, state),
        // A hidden resource does not hide a family that has its URI too.
        (visible) =>
          Effect.map(visible ? entry.read(state) : runIn(fromTemplates(uri, state), root, entry.context), forItsClient)
      )
    }
  }

  registry.handlers.set("resources/read", read)
}
