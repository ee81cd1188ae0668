/** Requests in a session of the legacy era: what they look like, what they may use, and what happens when it is lost. */
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Scripted from "../support/scripted.ts"

const legacies = Revision.all.filter((revision) => Revision.era(revision) === "legacy")

const everything = {
  tools: {},
  resources: { subscribe: true },
  prompts: {},
  completions: {},
  logging: {}
}

const reasonOf = (error: { readonly _tag: string }) =>
  error instanceof McpClientError.McpClientError ? error.reason._tag : error._tag

const expired = (method: string) => McpClientError.make(new McpClientError.SessionExpired({ method }))

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("a request of the legacy era", () => {
  for (const revision of legacies) {
    it.effect(`INIT-9, INIT-14: has nothing of the modern era, and mirrors ${revision}`, () =>
      Effect.gen(function*() {
        const { client, transport } = yield* Scripted.legacyClient(() => ({ content: [], tools: [] }), {
          prefer: revision
        })
        yield* client.callTool("a", { b: 1 }, {
          logLevel: "debug",
          meta: {
            "com.example/own": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        })
        yield* client.listTools()
        const [, call, list] = transport.sent
        assert.deepStrictEqual(call?.message.params, {
          name: "a",
          arguments: { b: 1 },
          _meta: { "com.example/own": 1, progressToken: 2 }
        })
        assert.deepStrictEqual(list?.message.params, {})
        for (const request of [call, list]) {
          assert.deepStrictEqual(request?.mirror, {
            protocolVersion: revision,
            method: undefined,
            name: undefined,
            params: []
          })
        }
      }))
  }

  it.effect("RPC-12, trap 14: a resultType means nothing", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.legacyClient(() => ({ tools: [], resultType: "whatever" }))
      assert.deepStrictEqual((yield* client.listTools()).tools, [])
    }))

  it.effect("COMP-3: what a revision does not have of the params is left out", () =>
    Effect.gen(function*() {
      const complete = Effect.fnUntraced(function*(revision: Revision.Revision) {
        const { client, transport } = yield* Scripted.legacyClient(() => ({ completion: { values: [] } }), {
          prefer: revision,
          capabilities: everything
        })
        yield* client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }, { b: "1" })
        return transport.sent.at(-1)?.message.params?.context
      })
      assert.deepStrictEqual(yield* complete("2025-11-25"), { arguments: { b: "1" } })
      assert.strictEqual(yield* complete("2024-11-05"), undefined)
    }))

  it.effect("ERR-11, RES-7: errors are read as in the modern era", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.legacyClient(() => new McpError.ResourceNotFound({ uri: "a:b" }), {
        capabilities: everything
      })
      assert.strictEqual((yield* Effect.flip(client.readResource("a:b")))._tag, "ResourceNotFound")
    }))

  it.effect("HDR-14: a list of tools has those too that only the modern era cannot call", () =>
    Effect.gen(function*() {
      const tool = {
        name: "a",
        inputSchema: { type: "object", properties: { b: { type: "object", "x-mcp-header": "B" } } }
      }
      const { client } = yield* Scripted.legacyClient(() => ({ tools: [tool] }), { kind: "http" })
      assert.strictEqual((yield* client.listTools()).tools.length, 1)
    }))

  it.effect("CAN-8, INIT-17: has a deadline, which cancels it", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => Effect.never)
      const fiber = yield* Effect.forkChild(Effect.flip(client.callTool("a")))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(reasonOf(yield* Fiber.join(fiber)), "DeadlineExceeded")
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("INIT-17, PROG-3: progress extends it, on its own stream or outside of any", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient((request) =>
        Effect.gen(function*() {
          yield* Effect.sleep("50 seconds")
          yield* request.onMessage(Scripted.progress(request.message.id, 1))
          yield* Effect.sleep("50 seconds")
          transport.say(Scripted.progress(request.message.id, 2))
          transport.say(Scripted.progress("another", 3))
          yield* Effect.sleep("50 seconds")
          return { content: [] }
        })
      )
      const seen: Array<number> = []
      const fiber = yield* Effect.forkChild(
        client.callTool("a", {}, { onProgress: ({ progress }) => Effect.sync(() => seen.push(progress)) })
      )
      yield* TestClock.adjust("150 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [1, 2])
    }))
})

