/** The program of the matrix: what a user of a client writes, without a word about revisions or transports. */
import * as McpClient from "@effect-mcp/client/McpClient"
import type * as ClientTransport from "@effect-mcp/core/ClientTransport"
import * as Method from "@effect-mcp/core/Method"
import type * as Tool from "@effect-mcp/core/Tool"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as contract from "./contract.ts"

type Json = { readonly [member: string]: unknown }

const { McpClient: Client } = McpClient

/** A refusal, as a program sees it. */
const refused = <A, E extends ClientTransport.RequestError | Tool.ToolFailure, R>(request: Effect.Effect<A, E, R>) =>
  Effect.match(request, {
    onFailure: (error) =>
      error._tag !== "McpClientError" ? { error: error._tag } : {
        error: error.reason._tag,
        ...error.reason._tag === "NotInRevision" && { what: error.reason.what, revision: error.reason.revision }
      },
    onSuccess: (value) => value === undefined ? "done" : value
  })

/** The only text of some content. */
const text = ([block]: ReadonlyArray<{ readonly type: string; readonly text?: unknown }>) => block?.text

/** What is not the server's own is left out: each transport may add to it. */
const plain = ({ _meta, cacheScope: _scope, resultType: _type, ttlMs: _ttl, ...result }: Json): Json => {
  const own = Object.entries((_meta ?? {}) as Json).filter(([key]) => key.startsWith("com.example/"))
  return own.length === 0 ? result : { ...result, _meta: Object.fromEntries(own) }
}

