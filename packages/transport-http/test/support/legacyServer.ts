/**
 * Servers of the legacy era whose every answer is written by the test, and the client's steps with them.
 */
import type { ClientTransport, Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import type { Revision } from "@effect-mcp/core/Revision"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type * as http from "node:http"
import { connect, type ConnectOptions, rawServer } from "./client.ts"
import type { Json } from "./message.ts"

/** A request that has arrived. */
export interface Seen {
  readonly verb: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly message: Json
  /** When it came, by the machine's own clock. */
  readonly at: number
}

type Respond = (response: http.ServerResponse, seen: Seen) => void

export interface LegacyOptions {
  readonly revision?: string
  /** The ids of the sessions that are opened, one after the other. */
  readonly sessions?: ReadonlyArray<string>
  readonly initialize?: Respond
  /** Answers the requests and takes the answers that are posted. */
  readonly post?: Respond
  /** Takes the notifications. */
  readonly notify?: Respond
  /** There is no stream unless this is given. */
  readonly get?: Respond
  readonly delete?: Respond
}

/** The text of an event. */
export const event = (message: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`

export const answerTo = ({ message }: Seen, result: Json = { ok: true }): Json => ({
  jsonrpc: "2.0",
  id: message.id,
  result
})

export const note = (n: number): Json => ({ jsonrpc: "2.0", method: "notifications/n", params: { n } })

export const sendJson = (response: http.ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

/** Begins a stream of events. */
export const stream = (response: http.ServerResponse, ...texts: ReadonlyArray<string>): http.ServerResponse => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.flushHeaders()
  for (const text of texts) response.write(text)
  return response
}

/** Records what comes, and answers it. */
export const recorder = Effect.fnUntraced(function*(respond: Respond) {
  const seen: Array<Seen> = []
  const port = yield* rawServer((request, response, body) => {
    const one = {
      verb: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      message: body === "" ? {} : JSON.parse(body),
      at: performance.now()
    }
    seen.push(one)
    respond(response, one)
  })
  return { port, seen }
})

export const legacyServer = (options: LegacyOptions) => {
  const sessions = [...options.sessions ?? []]
  return recorder((response, seen) => {
    const { message, verb } = seen
    if (verb === "GET") return options.get === undefined ? response.writeHead(405).end() : options.get(response, seen)
    if (verb === "DELETE") {
      return options.delete === undefined ? response.writeHead(204).end() : options.delete(response, seen)
    }
    if (message.method === "initialize") {
      const session = sessions.shift()
      if (session !== undefined) response.setHeader("Mcp-Session-Id", session)
      if (options.initialize !== undefined) return options.initialize(response, seen)
      const protocolVersion = options.revision ?? "2025-11-25"
      return sendJson(response, 200, answerTo(seen, { protocolVersion, capabilities: {}, serverInfo: {} }))
    }
    const taken = message.id === undefined ? options.notify : options.post
    if (taken !== undefined) return taken(response, seen)
    response.writeHead(202).end()
  })
}

export const legacyOutgoing = (method: string, options: {
  readonly id?: JsonRpc.Id
  readonly params?: Json
  readonly onMessage?: Outgoing["onMessage"]
} = {}): Outgoing => ({
  message: JsonRpc.request(options.id ?? 1, method, options.params ?? {}),
  mirror: { protocolVersion: undefined, method: undefined, name: undefined, params: [] },
  onMessage: options.onMessage ?? (() => Effect.void)
})

/** The steps of the client's handshake. */
export const initialize = Effect.fnUntraced(function*(transport: ClientTransport, revision: Revision = "2025-11-25") {
  const answer = yield* transport.send(
    legacyOutgoing("initialize", { id: "init", params: { protocolVersion: revision } })
  )
  assert.strictEqual(answer._tag, "Success")
  yield* transport.legacy.opened(revision)
  yield* transport.notify(JsonRpc.notification("notifications/initialized"))
  yield* transport.legacy.initialized
})

/** A client that has a session with such a server. */
export const session = Effect.fnUntraced(function*(
  options: LegacyOptions & { readonly connect?: ConnectOptions } = {}
) {
  const server = yield* legacyServer(options)
  const transport = yield* connect(server.port, options.connect)
  yield* initialize(transport, options.revision as Revision | undefined)
  return { ...server, transport }
})

export const reasonOf = <A, R>(effect: Effect.Effect<A, McpClientError.McpClientError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

/** Waits for what sockets bring, without any say in time. */
export const until = Effect.fnUntraced(function*(done: () => boolean, what: string) {
  for (let i = 0; i < 2_000; i++) {
    if (done()) return
    yield* TestClock.withLive(Effect.sleep(5))
  }
  assert.fail(`waited in vain for ${what}`)
})

/** The same, with the test's clock going on meanwhile, ten times as fast as the machine's. Gives how far it went. */
export const pass = Effect.fnUntraced(function*(done: () => boolean, what: string) {
  for (let millis = 0; millis < 600_000; millis += 50) {
    if (done()) return millis
    yield* TestClock.adjust(50)
    yield* TestClock.withLive(Effect.sleep(5))
  }
  return assert.fail(`waited in vain for ${what}`)
})