describe("an output by its contract", () => {
  const Sum = Tool.make("sum", { output: { sum: Schema.Finite } })
  const List = Tool.make("list", { output: Schema.NullOr(Schema.Array(Schema.Finite)) })
  const text = (...texts: ReadonlyArray<string>) => ({ content: texts.map((text) => ({ type: "text", text })) })
  const call = <T extends Tool.Any>(tool: T, answer: Scripted.Reply, prefer: Revision.Revision) =>
    Effect.flatMap(
      Scripted.legacyClient(() => answer, { prefer }),
      ({ client }) => client.call(tool, {} as Tool.Input<T>)
    )

  it.effect("TOOL-15, TOOL-17: is read from its text where the revision has no other place for it", () =>
    Effect.gen(function*() {
      for (const revision of legacies) {
        assert.deepStrictEqual(yield* call(Sum, text(`{"sum":3}`), revision), { sum: 3 })
        assert.deepStrictEqual(yield* call(List, text("[1,2]"), revision), [1, 2])
        assert.strictEqual(yield* call(List, text("null"), revision), null)
        assert.deepStrictEqual(
          yield* call(Sum, { ...text("three"), structuredContent: { sum: 3 } }, revision),
          { sum: 3 }
        )
        assert.strictEqual(reasonOf(yield* Effect.flip(call(Sum, text(`{"sum":"3"}`), revision))), "InvalidAnswer")
        // TOOL-4: where there is no structured output, a tool that puts its output in words cannot be read.
        const missing = revision < "2025-06-18" ? "NotInRevision" : "InvalidAnswer"
        for (const other of [text("three"), text(`{"sum":3}`, "and more"), text()]) {
          assert.strictEqual(reasonOf(yield* Effect.flip(call(Sum, other, revision))), missing)
          assert.strictEqual(reasonOf(yield* Effect.flip(call(List, other, revision))), "NotInRevision")
        }
      }
    }))

  it.effect("TOOL-16: of the modern era it is not", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => text(`{"sum":3}`))
      assert.strictEqual(reasonOf(yield* Effect.flip(client.call(Sum, {}))), "InvalidAnswer")
    }))
})