const parts = {
  server: Client.use(({ server: { capabilities, info, instructions } }) =>
    Effect.succeed({ info, instructions, capabilities: Object.keys(capabilities).toSorted() })
  ),
  whoAsks: Client.use((client) => Effect.map(client.call(contract.WhoAsks, {}), text)),
  tools: Client.use((client) => Effect.map(Stream.runCollect(client.tools), (tools) => tools.map(({ name }) => name))),
  tool: Client.use((client) =>
    Effect.map(Stream.runCollect(client.tools), (tools) => {
      const { inputSchema, outputSchema, ...tool } = tools.find(({ name }) => name === contract.Sum.name) ??
        { name: "" }
      return { ...tool, takes: inputSchema !== undefined, tellsOutput: outputSchema !== undefined }
    })
  ),
  structured: Client.use((client) => client.call(contract.Sum, { numbers: [1, 2, 3.5] })),
  structuredRaw: Client.use((client) => Effect.map(client.callTool(contract.Sum.name, { numbers: [1] }), plain)),
  list: Client.use((client) => client.call(contract.Range, { to: 3 })),
  listRaw: Client.use((client) => Effect.map(client.callTool(contract.Range.name, { to: 2 }), plain)),
  rendered: Client.use((client) => refused(client.call(contract.Rendered, {}))),
  renderedRaw: Client.use((client) => Effect.map(client.callTool(contract.Rendered.name), plain)),
  failure: Client.use((client) =>
    Effect.map(
      Effect.flip(client.call(contract.Guarded, { what: "safe" })),
      (error) => error instanceof contract.Denied ? { denied: error.what, until: error.until } : error
    )
  ),
  noFailure: Client.use((client) => client.call(contract.Guarded, { what: "door" })),
  badArguments: Client.use((client) =>
    Effect.map(client.callTool(contract.Sum.name, { numbers: "many" }), ({ isError }) => isError)
  ),
  unknownTool: Client.use((client) => refused(client.callTool("nope"))),
  blocks: Client.use((client) => Effect.map(client.callTool(contract.Blocks.name), plain)),
  progress: Client.use((client) =>
    Effect.map(
      Stream.runCollect(client.callWithProgress(contract.Steps, { count: 3 })),
      (events) =>
        events.map((event) => {
          if (event._tag === "Result") return text(event.result)
          const { message, progress, total } = event.progress
          return { progress, total, ...message !== undefined && { message } }
        })
    )
  ),
  logs: Client.use((client) =>
    Effect.suspend(() => {
      const logs: Array<unknown> = []
      const onLog = ({ data, level }: Json) => Effect.sync(() => logs.push([level, data]))
      return Effect.as(client.callTool(contract.Chatty.name, {}, { logLevel: "warning", onLog }), logs)
    })
  ),
  moreLogs: Client.use((client) =>
    Effect.suspend(() => {
      const logs: Array<unknown> = []
      const onLog = ({ data, level }: Json) => Effect.sync(() => logs.push([level, data]))
      return Effect.as(client.callTool(contract.Chatty.name, {}, { logLevel: "debug", onLog }), logs)
    })
  ),
  resources: Client.use((client) =>
    Effect.map(Stream.runCollect(client.resources), (all) => all.map((one) => ({ ...one })))
  ),
  templates: Client.use((client) =>
    Effect.map(Stream.runCollect(client.resourceTemplates), (all) => all.map((one) => ({ ...one })))
  ),
  text: Client.use((client) => Effect.map(client.readResource(contract.Today.uri), plain)),
  blob: Client.use((client) => Effect.map(client.readResource(contract.Dot.uri), plain)),
  template: Client.use((client) => Effect.map(client.read(contract.Day, { year: 2025, month: "may" }), plain)),
  unknownResource: Client.use((client) => refused(client.readResource("other://nope"))),
  prompts: Client.use((client) => Effect.map(Stream.runCollect(client.prompts), ([review]) => ({ ...review }))),
  prompt: Client.use((client) => Effect.map(client.get(contract.Review, { code: "1 + 1" }), plain)),
  pages: Client.use((client) =>
    Effect.gen(function*() {
      const first = yield* client.listPrompts()
      const second = yield* client.listPrompts({ cursor: first.nextCursor ?? undefined })
      return [first.prompts.length, second.prompts.map(({ name }) => name), second.nextCursor]
    })
  ),
  badCursor: Client.use((client) => refused(client.listTools({ cursor: "☃" }))),
  completion: Client.use((client) =>
    Effect.map(client.complete(contract.Review, { name: "tone", value: "ki" }), ({ completion }) => completion)
  ),
  completionByAnother: Client.use((client) =>
    Effect.map(
      client.complete(contract.Day, { name: "month", value: "may" }, { year: "2025" }),
      ({ completion }) => completion.values
    )
  ),
  cancellation: Client.use((client) =>
    Effect.gen(function*() {
      // Of this run alone, where several have one server.
      const key = `${client.negotiation.revision} ${yield* Effect.sync(() => nextKey++)}`
      const asleep = client.callTool(contract.Asleep.name, { key }).pipe(
        Effect.map(({ content }) => text(content) === "true")
      )
      const until = (state: boolean) =>
        Effect.repeat(Effect.tap(asleep, Effect.sleep(5)), { until: (now) => now === state })
      const fiber = yield* Effect.forkChild(client.callTool(contract.Sleep.name, { key }))
      yield* until(true)
      yield* Fiber.interrupt(fiber)
      return { stillAsleep: yield* until(false) }
    })
  ),
  ping: Client.use((client) => refused(client.ping())),
  discover: Client.use((client) =>
    refused(Effect.map(client.discover(), ({ supportedVersions }) => supportedVersions.length > 0))
  ),
  subscribe: Client.use((client) =>
    refused(Effect.map(client.request(Method.resourcesSubscribe, { uri: contract.Today.uri }), plain))
  ),
  setLevel: Client.use((client) =>
    refused(Effect.map(client.request(Method.setLevel, { level: "error" as const }), plain))
  )
}

let nextKey = 0

export type Part = keyof typeof parts

export type Results = { readonly [P in Part]: unknown }

const isPart = (name: string): name is Part => name in parts

export const names: ReadonlyArray<Part> = Object.keys(parts).filter(isPart)

/** Runs all parts, one after the other. What fails does not keep the others from running. */
export const run = Effect.forEach(
  names,
  (name) =>
    Effect.match(parts[name] as Effect.Effect<unknown, Error, McpClient.McpClient>, {
      onFailure: (error) => [name, { failed: error.message }] as const,
      onSuccess: (value) => [name, value] as const
    })
).pipe(Effect.map((results) => Object.fromEntries(results) as Results))
