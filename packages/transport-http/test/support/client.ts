/**
 * The client under test, and raw servers to hold against it.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import type * as net from "node:net"
import { type Json, meta, version } from "./message.ts"

export const engines = {
  undici: NodeHttpClient.layerUndici,
  fetch: FetchHttpClient.layer,
  "node:http": NodeHttpClient.layerNodeHttp
}

export interface ConnectOptions extends Partial<McpHttp.ClientOptions> {
  readonly engine?: keyof typeof engines
  readonly path?: string
  readonly limits?: Parameters<typeof Limits.layer>[0]
}

export const connect = (port: number, { engine = "undici", limits, path = "/mcp", ...options }: ConnectOptions = {}) =>
  McpHttp.layerClient({ url: `http://127.0.0.1:${port}${path}`, ...options }).pipe(
    Layer.provide(engines[engine]),
    Layer.provide(Layer.orDie(Limits.layer(limits ?? {}))),
    Layer.build,
    Effect.map((context) => Context.get(context, McpTransport))
  )

export const outgoing = (
  method: string,
  params: Json = {},
  options: {
    readonly id?: JsonRpc.Id
    readonly mirror?: Partial<Outgoing["mirror"]>
    readonly onMessage?: Outgoing["onMessage"]
  } = {}
): Outgoing => ({
  message: JsonRpc.request(options.id ?? 1, method, { _meta: meta, ...params }),
  mirror: {
    protocolVersion: version,
    method,
    name: typeof params.name === "string" ? params.name : undefined,
    params: [],
    ...options.mirror
  },
  onMessage: options.onMessage ?? (() => Effect.void)
})

/** A server whose every answer is written by the test. */
export const rawServer = Effect.fnUntraced(function*(
  listener: (request: http.IncomingMessage, response: http.ServerResponse, body: string) => void
) {
  const server = http.createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => (body += text))
    request.on("end", () => listener(request, response, body))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return (server.address() as net.AddressInfo).port
})
