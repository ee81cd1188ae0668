/**
 * What questions to the client have in common: several at once, effects that a later round does not run again, and how it
 * is told that a handler was interrupted because it has asked.
 *
 * **How a question works.** Handlers ask in a straight line with `Elicitation`, `Sampling` and `Roots`. Up to revision
 * 2025-11-25 a question is a request to the client, and the handler waits. In 2026-07-28 it ends the round: the handler is
 * interrupted, its finalizers run, and the client gets the question as its result. When the client comes back with the
 * answer, the handler is **run again from the top**, and what was answered before is answered at once. Whatever is done
 * before a question is therefore done again, unless it is done with {@link once}.
 *
 * **What is around a question must let it go.** A transaction that is open while something is asked is rolled back, and
 * begins anew in the next round: ask first, and write then. What {@link once} remembers from inside such a transaction is
 * remembered though what it wrote was rolled back.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { InteractionError } from "./InteractionError.ts"
import type * as clientCapabilities from "./internal/clientCapabilities.ts"
import { dialogue } from "./internal/ask.ts"
import * as inputRequired from "./internal/inputRequired.ts"
import { inside, Keys } from "./internal/keys.ts"
import { once as runOnce } from "./internal/once.ts"
import type { McpRequest } from "./McpRequest.ts"

/**
 * What a question needs the client to have declared. `elicitation` means forms (ELI-1).
 *
 * @category models
 * @since 0.1.0
 */
export type Capability = clientCapabilities.Capability

export {
  /**
   * The annotation of the interruption by which a question ends a round, with the keys of what was asked.
   *
   * **When to use**
   *
   * In a finalizer, a span or a metric, to tell a question from a request that was given up. A middleware sees a result
   * with the `resultType` `input_required` instead, and is not interrupted.
   *
   * @category models
   * @since 0.1.0
   */
  InputRequired
} from "./internal/inputRequired.ts"

/**
 * Tells whether a handler was interrupted because it asked something: it has not failed, and will be run again.
 *
 * **Gotchas**
 *
 * The annotation is on the interruption of the handler's own fiber, and of the fiber that asks. The other fibers of the
 * handler are interrupted by these; {@link isEnding} tells it there.
 *
 * **Example** (A finalizer that knows)
 *
 * ```ts
 * import * as Interaction from "@effect-mcp/server/Interaction"
 * import * as Effect from "effect/Effect"
 * import * as Exit from "effect/Exit"
 *
 * const watched = <A, E, R>(handler: Effect.Effect<A, E, R>) =>
 *   Effect.onExit(handler, (exit) =>
 *     Exit.isFailure(exit) && Interaction.isInputRequired(exit.cause)
 *       ? Effect.logInfo("Waiting for the client")
 *       : Effect.logInfo("Done"))
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isInputRequired: (cause: Cause.Cause<unknown>) => boolean = inputRequired.isInputRequired

/**
 * Whether the round is being ended because the handler has asked something: what {@link isInputRequired} tells of a cause,
 * for a finalizer in any fiber of the handler.
 *
 * @category getters
 * @since 0.1.0
 */
export const isEnding: Effect.Effect<boolean, never, McpRequest> = Effect.map(
  dialogue,
  ({ isInputRequired }) => isInputRequired
)

/** Nothing but effects. Their types are taken as they are: a type to fit would lose what a `pipe` in it says. */
type Questions<Q> = Q extends ReadonlyArray<unknown> ? "The questions are a record: their names are their keys"
  : { readonly [Name in keyof Q]: Q[Name] extends Effect.Effect<infer _A, infer _E, infer _R> ? Q[Name] : never }

/**
 * Asks several questions at once: in one round in 2026-07-28, as requests side by side before.
 *
 * **Details**
 *
 * The names are the keys the answers are kept under, so that each may be used once in a request. What is given under a
 * name may be any effect that asks; it goes on by itself when its first question is answered.
 *
 * **Example** (A form and a model)
 *
 * ```ts
 * import * as Elicitation from "@effect-mcp/server/Elicitation"
 * import * as Interaction from "@effect-mcp/server/Interaction"
 * import * as Sampling from "@effect-mcp/server/Sampling"
 * import * as Schema from "effect/Schema"
 *
 * const both = Interaction.all({
 *   person: Elicitation.formOrFail({ message: "Who are you?", schema: { name: Schema.String } }),
 *   greeting: Sampling.createMessage({ messages: "Greet me", maxTokens: 50 })
 * })
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const all = <const Q extends object>(
  questions: Q & Questions<Q>
): Effect.Effect<
  { readonly [Name in keyof Q]: Effect.Success<Q[Name]> },
  Effect.Error<Q[keyof Q]>,
  Effect.Services<Q[keyof Q]>
> =>
  Effect.contextWith((context: Context.Context<Effect.Services<Q[keyof Q]>>) => {
    const keys = Context.get(context, Keys.Current)
    // Each of them is an effect, as the type of the parameter says.
    const effects = Object.entries(questions as { readonly [name: string]: Effect.Effect<unknown, unknown, unknown> })
    const branches = effects.map(([name, question]) =>
      [name, Effect.provideService(question, Keys.Current, inside(keys, name))] as const
    )
    // The names, which the compiler loses on the way, are those of the questions.
    return Effect.all(Object.fromEntries(branches), { concurrency: "unbounded" })
  }) as never

/**
 * Runs an effect once in all rounds of a request, and remembers how it came out.
 *
 * **Details**
 *
 * The outcome travels with the client, sealed, and has the size limit of `requestStateSize`. A failure is remembered if it
 * has a schema, and else the effect is run again in the next round. Defects and interruptions are never remembered: what
 * must not be interrupted halfway is `Effect.uninterruptible` around the whole of `once`, and not only inside of it.
 * `effect` may be a function of an idempotency key, the same in each round and nobody else's, for a service that takes
 * one. A key stands for one effect of a request, or of its branch in {@link all}.
 *
 * **Gotchas**
 *
 * This is not exactly once. A client that sends a round again, or that never got the answer to the first one and starts
 * anew, has the effect run again; so does a server that ends before it has answered. With a `NonceStore` a round that was
 * sent before is refused, but not the first one, which brings no state. Where twice is too often, use the idempotency key;
 * what is done before the first question has another one when the request is made anew, so that it is done after.
 *
 * **Example** (A booking number that stays)
 *
 * ```ts
 * import * as Interaction from "@effect-mcp/server/Interaction"
 * import * as Effect from "effect/Effect"
 * import * as Random from "effect/Random"
 * import * as Schema from "effect/Schema"
 *
 * const number = Interaction.once("number", { success: Schema.Int }, Random.nextIntBetween(1, 1_000_000))
 * ```
 *
 * @category remembering
 * @since 0.1.0
 */
export const once = <S extends Schema.Constraint, E, R, F extends Schema.Constraint = Schema.Never>(
  key: string,
  schemas: { readonly success: S; readonly failure?: F | undefined },
  effect: Effect.Effect<S["Type"], E, R> | ((idempotencyKey: string) => Effect.Effect<S["Type"], E, R>)
): Effect.Effect<
  S["Type"],
  E | F["Type"] | InteractionError,
  | R
  | McpRequest
  | S["EncodingServices"]
  | S["DecodingServices"]
  | F["EncodingServices"]
  | F["DecodingServices"]
> =>
  // The types of what is written down and read back are those of the schemas.
  runOnce(key, schemas, Effect.isEffect(effect) ? () => effect : effect) as never
