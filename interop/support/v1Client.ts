/** The client of version 1 of the official SDK as a peer. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ErrorCode,
  type JSONRPCMessage,
  type JSONRPCResponse,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  ResultSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Pair } from "./pairs.ts"
import { type Json, Peer, Refusal } from "./peer.ts"
import * as Person from "./person.ts"
import { command, serve } from "./process.ts"

/** What it says in the words of the protocol, though nothing was answered. */
const ownCodes: ReadonlySet<number> = new Set([ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout])

/** The error as the server sent it; all other errors are defects. */
const send = <A extends object>(request: (signal: AbortSignal) => Promise<A>): Effect.Effect<Json, Refusal> =>
  Effect.tryPromise({ try: request, catch: (error) => error }).pipe(
    Effect.map((result) => result as Json),
    Effect.catch((error) =>
      error instanceof McpError && !ownCodes.has(error.code)
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

/** Ends the session too, where there is one that outlives the connection (LHTTP-24). */
const close = async (client: Client): Promise<void> => {
  const { transport } = client
  if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
  await client.close()
}

/** Has the person answer. The types of its answers are those that the questions have. */
const answerBy = (client: Client, person: Person.Person): void => {
  const answer = (method: string, params: object = {}): any => {
    const given = person.answer(method, { ...params })
    if (given === undefined) throw new McpError(Person.refusal.code, Person.refusal.message)
    return given
  }
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => answer(method, params))
  client.setRequestHandler(CreateMessageRequestSchema, ({ method, params }) => answer(method, params))
  client.setRequestHandler(ListRootsRequestSchema, ({ method }) => answer(method))
}

const make = Effect.fnUntraced(function*(transport: Transport, answers: Pair["answers"] = "handlers") {
  const capabilities = answers === "nobody" ? {} : Person.capabilities
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new Client({ name: "official", version: "1.0.0" }, { capabilities })),
    (client) => Effect.promise(() => close(client))
  )
  const person = Person.make()
  if (answers === "handlers") answerBy(client, person)
  const said: Array<string> = []
  const heard: Array<Json> = []
  const logs = new Set<(message: Json) => void>()
  Object.assign(client, { onerror: ({ message }: Error) => said.push(message) })
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ method, params }) => {
    if (logs.size === 0) heard.push({ method, params: { level: params.level, data: params.data } })
    for (const log of logs) log({ level: params.level, data: params.data })
  })
  client.fallbackNotificationHandler = async ({ method, params }) =>
    void heard.push(params ? { method, params } : { method })
  let revision: string | undefined
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    revision = version
    setProtocolVersion?.(version)
  }
  yield* Effect.promise(() => client.connect(transport))
  let arrived = 0
  const { onmessage } = transport
  const counted: typeof onmessage = (message, extra) => {
    arrived++
    onmessage?.(message, extra)
  }
  Object.assign(transport, { onmessage: counted })
  // Its methods read one page, and validate the output of the tools that they have seen.
  const page = {
    tools: (params: object) => client.listTools(params),
    resources: (params: object) => client.listResources(params),
    resourceTemplates: (params: object) => client.listResourceTemplates(params),
    prompts: (params: object) => client.listPrompts(params)
  }
  return Peer.of({
    discovered: {
      revision,
      capabilities: Object.keys(client.getServerCapabilities() ?? {}).toSorted(),
      info: client.getServerVersion(),
      instructions: client.getInstructions()
    },
    all: Effect.fnUntraced(function*(list) {
      const items: Array<Json> = []
      let cursor: string | undefined
      do {
        const result = yield* send<object>(() => page[list](cursor === undefined ? {} : { cursor }))
        items.push(...result[list] as ReadonlyArray<Json>)
        cursor = result.nextCursor as string | undefined
      } while (cursor !== undefined)
      return items
    }),
    page: (list, cursor) =>
      send(() =>
        client.request({ method: methods[list], params: cursor === undefined ? {} : { cursor } }, ResultSchema)
      ),
    call: (name, args, { logLevel, onLog, onProgress } = {}) =>
      Effect.acquireUseRelease(
        Effect.sync(() => onLog && logs.add(onLog)),
        () =>
          send(async (signal) => {
            if (logLevel !== undefined) await client.setLoggingLevel(logLevel)
            return client.callTool({ name, ...args && { arguments: args } }, undefined, {
              signal,
              ...onProgress && { onprogress: (progress) => onProgress({ ...progress }) }
            })
          }),
        () => Effect.sync(() => onLog && logs.delete(onLog))
      ),
    read: (uri) => send(() => client.readResource({ uri })),
    get: (name, args) => send(() => client.getPrompt({ name, ...args && { arguments: { ...args } } })),
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

// Its own type says that what may be undefined is there.
const http = (url: string) => new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions }) as Transport

const isAnswer = (message: JSONRPCMessage): message is JSONRPCResponse => !("method" in message)

/** Sends a batch in a session of its own, and gives the answers. The client has no way to, but its transport has. */
export const batch = async (
  url: string,
  messages: Array<JSONRPCMessage>
): Promise<ReadonlyArray<JSONRPCResponse>> => {
  const transport = new StreamableHTTPClientTransport(new URL(url))
  const client = new Client({ name: "official", version: "1.0.0" })
  await client.connect(transport as Transport)
  try {
    return await new Promise((resolve, reject) => {
      const answers: Array<JSONRPCResponse> = []
      const expected = messages.filter((message) => "id" in message).length
      const onmessage = (message: JSONRPCMessage) => {
        if (isAnswer(message) && answers.push(message) === expected) resolve(answers)
      }
      Object.assign(transport, { onmessage })
      transport.send(messages).catch(reject)
    })
  } finally {
    await close(client)
  }
}

/** The client, connected to a server that runs already. */
export const connect = (url: string) => make(http(url))

/** Starts the server over HTTP; the client itself starts one over stdio. */
const transportTo = ({ args, server, transport }: Pair) =>
  transport === "stdio"
    ? Effect.sync((): Transport =>
      new StdioClientTransport({ command: process.execPath, args: command(server, args), stderr: "ignore" })
    )
    : Effect.map(serve(server, args), (url) => transport === "sse" ? new SSEClientTransport(new URL(url)) : http(url))

/** The client, connected to a process that is started for it. */
export const layer = (pair: Pair): Layer.Layer<Peer> =>
  Layer.effect(Peer, Effect.flatMap(transportTo(pair), (transport) => make(transport, pair.answers))).pipe(
    Layer.provide(NodeServices.layer),
    Layer.orDie
  )
