/**
 * A client of the legacy era, by hand.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import { McpEndpoint, type Exchange } from "@effect-mcp/core/ServerEndpoint"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { open, send } from "./http.ts"
import * as LegacyEndpoint from "./legacyEndpoint.ts"
import type { HeaderRecord, Json } from "./message.ts"
import { type Entry, serveLayer, type ServeOptions } from "./serve.ts"

export const initialize = (protocolVersion = "2025-11-25", id: string | number = 0, capabilities: Json = {}): Json => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "client", version: "1.0.0" } }
})

export const call = (name: string, id: string | number = 1, args: Json = {}): Json => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

export const notification = (method: string, params?: Json): Json => ({
  jsonrpc: "2.0",
  method,
  ...(params && { params })
})

const defined = (headers: HeaderRecord): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([k, v]) => v === undefined ? [] : [[k, v] as const]))

const posted = (body: unknown, headers: HeaderRecord) => ({
  headers: defined({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers
  }),
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** A client with a session, or one that is about to have one. */
export class Client {
  readonly port: number
  readonly headers: HeaderRecord
  constructor(port: number, headers: HeaderRecord = {}) {
    this.port = port
    this.headers = headers
  }

  post(body: unknown, headers: HeaderRecord = {}) {
    return send(this.port, posted(body, { ...this.headers, ...headers }))
  }

  openPost(body: unknown, headers: HeaderRecord = {}) {
    return open(this.port, posted(body, { ...this.headers, ...headers }))
  }

  get(headers: HeaderRecord = {}) {
    return open(this.port, {
      method: "GET",
      headers: defined({ accept: "text/event-stream", ...this.headers, ...headers })
    })
  }

  head() {
    return send(this.port, { method: "HEAD", headers: defined({ accept: "text/event-stream", ...this.headers }) })
  }

  delete(headers: HeaderRecord = {}) {
    return send(this.port, { method: "DELETE", headers: defined({ ...this.headers, ...headers }) })
  }
}

/** Opens a session. */
export const connect = Effect.fnUntraced(function*(
  port: number,
  revision = "2025-11-25",
  headers: HeaderRecord = {},
  capabilities: Json = {}
) {
  const client = new Client(port, headers)
  const answer = yield* client.post(initialize(revision, 0, capabilities))
  const id = answer.headers["mcp-session-id"]
  const connected = new Client(port, {
    ...headers,
    "mcp-session-id": String(id),
    "mcp-protocol-version": revision < "2025-06-18" ? undefined : revision
  })
  yield* connected.post(notification("notifications/initialized"))
  return connected
})

/** Serves a server of both eras that is written by hand. */
export const serve = Effect.fnUntraced(function*(
  entry: Entry,
  options: LegacyEndpoint.Options & Omit<ServeOptions, keyof LegacyEndpoint.Options> = {}
) {
  const { endpoint, sessions } = LegacyEndpoint.make(options)
  const { revisions: _, ...rest } = options
  const port = yield* serveLayer(entry, Layer.succeed(McpEndpoint, endpoint), rest)
  return { port, sessions }
})

/** A handler that shows its exchange, and ends when it is told to. */
export const held = Effect.fnUntraced(function*() {
  const exchange = yield* Deferred.make<Exchange>()
  const release = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  // Whatever a test leaves behind.
  yield* Effect.addFinalizer(() => Deferred.succeed(release, undefined))
  return {
    exchange: Deferred.await(exchange),
    release: Deferred.succeed(release, undefined),
    interrupted: Deferred.await(interrupted),
    isInterrupted: () => Deferred.isDoneUnsafe(interrupted),
    handler: (_: Inbound.Request, given: Exchange) =>
      Deferred.succeed(exchange, given).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.as({ done: true }),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  }
})
