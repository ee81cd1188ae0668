/** Opening a session, and the two eras beside each other. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as Revision from "@effect-mcp/core/Revision"
import type { Lifetime } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpError from "@effect-mcp/core/McpError"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { connect as connectModern, requestMeta, start, startWithRegistry } from "../support.ts"
import {
  clientInfo,
  connect,
  exchange,
  initializeParams,
  type Json,
  type LegacyRevision,
  legacyOf,
  methods,
  open,
  over,
  type Params,
  revisions,
  settle,
  since,
  until
} from "./support.ts"

const Hello = McpServer.tool(Tool.make("hello"), () => Effect.succeed("hello"))
const Greeting = McpServer.prompt(
  Prompt.make("greeting", { arguments: { name: Schema.String } }),
  ({ name }) => Effect.succeed(`Hello, ${name}`),
  { complete: { name: () => Effect.succeed(["Anna"]) } }
)
const Note = McpServer.resource(Resource.make("note://one"), Effect.succeed("one"))
const everything = Layer.mergeAll(Hello, Greeting, Note)

/** The answer to `initialize`, whichever revision it is of. */
const offered = (options: Partial<McpServer.Options>, params: Params, revision: LegacyRevision = "2025-11-25") =>
  Effect.gen(function*() {
    const { endpoint } = yield* start(everything, options)
    return yield* connect(endpoint, revision).request("initialize", params)
  })

const chosen = (options: Partial<McpServer.Options>, version: unknown, revision: LegacyRevision = "2025-11-25") =>
  Effect.map(offered(options, initializeParams(version), revision), (response) => {
    assert(response._tag === "Success", JSON.stringify(response))
    return JsonRpc.resultValue(response).protocolVersion
  })

describe("the choice of a revision", () => {
  for (const revision of revisions) {
    it.effect(`INIT-3, ERA-6: ${revision} is answered with itself`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* chosen({}, revision, revision), revision)
      }))
  }

  for (const version of ["2026-07-28", "2024-10-07", "1.0", "", "2025-06-18 "]) {
    it.effect(`INIT-3: ${JSON.stringify(version)} is answered with the newest that has a handshake`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* chosen({}, version), "2025-11-25")
        const narrowed = { revisions: ["2024-11-05", "2025-03-26", "2026-07-28"] } as const
        assert.strictEqual(yield* chosen(narrowed, version, "2025-03-26"), "2025-03-26")
      }))
  }

  it.effect("INIT-3, INIT-9: a revision that is not allowed is not spoken", () =>
    Effect.gen(function*() {
      const only = { revisions: ["2025-06-18"] } as const
      for (const version of Revision.all) {
        assert.strictEqual(yield* chosen(only, version, "2025-06-18"), "2025-06-18")
      }
    }))

  it.effect("ERA-2: the modern era is refused where only the legacy one is allowed, and the other way round", () =>
    Effect.gen(function*() {
      const legacy = yield* start(everything, { revisions: ["2025-06-18"] })
      const refused = yield* connectModern(legacy.endpoint).error("tools/list")
      assert.deepStrictEqual([refused.code, (refused.data as Json).supported], [-32022, ["2025-06-18"]])
      const modern = yield* start(everything, { revisions: ["2026-07-28"] })
      assert.isUndefined(modern.endpoint.legacy)
      // ERA-18.
      const response = yield* connect(modern.endpoint, "2025-11-25").error("initialize", initializeParams("2025-11-25"))
      assert.deepStrictEqual([response.code, (response.data as Json).supported], [-32022, ["2026-07-28"]])
    }))

  it.effect("the allow-list is ordered, newest first, whatever the order it is given in", () =>
    Effect.gen(function*() {
      const given = ["2025-03-26", "2026-07-28", "2024-11-05", "2025-11-25"] as const
      const peer = yield* start(everything, { revisions: given })
      assert.deepStrictEqual(legacyOf(peer.endpoint).revisions, ["2025-11-25", "2025-03-26", "2024-11-05"])
      const { supportedVersions } = yield* peer.result("server/discover")
      assert.deepStrictEqual(supportedVersions, ["2026-07-28", "2025-11-25", "2025-03-26", "2024-11-05"])
    }))

  it.effect("ERA-22, DISC-2: by default every revision is served and listed", () =>
    Effect.gen(function*() {
      const { supportedVersions } = yield* (yield* start(everything)).result("server/discover")
      assert.deepStrictEqual(supportedVersions, Revision.all.toReversed())
    }))

  for (
    const [problem, list] of [
      ["empty", []],
      ["duplicate", ["2025-11-25", "2026-07-28", "2025-11-25"]],
      ["unknown", ["2025-11-25", "2025-11-26"]]
    ] as const
  ) {
    it.effect(`an allow-list that cannot be is a typed error: ${problem}`, () =>
      Effect.gen(function*() {
        // From configuration, which the compiler does not see.
        const options = { revisions: list as ReadonlyArray<Revision.Revision> }
        const error = yield* Effect.flip(start(everything, options))
        assert.instanceOf(error, Revision.InvalidAllowList)
        assert.strictEqual(error.problem, problem)
      }))
  }
})

