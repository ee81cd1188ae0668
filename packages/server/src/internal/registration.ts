/**
 * How a feature gets into the server it is built for.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Registry } from "../features/Feature.ts"
import { McpRequest } from "../McpRequest.ts"
import type * as registry from "./registry.ts"
import { stateOf } from "./requestState.ts"

/** The registry, and the services a feature was built with. */
export const withRegistry = <A, E, R>(
  f: (registry: registry.Registry, context: Context.Context<never>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, never> =>
  // The requirements are those of the feature's handlers, which its signature states.
  Effect.flatMap(
    Effect.context<never>(),
    (context) => f(Context.getUnsafe(context, Registry), Context.omit(Scope.Scope)(withoutRequest(context)))
  ) as never

/**
 * A handler may add features, which live on after its request: what was there for the request only, such as its
 * principal and the way to its client, must not stay with them.
 */
const withoutRequest = (context: Context.Context<never>): Context.Context<never> => {
  const request = Context.getOrUndefined(context, McpRequest)
  const state = request === undefined ? undefined : stateOf(request)
  if (state === undefined) return context
  const ofRequest = state.services.mapUnsafe
  const before = state.root.mapUnsafe
  const services = new Map<string, unknown>()
  for (const [key, service] of context.mapUnsafe) {
    if (ofRequest.get(key) !== service) services.set(key, service)
    else if (before.has(key)) services.set(key, before.get(key))
  }
  return Context.makeUnsafe(services)
}

/**
 * A layer that registers. While a server is built, a conflict is reported with all others when it has been put together;
 * later there is nobody to report it to, and the layer dies of it.
 */
export const feature = <R>(
  register: Effect.Effect<void, registry.DuplicateFeature, R>
): Layer.Layer<never, never, never> =>
  Layer.effectDiscard(
    Effect.catchTag(register, "DuplicateFeature", (problem) =>
      Effect.flatMap(Registry, (registry) => {
        if (registry.phase !== "building") return Effect.die(problem)
        registry.problems.push(problem)
        return Effect.void
      }))
  ) as never
