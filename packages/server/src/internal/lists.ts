/**
 * The four list methods.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Effect from "effect/Effect"
import type { Visibility } from "../Visibility.ts"
import type { Entry, Listing } from "./listing.ts"
import type { Dispatch, Registry } from "./registry.ts"
import type { RequestState } from "./requestState.ts"
import { holding } from "./visibility.ts"

const cursorOf = (params: JsonRpc.JsonObject): string | undefined =>
  typeof params.cursor === "string" ? params.cursor : undefined

const everything = (): boolean => true

const listMethod =
  (registry: Registry, listing: Listing<Entry>) => (params: JsonRpc.JsonObject, state: RequestState): Dispatch => {
    const context = registry.options.context
    const page = (isVisible: (condition: Visibility) => boolean) =>
      Effect.fromResult(listing.page(cursorOf(params), isVisible))
    return {
      context,
      effect: listing.conditions.size === 0
        ? page(everything)
        : Effect.flatMap(holding(listing, context, state), (visible) => page((condition) => visible.has(condition)))
    }
  }

export const install = (registry: Registry): void => {
  const { handlers, prompts, resources, resourceTemplates, tools } = registry
  handlers.set("tools/list", listMethod(registry, tools))
  handlers.set("prompts/list", listMethod(registry, prompts))
  handlers.set("resources/list", listMethod(registry, resources))
  handlers.set("resources/templates/list", listMethod(registry, resourceTemplates))
  handlers.set("server/discover", () => ({
    context: registry.options.context,
    effect: Effect.sync(() => registry.discover)
  }))
}
