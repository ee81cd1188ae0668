/** Our client as a peer. */
import * as EraCache from "@effect-mcp/client/EraCache"
import type * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as ClientTransport from "@effect-mcp/core/ClientTransport"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { InputRequiredResult } from "@effect-mcp/core/schema/InputRequired"
import type { ListRootsResult } from "@effect-mcp/core/schema/Roots"
import type { CreateMessageResult } from "@effect-mcp/core/schema/Sampling"
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
import type { Pair } from "./pairs.ts"
import { type Json, type ListName, Peer, Refusal } from "./peer.ts"
import * as Person from "./person.ts"
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
    if (error._tag === "McpClientError") {
      // Of what the person refuses in the modern era, the server is not told (MRTR-13).
      const isRefusal = error.reason._tag === "InputNotGiven" && error.reason.cause?._tag === "UserRejected"
      return isRefusal ? Effect.fail(new Refusal({ ...Person.refusal, data: undefined })) : Effect.die(error)
    }
    const { code, data, message } = McpError.toErrorObject(error, era)
    return Effect.fail(new Refusal({ code, message, data }))
  }))

/** What a person does, as handlers. The types of its answers are those that the questions have. */
const handlersOf = (person: Person.Person): Handlers.Handlers => {
  const answer = <A>(method: string, params: object) => Effect.sync(() => person.answer(method, { ...params }) as A)
  return {
    elicitation: {
      form: (params) => answer("elicitation/create", params),
      url: (params) => answer("elicitation/create", params)
    },
    sampling: {
      tools: true,
      createMessage: (params) =>
        Effect.filterOrFail(
          answer<CreateMessageResult | undefined>("sampling/createMessage", params),
          (answer) => answer !== undefined,
          () => new McpError.UserRejected(Person.refusal)
        )
    },
    roots: { list: Effect.map(answer<ListRootsResult>("roots/list", {}), ({ roots }) => roots) }
  }
}

const make = Effect.fnUntraced(function*(options: McpClient.Options, answers: Pair["answers"]) {
  const person = Person.make(answers === "manual")
  let arrived = 0
  const transport = counted(yield* ClientTransport.McpTransport, () => arrived++)
  const said: Array<string> = []
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")) said.push(String(message))
  })
  const client = yield* McpClient.make({ name: "effect-mcp", version: "1.0.0" }, {
    ...answers === "handlers" && handlersOf(person),
    ...options
  }).pipe(
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
  /** Answers by itself, where it has no handlers that do. */
  const manually = <P extends Json, A extends object>(
    definition: Method.RequestDefinition<string, P, A>,
    params: P
  ): Effect.Effect<Json, Refusal> =>
    Person.inRounds(
      person,
      { ...params },
      (params) =>
        asJson(client.request<P, A, never, { readonly input_required: typeof InputRequiredResult }>(
          definition,
          params as P,
          { accept: { input_required: InputRequiredResult }, capabilities: Person.capabilities }
        ))
    )
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
      if (answers === "manual") return manually(Method.toolsCall, { name, arguments: args })
      const { logLevel, onLog, onProgress } = options
      return asJson(client.callTool(name, args, {
        logLevel,
        onProgress: onProgress && ((progress) => Effect.sync(() => onProgress({ ...progress }))),
        onLog: onLog && ((message) => Effect.sync(() => onLog({ ...message })))
      }))
    },
    read: (uri) => answers === "manual" ? manually(Method.resourcesRead, { uri }) : asJson(client.readResource(uri)),
    get: (name, args) =>
      answers === "manual"
        ? manually(Method.promptsGet, { name, arguments: args })
        : asJson(client.getPrompt(name, args)),
    complete: (ref, argument, known) => asJson(client.complete(ref, argument, known)),
    ping: Effect.as(orRefusal(client.ping()), {}),
    setLevel: (level) => asJson(client.request(Method.setLevel, { level })),
    subscribe: (uri) => asJson(client.request(Method.resourcesSubscribe, { uri })),
    unsubscribe: (uri) => asJson(client.request(Method.resourcesUnsubscribe, { uri })),
    heard: () => heard.splice(0),
    asked: person.asked,
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
  options: McpClient.Options,
  answers: Pair["answers"] = "handlers"
): Layer.Layer<Peer> =>
  Layer.effect(Peer, make(options, answers)).pipe(
    Layer.provide(transport),
    // No server is met for the second time, and none is known from another test.
    Layer.provide([NodeServices.layer, NodeHttpClient.layerUndici, EraCache.layerMemory]),
    Layer.orDie
  )

/** Our client, connected to a process that is started for it. */
export const layer = (pair: Pair): Layer.Layer<Peer> =>
  layerOver(
    connect(pair),
    pair.wants === "pin" ? { revisions: [pair.revision] } : pair.wants === "legacy" ? { prefer: "legacy" } : {},
    pair.answers
  )
