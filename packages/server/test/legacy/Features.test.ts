/** Every feature under every legacy revision. What comes is checked against the schema of the revision as it comes. */
import { assert, describe, it } from "@effect/vitest"
import * as Content from "@effect-mcp/core/Content"
import * as McpError from "@effect-mcp/core/McpError"
import * as Limits from "@effect-mcp/core/Limits"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { names, start } from "../support.ts"
import { type Json, open, revisions, since } from "./support.ts"

const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }] as const
const annotations = { audience: ["user"], priority: 0.5, lastModified: "2025-01-12T15:00:58Z" } as const
const meta = { "example.com/a": 1 }

class TooLarge extends Schema.TaggedError<TooLarge>("test/TooLarge")("TooLarge", { max: Schema.Finite }) {
  override get message(): string {
    return `more than ${this.max}`
  }
}

const Add = Tool.make("add", {
  title: "Add",
  description: "Add two numbers",
  input: { a: Schema.Finite, b: Schema.Finite },
  output: { sum: Schema.Finite },
  failure: TooLarge,
  annotations: { title: "Adder", readOnlyHint: true },
  icons,
  meta
})

const AddLive = McpServer.tool(
  Add,
  ({ a, b }) => a + b > 100 ? Effect.fail(new TooLarge({ max: 100 })) : Effect.succeed({ sum: a + b })
)

const List = Tool.make("list", { output: Schema.Array(Schema.Finite) })

const Blocks = Tool.make("blocks")

const blocks = [
  Content.text("text", { annotations, meta }),
  Content.image("AAAA", "image/png", { annotations }),
  Content.audio("AAAA", "audio/wav", { annotations }),
  Content.resourceLink({ uri: "note://one", name: "one", title: "One", mimeType: "text/plain", size: 3, icons }),
  Content.resource(Content.contents("note://one", "one", { mimeType: "text/plain", meta }), { annotations, meta })
]

const Failing = Tool.make("failing")
const Broken = Tool.make("broken")

const Review = Prompt.make("review", {
  title: "Review",
  description: "Review code",
  arguments: {
    code: Schema.String.annotate({ title: "Code", description: "The code" }),
    style: Schema.optional(Schema.String)
  },
  icons,
  meta
})

const Note = Resource.make("note://one", {
  name: "one",
  title: "One",
  description: "The first",
  mimeType: "text/plain",
  size: 3,
  annotations,
  icons,
  meta
})

const Notes = ResourceTemplate.make("notes://{year}", {
  name: "notes",
  title: "Notes",
  description: "Notes of a year",
  parameters: { year: Schema.String },
  mimeType: "text/plain",
  annotations,
  icons,
  meta
})

const features = Layer.mergeAll(
  AddLive,
  McpServer.tool(List, () => Effect.succeed([1, 2])),
  McpServer.tool(Blocks, () => Effect.succeed(Tool.reply({ content: blocks, meta }))),
  McpServer.tool(Failing, () => Effect.fail(new Tool.ToolFailure({ message: "not today" }))),
  McpServer.tool(Broken, () => Effect.die(new Error("secret"))),
  McpServer.prompt(
    Review,
    ({ code }) =>
      Effect.succeed({ description: "A review", messages: [Prompt.user(code), ...blocks.map(Prompt.assistant)] }),
    { complete: { style: (typed) => Effect.succeed([`${typed}-short`, `${typed}-long`]) } }
  ),
  McpServer.resource(
    Note,
    Effect.succeed([
      Content.contents("note://one", "one", { mimeType: "text/plain", meta }),
      Content.contents("note://one", new Uint8Array([1, 2]))
    ])
  ),
  McpServer.resourceTemplate(Notes, ({ year }) => Effect.succeed(`notes of ${year}`), {
    complete: { year: () => Effect.succeed(["2024", "2025"]) }
  })
)