describe("the answer to initialize", () => {
  const info = {
    name: "notes",
    version: "2.0.0",
    title: "Notes",
    description: "Keeps notes",
    websiteUrl: "https://example.com",
    icons: [{ src: "https://example.com/i.png", sizes: ["any"] }]
  }

  for (const revision of revisions) {
    it.effect(`INIT-5, INIT-12, INIT-13: all that ${revision} has, and nothing else`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(everything, { ...info, instructions: "Read first." })
        const { initialized } = yield* open(endpoint, revision)
        const { description, icons, title, websiteUrl, ...named } = info
        assert.deepStrictEqual(initialized, {
          protocolVersion: revision,
          capabilities: {
            logging: {},
            ...(since(revision, "2025-03-26") ? { completions: {} } : undefined),
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            tools: { listChanged: true }
          },
          serverInfo: {
            ...named,
            ...(since(revision, "2025-06-18") ? { title } : undefined),
            ...(since(revision, "2025-11-25") ? { description, icons, websiteUrl } : undefined)
          },
          instructions: "Read first."
        })
      }))

    it.effect(`INIT-12, LOG-1: ${revision} is told of nothing that is not there`, () =>
      Effect.gen(function*() {
        const capabilities = (features: Layer.Layer<never, never, McpServer.Registry>, logs?: false) =>
          Effect.gen(function*() {
            const { endpoint } = yield* start(features, { logs })
            return (yield* open(endpoint, revision)).initialized.capabilities
          })
        assert.deepStrictEqual(yield* capabilities(Layer.empty, false), {})
        assert.deepStrictEqual(yield* capabilities(Layer.empty), { logging: {} })
        assert.deepStrictEqual(yield* capabilities(Hello, false), { tools: { listChanged: true } })
        assert.deepStrictEqual(yield* capabilities(Note, false), { resources: { subscribe: true, listChanged: true } })
      }))
  }

  for (
    const params of [
      undefined,
      {},
      { capabilities: {}, clientInfo },
      { protocolVersion: 20251125, capabilities: {}, clientInfo },
      { protocolVersion: null, capabilities: {}, clientInfo },
      { protocolVersion: "2025-11-25", clientInfo },
      { protocolVersion: "2025-11-25", capabilities: [], clientInfo },
      { protocolVersion: "2025-11-25", capabilities: { roots: true }, clientInfo },
      { protocolVersion: "2025-11-25", capabilities: {} },
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c" } },
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: "c 1" }
    ]
  ) {
    it.effect(`INIT-1, ERR-1: ${JSON.stringify(params)} opens nothing`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(everything)
        for (const lifetime of ["connection", "stored", "none"] as const satisfies ReadonlyArray<Lifetime>) {
          const message = JsonRpc.request("i", "initialize", params)
          const { response, session } = yield* legacyOf(endpoint).open(message, exchange(), lifetime)
          assert.isUndefined(session)
          assert(response._tag === "Failure")
          assert.deepStrictEqual([response.id, response.error.code], ["i", -32602])
        }
        // The connection is as it was.
        const peer = connect(endpoint, "2025-11-25")
        assert.strictEqual((yield* peer.error("initialize", params)).code, -32602)
        assert.strictEqual((yield* peer.error("tools/list")).code, -32600)
        yield* peer.result("initialize", initializeParams("2025-11-25"))
        yield* peer.result("tools/list")
      }))
  }

  it.effect("INIT-11, RPC-21: what a client says of itself reaches handlers, members that nobody knows included", () =>
    Effect.gen(function*() {
      let seen: McpRequest.McpRequest["Service"] | undefined
      const tool = McpServer.tool(Tool.make("seen"), () =>
        Effect.map(McpRequest.McpRequest, (request) => {
          seen = request
          return ""
        }))
      const { endpoint } = yield* start(tool)
      const capabilities = {
        roots: { listChanged: true },
        sampling: {},
        experimental: { "x/y": { a: 1 } },
        later: { b: 2 }
      }
      const peer = yield* open(endpoint, "2025-06-18", { capabilities })
      yield* peer.call("seen")
      assert.deepStrictEqual(seen?.clientCapabilities, capabilities)
      assert.deepStrictEqual(seen?.clientInfo, clientInfo)
      assert.strictEqual(seen?.revision, "2025-06-18")
      assert.strictEqual(seen?.transport, "memory")
    }))

  it.effect("a middleware sees initialize, and may refuse it: then there is no session", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const refusing = McpServer.middleware()((next, { method }) => {
        seen.push(method)
        return method === "initialize" ? Effect.fail(new McpError.Application({ code: 401, message: "no" })) : next
      })
      const { endpoint } = yield* start(Layer.merge(everything, refusing))
      const peer = connect(endpoint, "2025-11-25")
      assert.strictEqual((yield* peer.error("initialize", initializeParams("2025-11-25"))).code, 401)
      assert.strictEqual((yield* peer.error("tools/list")).code, -32600)
      assert.deepStrictEqual(seen, ["initialize"])
    }))
})