describe("what a revision or a server does not have", () => {
  it.effect("ERA-17: server/discover and what is of the modern era alone are refused before anything is sent", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}))
      const error = yield* Effect.flip(client.discover())
      assert.strictEqual(
        error.message,
        "server/discover does not exist in revision 2025-11-25, which the server and this client have settled on"
      )
      const listen = yield* Effect.flip(client.request(Method.listen, { notifications: {} }))
      assert.strictEqual(reasonOf(listen), "NotInRevision")
      assert.strictEqual(transport.sent.length, 1)
    }))

  it.effect("PING-1, PING-3: a ping is of the legacy era", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}))
      yield* client.ping()
      assert.strictEqual(transport.log.at(-1), "ping")
      const modern = yield* Scripted.client(() => ({}))
      assert.strictEqual(reasonOf(yield* Effect.flip(modern.client.ping())), "NotInRevision")
      assert.strictEqual(modern.transport.sent.length, 1)
    }))

  it.effect("RES-8, RES-9: resources/subscribe is of the legacy era", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}), { capabilities: everything })
      yield* client.request(Method.resourcesSubscribe, { uri: "a:b" })
      assert.strictEqual(transport.log.at(-1), "resources/subscribe")
      const modern = yield* Scripted.client(() => ({}))
      const error = yield* Effect.flip(modern.client.request(Method.resourcesSubscribe, { uri: "a:b" }))
      assert.strictEqual(reasonOf(error), "NotInRevision")
    }))

  const uses = (client: Effect.Success<ReturnType<typeof Scripted.legacyClient>>["client"]) =>
    ({
      tools: client.listTools(),
      prompts: client.getPrompt("a"),
      resources: client.readResource("a:b"),
      "resources.subscribe": client.request(Method.resourcesSubscribe, { uri: "a:b" }),
      completions: client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }),
      logging: client.request(Method.setLevel, { level: "info" })
    }) as const

  it.effect("INIT-9: what the server has not declared is not used from 2025-06-18 on, and the error names it", () =>
    Effect.gen(function*() {
      for (const revision of ["2025-06-18", "2025-11-25"] as const) {
        const { client, transport } = yield* Scripted.legacyClient(() => ({}), { prefer: revision, capabilities: {} })
        for (const [capability, use] of Object.entries(uses(client))) {
          const error = yield* Effect.flip(
            use as Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>
          )
          assert.strictEqual(reasonOf(error), "InvalidCall")
          assert.include(error.message, `capability ${capability}, which ${revision} demands`)
        }
        assert.strictEqual(transport.sent.length, 1)
      }
    }))

  it.effect("INIT-9, COMP-1: before that it is for the server to say, and completion has no capability", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        () => new McpError.MethodNotFound({ message: "no" }),
        { prefer: "2024-11-05", capabilities: {} }
      )
      for (const use of Object.values(uses(client))) {
        yield* Effect.flip(use as Effect.Effect<unknown, { readonly _tag: string }>)
      }
      assert.strictEqual(transport.sent.length, 7)
    }))
})

describe("log messages", () => {
  const log = (level: string, data: unknown) => Scripted.log(level, data)
  const levels = (transport: Scripted.Scripted) =>
    transport.sent.filter(({ message }) => message.method === "logging/setLevel").map(({ message }) =>
      message.params?.level
    )

  it.effect("LOG-3: the server is asked for the level that is wanted, once, and again for a lower one", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        ({ message }) =>
          message.method === "logging/setLevel" ? Effect.delay(Effect.succeed({}), "1 second") : { content: [] },
        { capabilities: everything }
      )
      const onLog = () => Effect.void
      const call = (level?: "debug" | "warning") => client.callTool("a", {}, { onLog, logLevel: level })
      const fiber = yield* Effect.forkChild(
        Effect.all([call("warning"), call(), call(), client.callTool("a"), call("warning")], { concurrency: 5 })
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(levels(transport), ["warning", "info"])
      const lower = yield* Effect.forkChild(call("debug"))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(lower)
      assert.deepStrictEqual(levels(transport), ["warning", "info", "debug"])
      // What a user asks for is known too.
      const own = yield* Effect.forkChild(
        Effect.andThen(client.request(Method.setLevel, { level: "error" }), call())
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(own)
      assert.deepStrictEqual(levels(transport), ["warning", "info", "debug", "error", "info"])
    }))

  it.effect("LOG-3: a server that does not log, or refuses a level, is called all the same", () =>
    Effect.gen(function*() {
      const quiet = yield* Scripted.legacyClient(() => ({ content: [] }))
      yield* quiet.client.callTool("a", {}, { onLog: () => Effect.void })
      assert.deepStrictEqual(levels(quiet.transport), [])
      const strict = yield* Scripted.legacyClient(
        ({ message }) =>
          message.method === "logging/setLevel" ? new McpError.InternalError({ message: "no" }) : { content: [] },
        { capabilities: everything }
      )
      yield* strict.client.callTool("a", {}, { onLog: () => Effect.void })
      yield* strict.client.callTool("a", {}, { onLog: () => Effect.void })
      assert.deepStrictEqual(levels(strict.transport), ["info", "info"])
    }))

  it.effect("LOG-3: messages reach the requests that want them, by level, wherever they come", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        (request) =>
          request.message.method === "logging/setLevel" ? {} : Effect.gen(function*() {
            yield* request.onMessage(log("debug", "own 1"))
            yield* request.onMessage(log("info", "own 2"))
            transport.say(log("info", "any 1"))
            transport.say(log("error", "any 2"))
            return { content: [] }
          }),
        { capabilities: everything }
      )
      const others: Array<string> = []
      yield* Effect.forkScoped(
        Stream.runForEach(client.notifications, ({ method }) => Effect.sync(() => others.push(method))),
        { startImmediately: true }
      )
      const seen: Array<unknown> = []
      yield* client.callTool("a", {}, {
        onLog: ({ data }) => Effect.andThen(Effect.yieldNow, Effect.sync(() => seen.push(data)))
      })
      assert.deepStrictEqual(seen, ["own 2", "any 1", "any 2"])
      // Whoever has asked has got it, and nobody is told twice.
      yield* settle
      assert.deepStrictEqual(others, [])
      const errors: Array<unknown> = []
      yield* client.callTool("a", {}, { onLog: ({ data }) => Effect.sync(() => errors.push(data)), logLevel: "error" })
      assert.deepStrictEqual(errors, ["any 2"])
    }))

  it.effect("streamBuffer: messages outside of any request do not pile up for a callback that is slow", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        ({ message }) => message.method === "logging/setLevel" ? {} : Effect.never,
        { capabilities: everything }
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.callTool("a", {}, { onLog: () => Effect.never })))
      yield* settle
      for (let i = 0; i <= 1_024; i++) transport.say(log("info", i))
      yield* settle
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(reasonOf(error), "LimitExceeded")
    }))
})

