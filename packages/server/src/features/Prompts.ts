/**
 * Prompts of a server.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect-mcp/core/Prompt"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as completion from "../internal/completion.ts"
import { nextOrder } from "../internal/order.ts"
import * as prompts from "../internal/prompts.ts"
import { feature, withRegistry } from "../internal/registration.ts"
import type { CompleterRequirements, Completers } from "./Completion.ts"
import type { DuplicateFeature, FeatureOptions, HandlerError, Requirements } from "./Feature.ts"

/**
 * Adds a prompt while the server runs; closing the scope removes it.
 *
 * **Gotchas**
 *
 * The scope of a handler ends with its request. What a handler adds for longer needs a longer scope: take one with
 * `Effect.scope` where the layer of the feature is built, and use `Scope.provide`.
 *
 * @category registration
 * @since 0.1.0
 */
export const addPrompt = <
  P extends Prompt.Any,
  R,
  RV = never,
  const C extends Completers = Completers
>(
  prompt: P,
  handler: (input: Prompt.Input<P>) => Effect.Effect<Prompt.Success, HandlerError, R>,
  options?: FeatureOptions<RV> & { readonly complete?: C | undefined }
): Effect.Effect<
  void,
  DuplicateFeature,
  | Scope.Scope
  | Requirements<R | RV | CompleterRequirements<C, keyof Prompt.Input<P>> | P["arguments"]["DecodingServices"]>
> => {
  const order = nextOrder()
  return withRegistry((registry, context) =>
    registry.register(
      "prompt",
      registry.prompts,
      prompts.makeEntry({
        prompt,
        // The arguments were decoded by the prompt's own schemas, and `context` has what the handlers require.
        handler: handler as (input: unknown) => Effect.Effect<Prompt.Success, HandlerError>,
        complete: completion.completers(
          prompt.argumentNames,
          options?.complete as Readonly<Record<string, completion.Completer | undefined>> | undefined
        ),
        order,
        visibility: options?.visibility,
        needs: options?.needs,
        context
      }),
      options?.replace === true
    )
  )
}

/**
 * A prompt and its handler, as a layer.
 *
 * **Example** (A prompt whose argument is completed)
 *
 * ```ts
 * import * as Prompt from "@effect-mcp/core/Prompt"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Greet = Prompt.make("greet", { arguments: { language: Schema.String } })
 *
 * const GreetLive = McpServer.prompt(Greet, ({ language }) => Effect.succeed(`Greet me in ${language}`), {
 *   complete: {
 *     language: (typed) => Effect.succeed(["English", "Esperanto"].filter((name) => name.startsWith(typed)))
 *   }
 * })
 * ```
 *
 * @category features
 * @since 0.1.0
 */
export const prompt = <
  P extends Prompt.Any,
  R,
  RV = never,
  const C extends Completers = Completers
>(
  prompt: P,
  handler: (input: Prompt.Input<P>) => Effect.Effect<Prompt.Success, HandlerError, R>,
  options?: FeatureOptions<RV> & { readonly complete?: C | undefined }
): Layer.Layer<
  never,
  never,
  Exclude<
    Requirements<R | RV | CompleterRequirements<C, keyof Prompt.Input<P>> | P["arguments"]["DecodingServices"]>,
    Scope.Scope
  >
> => feature(addPrompt(prompt, handler, options))
