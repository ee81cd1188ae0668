/**
 * A transport whose server is a function, for tests of the client alone.
 */
import { type ClientTransport, McpTransport, type Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as EraCache from "../../src/EraCache.ts"
import * as McpClient from "../../src/McpClient.ts"

/** A result, an error, or anything that takes longer. */
export type Reply =
  | JsonRpc.JsonObject
  | McpError.McpError
  | McpClientError.McpClientError
  | Effect.Effect<JsonRpc.JsonObject, McpError.McpError | McpClientError.McpClientError>

export type Script = (request: Outgoing, params: JsonRpc.JsonObject) => Reply

export interface Scripted extends ClientTransport {
  readonly sent: Array<Outgoing>
  readonly notified: Array<JsonRpc.Notification>
  readonly cancelled: Array<JsonRpc.Id>
  /** The answers to the server's own requests. */
  readonly replied: Array<JsonRpc.Response>
  /** What the client has asked of the legacy part of the transport. */
  readonly steps: Array<string>
  /** The methods that were sent, notifications among them, and the steps: in order. */
  readonly log: Array<string>
  /** Says something that belongs to no request. */
  readonly say: (message: JsonRpc.Notification | JsonRpc.Request) => void
  /** Ends what says such things. */
  readonly hangUp: (error?: McpClientError.McpClientError) => void
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

/** The answer of a server of the legacy era to `initialize`. */
export const initialized = (
  version: unknown,
  capabilities: JsonRpc.JsonObject = { tools: {} }
): JsonRpc.JsonObject => ({
  protocolVersion: version,
  capabilities,
  serverInfo: { name: "old", version: "0" },
  instructions: "Be patient"
})

export interface TransportOptions {
  readonly kind?: string | undefined
  readonly peer?: string | undefined
  readonly notify?:
    | ((notification: JsonRpc.Notification) => Effect.Effect<void, McpClientError.McpClientError>)
    | undefined
  /** What follows when the client asks for HTTP+SSE, or for another process. */
  readonly older?: Effect.Effect<void, McpClientError.McpClientError> | undefined
  readonly reconnect?: Effect.Effect<void, McpClientError.McpClientError> | undefined
}

/** A reply as what it comes to. */
export const toEffect = (
  reply: Reply
): Effect.Effect<JsonRpc.JsonObject, McpError.McpError | McpClientError.McpClientError> => {
  if (McpError.isMcpError(reply)) return Effect.fail(reply)
  if (reply instanceof McpClientError.McpClientError) return Effect.fail(reply)
  return Effect.isEffect(reply) ? reply : Effect.succeed(reply)
}

type Unrelated = JsonRpc.Notification | JsonRpc.Request

export const make = (script: Script, options: TransportOptions = {}): Scripted => {
  const { kind = "memory", older, peer, reconnect } = options
  const sent: Array<Outgoing> = []
  const notified: Array<JsonRpc.Notification> = []
  const cancelled: Array<JsonRpc.Id> = []
  const replied: Array<JsonRpc.Response> = []
  const steps: Array<string> = []
  const log: Array<string> = []
  const unrelated = Effect.runSync(Queue.unbounded<Unrelated, McpClientError.McpClientError | Cause.Done>())
  const step = (name: string) =>
    Effect.sync(() => {
      steps.push(name)
      log.push(name)
    })
  const run = (request: Outgoing) => toEffect(script(request, request.message.params ?? {}))
  return {
    kind,
    peer,
    mirrors: kind === "http",
    sent,
    notified,
    cancelled,
    replied,
    steps,
    log,
    say: (message) => void Queue.offerUnsafe(unrelated, message),
    hangUp: (error) => Queue.failCauseUnsafe(unrelated, Cause.fail(error ?? Cause.Done())),
    send: (request) =>
      Effect.suspend(() => {
        sent.push(request)
        log.push(request.message.method)
        const { id } = request.message
        return run(request).pipe(
          Effect.map((result): JsonRpc.Response => JsonRpc.success(id, result)),
          Effect.catchIf(McpError.isMcpError, (error) =>
            Effect.succeed<JsonRpc.Response>(JsonRpc.failure(id, McpError.toErrorObject(error, "legacy")))),
          Effect.onInterrupt(() =>
            Effect.sync(() => cancelled.push(id))
          )
        )
      }),
    notify: (notification) =>
      Effect.suspend(() => {
        notified.push(notification)
        log.push(notification.method)
        return options.notify?.(notification) ?? Effect.void
      }),
    reply: (response) => Effect.sync(() => void replied.push(response)),
    unrelated: Stream.fromQueue(unrelated),
    legacy: {
      silenceIsLegacy: kind !== "http",
      reconnect: Effect.andThen(step("reconnect"), reconnect ?? Effect.void),
      opened: (revision) => step(`opened ${revision}`),
      initialized: step("initialized"),
      forget: step("forget"),
      older: older === undefined ? undefined : Effect.andThen(step("older"), older)
    }
  }
}

/** A script that answers `server/discover` itself. */
export const withDiscovery = (script: Script): Script => (request, params) =>
  request.message.method === "server/discover" ? discovered : script(request, params)

/** A client over a script. */
export const client = <const O extends McpClient.Options<unknown> & TransportOptions>(script: Script, options?: O) =>
  Effect.gen(function*() {
    const transport = make(withDiscovery(script), options)
    const client = yield* connect(transport, options)
    return { client, transport }
  })

export const connect = <const O extends McpClient.Options<unknown>>(
  transport: ClientTransport,
  options?: O,
  // No test knows what another one has met.
  eras: EraCache.Store = EraCache.make()
) =>
  McpClient.make({ name: "test", version: "1.2.3" }, options).pipe(
    Effect.provide(Layer.succeed(McpTransport, transport)),
    Effect.provideService(EraCache.EraCache, eras)
  )

/** A script of a server of the legacy era that knows no other. */
export const withInitialize =
  (script: Script, capabilities?: JsonRpc.JsonObject, version?: string): Script => (request, params) => {
    switch (request.message.method) {
      case "server/discover":
        return new McpError.MethodNotFound({ message: "Method not found" })
      case "initialize":
        return initialized(version ?? params.protocolVersion, capabilities)
      default:
        return script(request, params)
    }
  }

/** A client in a session of the legacy era, over a script. */
export const legacyClient = <
  const O extends McpClient.Options<unknown> & TransportOptions & { readonly capabilities?: JsonRpc.JsonObject }
>(
  script: Script,
  options?: O
) =>
  Effect.gen(function*() {
    const transport = make(withInitialize(script, options?.capabilities), options)
    const client = yield* connect(transport, { prefer: "legacy" as const, ...options })
    return { client, transport }
  })

export const progress = (token: unknown, progress: number, more?: JsonRpc.JsonObject) =>
  JsonRpc.notification("notifications/progress", { progressToken: token, progress, ...more })

export const notification = (method: string, params: JsonRpc.JsonObject = {}) => JsonRpc.notification(method, params)

export const log = (level: string, data: unknown) => JsonRpc.notification("notifications/message", { level, data })

export const ask = (id: JsonRpc.Id, method: string, params: JsonRpc.JsonObject = {}) =>
  JsonRpc.request(id, method, params)

export const metaOf = (request: Outgoing | undefined): JsonRpc.JsonObject => {
  const meta = request?.message.params?._meta
  return JsonRpc.isJsonObject(meta) ? meta : {}
}
