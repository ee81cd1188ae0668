/**
 * In which services a feature runs: those it was built with, and those that were added for the request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * `target`, with the services of `current` that are not in `root`, or are others there. Neither context may simply be
 * laid over the other: a feature may have a service of its own under a key that the server has too, and what was added
 * for the request must still arrive.
 */
export const overlay = (
  target: Context.Context<never>,
  current: Context.Context<never>,
  root: Context.Context<never>
): Context.Context<never> => {
  const services = new Map(target.mapUnsafe)
  const before = root.mapUnsafe
  for (const [key, service] of current.mapUnsafe) {
    if (before.get(key) !== service) services.set(key, service)
  }
  return Context.makeUnsafe(services)
}

/** Runs an effect in `target`, with what the surroundings added to `root` for this request. */
export const runIn = <A, E>(
  effect: Effect.Effect<A, E>,
  target: Context.Context<never>,
  root: Context.Context<never>
): Effect.Effect<A, E> =>
  Effect.updateContext(effect, (current: Context.Context<never>) => overlay(target, current, root))
