/**
 * Evaluating visibility conditions, each at most once per request.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Visibility } from "../Visibility.ts"
import { runIn } from "./featureContext.ts"
import type { Entry, Listing } from "./listing.ts"
import type { RequestState } from "./requestState.ts"

/** Whether a condition holds for a request. It runs in the services of the feature that named it. */
export const holds = (
  condition: Visibility,
  context: Context.Context<never>,
  root: Context.Context<never>,
  state: RequestState
): Effect.Effect<boolean> => {
  const known = state.visibility?.get(condition)
  if (known !== undefined) return Effect.succeed(known)
  // The layer that registered the feature required the condition's services, so that `context` has them.
  const effect = condition.condition as Effect.Effect<boolean>
  return Effect.map(runIn(effect, context, root), (visible) => {
    state.visibility ??= new Map()
    state.visibility.set(condition, visible)
    return visible
  })
}

/** Whether a feature is visible to a request. */
export const isVisible = (
  entry: Entry,
  root: Context.Context<never>,
  state: RequestState
): Effect.Effect<boolean> =>
  entry.visibility === undefined ? Effect.succeed(true) : holds(entry.visibility, entry.context, root, state)

/** The conditions of a list that hold for a request. */
export const holding = Effect.fnUntraced(function*(
  listing: Listing<Entry>,
  root: Context.Context<never>,
  state: RequestState
): Effect.fn.Return<ReadonlySet<Visibility>> {
  const visible = new Set<Visibility>()
  for (const [condition, context] of listing.conditions) {
    if (yield* holds(condition, context, root, state)) visible.add(condition)
  }
  return visible
})
