import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { names, start, startWithRegistry } from "./support.ts"

const serverInfo = "io.modelcontextprotocol/serverInfo"

const ATool = McpServer.tool(Tool.make("a", {}), () => Effect.succeed("a"))
const AResource = McpServer.resource(Resource.make("a://a"), Effect.succeed("a"))
const ATemplate = McpServer.resourceTemplate(
  ResourceTemplate.make("t://{x}", { name: "t", parameters: { x: Schema.String } }),
  ({ x }) => Effect.succeed(x)
)
const APrompt = McpServer.prompt(Prompt.make("p", { arguments: { x: Schema.String } }), () => Effect.succeed("p"))
const Completed = McpServer.prompt(
  Prompt.make("completed", { arguments: { x: Schema.String } }),
  () => Effect.succeed("p"),
  { complete: { x: () => Effect.succeed(["x"]) } }
)

describe("server/discover", () => {
  it.effect("DISC-1, DISC-2, DISC-6, META-14: tells versions, capabilities, instructions and who it is", () =>
    Effect.gen(function*() {
      const peer = yield* start(ATool, {
        name: "notes",
        version: "2.0.0",
        title: "Notes",
        icons: [{ src: "https://example.com/i.png", sizes: ["any"], theme: "dark" }],
        instructions: "Search before you read."
      })
      const result = yield* peer.result("server/discover")
      assert.deepStrictEqual(result, {
        resultType: "complete",
        supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        capabilities: { tools: {}, logging: {} },
        instructions: "Search before you read.",
        ttlMs: 0,
        cacheScope: "private",
        _meta: {
          [serverInfo]: {
            name: "notes",
            version: "2.0.0",
            title: "Notes",
            icons: [{ src: "https://example.com/i.png", sizes: ["any"], theme: "dark" }]
          }
        }
      })
    }))

  it.effect("DISC-3, TOOL-1, RES-1, PROMPT-1, COMP-1, LOG-1: advertises what is registered, and nothing else", () =>
    Effect.gen(function*() {
      const capabilities = (features: Layer.Layer<never, never, McpServer.Registry>) =>
        Effect.gen(function*() {
          const peer = yield* start(features)
          return (yield* peer.result("server/discover")).capabilities
        })
      assert.deepStrictEqual(yield* capabilities(Layer.empty), { logging: {} })
      assert.deepStrictEqual(yield* capabilities(AResource), { resources: {}, logging: {} })
      assert.deepStrictEqual(yield* capabilities(ATemplate), { resources: {}, logging: {} })
      assert.deepStrictEqual(yield* capabilities(APrompt), { prompts: {}, logging: {} })
      assert.deepStrictEqual(yield* capabilities(Completed), { prompts: {}, completions: {}, logging: {} })
      assert.deepStrictEqual(yield* capabilities(Layer.mergeAll(ATool, AResource, ATemplate, Completed)), {
        tools: {},
        prompts: {},
        resources: {},
        completions: {},
        logging: {}
      })
    }))

  it.effect("DISC-3: capabilities follow what is added and removed at run time", () =>
    Effect.gen(function*() {
      const { peer, provide } = yield* startWithRegistry(ATool)
      const capabilities = Effect.map(peer.result("server/discover"), (result) => Object.keys(result.capabilities))
      assert.deepStrictEqual(yield* capabilities, ["tools", "logging"])
      yield* provide(McpServer.addResource(Resource.make("b://b"), Effect.succeed("b")))
      assert.deepStrictEqual(yield* capabilities, ["tools", "resources", "logging"])
      assert.isTrue(yield* provide(McpServer.remove("tool", "a")))
      assert.deepStrictEqual(yield* capabilities, ["resources", "logging"])
      assert.strictEqual((yield* peer.error("tools/list")).code, -32601)
    }))

  for (
    const [method, params, others] of [
      ["tools/list", {}, Layer.mergeAll(AResource, Completed)],
      ["tools/call", { name: "a" }, Layer.mergeAll(AResource, Completed)],
      ["tools/call", { wrong: true }, Layer.mergeAll(AResource, Completed)],
      ["resources/list", {}, Layer.mergeAll(ATool, Completed)],
      ["resources/templates/list", {}, Layer.mergeAll(ATool, Completed)],
      ["resources/read", { uri: "a://a" }, Layer.mergeAll(ATool, Completed)],
      ["prompts/list", {}, Layer.mergeAll(ATool, AResource)],
      ["prompts/get", { name: "p" }, Layer.mergeAll(ATool, AResource)],
      [
        "completion/complete",
        { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } },
        Layer.mergeAll(ATool, AResource, APrompt)
      ],
      ["subscriptions/listen", { notifications: {} }, Layer.mergeAll(ATool, AResource, Completed)],
      ["logging/setLevel", { level: "info" }, Layer.mergeAll(ATool, AResource, Completed)],
      ["resources/subscribe", { uri: "a://a" }, Layer.mergeAll(ATool, AResource, Completed)],
      ["ping", {}, ATool]
    ] as const
  ) {
    it.effect(`DISC-4, RES-9, LOG-7, COMP-5: ${method} ${JSON.stringify(params)} is -32601 without its capability`, () =>
      Effect.gen(function*() {
        const peer = yield* start(others)
        assert.strictEqual((yield* peer.error(method, params)).code, -32601)
      }))
  }

  it.effect("RES-1: both lists are there with either kind of resource, and may be empty", () =>
    Effect.gen(function*() {
      const one = yield* start(AResource)
      assert.deepStrictEqual((yield* one.result("resources/templates/list")).resourceTemplates, [])
      const other = yield* start(ATemplate)
      assert.deepStrictEqual((yield* other.result("resources/list")).resources, [])
    }))

  it.effect("META-14: every kind of result names the server, and none when it is told not to", () =>
    Effect.gen(function*() {
      const features = Layer.mergeAll(
        ATool,
        AResource,
        ATemplate,
        Completed,
        McpServer.tool(Tool.make("meta", {}), () => Effect.succeed(Tool.reply({ content: "m", meta: { "x/y": 1 } })))
      )
      const requests = [
        ["server/discover", {}],
        ["tools/list", {}],
        ["tools/call", { name: "a" }],
        ["resources/list", {}],
        ["resources/templates/list", {}],
        ["resources/read", { uri: "a://a" }],
        ["prompts/list", {}],
        ["prompts/get", { name: "completed", arguments: { x: "1" } }],
        ["completion/complete", { ref: { type: "ref/prompt", name: "completed" }, argument: { name: "x", value: "" } }]
      ] as const
      const named = yield* start(features)
      const unnamed = yield* start(features, { sendServerInfo: false })
      for (const [method, params] of requests) {
        const result = yield* named.result(method, params)
        assert.deepStrictEqual(result._meta, { [serverInfo]: { name: "test", version: "1.0.0" } }, method)
        const other = yield* unnamed.result(method, params)
        assert.isFalse(Object.hasOwn(other, "_meta"), method)
        assert.strictEqual(other.resultType, "complete", method)
      }
      const meta = { "x/y": 1 }
      assert.deepStrictEqual((yield* named.call("meta"))._meta, {
        ...meta,
        [serverInfo]: { name: "test", version: "1.0.0" }
      })
      assert.deepStrictEqual((yield* unnamed.call("meta"))._meta, meta)
    }))
})

