/**
 * A transport whose server is a function, for tests of the client alone.
 */
import { type ClientTransport, McpTransport, type Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as McpClient from "../../src/McpClient.ts"

/** A result, an error, or anything that takes longer. */
export type Reply =
  | JsonRpc.JsonObject
  | McpError.McpError
  | Effect.Effect<JsonRpc.JsonObject, McpError.McpError | McpClientError.McpClientError>

export type Script = (request: Outgoing, params: JsonRpc.JsonObject) => Reply

export interface Scripted extends ClientTransport {
  readonly sent: Array<Outgoing>
  readonly notified: Array<JsonRpc.Notification>
  readonly cancelled: Array<JsonRpc.Id>
}

export const discovered: JsonRpc.JsonObject = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, "x-new": { a: 1 } },
  ttlMs: 0,
  cacheScope: "public",
  instructions: "Be nice",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } }
}

export const make = (script: Script, kind = "memory"): Scripted => {
  const sent: Array<Outgoing> = []
  const notified: Array<JsonRpc.Notification> = []
  const cancelled: Array<JsonRpc.Id> = []
  const run = (
    request: Outgoing
  ): Effect.Effect<JsonRpc.JsonObject, McpError.McpError | McpClientError.McpClientError> => {
    const reply = script(request, request.message.params ?? {})
    if (Effect.isEffect(reply) && !McpError.isMcpError(reply)) return reply
    return McpError.isMcpError(reply) ? Effect.fail(reply) : Effect.succeed(reply as JsonRpc.JsonObject)
  }
  return {
    kind,
    mirrors: kind === "http",
    sent,
    notified,
    cancelled,
    send: (request) =>
      Effect.suspend(() => {
        sent.push(request)
        const { id } = request.message
        return run(request).pipe(
          Effect.map((result): JsonRpc.Response => JsonRpc.success(id, result)),
          Effect.catchIf(McpError.isMcpError, (error) =>
            Effect.succeed<JsonRpc.Response>(JsonRpc.failure(id, McpError.toErrorObject(error)))),
          Effect.onInterrupt(() =>
            Effect.sync(() => cancelled.push(id))
          )
        )
      }),
    notify: (notification) => Effect.sync(() => void notified.push(notification)),
    reply: () => Effect.void,
    unrelated: Stream.never
  }
}

/** A script that answers `server/discover` itself. */
export const withDiscovery = (script: Script): Script => (request, params) =>
  request.message.method === "server/discover" ? discovered : script(request, params)

/** A client over a script. */
export const client = (
  script: Script,
  options?: McpClient.Options & { readonly kind?: string }
) =>
  Effect.gen(function*() {
    const transport = make(withDiscovery(script), options?.kind)
    const client = yield* McpClient.make({ name: "test", version: "1.2.3" }, options).pipe(
      Effect.provide(Layer.succeed(McpTransport, transport))
    )
    return { client, transport }
  })

export const progress = (token: unknown, progress: number, more?: JsonRpc.JsonObject) =>
  JsonRpc.notification("notifications/progress", { progressToken: token, progress, ...more })

export const metaOf = (request: Outgoing | undefined): JsonRpc.JsonObject => {
  const meta = request?.message.params?._meta
  return JsonRpc.isJsonObject(meta) ? meta : {}
}