for (const revision of revisions) {
  const has = (first: (typeof revisions)[number]) => since(revision, first)
  const when = (first: (typeof revisions)[number], members: Json) => has(first) ? members : {}

  describe(revision, () => {
    const opened = Effect.flatMap(start(features), ({ endpoint }) => open(endpoint, revision))

    it.effect("TOOL-1, META-19: tools are listed with what the revision has of them", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const { tools } = yield* peer.result("tools/list")
        assert.deepStrictEqual(names(tools), ["add", "list", "blocks", "failing", "broken"])
        const { definition } = Add
        assert.deepStrictEqual(tools[0], {
          name: "add",
          description: "Add two numbers",
          inputSchema: definition.inputSchema,
          ...when("2025-03-26", { annotations: { title: "Adder", readOnlyHint: true } }),
          ...when("2025-06-18", { title: "Add", outputSchema: definition.outputSchema, _meta: meta }),
          ...when("2025-11-25", { icons })
        })
        // TOOL-15: an output that is no object is for the modern era only.
        assert.notProperty(tools[1], "outputSchema")
      }))

    it.effect("TOOL-16, trap 19: structured output has its text beside it, and is an object or is not there", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        assert.deepStrictEqual(yield* peer.call("add", { a: 1, b: 2 }), {
          content: [{ type: "text", text: "{\"sum\":3}" }],
          ...when("2025-06-18", { structuredContent: { sum: 3 } })
        })
        assert.deepStrictEqual(yield* peer.call("list"), { content: [{ type: "text", text: "[1,2]" }] })
      }))

    it.effect("TOOL-19, TOOL-20, trap 18: failures and wrong arguments are results that say so", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const declared = yield* peer.call("add", { a: 100, b: 1 })
        assert.isTrue(declared.isError)
        assert.strictEqual(declared.content[0].text, "more than 100")
        assert.deepStrictEqual(declared._meta, { [Tool.failureKey]: { _tag: "TooLarge", max: 100 } })
        const failed = yield* peer.call("failing")
        assert.deepStrictEqual(failed, { content: [{ type: "text", text: "not today" }], isError: true })
        for (const args of [{}, { a: "1", b: 2 }]) {
          assert.isTrue((yield* peer.call("add", args)).isError)
        }
      }))

    it.effect("case 28: arguments may be null, and params may be left out", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        assert.isTrue((yield* peer.result("tools/call", { name: "failing", arguments: null })).isError)
        yield* peer.result("tools/list", undefined)
        yield* peer.result("tools/list", { cursor: null })
      }))

    it.effect("ERR-1, F11: errors of the protocol, and a defect that tells nothing of itself", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        assert.strictEqual((yield* peer.error("tools/call", { name: "nope" })).code, -32602)
        assert.strictEqual((yield* peer.error("tools/call", { wrong: true })).code, -32602)
        assert.strictEqual((yield* peer.error("tools/call")).code, -32602)
        assert.deepStrictEqual(yield* peer.error("tools/call", { name: "broken" }), {
          code: -32603,
          message: "Internal error"
        })
        yield* peer.call("add", { a: 1, b: 2 })
      }))

    it.effect("TOOL-14: every kind of content, as far as the revision has it", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const { _meta, content } = yield* peer.call("blocks")
        assert.deepStrictEqual(_meta, meta)
        const types = content.map(({ type }: Json) => type)
        assert.strictEqual(types.length, 5)
        assert.strictEqual(types[2], has("2025-03-26") ? "audio" : types[2])
        assert.strictEqual(types[3], has("2025-06-18") ? "resource_link" : types[3])
        assert.notInclude(has("2025-03-26") ? [] : types, "audio")
        assert.notInclude(has("2025-06-18") ? [] : types, "resource_link")
        if (has("2025-06-18")) assert.deepStrictEqual(content[0]._meta, meta)
        else for (const block of content) assert.notProperty(block, "_meta")
      }))

    it.effect("PROMPT-1, PROMPT-3: prompts are listed and got", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const { prompts } = yield* peer.result("prompts/list")
        assert.deepStrictEqual(prompts, [{
          name: "review",
          description: "Review code",
          arguments: [
            { name: "code", description: "The code", required: true, ...when("2025-06-18", { title: "Code" }) },
            { name: "style", required: false }
          ],
          ...when("2025-06-18", { title: "Review", _meta: meta }),
          ...when("2025-11-25", { icons })
        }])
        const got = yield* peer.result("prompts/get", { name: "review", arguments: { code: "1 + 1" } })
        assert.strictEqual(got.description, "A review")
        assert.deepStrictEqual(got.messages[0], { role: "user", content: { type: "text", text: "1 + 1" } })
        assert.strictEqual(got.messages.length, 6)
      }))

    it.effect("PROMPT-4: an unknown prompt and a missing argument are -32602", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        assert.strictEqual((yield* peer.error("prompts/get", { name: "nope" })).code, -32602)
        assert.strictEqual((yield* peer.error("prompts/get", { name: "review" })).code, -32602)
      }))

    it.effect("RES-1 to RES-4: resources and templates are listed and read", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const { lastModified, ...older } = annotations
        const common = {
          description: "The first",
          mimeType: "text/plain",
          annotations: has("2025-06-18") ? { ...older, lastModified } : older,
          ...when("2025-06-18", { _meta: meta }),
          ...when("2025-11-25", { icons })
        }
        assert.deepStrictEqual((yield* peer.result("resources/list")).resources, [{
          uri: "note://one",
          name: "one",
          ...common,
          ...when("2025-06-18", { title: "One" }),
          size: 3
        }])
        assert.deepStrictEqual((yield* peer.result("resources/templates/list")).resourceTemplates, [{
          uriTemplate: "notes://{year}",
          name: "notes",
          ...common,
          ...when("2025-06-18", { title: "Notes" }),
          description: "Notes of a year"
        }])
        assert.deepStrictEqual((yield* peer.result("resources/read", { uri: "note://one" })).contents, [
          { uri: "note://one", mimeType: "text/plain", text: "one", ...when("2025-06-18", { _meta: meta }) },
          { uri: "note://one", blob: "AQI=" }
        ])
        assert.deepStrictEqual((yield* peer.result("resources/read", { uri: "notes://2025" })).contents, [
          { uri: "notes://2025", mimeType: "text/plain", text: "notes of 2025" }
        ])
      }))

    it.effect("RES-5, ERR-11: a resource that is not there is -32002, with its URI", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const error = yield* peer.error("resources/read", { uri: "note://two" })
        assert.deepStrictEqual([error.code, error.data], [-32002, { uri: "note://two" }])
        assert.strictEqual((yield* peer.error("resources/read", {})).code, -32602)
      }))

    it.effect("COMP-1, COMP-2, COMP-4: completions of prompts and templates", () =>
      Effect.gen(function*() {
        const peer = yield* opened
        const complete = (ref: Json, name: string, value: string) =>
          Effect.map(
            peer.result("completion/complete", { ref, argument: { name, value } }),
            ({ completion }) => completion
          )
        assert.deepStrictEqual(yield* complete({ type: "ref/prompt", name: "review" }, "style", "very"), {
          values: ["very-short", "very-long"],
          total: 2,
          hasMore: false
        })
        const years = yield* complete({ type: "ref/resource", uri: "notes://{year}" }, "year", "")
        assert.deepStrictEqual(years.values, ["2024", "2025"])
      }))

    it.effect("PROG-1, PROG-2, PROG-4: progress comes on the request's own stream, with the token's own type", () =>
      Effect.gen(function*() {
        const tool = McpServer.tool(Tool.make("work"), () =>
          Effect.gen(function*() {
            yield* Progress.report({ progress: 1, total: 2.5, message: "half" })
            yield* Effect.yieldNow
            yield* Progress.report({ progress: 0.5 })
            yield* Progress.report({ progress: 2 })
            return "done"
          }))
        const peer = yield* Effect.flatMap(start(tool), ({ endpoint }) => open(endpoint, revision))
        for (const progressToken of [0, "", "t", 7]) {
          const seen: Array<Json> = []
          yield* peer.result("tools/call", { name: "work", _meta: { progressToken } }, {
            onMessage: ({ method, params }) => Effect.sync(() => seen.push({ method, ...params }))
          })
          assert.deepStrictEqual(seen, [
            {
              method: "notifications/progress",
              progressToken,
              progress: 1,
              total: 2.5,
              ...when("2025-03-26", { message: "half" })
            },
            { method: "notifications/progress", progressToken, progress: 2 }
          ])
        }
        assert.deepStrictEqual(peer.unasked, [])
        const wrong = yield* peer.error("tools/call", { name: "work", _meta: { progressToken: 1.5 } })
        assert.strictEqual(wrong.code, -32602)
      }))

    it.effect("PAGE-1, PAGE-6: lists have pages", () =>
      Effect.gen(function*() {
        const tools = ["a", "b", "c"].map((name) => McpServer.tool(Tool.make(name), () => Effect.succeed("")))
        const { endpoint } = yield* start(Layer.mergeAll(Layer.empty, ...tools)).pipe(
          Effect.provide(Limits.layer({ pageSize: 2 }))
        )
        const peer = yield* open(endpoint, revision)
        const first = yield* peer.result("tools/list")
        assert.deepStrictEqual(names(first.tools), ["a", "b"])
        const second = yield* peer.result("tools/list", { cursor: first.nextCursor })
        assert.deepStrictEqual(names(second.tools), ["c"])
        assert.notProperty(second, "nextCursor")
        assert.strictEqual((yield* peer.error("tools/list", { cursor: "nope" })).code, -32602)
      }))

    it.effect("C2, RES-6: what is hidden is not there, and the lists of two who see differently do not mix", () =>
      Effect.gen(function*() {
        const isAdmin = Effect.map(
          McpRequest.McpRequest,
          ({ clientCapabilities }) => clientCapabilities.experimental?.["test/admin"] !== undefined
        )
        const visibility = Visibility.make("admin", isAdmin)
        const { endpoint } = yield* start(Layer.mergeAll(
          AddLive,
          McpServer.tool(Tool.make("hidden"), () => Effect.succeed("seen"), { visibility }),
          McpServer.resource(Resource.make("note://hidden"), Effect.succeed(""), { visibility })
        ))
        const user = yield* open(endpoint, revision)
        const admin = yield* open(endpoint, revision, { capabilities: { experimental: { "test/admin": {} } } })
        for (let round = 0; round < 2; round++) {
          assert.deepStrictEqual(names((yield* user.result("tools/list")).tools), ["add"])
          assert.deepStrictEqual(names((yield* admin.result("tools/list")).tools), ["add", "hidden"])
        }
        const hidden = yield* user.error("tools/call", { name: "hidden" })
        const unknown = yield* user.error("tools/call", { name: "hiddem" })
        assert.deepStrictEqual(hidden.message.replace("hidden", "hiddem"), unknown.message)
        assert.strictEqual((yield* admin.call("hidden")).content[0].text, "seen")
        assert.strictEqual((yield* user.error("resources/read", { uri: "note://hidden" })).code, -32002)
        yield* admin.result("resources/read", { uri: "note://hidden" })
      }))

    it.effect("a middleware may answer, refuse and change what is asked", () =>
      Effect.gen(function*() {
        const middleware = McpServer.middleware()((next, { method, params }) => {
          switch (method) {
            case "tools/list":
              return Effect.succeed({ tools: [], resultType: "complete", ttlMs: 1, cacheScope: "public" })
            case "prompts/list":
              return Effect.fail(new McpError.Application({ code: 42, message: "no", data: { why: 1 } }))
            case "tools/call":
              return McpServer.withParams(next, { ...params, arguments: { a: 40, b: 2 } })
            default:
              return next
          }
        })
        const { endpoint } = yield* start(Layer.merge(features, middleware))
        const peer = yield* open(endpoint, revision)
        assert.deepStrictEqual(yield* peer.result("tools/list"), { tools: [] })
        assert.deepStrictEqual(yield* peer.error("prompts/list"), { code: 42, message: "no", data: { why: 1 } })
        assert.strictEqual((yield* peer.call("add", { a: 0, b: 0 })).content[0].text, "{\"sum\":42}")
        assert.deepStrictEqual(yield* peer.result("ping"), {})
      }))

    it.effect("handlers see the request, its meta and its session", () =>
      Effect.gen(function*() {
        let seen: McpRequest.McpRequest["Service"] | undefined
        const tool = McpServer.tool(Tool.make("seen"), () =>
          Effect.map(McpRequest.McpRequest, (request) => {
            seen = request
            return ""
          }))
        const peer = yield* Effect.flatMap(start(tool), ({ endpoint }) => open(endpoint, revision))
        const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        const _meta = { progressToken: "p", "x/y": { a: 1 }, traceparent }
        yield* peer.result("tools/call", { name: "seen", _meta }, { id: "seven" })
        assert.deepInclude(
          { ...seen, id: seen?.id, method: seen?.method, revision: seen?.revision, meta: seen?.meta },
          { id: "seven", method: "tools/call", revision, meta: _meta }
        )
        assert.strictEqual(seen?.progressToken, "p")
        assert.strictEqual(seen?.trace.traceparent, traceparent)
        assert.isUndefined(seen?.logLevel)
        // META-16: the modern key means nothing here, though it is seen.
        yield* peer.result("tools/call", { name: "seen", _meta: { "io.modelcontextprotocol/logLevel": "debug" } })
        assert.isUndefined(seen?.logLevel)
      }))
  })
}
