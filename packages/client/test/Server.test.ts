import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as McpError from "@effect-mcp/core/McpError"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as McpClient from "../src/McpClient.ts"

class Overflow extends Schema.TaggedError<Overflow>()("Overflow", { max: Schema.Finite }) {}

const Add = Tool.make("add", {
  input: { a: Schema.Finite, b: Schema.Finite },
  output: { sum: Schema.Finite },
  failure: Overflow
})
const Count = Tool.make("count", { output: Schema.Finite })
const Where = Tool.make("where", { input: { region: Schema.String.annotate(JsonSchema.mcpHeader("Region")) } })
const Today = Resource.make("notes://today")
const Note = ResourceTemplate.make("notes://{day}", { name: "note", parameters: { day: Schema.FiniteFromString } })
const Review = Prompt.make("review", { arguments: { code: Schema.String } })

const Features = Layer.mergeAll(
  McpServer.tool(
    Add,
    ({ a, b }) => a + b > 100 ? Effect.fail(new Overflow({ max: 100 })) : Effect.succeed({ sum: a + b })
  ),
  McpServer.tool(
    Count,
    () => Effect.as(Effect.forEach([1, 2, 3], (progress) => Progress.report({ progress, total: 3 })), 3)
  ),
  McpServer.tool(Where, ({ region }) => Effect.succeed(region)),
  McpServer.resource(Today, Effect.succeed("Nothing")),
  McpServer.resourceTemplate(
    Note,
    ({ day }) =>
      day === 1 ? Effect.succeed("One") : Effect.fail(new McpError.ResourceNotFound({ uri: `notes://${day}` }))
  ),
  McpServer.prompt(Review, ({ code }) => Effect.succeed(`Review: ${code}`))
)

const Client = McpClient.layer({ name: "test", version: "1" }).pipe(
  Layer.provide(MemoryTransport.layer({ mirror: true })),
  Layer.provide(McpServer.layer({ name: "server", version: "2" }, Features))
)

layer(Client)("a client and a server of this library", (it) => {
  it.effect("DISC-2: the server says who it is", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.strictEqual(client.server.info?.name, "server")
      assert.isTrue(client.server.capabilities.tools !== undefined)
    }))

  it.effect("TOOL-1, RES-1, PROMPT-1: lists", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual((yield* Stream.runCollect(client.tools)).map(({ name }) => name), [
        "add",
        "count",
        "where"
      ])
      assert.deepStrictEqual((yield* Stream.runCollect(client.resources)).map(({ uri }) => uri), ["notes://today"])
      assert.deepStrictEqual((yield* Stream.runCollect(client.resourceTemplates)).map(({ name }) => name), ["note"])
      assert.deepStrictEqual((yield* Stream.runCollect(client.prompts)).map(({ name }) => name), ["review"])
    }))

  it.effect("TOOL-16, TOOL-19: a call gives the output, or the failure of the contract", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* client.call(Add, { a: 1, b: 2 }), { sum: 3 })
      const error = yield* Effect.flip(client.call(Add, { a: 99, b: 2 }))
      assert.isTrue(error instanceof Overflow && error.max === 100)
    }))

  it.effect("PROG-3: progress reaches the caller, then the result", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const events = yield* Stream.runCollect(client.callWithProgress(Count, {}))
      assert.deepStrictEqual(
        events.map((event) => event._tag === "Progress" ? event.progress.progress : [event.result]),
        [1, 2, 3, [3]]
      )
    }))

  it.effect("HDR-10: what is mirrored agrees with what the server compares", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* client.call(Where, { region: "eu" }), [{ type: "text", text: "eu" }])
    }))

  it.effect("RES-4, RES-5: resources by URI, contract and template", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const [today] = (yield* client.readResource(Today)).contents
      assert.isTrue(today !== undefined && "text" in today && today.text === "Nothing")
      const [one] = (yield* client.read(Note, { day: 1 })).contents
      assert.isTrue(one !== undefined && "text" in one && one.text === "One")
      for (const read of [client.read(Note, { day: 2 }), client.readResource("notes:none")]) {
        assert.strictEqual((yield* Effect.flip(read))._tag, "ResourceNotFound")
      }
    }))

  it.effect("PROMPT-3: a prompt by contract", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const { messages } = yield* client.get(Review, { code: "x" })
      assert.deepStrictEqual(messages, [{ role: "user", content: { type: "text", text: "Review: x" } }])
    }))
})
