/** The client of version 2 of the official SDK as a peer. */
import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode
} from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Pair } from "./pairs.ts"
import { type Json, type ListName, Peer, Refusal } from "./peer.ts"
import * as Person from "./person.ts"
import { command, serve } from "./process.ts"

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

const modeOf = ({ revision, wants }: Pair): VersionNegotiationMode =>
  wants === "pin" ? { pin: revision } : wants === "newest" ? "auto" : wants

/** Ends the session too, where there is one (LHTTP-24). */
const close = async (client: Client): Promise<void> => {
  const { transport } = client
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
  await client.close()
}

/** Has the person answer. The types of its answers are those that the questions have. */
const answerBy = (client: Client, person: Person.Person): void => {
  const answer = (method: string, params: object = {}): any => {
    const given = person.answer(method, { ...params })
    if (given === undefined) throw new ProtocolError(Person.refusal.code, Person.refusal.message)
    return given
  }
  client.setRequestHandler("elicitation/create", ({ method, params }) => answer(method, params))
  client.setRequestHandler("sampling/createMessage", ({ method, params }) => answer(method, params))
  client.setRequestHandler("roots/list", ({ method }) => answer(method))
}

const make = Effect.fnUntraced(function*(
  mode: VersionNegotiationMode,
  transport: Transport,
  answers: Pair["answers"] = "handlers"
) {
  const capabilities = answers === "nobody" ? {} : Person.capabilities
  const inputRequired = { autoFulfill: answers === "handlers" }
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode }, capabilities, inputRequired })
    ),
    (client) => Effect.promise(() => close(client))
  )
  const person = Person.make(answers === "manual")
  if (answers === "handlers") answerBy(client, person)
  /** Answers by itself, where it has no handlers that do. */
  const manually = (method: "tools/call" | "resources/read" | "prompts/get", params: Json) =>
    Person.inRounds(
      person,
      params,
      (params) => send<object>(() => client.request({ method, params } as never, { allowInputRequired: true }))
    )
  const said: Array<string> = []
  Object.assign(client, { onerror: ({ message }: Error) => said.push(message) })
  const logs = new Set<(message: Json) => void>()
  const heard: Array<Json> = []
  client.setNotificationHandler("notifications/message", ({ method, params }) => {
    if (logs.size === 0) heard.push({ method, params: { level: params.level, data: params.data } })
    for (const log of logs) log({ level: params.level, data: params.data })
  })
  client.fallbackNotificationHandler = async ({ method, params }) =>
    void heard.push(params ? { method, params } : { method })
  yield* Effect.promise(() => client.connect(transport))
  const isLegacy = client.getDiscoverResult() === undefined
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
      answers === "manual" ? manually("tools/call", { name, arguments: args }) : Effect.acquireUseRelease(
        Effect.sync(() => onLog && logs.add(onLog)),
        () =>
          send(async (signal) => {
            if (isLegacy && logLevel !== undefined) await client.setLoggingLevel(logLevel)
            return client.callTool({
              name,
              ...args && { arguments: args },
              ...!isLegacy && logLevel && { _meta: { [logLevelKey]: logLevel } as never }
            }, { signal, ...onProgress && { onprogress: (progress) => onProgress({ ...progress }) } })
          }),
        () => Effect.sync(() => onLog && logs.delete(onLog))
      ),
    read: (uri) =>
      answers === "manual" ? manually("resources/read", { uri }) : send(() => client.readResource({ uri })),
    get: (name, args) =>
      answers === "manual"
        ? manually("prompts/get", { name, arguments: args })
        : send(() => client.getPrompt({ name, ...args && { arguments: { ...args } } })),
    complete: (ref, argument, known) =>
      send(() => client.complete({ ref, argument, ...known && { context: { arguments: known } } })),
    ping: send(() => client.ping()),
    setLevel: (level) => send(() => client.setLoggingLevel(level)),
    subscribe: (uri) => send(() => client.subscribeResource({ uri })),
    unsubscribe: (uri) => send(() => client.unsubscribeResource({ uri })),
    heard: () => heard.splice(0),
    asked: person.asked,
    cancelNothing: Effect.promise(() =>
      client.notification({ method: "notifications/cancelled", params: { requestId: "never" } })
    ),
    arrived: () => arrived,
    complaints: () => said.splice(0)
  })
})

/** How it comes back to a stream that broke: sooner than by itself. */
const reconnectionOptions = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100
}

const http = (url: string): Transport => new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions })

/** The client, connected to a server that runs already. */
export const connect = (url: string, mode: VersionNegotiationMode) => make(mode, http(url))

/** Starts the server over HTTP; the client itself starts one over stdio. */
const transportTo = ({ args, server, transport }: Pair) =>
  transport === "stdio"
    ? Effect.sync((): Transport =>
      new StdioClientTransport({ command: process.execPath, args: command(server, args), stderr: "ignore" })
    )
    : Effect.map(serve(server, args), http)

/** The client, connected to a process that is started for it. */
export const layer = (pair: Pair): Layer.Layer<Peer> =>
  Layer.effect(Peer, Effect.flatMap(transportTo(pair), (transport) => make(modeOf(pair), transport, pair.answers)))
    .pipe(
      Layer.provide(NodeServices.layer),
      Layer.orDie
    )
