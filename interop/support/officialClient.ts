/** The client of the official SDK as a peer. */
import { Client, ProtocolError, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { revision } from "../fixtures/contract.ts"
import { type Json, type ListName, Peer, Refusal } from "./peer.ts"
import { type Library, program, serve } from "./process.ts"

const logLevelKey = "io.modelcontextprotocol/logLevel"

/** The error as the server sent it; all other errors are defects. */
const send = <A extends object>(request: (signal: AbortSignal) => Promise<A>): Effect.Effect<Json, Refusal> =>
  Effect.tryPromise({ try: request, catch: (error) => error }).pipe(
    Effect.map((result) => result as Json),
    Effect.catch((error) =>
      error instanceof ProtocolError
        ? Effect.fail(new Refusal({ code: error.code, message: error.message, data: error.data }))
        : Effect.die(error)
    )
  )

const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list"
} as const

const make = Effect.fnUntraced(function*(transport: Transport) {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode: { pin: revision } } })
    ),
    (client) => Effect.promise(() => client.close())
  )
  const said: Array<string> = []
  Object.assign(client, { onerror: ({ message }: Error) => said.push(message) })
  const logs = new Set<(message: Json) => void>()
  client.setNotificationHandler("notifications/message", ({ params }) => {
    for (const log of logs) log({ level: params.level, data: params.data })
  })
  yield* Effect.promise(() => client.connect(transport))
  let arrived = 0
  const { onmessage } = transport
  const counted: typeof onmessage = (message, extra) => {
    arrived++
    onmessage?.(message, extra)
  }
  Object.assign(transport, { onmessage: counted })
  const found = client.getDiscoverResult()
  const all = {
    tools: () => client.listTools(),
    resources: () => client.listResources(),
    resourceTemplates: () => client.listResourceTemplates(),
    prompts: () => client.listPrompts()
  }
  return Peer.of({
    discovered: {
      revision: client.getNegotiatedProtocolVersion(),
      supportedVersions: found?.supportedVersions,
      capabilities: Object.keys(client.getServerCapabilities() ?? {}).toSorted(),
      info: client.getServerVersion(),
      instructions: client.getInstructions()
    },
    all: (list) => Effect.map(send<object>(all[list]), (result) => result[list] as ReadonlyArray<Json>),
    // Without a cursor the typed methods read all pages.
    page: (list: ListName, cursor) =>
      send<object>(() => client.request({ method: methods[list], params: cursor === undefined ? {} : { cursor } })),
    call: (name, args, { logLevel, onLog, onProgress } = {}) =>
      Effect.acquireUseRelease(
        Effect.sync(() => onLog && logs.add(onLog)),
        () =>
          send((signal) =>
            client.callTool({
              name,
              ...args && { arguments: args },
              ...logLevel && { _meta: { [logLevelKey]: logLevel } as never }
            }, { signal, ...onProgress && { onprogress: (progress) => onProgress({ ...progress }) } })
          ),
        () => Effect.sync(() => onLog && logs.delete(onLog))
      ),
    read: (uri) => send(() => client.readResource({ uri })),
    get: (name, args) => send(() => client.getPrompt({ name, ...args && { arguments: { ...args } } })),
    complete: (ref, argument, known) =>
      send(() => client.complete({ ref, argument, ...known && { context: { arguments: known } } })),
    cancelNothing: Effect.promise(() =>
      client.notification({ method: "notifications/cancelled", params: { requestId: "never" } })
    ),
    arrived: () => arrived,
    complaints: () => said.splice(0)
  })
})

/** Starts the server over HTTP; the client itself starts one over stdio. */
const transportTo = (server: Library, transport: "stdio" | "http", mode: string) =>
  transport === "stdio"
    ? Effect.sync((): Transport =>
      new StdioClientTransport({ command: process.execPath, args: [program(server), mode], stderr: "ignore" })
    )
    : Effect.map(serve(server, mode), (url): Transport => new StreamableHTTPClientTransport(new URL(url)))

/** The official client, connected to a process that is started for it. */
export const layer = (server: Library, transport: "stdio" | "http", mode: string): Layer.Layer<Peer> =>
  Layer.effect(Peer, Effect.flatMap(transportTo(server, transport, mode), make)).pipe(
    Layer.provide(NodeServices.layer),
    Layer.orDie
  )
