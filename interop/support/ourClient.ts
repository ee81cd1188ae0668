/** Our client as a peer. */
import * as EraCache from "@effect-mcp/client/EraCache"
import * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as ClientTransport from "@effect-mcp/core/ClientTransport"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
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
import * as contract from "../fixtures/contract.ts"
import type { Pair } from "./pairs.ts"
import { type Json, type ListName, Peer, Refusal } from "./peer.ts"
import { command, serve } from "./process.ts"

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

/** The error in the words of an era; all other errors are defects. */
const refusalsOf = (era: Revision.Era) => <A>(request: Effect.Effect<A, ClientTransport.RequestError>) =>
  request.pipe(Effect.catch((error) => {
    if (error._tag === "McpClientError") return Effect.die(error)
    const { code, data, message } = McpError.toErrorObject(error, era)
    return Effect.fail(new Refusal({ code, message, data }))
  }))

/** The handlers of a person who fills in what he knows, and agrees to everything. */
const handlers: Handlers.Handlers = {
  elicitation: {
    form: ({ requestedSchema }) => {
      const known = Object.entries(contract.entered).filter(([name]) => name in requestedSchema.properties)
      return Effect.succeed(Handlers.accept(Object.fromEntries(known)))
    },
    url: () => Effect.succeed({ action: "accept" })
  },
  sampling: { createMessage: () => Effect.succeed(contract.sampled) },
  roots: contract.roots
}

const make = Effect.fnUntraced(function*(options: McpClient.Options) {
  let arrived = 0
  const transport = counted(yield* ClientTransport.McpTransport, () => arrived++)
  const said: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")) said.push(String(message))
  })
  const client = yield* McpClient.make({ name: "effect-mcp", version: "1.0.0" }, { ...handlers, ...options }).pipe(
    Effect.provideService(ClientTransport.McpTransport, transport),
    Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
  )
  const heard: Array<Json> = []
  yield* client.notifications.pipe(
    Stream.runForEach((notification) => Effect.sync(() => heard.push(notification))),
    Effect.forkScoped({ startImmediately: true })
  )
  const { capabilities, info, instructions, revision, supportedVersions } = client.server
  const orRefusal = refusalsOf(Revision.era(revision))
  const asJson = <A extends object>(request: Effect.Effect<A, ClientTransport.RequestError>) =>
    Effect.map(orRefusal(request), (result) => result as Json)
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
    ping: Effect.as(orRefusal(client.ping()), {}),
    setLevel: (level) => asJson(client.request(Method.setLevel, { level })),
    subscribe: (uri) => asJson(client.request(Method.resourcesSubscribe, { uri })),
    unsubscribe: (uri) => asJson(client.request(Method.resourcesUnsubscribe, { uri })),
    heard: () => heard.splice(0),
    cancelNothing: Effect.orDie(client.notify(Method.cancelled, { requestId: "never" })),
    arrived: () => arrived,
    complaints: () => said.splice(0)
  })
})

/** Starts the server, and connects to it. */
const connect = (
  { args, server, transport }: Pair
): Layer.Layer<ClientTransport.McpTransport, unknown, NodeServices.NodeServices | HttpClient.HttpClient> =>
  transport === "stdio"
    ? McpStdio.layerClient({ command: process.execPath, args: command(server, args) })
    : Layer.unwrap(Effect.map(serve(server, args), (url) => McpHttp.layerClient({ url })))

/** Our client over a transport. */
export const layerOver = (
  transport: Layer.Layer<ClientTransport.McpTransport, unknown, NodeServices.NodeServices | HttpClient.HttpClient>,
  options: McpClient.Options
): Layer.Layer<Peer> =>
  Layer.effect(Peer, make(options)).pipe(
    Layer.provide(transport),
    // No server is met for the second time, and none is known from another test.
    Layer.provide([NodeServices.layer, NodeHttpClient.layerUndici, EraCache.layerMemory]),
    Layer.orDie
  )

/** Our client, connected to a process that is started for it. */
export const layer = (pair: Pair): Layer.Layer<Peer> =>
  layerOver(
    connect(pair),
    pair.wants === "pin" ? { revisions: [pair.revision] } : pair.wants === "legacy" ? { prefer: "legacy" } : {}
  )
