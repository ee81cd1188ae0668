/**
 * Named conditions that decide which features a request can see.
 *
 * A feature that is hidden from a request is left out of lists and answers exactly as one that does not exist.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"

const TypeId = "~@effect-mcp/server/Visibility"

/**
 * A condition, evaluated at most once per request and only when a feature that depends on it is asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Visibility<out R = unknown> {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  readonly condition: Effect.Effect<boolean, never, R>
}

/**
 * Defines a condition.
 *
 * **Details**
 *
 * Features that share a condition have to share the value: it is told apart by reference, the name is for people. Lists
 * that depend on a condition are never cached as public (CACHE-12).
 *
 * **Example** (Features for administrators)
 *
 * ```ts
 * import * as Visibility from "@effect-mcp/server/Visibility"
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 *
 * const Experimental = Visibility.make("experimental", Config.Boolean("EXPERIMENTAL").pipe(Effect.orElseSucceed(() => false)))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <R>(name: string, condition: Effect.Effect<boolean, never, R>): Visibility<R> => ({
  [TypeId]: TypeId,
  name,
  condition
})
