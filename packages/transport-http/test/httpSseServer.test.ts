/** HTTP+SSE with a real server, a real client, and their ends. */
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Resource from "@effect-mcp/core/Resource"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as http from "node:http"
import type * as net from "node:net"
import { connect as connectClient } from "./support/client.ts"
import { progress } from "./support/endpoint.ts"
import { errorOf } from "./support/http.ts"
import { connect, get, openSession } from "./support/httpSse.ts"
import { call, held, initialize, notification } from "./support/legacy.ts"
import * as LegacyEndpoint from "./support/legacyEndpoint.ts"
import { legacyOutgoing } from "./support/legacyServer.ts"
import type { Json } from "./support/message.ts"
import { entries, type Entry, serveLayer, type ServeOptions } from "./support/serve.ts"

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const

const Add = Tool.make("add", { input: { a: Schema.Finite, b: Schema.Finite }, output: { sum: Schema.Finite } })

const server = Effect.fnUntraced(function*(entry: Entry, options: ServeOptions = {}) {
  const [begun, go, interrupted] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const ends: Array<string> = []
  let registry: McpServer.Registry["Service"] | undefined
  const features = Layer.mergeAll(
    McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b })),
    McpServer.resource(Resource.make("note://one"), Effect.succeed("one")),
    McpServer.tool(Tool.make("wait"), () =>
      Effect.gen(function*() {
        yield* Deferred.succeed(begun, undefined)
        yield* Progress.report({ progress: 1 })
        yield* Deferred.await(go)
        yield* Progress.report({ progress: 2 })
        return "waited"
      }).pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))),
    McpServer.tool(Tool.make("talk"), () =>
      Effect.gen(function*() {
        for (let i = 1; i <= 3; i++) yield* Effect.logInfo(`before ${i}`)
        yield* Deferred.succeed(begun, undefined)
        // Not to be stopped: it says the rest to nobody.
        yield* Effect.uninterruptible(Deferred.await(go))
        for (let i = 4; i <= 10; i++) yield* Effect.logInfo(`after ${i}`)
        return "talked"
      }).pipe(Effect.uninterruptible, Effect.ensuring(Effect.sync(() => ends.push("talked"))))),
    Layer.effectDiscard(Effect.map(McpServer.Registry, (service) => {
      registry = service
    }))
  )
  const layer = McpServer.layer({ name: "test", version: "1.0.0" }, features).pipe(Layer.orDie)
  const port = yield* serveLayer(entry, layer, { ...options, options: { httpSse: true, ...options.options } })
  assert(registry !== undefined)
  return {
    port,
    ends,
    begun: Deferred.await(begun),
    go: Deferred.succeed(go, undefined),
    interrupted: Deferred.await(interrupted),
    provide: Effect.provideService(McpServer.Registry, registry)
  }
})

const request = (id: number, method: string, params = {}) => ({ jsonrpc: "2.0", id, method, params })
const wait = (id: number) => request(id, "tools/call", { name: "wait", arguments: {}, _meta: { progressToken: "t" } })
const add = (id: number) => call("add", id, { a: 1, b: 2 })

