/**
 * Tools of a server.
 *
 * @since 0.1.0
 */
import type * as Tool from "@effect-mcp/core/Tool"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { nextOrder } from "../internal/order.ts"
import { feature, withRegistry } from "../internal/registration.ts"
import * as tools from "../internal/tools.ts"
import type { InteractionError } from "../InteractionError.ts"
import type { DuplicateFeature, FeatureOptions, Requirements } from "./Feature.ts"

/**
 * Adds a tool while the server runs; closing the scope removes it.
 *
 * **Gotchas**
 *
 * The scope of a handler ends with its request. What a handler adds for longer needs a longer scope: take one with
 * `Effect.scope` where the layer of the feature is built, and use `Scope.provide`.
 *
 * **Example** (A tool that adds another)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Scope from "effect/Scope"
 *
 * const SignIn = Tool.make("sign-in", {})
 * const SignOut = Tool.make("sign-out", {})
 *
 * const SignInLive = Layer.unwrap(Effect.map(Effect.scope, (scope) =>
 *   McpServer.tool(SignIn, () =>
 *     McpServer.addTool(SignOut, () => Effect.succeed("Bye"), { replace: true }).pipe(
 *       Scope.provide(scope),
 *       Effect.orDie,
 *       Effect.as("Hello")
 *     ))))
 * ```
 *
 * @category registration
 * @since 0.1.0
 */
export const addTool = <T extends Tool.Any, R, RV = never>(
  tool: T,
  handler: (input: Tool.Input<T>) => Effect.Effect<Tool.Success<T>, Tool.Failure<T> | InteractionError, R>,
  options?: FeatureOptions<RV>
): Effect.Effect<
  void,
  DuplicateFeature,
  Scope.Scope | Requirements<R | RV | Tool.HandlerServices<T>>
> => {
  const order = nextOrder()
  return withRegistry((registry, context) =>
    registry.register(
      "tool",
      registry.tools,
      tools.makeEntry({
        tool,
        // The input was decoded by the tool's own schema, and `context` has what the handler requires.
        handler: handler as (input: unknown) => Effect.Effect<unknown, unknown>,
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
 * A tool and its handler, as a layer.
 *
 * **Details**
 *
 * The handler succeeds with the declared output, or with text or content where none is declared. It fails with the
 * declared failures, with `Tool.ToolFailure`, or with an error of the protocol. Lists show features in the order in
 * which these values were made, whenever their layers finish building; one that is made inside `Layer.unwrap` takes the
 * place it has when that runs.
 *
 * **Example** (A tool)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Add = Tool.make("add", {
 *   description: "Add two numbers",
 *   input: { a: Schema.Finite, b: Schema.Finite },
 *   output: { sum: Schema.Finite }
 * })
 *
 * const AddLive = McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b }))
 * ```
 *
 * @category features
 * @since 0.1.0
 */
export const tool = <T extends Tool.Any, R, RV = never>(
  tool: T,
  handler: (input: Tool.Input<T>) => Effect.Effect<Tool.Success<T>, Tool.Failure<T> | InteractionError, R>,
  options?: FeatureOptions<RV>
): Layer.Layer<never, never, Exclude<Requirements<R | RV | Tool.HandlerServices<T>>, Scope.Scope>> =>
  feature(addTool(tool, handler, options))