describe("the order of messages", () => {
  it.effect("case 32, B9: a second initialize is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const peer = yield* open(endpoint, "2025-06-18")
      for (const version of ["2025-06-18", "2024-11-05", "2026-07-28"]) {
        assert.strictEqual((yield* peer.error("initialize", initializeParams(version))).code, -32600)
      }
      const list = yield* peer.result("tools/list")
      assert.strictEqual(list.tools[0].name, "hello")
      // Its revision is the one that was agreed on: 2025-06-18 has titles.
      assert.property((yield* peer.result("prompts/list")).prompts[0], "arguments")
    }))

  it.effect("case 31: notifications/initialized before initialize harms nothing", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const { transport, ...peer } = connect(endpoint, "2025-11-25")
      yield* transport.notify(JsonRpc.notification("notifications/initialized"))
      yield* peer.result("initialize", initializeParams("2025-11-25"))
      yield* peer.result("tools/list")
    }))

  it.effect("INIT-7: before initialize a request is refused, but for ping", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const peer = connect(endpoint, "2025-11-25")
      for (const method of ["tools/list", "nope", "logging/setLevel"]) {
        assert.strictEqual((yield* peer.error(method)).code, -32600)
      }
      assert.deepStrictEqual(yield* peer.result("ping"), {})
    }))

  it.effect("INIT-8: nothing is said unasked before the client is ready", () =>
    Effect.gen(function*() {
      const { peer: { endpoint }, provide } = yield* startWithRegistry(Hello)
      const peer = yield* open(endpoint, "2025-11-25", { silent: true })
      const added = McpServer.addTool(Tool.make("added"), () => Effect.succeed(""))
      yield* provide(added)
      yield* settle
      assert.deepStrictEqual(peer.unasked, [])
      // A ping does not say that it is.
      yield* peer.result("ping")
      yield* settle
      assert.deepStrictEqual(peer.unasked, [])
      yield* peer.notify("notifications/initialized")
      yield* until(() => peer.unasked.length > 0)
      assert.deepStrictEqual(methods(peer.unasked), ["notifications/tools/list_changed"])
    }))

  it.effect("INIT-6, INIT-8: a client that forgets to say that it is ready says so with its first request", () =>
    Effect.gen(function*() {
      const { peer: { endpoint }, provide } = yield* startWithRegistry(Hello)
      const peer = yield* open(endpoint, "2025-11-25", { silent: true })
      yield* provide(McpServer.addTool(Tool.make("added"), () => Effect.succeed("")))
      yield* peer.result("tools/list")
      yield* until(() => peer.unasked.length === 1)
    }))

  for (const revision of revisions) {
    it.effect(`PING-1: ping is answered with nothing under ${revision}, before the client is ready too`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Layer.empty)
        const peer = yield* open(endpoint, revision, { silent: true })
        assert.deepStrictEqual(yield* peer.result("ping"), {})
        yield* peer.notify("notifications/initialized")
        assert.deepStrictEqual(yield* peer.result("ping", { _meta: {} }), {})
      }))
  }

  it.effect("CAN-5: notifications that nobody handles, or that are wrong, are ignored", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const peer = yield* open(endpoint, "2025-11-25")
      for (
        const [method, params] of [
          ["notifications/roots/list_changed", undefined],
          ["notifications/progress", { progressToken: "nope", progress: 1 }],
          ["notifications/cancelled", { requestId: null }],
          ["notifications/cancelled", undefined],
          ["notifications/initialized", { _meta: 1 }],
          ["tools/call", { name: "hello" }],
          ["nope", {}]
        ] as const
      ) {
        yield* peer.notify(method, params)
      }
      yield* peer.result("tools/list")
    }))
})

