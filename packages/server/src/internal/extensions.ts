/**
 * The server side of extensions: their requests and notifications, once they are turned on.
 */
import type * as Extension from "@effect-mcp/core/Extension"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpError from "@effect-mcp/core/McpError"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ExtensionHandlers } from "../features/Extensions.ts"
import { DuplicateFeature, type Registry } from "./registry.ts"

export const add = <R, RN>(
  registry: Registry,
  context: Context.Context<never>,
  enabled: Extension.Enabled,
  handlers: ExtensionHandlers<R, RN> | undefined
): Effect.Effect<void, DuplicateFeature> =>
  Effect.suspend(() => {
    if (registry.extensions.some(({ extension }) => extension.id === enabled.extension.id)) {
      return Effect.fail(new DuplicateFeature({ kind: "extension", key: enabled.extension.id }))
    }
    const { extension } = enabled
    for (
      const [kind, name] of [
        ...(handlers?.requests ?? []).map(({ definition }) => ["request", definition.name] as const),
        ...Object.keys(handlers?.notifications ?? {}).map((name) => ["notification", name] as const)
      ]
    ) {
      // A handler nobody could ever reach is a slip of the pen.
      if (!extension.methods.some((method) => method.kind === kind && method.name === name)) {
        return Effect.die(new Error(`The extension ${extension.id} has no ${kind} ${name}, which has a handler`))
      }
    }
    registry.addExtension(enabled)
    for (const { definition, handler } of handlers?.requests ?? []) {
      if (registry.handlers.has(definition.name)) {
        return Effect.fail(new DuplicateFeature({ kind: "method", key: definition.name }))
      }
      registry.handlers.set(definition.name, (params) => ({
        context,
        // The params were decoded by the definition, whose result is an object as every result is.
        effect: Effect.suspend(() => handler(params as never)) as Effect.Effect<JsonRpc.JsonObject, McpError.McpError>
      }))
    }
    for (const [name, handler] of Object.entries(handlers?.notifications ?? {})) {
      const fits = validator(extension, name)
      registry.notifications.set(name, (params, added) => {
        // CAN-5, EXT-7: a notification that is not what its definition says is ignored, there is nobody to tell.
        if (!fits(params)) return Effect.void
        // The layer that turns the extension on requires the handler's services, and `context` has them.
        const effect = Effect.scoped(Effect.suspend(() => handler(params))) as Effect.Effect<void>
        return Effect.provideContext(effect, Context.merge(context, added))
      })
    }
    return Effect.void
  })

const validator = (extension: Extension.Any, name: string): (params: JsonRpc.JsonObject) => boolean => {
  const definition = extension.methods.find((method) => method.kind === "notification" && method.name === name)
  if (definition === undefined) return () => false
  const decode = decodeOpen(definition.params)
  return (params) => Result.isSuccess(decode(params))
}