/** Serves until it is told to stop, as a program that is told to end does. */
const stoppable = Effect.fnUntraced(function*(
  entry: Entry,
  tool: Effect.Success<ReturnType<typeof held>>,
  shutdownGrace = 10_000
) {
  const scope = yield* Scope.make()
  const node = http.createServer()
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Effect.sync(() => node.closeAllConnections()), Scope.close(scope, Exit.void))
  )
  const { endpoint, sessions } = LegacyEndpoint.make({ handlers: { tool: tool.handler } })
  const routes = entries[entry]({ httpSse: true }).pipe(
    Layer.provide(Layer.succeed(McpEndpoint, endpoint)),
    Layer.provide(Layer.orDie(Limits.layer({ shutdownGrace })))
  )
  yield* Layer.buildWithScope(
    HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" }))
    ),
    scope
  )
  const { port } = node.address() as net.AddressInfo
  return { port, sessions, stop: Scope.close(scope, Exit.void) }
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: HTTP+SSE with McpServer`, () => {
    for (const revision of revisions) {
      it.live(`SSE-4, INIT-3: ${revision}: calls, progress, what is said unasked, and an end`, () =>
        Effect.gen(function*() {
          const { begun, go, port, provide } = yield* server(entry)
          const bus = yield* ChangeBus.ChangeBus
          const connection = yield* connect(port)
          const initialized = yield* connection.ask(initialize(revision))
          assert.nestedPropertyVal(initialized, "result.protocolVersion", revision)
          // INIT-12: before the client is ready it hears of nothing.
          yield* provide(McpServer.addTool(Tool.make("early"), () => Effect.succeed("")))
          assert.deepStrictEqual((yield* connection.ask(request(1, "ping"))).result, {})
          assert.lengthOf(connection.messages, 2)
          yield* connection.tell(notification("notifications/initialized"))
          yield* connection.message(({ method }) => method === "notifications/tools/list_changed")
          yield* connection.ask(request(2, "resources/subscribe", { uri: "note://one" }))
          yield* bus.publish({ _tag: "ResourceUpdated", uri: "note://one" })
          const updated = yield* connection.message(({ method }) => method === "notifications/resources/updated")
          assert.deepStrictEqual(updated.params, { uri: "note://one" })
          yield* connection.tell(wait(3))
          yield* begun
          assert.nestedPropertyVal(yield* connection.ask(add(4)), "result.content[0].text", "{\"sum\":3}")
          yield* go
          assert.nestedPropertyVal(yield* connection.answer(3), "result.content[0].text", "waited")
          assert.deepStrictEqual(
            connection.messages.slice(2).map(({ id, method }) => method ?? id),
            [
              "notifications/tools/list_changed",
              2,
              "notifications/resources/updated",
              "notifications/progress",
              4,
              "notifications/progress",
              3
            ]
          )
        }).pipe(Effect.provide(ChangeBus.layerMemory)))
    }

    it.live("INIT-3, trap 23: another version is answered with the newest that has sessions, and batches are of one", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry)
        for (const [offered, chosen] of [["2099-01-01", "2025-11-25"], ["2026-07-28", "2025-11-25"]] as const) {
          const connection = yield* connect(port)
          const answer = yield* connection.ask(initialize(offered))
          assert.nestedPropertyVal(answer, "result.protocolVersion", chosen)
        }
        for (const revision of revisions) {
          const connection = yield* openSession(port, revision)
          const { status } = yield* connection.post([add(1), add(2)])
          assert.strictEqual(status, revision === "2025-03-26" ? 202 : 400, revision)
          if (status === 202) assert.deepStrictEqual((yield* connection.count(3)).map(({ id }) => id), [0, 1, 2])
        }
      }))

    it.live("RPC-3, B9: an id in use and a second initialize are refused, and what they are about goes on", () =>
      Effect.gen(function*() {
        const { begun, go, port } = yield* server(entry)
        const connection = yield* openSession(port)
        yield* connection.tell(wait(1))
        yield* begun
        assert.nestedPropertyVal(yield* connection.ask(add(1)), "error.code", -32600)
        assert.nestedPropertyVal(yield* connection.ask(initialize("2024-11-05", 2)), "error.code", -32600)
        assert.nestedPropertyVal(yield* connection.ask(request(3, "nonsense")), "error.code", -32601)
        const before = connection.messages.length
        yield* go
        const after = (yield* connection.count(before + 2)).slice(before)
        assert.deepStrictEqual(after.map(({ id, method }) => method ?? id), ["notifications/progress", 1])
        assert.nestedPropertyVal(after[1], "result.content[0].text", "waited")
      }))

    it.live("CAN-4, case 38: a cancelled call is interrupted, and says nothing more", () =>
      Effect.gen(function*() {
        const { begun, interrupted, port } = yield* server(entry)
        const connection = yield* openSession(port)
        yield* connection.tell(wait(1))
        yield* begun
        yield* connection.tell(notification("notifications/cancelled", { requestId: 1 }))
        yield* Effect.timeout(interrupted, "2 seconds")
        yield* connection.ask(add(2))
        assert.deepStrictEqual(connection.messages.map(({ id, method }) => method ?? id), [
          0,
          "notifications/progress",
          2
        ])
      }))

    it.live("a connection that is closed interrupts its calls", () =>
      Effect.gen(function*() {
        const { begun, interrupted, port } = yield* server(entry)
        const connection = yield* openSession(port)
        yield* connection.tell(wait(1))
        yield* begun
        connection.stream.close()
        yield* Effect.timeout(interrupted, "2 seconds")
      }))

    it.live("case 53: the client hangs up on a handler that logs: the rest is dropped, and others are served", () =>
      Effect.gen(function*() {
        const { begun, ends, go, port } = yield* server(entry)
        const connection = yield* openSession(port)
        yield* connection.ask(request(1, "logging/setLevel", { level: "debug" }))
        yield* connection.tell(call("talk", 2))
        yield* begun
        yield* connection.count(5)
        assert.deepStrictEqual(
          connection.messages.slice(2).map(({ params }) => (params as { readonly data: unknown }).data),
          ["before 1", "before 2", "before 3"]
        )
        connection.stream.close()
        const other = yield* openSession(port)
        yield* other.ask(add(1))
        yield* go
        yield* Effect.timeout(
          Effect.repeat(Effect.andThen(Effect.sleep(1), Effect.sync(() => ends.length)), { until: (n) => n === 1 }),
          "2 seconds"
        )
        yield* other.ask(add(2))
        assert.deepStrictEqual(other.messages.map(({ id, method }) => method ?? id), [0, 1, 2])
      }))

    it.live("L5: connections are bounded, whether they are used or not", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry, { limits: { sessions: 3 } })
        const connection = yield* openSession(port)
        const streams = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          () => get(port),
          { concurrency: 20 }
        )
        assert.strictEqual(streams.filter(({ status }) => status === 503).length, 98)
        yield* connection.ask(add(1))
      }))

    it.live("SSE-1, SSE-3, SSE-4: our own client", () =>
      Effect.gen(function*() {
        const { port, provide } = yield* server(entry)
        const transport = yield* connectClient(port, { path: "/sse" })
        const unrelated: Array<string> = []
        yield* Effect.forkScoped(
          Stream.runForEach(transport.unrelated, ({ method }) => Effect.sync(() => unrelated.push(method)))
        )
        yield* transport.legacy.older ?? assert.fail("there is none")
        const send = (method: string, id: string, params: unknown) =>
          Effect.map(transport.send(legacyOutgoing(method, { id, params: params as Json })), (answer) => {
            assert(answer._tag === "Success")
            return JsonRpc.resultValue(answer)
          })
        const initialized = yield* send("initialize", "a", initialize("2024-11-05").params)
        assert.propertyVal(initialized, "protocolVersion", "2024-11-05")
        yield* transport.legacy.opened("2024-11-05")
        yield* transport.notify(JsonRpc.notification("notifications/initialized"))
        yield* transport.legacy.initialized
        const added = yield* send("tools/call", "b", add(1).params)
        assert.nestedPropertyVal(added, "content[0].text", "{\"sum\":3}")
        yield* provide(McpServer.addTool(Tool.make("late"), () => Effect.succeed("")))
        yield* Effect.timeout(
          Effect.repeat(Effect.andThen(Effect.sleep(1), Effect.sync(() => unrelated.length)), {
            until: (n) => n === 1
          }),
          "2 seconds"
        )
        assert.deepStrictEqual(unrelated, ["notifications/tools/list_changed"])
      }))
  })

  describe(`${entry}: F16`, () => {
    it.live(
      "the server ends: calls in flight are answered first, idle streams end at once, and nothing new begins",
      () =>
        Effect.gen(function*() {
          const tool = yield* held()
          const { port, sessions, stop } = yield* stoppable(entry, tool)
          const idle = [yield* connect(port), yield* openSession(port)]
          const busy = yield* openSession(port)
          yield* busy.tell(call("tool", "last"))
          const exchange = yield* tool.exchange
          const stopped = yield* Effect.forkChild(stop, { startImmediately: true })
          for (const { stream } of idle) {
            yield* stream.end
            assert.strictEqual(stream.ended, "complete")
          }
          assert.strictEqual(sessions.size, 1)
          assert.isUndefined(stopped.pollUnsafe())
          assert.strictEqual((yield* Effect.exit(get(port)))._tag, "Failure")
          exchange.emit(progress(1))
          yield* tool.release
          yield* busy.stream.end
          assert.strictEqual(busy.stream.ended, "complete")
          assert.deepStrictEqual(busy.messages.map(({ id, method }) => method ?? id), [
            0,
            "notifications/progress",
            "last"
          ])
          yield* Effect.timeout(Fiber.join(stopped), "5 seconds")
          assert.strictEqual(sessions.size, 0)
        }),
      15_000
    )
  })
}

describe("F16: HTTP+SSE of McpHttp.toWebHandler", () => {
  it.live("SSE-2: the address is a path. dispose: calls in flight are answered, then the stream ends", () =>
    Effect.gen(function*() {
      const tool = yield* held()
      const { endpoint, sessions } = LegacyEndpoint.make({ handlers: { tool: tool.handler } })
      const { dispose, handler } = McpHttp.toWebHandler(Layer.succeed(McpEndpoint, endpoint), { httpSse: true })
      const response = yield* Effect.promise(() => handler(new Request("http://localhost/sse?a=b")))
      let text = ""
      const read = yield* Effect.forkChild(
        Stream.fromReadableStream({ evaluate: () => response.body!, onError: (error) => error }).pipe(
          Stream.decodeText(),
          Stream.runForEach((part) => Effect.sync(() => (text += part)))
        ),
        { startImmediately: true }
      )
      const has = (pattern: RegExp) =>
        Effect.timeout(
          Effect.repeat(Effect.andThen(Effect.sleep(1), Effect.sync(() => pattern.exec(text))), {
            until: (found) => found !== null
          }),
          "2 seconds"
        )
      const address = (yield* has(/^event: endpoint\ndata: (\/messages\?sessionId=[A-Za-z0-9_-]{43})\n\n/))?.[1]
      const post = (message: unknown) =>
        Effect.promise(() =>
          handler(
            new Request(`http://localhost${address}`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(message)
            })
          )
        )
      assert.strictEqual((yield* post(initialize())).status, 202)
      yield* has(/"protocolVersion"/)
      yield* post(call("tool", "last"))
      yield* tool.exchange
      const disposed = yield* Effect.forkChild(Effect.promise(dispose), { startImmediately: true })
      const late = yield* post(call("echo"))
      assert.strictEqual(late.status, 503)
      assert.include(
        errorOf({ status: 503, headers: {}, body: yield* Effect.promise(() => late.text()) }).message,
        "closing"
      )
      // What a call in flight may wait for is let in.
      assert.strictEqual((yield* post({ jsonrpc: "2.0", id: 99, result: {} })).status, 202)
      assert.isUndefined(disposed.pollUnsafe())
      yield* tool.release
      yield* Fiber.join(read)
      assert.match(text, /event: message\ndata: .*"id":"last".*\n\n$/)
      yield* Fiber.join(disposed)
      assert.strictEqual(sessions.size, 0)
    }))
})