describe("the two eras on one connection", () => {
  it.effect("ERA-5, ERA-6, ERA-21: modern requests go beside the session, and leave it as it is", () =>
    Effect.gen(function*() {
      const revisionsSeen: Array<string> = []
      const tool = McpServer.tool(
        Tool.make("seen"),
        () =>
          Effect.map(McpRequest.McpRequest, ({ revision, logLevel }) => {
            revisionsSeen.push(`${revision} ${logLevel}`)
            return ""
          })
      )
      const { endpoint } = yield* start(tool)
      const { request, send } = connect(endpoint, "2024-11-05")
      const modern = (method: string, params: Params = {}) => send(method, { ...params, _meta: requestMeta() })
      // A connection that begins with the modern era may still open a session.
      const discovered = yield* Effect.map(modern("server/discover"), (response) => response._tag)
      assert.strictEqual(discovered, "Success")
      yield* request("initialize", initializeParams("2024-11-05"))
      for (const level of ["debug", "error"]) {
        yield* request("logging/setLevel", { level })
        yield* request("tools/call", { name: "seen" })
        const response = yield* modern("tools/call", { name: "seen" })
        assert(response._tag === "Success")
        assert.strictEqual(JsonRpc.resultValue(response).resultType, "complete")
      }
      assert.deepStrictEqual(revisionsSeen, [
        "2024-11-05 debug",
        "2026-07-28 undefined",
        "2024-11-05 error",
        "2026-07-28 undefined"
      ])
    }))

  it.effect("trap 1: initialize with the modern key is a modern request of a method that is none", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const peer = connect(endpoint, "2025-11-25")
      const params = { ...initializeParams("2025-11-25"), _meta: requestMeta() }
      assert.strictEqual((yield* peer.error("initialize", params)).code, -32601)
      // No session came of it.
      assert.strictEqual((yield* peer.error("tools/list")).code, -32600)
    }))

  it.effect("ERA-6: a modern request that is broken never becomes one of the session", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const peer = yield* open(endpoint, "2025-11-25")
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      assert.strictEqual((yield* peer.error("tools/list", { _meta })).code, -32602)
      const other = requestMeta({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" })
      assert.strictEqual((yield* peer.error("tools/list", { _meta: other })).code, -32022)
    }))

  for (const revision of revisions) {
    it.effect(`INIT-9: what ${revision} has not is -32601 on its sessions`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(everything)
        const peer = yield* open(endpoint, revision)
        for (
          const method of ["server/discover", "subscriptions/listen", "tasks/list", "sampling/createMessage", "nope"]
        ) {
          assert.strictEqual((yield* peer.error(method, {})).code, -32601, method)
        }
      }))
  }

  it.effect("PING-3, RES-9, LOG-7: what only sessions have is -32601 in the modern era", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const modern = connectModern(endpoint)
      for (
        const [method, params] of [
          ["ping", {}],
          ["logging/setLevel", { level: "debug" }],
          ["resources/subscribe", { uri: "note://one" }],
          ["resources/unsubscribe", { uri: "note://one" }],
          ["initialize", initializeParams("2025-11-25")]
        ] as const
      ) {
        assert.strictEqual((yield* modern.error(method, params)).code, -32601, method)
      }
    }))

  it.effect("DISC-4: a method without its capability is -32601 on a session", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Layer.empty, { logs: false })
      const peer = yield* open(endpoint, "2025-11-25")
      for (
        const [method, params] of [
          ["tools/list", {}],
          ["tools/call", { name: "a" }],
          ["prompts/list", {}],
          ["resources/list", {}],
          ["resources/subscribe", { uri: "a://a" }],
          ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } }],
          ["logging/setLevel", { level: "info" }]
        ] as const
      ) {
        assert.strictEqual((yield* peer.error(method, params)).code, -32601, method)
      }
    }))
})

describe("the end of a session", () => {
  it.effect("everything is refused after it, and its end is told once, also to who asks later", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const message = JsonRpc.request(1, "initialize", initializeParams("2025-11-25"))
      const { session } = yield* legacyOf(endpoint).open(message, exchange(), "connection")
      assert(session !== undefined)
      const ends: Array<number> = []
      session.onClose(() => ends.push(1))
      session.onClose(() => ends.push(2))
      yield* session.close
      yield* session.close
      assert.deepStrictEqual(ends, [1, 2])
      session.onClose(() => ends.push(3))
      assert.deepStrictEqual(ends, [1, 2, 3])
      assert.strictEqual((yield* over(session).error("tools/list")).code, -32600)
      assert.strictEqual((yield* over(session).error("ping")).code, -32600)
      session.notify(JsonRpc.notification("notifications/initialized"), exchange())
      session.cancel(1)
      assert.isFalse(session.accept(JsonRpc.success(1, {})))
    }))

  it.effect("a session of a connection has no id that anybody could name", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(everything)
      const message = JsonRpc.request(1, "initialize", initializeParams("2025-11-25"))
      const { session } = yield* legacyOf(endpoint).open(message, exchange(), "connection")
      assert(session !== undefined)
      assert.isUndefined(yield* legacyOf(endpoint).find(session.id, { principal: undefined }))
    }))
})