describe("a session the server has forgotten", () => {
  /** A server whose sessions the test ends. */
  const server = () => {
    const state = { session: 0, known: 0, calls: [] as Array<string> }
    const script: Scripted.Script = (request, params) => {
      const { method } = request.message
      if (method === "initialize") {
        state.known = ++state.session
        return Scripted.initialized(params.protocolVersion, everything)
      }
      if (state.known !== state.session || state.known === 0) return expired(method)
      state.calls.push(method)
      return {
        tools: [],
        content: [],
        contents: [],
        messages: [],
        prompts: [],
        resources: [],
        resourceTemplates: [],
        completion: { values: [] }
      }
    }
    return { state, script, forget: () => void (state.known = 0) }
  }

  it.effect("LHTTP-23, F18, case 49: is opened again once, and what is safe is repeated", () =>
    Effect.gen(function*() {
      const { forget, script } = server()
      const transport = Scripted.make(script, { kind: "http" })
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      forget()
      yield* client.listTools()
      assert.deepStrictEqual(transport.log.slice(4), [
        "tools/list",
        "forget",
        "initialize",
        "opened 2025-11-25",
        "notifications/initialized",
        "initialized",
        "tools/list"
      ])
      const ids = transport.sent.map(({ message }) => message.id)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (
        const safe of [
          client.listTools(),
          client.listPrompts(),
          client.listResources(),
          client.listResourceTemplates(),
          client.readResource("a:b"),
          client.getPrompt("a"),
          client.complete({ type: "ref/prompt", name: "p" }, { name: "a", value: "" }),
          client.ping(),
          client.request(Method.resourcesSubscribe, { uri: "a:b" })
        ] as ReadonlyArray<Effect.Effect<unknown, unknown>>
      ) {
        forget()
        yield* safe
      }
    }))

  it.effect("F18: a call of a tool is not repeated, and neither is a page of the old session (PAGE-4); the next works", () =>
    Effect.gen(function*() {
      const { forget, script, state } = server()
      const client = yield* Scripted.connect(Scripted.make(script, { kind: "http" }), { prefer: "legacy" })
      for (const unsafe of [client.callTool("a"), client.listTools({ cursor: "2" })] as const) {
        forget()
        const error = yield* Effect.flip(unsafe as Effect.Effect<unknown, { readonly _tag: string }>)
        assert.strictEqual(reasonOf(error), "SessionExpired")
      }
      assert.deepStrictEqual(state.calls, [])
      yield* client.callTool("a")
      assert.deepStrictEqual(state.calls, ["tools/call"])
      assert.strictEqual(state.session, 3)
    }))

  it.effect("LHTTP-23, RES-8: the new session is asked for what the program has subscribed to", () =>
    Effect.gen(function*() {
      const { forget, script } = server()
      const transport = Scripted.make(script, { kind: "http" })
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      for (const uri of ["a:1", "a:2"]) yield* client.request(Method.resourcesSubscribe, { uri })
      yield* client.request(Method.resourcesUnsubscribe, { uri: "a:1" })
      const before = transport.sent.length
      forget()
      yield* client.listTools()
      assert.deepStrictEqual(
        transport.sent.slice(before).map(({ message }) => [message.method, message.params?.uri]),
        [
          ["tools/list", undefined],
          ["initialize", undefined],
          ["resources/subscribe", "a:2"],
          ["tools/list", undefined]
        ]
      )
    }))

  it.effect("LHTTP-23: many requests that find out at once open one session", () =>
    Effect.gen(function*() {
      const { forget, script, state } = server()
      const transport = Scripted.make(
        (request, params) => Effect.delay(Effect.suspend(() => effectOf(script(request, params))), "1 second"),
        { kind: "http" }
      )
      const connecting = yield* Effect.forkChild(Scripted.connect(transport, { prefer: "legacy" }))
      yield* TestClock.adjust("1 second")
      const client = yield* Fiber.join(connecting)
      forget()
      const fiber = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 20 }, () => client.listTools()), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(state.session, 2)
      assert.strictEqual(transport.steps.filter((step) => step === "forget").length, 1)
    }))

  it.effect("LHTTP-23, case 49: a server that forgets each session at once does not keep the client busy", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(
        (request, params) =>
          request.message.method === "initialize"
            ? Scripted.initialized(params.protocolVersion)
            : expired(request.message.method),
        { kind: "http" }
      )
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      assert.strictEqual(reasonOf(yield* Effect.flip(client.listTools())), "SessionExpired")
      assert.deepStrictEqual(transport.sent.map(({ message }) => message.method), [
        "initialize",
        "tools/list",
        "initialize",
        "tools/list"
      ])
    }))

  it.effect("LHTTP-23: if no other can be opened, the error says why, and the next request tries again", () =>
    Effect.gen(function*() {
      const { forget, script } = server()
      let isDown = false
      const transport = Scripted.make(
        (request, params) =>
          isDown && request.message.method === "initialize"
            ? McpClientError.make(new McpClientError.UnexpectedStatus({ status: 503, body: "" }))
            : script(request, params),
        { kind: "http" }
      )
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      forget()
      isDown = true
      assert.strictEqual((yield* Effect.flip(client.listTools())).message, "Unexpected HTTP status 503")
      assert.strictEqual((yield* Effect.flip(client.listTools())).message, "Unexpected HTTP status 503")
      isDown = false
      yield* client.listTools()
    }))

  it.effect("INIT-4: a session of another revision is taken, and what the server is now is told", () =>
    Effect.gen(function*() {
      const { forget, script } = server()
      let version = "2025-11-25"
      const transport = Scripted.make(
        (request, params) => {
          const reply = script(request, params)
          return request.message.method === "initialize" ? Scripted.initialized(version, everything) : reply
        },
        { kind: "http" }
      )
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      forget()
      version = "2025-03-26"
      yield* client.listTools()
      assert.strictEqual(client.server.revision, "2025-03-26")
      assert.strictEqual(client.negotiation.revision, "2025-03-26")
      assert.strictEqual(transport.sent.at(-1)?.mirror.protocolVersion, "2025-03-26")
    }))

  it.effect("LOG-3: the level is asked for again", () =>
    Effect.gen(function*() {
      const { forget, script, state } = server()
      const client = yield* Scripted.connect(Scripted.make(script, { kind: "http" }), { prefer: "legacy" })
      const list = client.listTools({ onLog: () => Effect.void })
      yield* list
      forget()
      yield* Effect.andThen(list, list)
      assert.deepStrictEqual(state.calls.splice(0), [
        "logging/setLevel",
        "tools/list",
        "logging/setLevel",
        "tools/list",
        "tools/list"
      ])
    }))

  it.effect("F18: a call of a tool that was not sent yet does not fail", () =>
    Effect.gen(function*() {
      const { forget, script, state } = server()
      const client = yield* Scripted.connect(Scripted.make(script, { kind: "http" }), { prefer: "legacy" })
      forget()
      yield* client.callTool("a", {}, { onLog: () => Effect.void })
      assert.deepStrictEqual(state.calls, ["logging/setLevel", "tools/call"])
    }))

  it.effect("LHTTP-23: a stream or a notification may find out too", () =>
    Effect.gen(function*() {
      const { forget, script, state } = server()
      const transport = Scripted.make(script, { kind: "http" })
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      forget()
      transport.hangUp(expired("GET"))
      yield* settle
      assert.strictEqual(reasonOf(yield* Effect.flip(client.listTools({ cursor: "2" }))), "SessionExpired")
      yield* client.callTool("a")
      assert.strictEqual(state.session, 2)
      assert.deepStrictEqual(state.calls, ["tools/call"])

      let fails = false
      const other = server()
      const notifying = Scripted.make(other.script, {
        kind: "http",
        notify: ({ method }) => fails ? Effect.fail(expired(method)) : Effect.void
      })
      const second = yield* Scripted.connect(notifying, { prefer: "legacy" })
      fails = true
      const notify = second.notify(Method.progress, { progressToken: 1, progress: 1 })
      assert.strictEqual(reasonOf(yield* Effect.flip(notify)), "SessionExpired")
      fails = false
      other.forget()
      yield* second.callTool("a")
      assert.strictEqual(other.state.session, 2)
    }))
})

