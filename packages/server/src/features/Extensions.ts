/**
 * Extensions of a server.
 *
 * @since 0.1.0
 */
import type * as Extension from "@effect-mcp/core/Extension"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type * as McpError from "@effect-mcp/core/McpError"
import type * as Method from "@effect-mcp/core/Method"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as extensions from "../internal/extensions.ts"
import { feature, withRegistry } from "../internal/registration.ts"
import type { Requirements } from "./Feature.ts"

/**
 * The handler of one request of an extension: made by {@link requestHandler}.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestHandler<out R> {
  readonly definition: Method.RequestDefinition
  readonly handler: (params: never) => Effect.Effect<unknown, McpError.McpError, R>
}

/**
 * The handlers of an extension: see {@link extension}.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionHandlers<out R, out RN = never> {
  readonly requests?: ReadonlyArray<RequestHandler<R>> | undefined
  /** By the names of the notifications. */
  readonly notifications?:
    | Readonly<Record<string, (params: JsonObject) => Effect.Effect<void, never, RN>>>
    | undefined
}

/**
 * Turns an extension on for a server (EXT-4). Its requests are answered by `requests`, only for clients that declared it
 * (EXT-3); results of a kind it adds to the protocol's own methods are made by a middleware.
 *
 * **Details**
 *
 * Notifications whose params are not what their definition says are ignored (CAN-5, EXT-7). Their handlers have a scope,
 * but no `McpRequest` and nothing that middlewares provide, since there is no request.
 *
 * **Example** (A request of one's own)
 *
 * ```ts
 * import * as Extension from "@effect-mcp/core/Extension"
 * import * as Method from "@effect-mcp/core/Method"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Now = Method.defineRequest({
 *   name: "com.example/now",
 *   sender: "client",
 *   revisions: new Set(["2026-07-28"]),
 *   params: Schema.Struct({ zone: Schema.String }),
 *   result: Schema.Struct({ now: Schema.String }),
 *   extension: "com.example/clock"
 * })
 * const Clock = Extension.make("com.example/clock", { methods: [Now] })
 *
 * const ClockLive = McpServer.extension(Extension.forServer(Clock, {}), {
 *   requests: [McpServer.requestHandler(Now, ({ zone }) => Effect.succeed({ now: `noon in ${zone}` }))]
 * })
 * ```
 *
 * @category features
 * @since 0.1.0
 */
export const extension = <R = never, RN = never>(
  enabled: Extension.Enabled,
  handlers?: ExtensionHandlers<R, RN>
): Layer.Layer<never, never, Exclude<Requirements<R> | RN, Scope.Scope>> =>
  feature(withRegistry((registry, context) => extensions.add(registry, context, enabled, handlers)))

/**
 * Answers one request of an extension with types: made by its definition.
 *
 * @category constructors
 * @since 0.1.0
 */
export const requestHandler = <Name extends string, P, A, R>(
  definition: Method.RequestDefinition<Name, P, A>,
  handler: (params: P) => Effect.Effect<A, McpError.McpError, R>
): RequestHandler<R> => ({ definition, handler })