describe("a request stands for itself", () => {
  const Who = Layer.mergeAll(
    McpServer.tool(Tool.make("who", {}), () =>
      Effect.map(McpRequest.McpRequest, (request) =>
        JSON.stringify({
          client: request.clientInfo?.name,
          capabilities: Object.keys(request.clientCapabilities),
          level: request.logLevel,
          token: request.progressToken,
          revision: request.revision,
          transport: request.transport,
          method: request.method,
          traceparent: request.trace.traceparent,
          own: request.meta["com.example/own"]
        }))),
    McpServer.tool(Tool.make("adds", {}), () => Effect.succeed("x"))
  )

  it.effect("STATE-1, META-9, META-10, META-12: nothing is taken from an earlier request", () =>
    Effect.gen(function*() {
      const peer = yield* start(Who)
      const first = yield* peer.call("who", {}, {
        meta: {
          "io.modelcontextprotocol/clientInfo": { name: "first", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
          "io.modelcontextprotocol/logLevel": "debug",
          progressToken: 0,
          traceparent: "00-1-2-01",
          "com.example/own": { a: 1 }
        }
      })
      const fixed = { revision: "2026-07-28", transport: "memory", method: "tools/call" }
      assert.deepStrictEqual(JSON.parse(first.content[0].text), {
        client: "first",
        capabilities: ["sampling"],
        level: "debug",
        token: 0,
        traceparent: "00-1-2-01",
        own: { a: 1 },
        ...fixed
      })
      const second = yield* peer.call("who", {})
      assert.deepStrictEqual(JSON.parse(second.content[0].text), { capabilities: [], ...fixed })
    }))

  it.effect("META-11: a request without its required `_meta` is -32602", () =>
    Effect.gen(function*() {
      const peer = yield* start(Who)
      const without = yield* peer.error("tools/list", {}, {
        meta: { "io.modelcontextprotocol/clientCapabilities": undefined }
      })
      assert.strictEqual(without.code, -32602)
      const neither = { meta: { "io.modelcontextprotocol/protocolVersion": undefined } }
      // ERA-6: without a version it is of the legacy era, if that is served.
      assert.strictEqual((yield* peer.error("tools/list", {}, neither)).code, -32600)
      const modern = yield* start(Who, { revisions: ["2026-07-28"] })
      assert.strictEqual((yield* modern.error("tools/list", {}, neither)).code, -32602)
    }))

  it.effect("STATE-6, TOOL-2: lists are the same on every connection, and after any call", () =>
    Effect.gen(function*() {
      const peer = yield* start(Who)
      const before = yield* peer.result("tools/list")
      yield* peer.call("adds")
      assert.deepStrictEqual(yield* peer.result("tools/list"), before)
      assert.deepStrictEqual(names(before.tools), ["who", "adds"])
    }))
})
