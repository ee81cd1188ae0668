/**
 * What every feature of a server has in common.
 *
 * @since 0.1.0
 */
import type * as McpError from "@effect-mcp/core/McpError"
import type * as RequestService from "@effect-mcp/core/RequestService"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Capability } from "../internal/clientCapabilities.ts"
import type * as registry from "../internal/registry.ts"
import type { InteractionError } from "../InteractionError.ts"
import type { McpRequest } from "../McpRequest.ts"
import type { Visibility } from "../Visibility.ts"

/**
 * The requirement of a feature whose handler uses a service that exists only during a request. A middleware or a
 * transport that provides the service discharges it.
 *
 * @category models
 * @since 0.1.0
 */
export type Request<Service> = RequestService.Request<Service>

/**
 * The features of the server that is being built, or that a handler runs in.
 *
 * @category services
 * @since 0.1.0
 */
export class Registry extends Context.Service<Registry, registry.Registry>()("@effect-mcp/server/Registry") {}

export {
  /**
   * Two features of one server have the same name or URI.
   *
   * @category errors
   * @since 0.1.0
   */
  DuplicateFeature
} from "../internal/registry.ts"

/**
 * The services every handler has, whatever transport serves it.
 *
 * @category models
 * @since 0.1.0
 */
export type HandlerProvided = McpRequest | Scope.Scope

/**
 * What the layer of a feature requires, given what its handler does.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<R> = Registry | RequestService.Requirements<Exclude<R, HandlerProvided>>

/**
 * What the handler of a prompt or a resource may fail with. A tool may fail with what it declares, too.
 *
 * @category models
 * @since 0.1.0
 */
export type HandlerError = McpError.McpError | InteractionError

/**
 * Options every feature has.
 *
 * @category models
 * @since 0.1.0
 */
export interface FeatureOptions<RV = never> {
  /** Only requests under which the condition holds see the feature. */
  readonly visibility?: Visibility<RV> | undefined
  /**
   * What the client has to have declared for the handler to be run at all (META-13). Another client is answered as if the
   * first question had failed, before anything is done: in the legacy era, a call of a tool is a result with `isError`.
   */
  readonly needs?: ReadonlyArray<Capability> | undefined
  /** Take the place of a feature with the same name, instead of failing with `DuplicateFeature`. */
  readonly replace?: boolean | undefined
}

/**
 * Removes a feature, whoever added it. `false` when there is none of that name.
 *
 * **Example** (A tool for one use)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 *
 * const Setup = Tool.make("setup", { description: "Set up the workspace, once" })
 *
 * const SetupLive = McpServer.tool(Setup, () => Effect.as(McpServer.remove("tool", Setup.name), "Done"))
 * ```
 *
 * @category registration
 * @since 0.1.0
 */
export const remove = (
  kind: "tool" | "prompt" | "resource" | "resourceTemplate",
  key: string
): Effect.Effect<boolean, never, Registry> =>
  Effect.flatMap(Registry, (registry) => {
    switch (kind) {
      case "tool":
        return registry.remove(kind, registry.tools, key)
      case "prompt":
        return registry.remove(kind, registry.prompts, key)
      case "resource":
        return registry.remove(kind, registry.resources, key)
      case "resourceTemplate":
        return registry.remove(kind, registry.resourceTemplates, key)
    }
  })
