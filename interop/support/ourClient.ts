/** Our client as a peer. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as ClientTransport from "@effect-mcp/core/ClientTransport"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Stream from "effect/Stream"
import { type Json, type ListName, Peer, Refusal } from "./peer.ts"
import { type Library, program, serve } from "./process.ts"

/** Counts what comes, on its way. */
const counted = (transport: ClientTransport.ClientTransport, count: () => void): ClientTransport.ClientTransport => ({
  ...transport,
  send: (outgoing) =>
    Effect.tap(
      transport.send({
        ...outgoing,
        onMessage: (message) => Effect.andThen(Effect.sync(count), outgoing.onMessage(message))
      }),
      () => Effect.sync(count)
    ),
  unrelated: Stream.tap(transport.unrelated, () => Effect.sync(count))
})

/** The error as the server sent it; all other errors are defects. */
const orRefusal = <A>(request: Effect.Effect<A, ClientTransport.RequestError>): Effect.Effect<A, Refusal> =>
  request.pipe(Effect.catch((error) => {
    if (error._tag === "McpClientError") return Effect.die(error)
    const { code, data, message } = McpError.toErrorObject(error)
    return Effect.fail(new Refusal({ code, message, data }))
  }))

const asJson = <A extends object>(request: Effect.Effect<A, ClientTransport.RequestError>) =>
  Effect.map(orRefusal(request), (result) => result as Json)

const make = Effect.gen(function*() {
  let arrived = 0
  const transport = counted(yield* ClientTransport.McpTransport, () => arrived++)
  const said: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")) said.push(String(message))
  })
  const client = yield* McpClient.make({ name: "effect-mcp", version: "1.0.0" }).pipe(
    Effect.provideService(ClientTransport.McpTransport, transport),
    Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
  )
  const { capabilities, info, instructions, revision, supportedVersions } = client.server
  const all = {
    tools: client.tools,
    resources: client.resources,
    resourceTemplates: client.resourceTemplates,
    prompts: client.prompts
  }
  const pages = {
    tools: client.listTools,
    resources: client.listResources,
    resourceTemplates: client.listResourceTemplates,
    prompts: client.listPrompts
  }
  return Peer.of({
    discovered: {
      revision,
      supportedVersions,
      capabilities: Object.keys(capabilities).toSorted(),
      info,
      instructions
    },
    all: (list) => orRefusal(Stream.runCollect<Json, ClientTransport.RequestError, never>(all[list])),
    page: (list: ListName, cursor) => asJson<object>(pages[list]({ cursor })),
    call: (name, args, options = {}) => {
      const { logLevel, onLog, onProgress } = options
      return asJson(client.callTool(name, args, {
        logLevel,
        onProgress: onProgress && ((progress) => Effect.sync(() => onProgress({ ...progress }))),
        onLog: onLog && ((message) => Effect.sync(() => onLog({ ...message })))
      }))
    },
    read: (uri) => asJson(client.readResource(uri)),
    get: (name, args) => asJson(client.getPrompt(name, args)),
    complete: (ref, argument, known) => asJson(client.complete(ref, argument, known)),
    cancelNothing: Effect.orDie(client.notify(Method.cancelled, { requestId: "never" })),
    arrived: () => arrived,
    complaints: () => said.splice(0)
  })
})

/** Starts the server, and connects to it. */
const connect = (
  server: Library,
  transport: "stdio" | "http",
  mode: string
): Layer.Layer<ClientTransport.McpTransport, unknown, NodeServices.NodeServices | HttpClient.HttpClient> =>
  transport === "stdio"
    ? McpStdio.layerClient({ command: process.execPath, args: [program(server), mode] })
    : Layer.unwrap(Effect.map(serve(server, mode), (url) => McpHttp.layerClient({ url })))

/** Our client, connected to a process that is started for it. */
export const layer = (server: Library, transport: "stdio" | "http", mode: string): Layer.Layer<Peer> =>
  Layer.effect(Peer, make).pipe(
    Layer.provide(connect(server, transport, mode)),
    Layer.provide([NodeServices.layer, NodeHttpClient.layerUndici]),
    Layer.orDie
  )