const effectOf = (reply: Scripted.Reply) => Scripted.toEffect(reply)

describe("notifications", () => {
  it.effect("TOOL-23, RES-10: what belongs to no request is a stream, typed by method", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        (request) =>
          Effect.as(request.onMessage(Scripted.notification("notifications/tools/list_changed")), { tools: [] })
      )
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.notifications, 3)))
      yield* settle
      transport.say(Scripted.notification("notifications/resources/updated", { uri: "a:b" }))
      transport.say(Scripted.notification("notifications/resources/updated", { uri: 1 }))
      transport.say(Scripted.notification("notifications/unheard/of"))
      yield* settle
      // Also from the stream of a request, where a server may put what it likes.
      yield* client.listTools()
      transport.say(Scripted.log("info", 1))
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        { method: "notifications/resources/updated", params: { uri: "a:b" } },
        { method: "notifications/tools/list_changed", params: {} },
        { method: "notifications/message", params: { level: "info", data: 1 } }
      ])
    }))

  it.effect("the stream ends with the connection, for those too who come later", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}))
      const fiber = yield* Effect.forkChild(Effect.exit(Stream.runDrain(client.notifications)))
      yield* settle
      transport.hangUp(McpClientError.make(new McpClientError.TransportClosed({ detail: "gone" })))
      const exits = [yield* Fiber.join(fiber), yield* Effect.exit(Stream.runDrain(client.notifications))]
      assert.isTrue(exits.every(Exit.isFailure))
      const other = yield* Scripted.legacyClient(() => ({}))
      other.transport.hangUp()
      yield* settle
      yield* Stream.runDrain(other.client.notifications)
    }))

  it.effect("streamBuffer: a reader that does not keep up is ended", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}))
      const fiber = yield* Effect.forkChild(
        Effect.result(Stream.runForEach(client.notifications, () => Effect.sleep("1 second")))
      )
      yield* settle
      for (let i = 0; i < 3_000; i++) transport.say(Scripted.notification("notifications/tools/list_changed"))
      yield* TestClock.adjust("10000 seconds")
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(Result.isFailure(result) ? reasonOf(result.failure) : "success", "LimitExceeded")
    }))
})
