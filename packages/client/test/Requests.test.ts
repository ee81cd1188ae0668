import * as Extension from "@effect-mcp/core/Extension"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scripted from "./support/scripted.ts"

const reason = (error: { readonly _tag: string; readonly reason?: { readonly _tag: string } }) =>
  error.reason?._tag ?? error._tag

describe("requests", () => {
  it.effect("META-9, META-10: every request says the revision, the capabilities and who asks", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ tools: [] }))
      yield* client.listTools()
      for (const request of transport.sent) {
        assert.deepStrictEqual(Scripted.metaOf(request), {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.2.3" }
        })
        assert.strictEqual(request.mirror.protocolVersion, "2026-07-28")
        assert.strictEqual(request.mirror.method, request.message.method)
      }
    }))

  it.effect("META-10: who asks can be kept to oneself", () =>
    Effect.gen(function*() {
      const { transport } = yield* Scripted.client(() => ({}), { sendClientInfo: false })
      assert.isFalse("io.modelcontextprotocol/clientInfo" in Scripted.metaOf(transport.sent[0]))
    }))

  it.effect("META-6: reserved members of _meta are not overwritten, own ones are sent", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ tools: [] }))
      yield* client.listTools({ meta: { "com.example/a": 1, "io.modelcontextprotocol/protocolVersion": "x" } })
      const meta = Scripted.metaOf(transport.sent[1])
      assert.strictEqual(meta["com.example/a"], 1)
      assert.strictEqual(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
    }))

  it.effect("RPC-3: no two requests have the same id", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ content: [] }))
      yield* Effect.all(Array.from({ length: 20 }, () => client.callTool("a")), { concurrency: "unbounded" })
      assert.strictEqual(new Set(transport.sent.map(({ message }) => message.id)).size, 21)
    }))

  it.effect("PROG-1: a progress token that equals the id goes with what may report progress, and with nothing else", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(({ message }) =>
        message.method === "tools/list" ? { tools: [] } : { content: [], contents: [], messages: [] }
      )
      yield* client.callTool("a")
      yield* client.readResource("a:b")
      yield* client.getPrompt("p")
      yield* client.listTools()
      const tokens = transport.sent.slice(1).map((sent) => Scripted.metaOf(sent).progressToken === sent.message.id)
      assert.deepStrictEqual(tokens, [true, true, true, false])
      assert.isFalse("progressToken" in Scripted.metaOf(transport.sent[4]))
    }))

  it.effect("HDR-1, HDR-2: what HTTP mirrors is method and name, or URI", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({
        content: [],
        contents: [],
        messages: [],
        tools: []
      }))
      yield* client.callTool("a")
      yield* client.readResource(Resource.make("a:b"))
      yield* client.getPrompt("p")
      yield* client.listTools()
      assert.deepStrictEqual(transport.sent.slice(1).map(({ mirror }) => [mirror.method, mirror.name]), [
        ["tools/call", "a"],
        ["resources/read", "a:b"],
        ["prompts/get", "p"],
        ["tools/list", undefined]
      ])
    }))

  it.effect("RPC-21, CACHE-1: results keep members nobody knows and their cache hints", () =>
    Effect.gen(function*() {
      const page = { resultType: "complete", tools: [], ttlMs: 5, cacheScope: "private", "x-new": [1] }
      const { client } = yield* Scripted.client(() => page)
      const result: unknown = yield* client.listTools()
      assert.deepStrictEqual(result, page)
    }))

  it.effect("RPC-12: a result without resultType is complete", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => ({ content: [{ type: "text", text: "hi" }] }))
      assert.deepStrictEqual((yield* client.callTool("a")).content, [{ type: "text", text: "hi" }])
    }))

  it.effect("RPC-13: an unknown resultType makes the answer invalid, and it is kept", () =>
    Effect.gen(function*() {
      for (const resultType of ["task", 1]) {
        const raw = { resultType, content: [] }
        const { client } = yield* Scripted.client(() => raw)
        const error = yield* Effect.flip(client.callTool("a"))
        assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "InvalidAnswer")
        if (error._tag === "McpClientError" && error.reason._tag === "InvalidAnswer") {
          assert.deepStrictEqual(error.reason.raw, raw)
          assert.strictEqual(error.reason.method, "tools/call")
        }
      }
    }))

  it.effect("TOOL-12: an answer without the members of its method is invalid", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => ({ resultType: "complete" }))
      assert.strictEqual(reason(yield* Effect.flip(client.callTool("a"))), "InvalidAnswer")
    }))

  it.effect("case 61: a block of an unknown kind does not spoil the others, and is kept as it came", () =>
    Effect.gen(function*() {
      const content = [{ type: "hologram", depth: 3 }, { type: "text", text: "hi" }]
      const { client } = yield* Scripted.client(() => ({ content }))
      assert.deepStrictEqual((yield* client.callTool("a")).content as unknown, content)
    }))

  it.effect("ERR-8, RES-5, RES-7: both ways to say that there is no such resource give ResourceNotFound", () =>
    Effect.gen(function*() {
      for (
        const error of [
          new McpError.InvalidParams({ message: "no", data: { uri: "a:b" } }),
          new McpError.ResourceNotFound({ uri: "a:b" })
        ]
      ) {
        const { client } = yield* Scripted.client(() => error)
        const failure = yield* Effect.flip(client.readResource("a:b"))
        assert.deepStrictEqual(failure, new McpError.ResourceNotFound({ uri: "a:b" }))
      }
    }))

  it.effect("RES-5: -32602 with a URI means nothing of the kind elsewhere", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() =>
        new McpError.InvalidParams({ message: "no", data: { uri: "a:b" } })
      )
      assert.strictEqual((yield* Effect.flip(client.callTool("a")))._tag, "InvalidParams")
    }))

  it.effect("RES-3: a template is expanded with parameters encoded by their schemas", () =>
    Effect.gen(function*() {
      const File = ResourceTemplate.make("docs://{page}/{+path}", {
        name: "file",
        parameters: { page: Schema.FiniteFromString, path: Schema.String }
      })
      const { client, transport } = yield* Scripted.client(() => ({ contents: [] }))
      yield* client.read(File, { page: 3, path: "a/b c.md" })
      assert.strictEqual(transport.sent[1]?.message.params?.uri, "docs://3/a/b%20c.md")
      assert.strictEqual(transport.sent[1]?.mirror.name, "docs://3/a/b%20c.md")
    }))

  it.effect("PROMPT-2: the arguments of a prompt are encoded to strings", () =>
    Effect.gen(function*() {
      const Review = Prompt.make("review", {
        arguments: { level: Schema.FiniteFromString, style: Schema.optionalKey(Schema.String) }
      })
      const { client, transport } = yield* Scripted.client(() => ({ messages: [] }))
      yield* client.get(Review, { level: 3 })
      assert.deepStrictEqual(transport.sent[1]?.message.params?.arguments, { level: "3" })
    }))

  it.effect("COMP-2, COMP-3: a completion names its reference, and passes what is known", () =>
    Effect.gen(function*() {
      const File = ResourceTemplate.make("docs://{+path}", { name: "file", parameters: { path: Schema.String } })
      const Review = Prompt.make("review", { arguments: { code: Schema.String } })
      const { client, transport } = yield* Scripted.client(() => ({ completion: { values: ["a"], hasMore: false } }))
      const result = yield* client.complete(File, { name: "path", value: "a" }, { other: "x" })
      yield* client.complete(Review, { name: "code", value: "" })
      yield* client.complete({ type: "ref/prompt", name: "p" }, { name: "code", value: "" })
      assert.deepStrictEqual(result.completion.values, ["a"])
      const sent = transport.sent.slice(1).map(({ message }) => {
        const { _meta, ...params } = message.params ?? {}
        return params
      })
      assert.deepStrictEqual(sent, [
        {
          ref: { type: "ref/resource", uri: "docs://{+path}" },
          argument: { name: "path", value: "a" },
          context: { arguments: { other: "x" } }
        },
        { ref: { type: "ref/prompt", name: "review" }, argument: { name: "code", value: "" } },
        { ref: { type: "ref/prompt", name: "p" }, argument: { name: "code", value: "" } }
      ])
    }))

  const Now = Method.defineRequest({
    name: "com.example/now",
    sender: "client",
    revisions: new Set(["2026-07-28"]),
    params: Schema.Struct({ zone: Schema.String }),
    result: Schema.Struct({ now: Schema.String }),
    mirroredName: "zone",
    extension: "com.example/clock"
  })
  const Ticked = Method.defineNotification({
    name: "com.example/ticked",
    sender: "client",
    revisions: new Set(["2026-07-28"]),
    params: Schema.Struct({ at: Schema.Finite }),
    extension: "com.example/clock"
  })
  const Task = Schema.Struct({ resultType: Schema.Literal("job"), jobId: Schema.String })
  const Clock = Extension.make("com.example/clock", {
    methods: [Now, Ticked],
    resultTypes: { "tools/call": { job: Task } },
    clientSettings: Schema.Struct({ precise: Schema.Boolean })
  })
  const on = { extensions: [Extension.forClient(Clock, { precise: true })] }

  it.effect("EXT-1: a request of an extension that is on is sent, with its settings and its own Mcp-Name", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ now: "12:00", extra: 1 }), on)
      const result = yield* client.request(Now, { zone: "Asia/Tokyo" })
      assert.deepStrictEqual(result as unknown, { now: "12:00", extra: 1 })
      assert.strictEqual(transport.sent[1]?.mirror.name, "Asia/Tokyo")
      assert.deepStrictEqual(Scripted.metaOf(transport.sent[1])["io.modelcontextprotocol/clientCapabilities"], {
        extensions: { "com.example/clock": { precise: true } }
      })
      yield* client.notify(Ticked, { at: 1 })
      assert.deepStrictEqual(transport.notified, [
        { _tag: "Notification", method: "com.example/ticked", params: { at: 1 } }
      ])
    }))

  it.effect("EXT-4: a method of an extension that is off is refused before anything is sent", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ now: "12:00" }))
      assert.strictEqual(reason(yield* Effect.flip(client.request(Now, { zone: "a" }))), "InvalidCall")
      assert.strictEqual(reason(yield* Effect.flip(client.notify(Ticked, { at: 1 }))), "InvalidCall")
      assert.strictEqual(transport.sent.length, 1)
      assert.deepStrictEqual(transport.notified, [])
    }))

  it.effect("a method that the revision lacks, or that is the server's, is refused before anything is sent", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({}))
      const legacy = yield* Effect.flip(client.request(Method.ping, {}))
      assert.strictEqual(
        legacy.message,
        "ping does not exist in revision 2026-07-28, which the server and this client have settled on"
      )
      const server = yield* Effect.flip(client.notify(Method.toolsListChanged, {}))
      assert.strictEqual(server.message, "notifications/tools/list_changed was not sent: only a server sends it")
      assert.strictEqual(transport.sent.length, 1)
    }))

  it.effect("RPC-13: a kind of result of an extension that is on is taken where it was asked for", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => ({ resultType: "job", jobId: "1" }), on)
      const result = yield* client.request(Method.toolsCall, { name: "a" }, { accept: { job: Task } })
      assert.deepStrictEqual(result, { resultType: "job", jobId: "1" })
      const error = yield* Effect.flip(client.callTool("a"))
      assert.strictEqual(
        error.message,
        "The answer to tools/call is invalid: a result of type \"job\" was not expected here"
      )
      const off = yield* Scripted.client(() => ({ resultType: "job", jobId: "1" }))
      const unknown = yield* Effect.flip(
        off.client.request(Method.toolsCall, { name: "a" }, { accept: { job: Task } })
      )
      assert.strictEqual(unknown.message, "The answer to tools/call is invalid: unknown resultType \"job\"")
    }))
})
