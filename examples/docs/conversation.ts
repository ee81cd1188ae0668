/** What the example client talks about with the server. It is the same over any transport. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Explain, File, Outline, Search } from "./contract.ts"

/** Talks to the server of the client in context, and prints it line by line. `transport` is named on each. */
export const conversation = Effect.fn("conversation")(function*(transport: string) {
  const client = yield* McpClient.McpClient
  const say = (line: string) => Console.log(`[${transport}] ${line}`)

  const { info, instructions, revision } = client.server
  yield* say(`connected to ${info?.name} ${info?.version}, revision ${revision}`)
  yield* say(`it says: ${instructions}`)

  const tools = yield* Stream.runCollect(client.tools)
  const templates = yield* Stream.runCollect(client.resourceTemplates)
  const prompts = yield* Stream.runCollect(client.prompts)
  yield* say(`tools: ${tools.map(({ name }) => name).join(", ")}`)
  yield* say(`resource templates: ${templates.map(({ uriTemplate }) => uriTemplate).join(", ")}`)
  yield* say(`prompts: ${prompts.map(({ name }) => name).join(", ")}`)

  yield* say("search: where do the files mention \"effect\"?")
  yield* client.callWithProgress(Search, { text: "effect", limit: 3 }).pipe(
    Stream.runForEach((event) =>
      event._tag === "Progress"
        ? say(`  … ${event.progress.progress} of ${event.progress.total} files`)
        : Effect.forEach(event.result.matches, ({ line, path, text }) => say(`  ${path}:${line}  ${text.slice(0, 80)}`))
    )
  )

  const { completion } = yield* client.complete(File, { name: "path", value: "" })
  yield* say(`completion: the folder has ${completion.total} files, the first is ${completion.values[0]}`)
  const path = completion.values.find((path) => path === "README.md") ?? completion.values[0] ?? "README.md"

  const { headings } = yield* client.call(Outline, { path })
  yield* say(`outline: ${path} has ${headings.length} headings`)
  yield* Effect.forEach(headings.slice(0, 5), ({ level, title }) => say(`  ${"#".repeat(level)} ${title}`))

  const { contents } = yield* client.read(File, { path })
  for (const content of contents) {
    yield* say(`resource: ${content.uri} is ${content.mimeType}`)
  }

  const { messages } = yield* client.get(Explain, { path, audience: "a colleague" })
  yield* say(
    `prompt: explain gives ${messages.length} messages: ${messages.map(({ content }) => content.type).join(", ")}`
  )

  // The failure that the tool declares comes back as the same class.
  yield* client.call(Outline, { path: "no/such/file.md" }).pipe(
    Effect.catchTag("NoSuchFile", (failure) => say(`refused: ${failure.message}`))
  )
  yield* client.read(File, { path: "../package.json" }).pipe(
    Effect.catchTag("ResourceNotFound", (error) => say(`refused: ${error.message}`))
  )
})
