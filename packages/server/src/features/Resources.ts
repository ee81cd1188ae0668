/**
 * Resources of a server, and families of them.
 *
 * @since 0.1.0
 */
import type * as Resource from "@effect-mcp/core/Resource"
import type * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as cacheHints from "../internal/cacheHints.ts"
import * as completion from "../internal/completion.ts"
import { nextOrder } from "../internal/order.ts"
import { feature, withRegistry } from "../internal/registration.ts"
import * as resources from "../internal/resources.ts"
import type { CacheHint } from "./Cache.ts"
import type { CompleterRequirements, Completers } from "./Completion.ts"
import type { DuplicateFeature, FeatureOptions, HandlerError, Requirements } from "./Feature.ts"

/**
 * Options of resources and of families of resources.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceOptions<RV = never> extends FeatureOptions<RV> {
  /** How long and for whom the contents may be cached. By default what the server says for `read`. */
  readonly cache?: CacheHint | undefined
}

/**
 * Adds a resource while the server runs; closing the scope removes it.
 *
 * **Gotchas**
 *
 * The scope of a handler ends with its request. What a handler adds for longer needs a longer scope: take one with
 * `Effect.scope` where the layer of the feature is built, and use `Scope.provide`.
 *
 * @category registration
 * @since 0.1.0
 */
export const addResource = <R, RV = never>(
  resource: Resource.Resource,
  read: Effect.Effect<Resource.Success, HandlerError, R>,
  options?: ResourceOptions<RV>
): Effect.Effect<void, DuplicateFeature, Scope.Scope | Requirements<R | RV>> => {
  const order = nextOrder()
  return withRegistry((registry, context) =>
    registry.register(
      "resource",
      registry.resources,
      resources.makeEntry({
        resource,
        // `context` has what reading requires.
        read: read as Effect.Effect<Resource.Success, HandlerError>,
        cache: cacheHints.make(options?.cache, registry.options.cache.read),
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
 * A resource and how it is read, as a layer.
 *
 * **Example** (A resource)
 *
 * ```ts
 * import * as Resource from "@effect-mcp/core/Resource"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 *
 * const Today = Resource.make("notes://today", { mimeType: "text/markdown" })
 *
 * const TodayLive = McpServer.resource(Today, Effect.succeed("# Today"), { cache: { ttl: "1 minute" } })
 * ```
 *
 * @category features
 * @since 0.1.0
 */
export const resource = <R, RV = never>(
  resource: Resource.Resource,
  read: Effect.Effect<Resource.Success, HandlerError, R>,
  options?: ResourceOptions<RV>
): Layer.Layer<never, never, Exclude<Requirements<R | RV>, Scope.Scope>> =>
  feature(addResource(resource, read, options))

/**
 * Adds a family of resources while the server runs; closing the scope removes it.
 *
 * **Gotchas**
 *
 * The scope of a handler ends with its request. What a handler adds for longer needs a longer scope: take one with
 * `Effect.scope` where the layer of the feature is built, and use `Scope.provide`.
 *
 * @category registration
 * @since 0.1.0
 */
export const addResourceTemplate = <
  T extends ResourceTemplate.Any,
  R,
  RV = never,
  const C extends Completers = Completers
>(
  template: T,
  read: (
    parameters: ResourceTemplate.Input<T>,
    uri: string
  ) => Effect.Effect<Resource.Success, HandlerError, R>,
  options?: ResourceOptions<RV> & { readonly complete?: C | undefined }
): Effect.Effect<
  void,
  DuplicateFeature,
  | Scope.Scope
  | Requirements<
    R | RV | CompleterRequirements<C, keyof ResourceTemplate.Input<T>> | T["parameters"]["DecodingServices"]
  >
> => {
  const order = nextOrder()
  return withRegistry((registry, context) =>
    registry.register(
      "resourceTemplate",
      registry.resourceTemplates,
      resources.makeTemplateEntry({
        template,
        // The parameters were decoded by the template's own schemas, and `context` has what the handlers require.
        handler: read as (
          parameters: unknown,
          uri: string
        ) => Effect.Effect<Resource.Success, HandlerError>,
        complete: completion.completers(
          template.parameterNames,
          options?.complete as Readonly<Record<string, completion.Completer | undefined>> | undefined
        ),
        cache: cacheHints.make(options?.cache, registry.options.cache.read),
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
 * A family of resources and how they are read, as a layer.
 *
 * **Example** (The files of a folder)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 * import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as FileSystem from "effect/FileSystem"
 * import * as Schema from "effect/Schema"
 *
 * const Chapter = ResourceTemplate.make("book:///{chapter}", {
 *   name: "chapter",
 *   parameters: { chapter: Schema.Literals(["one", "two"]) }
 * })
 *
 * const ChapterLive = McpServer.resourceTemplate(Chapter, ({ chapter }, uri) =>
 *   Effect.gen(function*() {
 *     const fs = yield* FileSystem.FileSystem
 *     return yield* fs.readFileString(`book/${chapter}.md`)
 *   }).pipe(Effect.mapError(() => new McpError.ResourceNotFound({ uri }))))
 * ```
 *
 * @category features
 * @since 0.1.0
 */
export const resourceTemplate = <
  T extends ResourceTemplate.Any,
  R,
  RV = never,
  const C extends Completers = Completers
>(
  template: T,
  read: (
    parameters: ResourceTemplate.Input<T>,
    uri: string
  ) => Effect.Effect<Resource.Success, HandlerError, R>,
  options?: ResourceOptions<RV> & { readonly complete?: C | undefined }
): Layer.Layer<
  never,
  never,
  Exclude<
    Requirements<
      R | RV | CompleterRequirements<C, keyof ResourceTemplate.Input<T>> | T["parameters"]["DecodingServices"]
    >,
    Scope.Scope
  >
> => feature(addResourceTemplate(template, read, options))
