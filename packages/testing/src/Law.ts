/**
 * What the law suites have in common: a law, how one is broken, and how time passes for it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * A law that a layer breaks.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawViolation extends Schema.TaggedError<LawViolation>("@effect-mcp/testing/Law/LawViolation")(
  "LawViolation",
  { expected: Schema.String, actual: Schema.Unknown }
) {
  override get message(): string {
    return `expected ${this.expected}, got ${JSON.stringify(this.actual)}`
  }
}

/**
 * A law of a service: its name, and an effect that fails where the service breaks it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law<Service, E = never> {
  readonly name: string
  readonly law: Effect.Effect<void, LawViolation | E, Service | Scope.Scope>
}

/**
 * How a law lets time pass: by default it sleeps.
 *
 * **When to use**
 *
 * With a test clock, which only moves when it is told to.
 *
 * **Example** (With a test clock)
 *
 * ```ts
 * import * as Law from "@effect-mcp/testing/Law"
 * import * as Layer from "effect/Layer"
 * import * as TestClock from "effect/testing/TestClock"
 *
 * const layer = Layer.succeed(Law.LetPass, TestClock.adjust)
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const LetPass: Context.Reference<(duration: Duration.Input) => Effect.Effect<void>> = Context.Reference(
  "@effect-mcp/testing/Law/LetPass",
  { defaultValue: () => Effect.sleep }
)

/**
 * Fails with a {@link LawViolation} unless the condition holds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const expect = (condition: boolean, expected: string, actual: unknown): Effect.Effect<void, LawViolation> =>
  condition ? Effect.void : Effect.fail(new LawViolation({ expected, actual }))
