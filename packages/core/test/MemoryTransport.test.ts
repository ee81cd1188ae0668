import { type ClientTransport, McpTransport, type Outgoing } from "@effect-mcp/core/ClientTransport"
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Method from "@effect-mcp/core/Method"
import { awaitCall, type Call, type Exchange, McpEndpoint, type ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { legacyEndpoint } from "./support/legacyEndpoint.ts"
import { startCall } from "./support/startCall.ts"

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

const modern = (method: string, params: JsonRpc.JsonObject = {}, id: JsonRpc.Id = 1): JsonRpc.Request =>
  JsonRpc.request(id, method, { ...params, _meta: meta })

const progress = (value: number) =>
  JsonRpc.notification("notifications/progress", { progressToken: 1, progress: value })

const send = (
  transport: ClientTransport,
  message: JsonRpc.Request,
  options: Partial<Pick<Outgoing, "onMessage" | "mirror">> = {}
) =>
  transport.send({
    message,
    mirror: { protocolVersion: undefined, method: message.method, name: undefined, params: [] },
    onMessage: () => Effect.void,
    ...options
  })

const codeOf = (response: JsonRpc.Response): number | undefined =>
  response._tag === "Failure" ? response.error.code : undefined

type Handler = (request: Inbound.Request, exchange: Exchange) => Effect.Effect<JsonRpc.JsonObject>

/** A server of one handler, which counts what it is given. */
const modernEndpoint = (handler: Handler) => {
  const notified: Array<string> = []
  const calls: Array<Call> = []
  const endpoint: ServerEndpoint = {
    classify: Inbound.make({ revisions: ["2026-07-28"], methods: Method.core }),
    call: (request, exchange) => {
      const call = startCall(request.id, handler(request, exchange))
      calls.push(call)
      return call
    },
    notify: ({ method }) => notified.push(method),
    legacy: undefined
  }
  return { endpoint, notified, calls }
}

const waiting = Effect.never

describe("awaitCall", () => {
  it.effect("gives the answer of a call that has ended already, and of one that ends later", () =>
    Effect.gen(function*() {
      const now = startCall(1, Effect.succeed({ a: 1 }))
      assert.deepStrictEqual(now.response, JsonRpc.success(1, { a: 1 }))
      assert.deepStrictEqual(yield* awaitCall(now), now.response)
      const later = startCall(2, Effect.as(Effect.yieldNow, { a: 2 }))
      assert.isUndefined(later.response)
      assert.deepStrictEqual(yield* awaitCall(later), JsonRpc.success(2, { a: 2 }))
    }))

  it.effect("interrupting it cancels the call, and a call that was cancelled has no answer", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const call = startCall(1, Effect.onInterrupt(waiting, () => Deferred.succeed(interrupted, undefined)))
      const fiber = yield* Effect.forkChild(awaitCall(call), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
      const other = startCall(2, waiting)
      const result = yield* Effect.forkChild(awaitCall(other), { startImmediately: true })
      other.cancel()
      assert.isUndefined(yield* Fiber.join(result))
    }))
})

describe("the modern era in memory", () => {
  it.effect("what a call emits comes before its answer, in order, and the client sets the pace", () =>
    Effect.gen(function*() {
      const { endpoint } = modernEndpoint((_, exchange) =>
        Effect.gen(function*() {
          exchange.emit(progress(1))
          exchange.emit(progress(2))
          yield* Effect.yieldNow
          exchange.emit(progress(3))
          yield* exchange.drained
          return { resultType: "complete" }
        })
      )
      const seen: Array<unknown> = []
      const response = yield* send(MemoryTransport.make(endpoint), modern("tools/list"), {
        onMessage: (message) => Effect.andThen(Effect.yieldNow, Effect.sync(() => seen.push(message.params?.progress)))
      })
      assert.deepStrictEqual(seen, [1, 2, 3])
      assert.deepStrictEqual(response, JsonRpc.success(1, { resultType: "complete" }))
    }))

  it.effect("messages are not copied, printed or parsed", () =>
    Effect.gen(function*() {
      const prepared = new JsonRpc.Prepared({ tools: [] })
      const seen: Array<unknown> = []
      const { endpoint } = modernEndpoint((request) =>
        Effect.sync(() => {
          seen.push(request.params)
          return prepared as never
        })
      )
      const request = modern("tools/list")
      const response = yield* send(MemoryTransport.make(endpoint), request)
      assert.strictEqual(seen[0], request.params)
      assert(response._tag === "Success")
      assert.strictEqual(response.result, prepared)
    }))

  it.effect("CAN-2, CAN-5: interrupting a request interrupts its handler, and nothing comes after that", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<Exchange>()
      const interrupted = yield* Deferred.make<void>()
      const { endpoint } = modernEndpoint((_, exchange) =>
        Deferred.succeed(started, exchange).pipe(
          Effect.andThen(waiting),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      const seen: Array<unknown> = []
      const fiber = yield* Effect.forkChild(
        send(MemoryTransport.make(endpoint), modern("tools/list"), {
          onMessage: (message) => Effect.sync(() => seen.push(message))
        }),
        { startImmediately: true }
      )
      const exchange = yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
      exchange.emit(progress(1))
      yield* Effect.yieldNow
      assert.deepStrictEqual(seen, [])
    }))

  it.effect("a slow consumer that is interrupted cancels the call too", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const consuming = yield* Deferred.make<void>()
      const { endpoint } = modernEndpoint((_, exchange) =>
        Effect.andThen(Effect.sync(() => exchange.emit(progress(1))), waiting).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      const fiber = yield* Effect.forkChild(
        send(MemoryTransport.make(endpoint), modern("tools/list"), {
          onMessage: () => Effect.andThen(Deferred.succeed(consuming, undefined), Effect.never)
        })
      )
      yield* Deferred.await(consuming)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
    }))

  it.effect("a call that the server cancels is a closed transport, not silence", () =>
    Effect.gen(function*() {
      const { calls, endpoint } = modernEndpoint(() => waiting)
      const fiber = yield* Effect.forkChild(Effect.flip(send(MemoryTransport.make(endpoint), modern("tools/list"))), {
        startImmediately: true
      })
      for (const call of calls) call.cancel()
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason._tag, "TransportClosed")
    }))

  it.effect("what may not pass is answered with its error and id, and reaches no handler", () =>
    Effect.gen(function*() {
      const { calls, endpoint } = modernEndpoint(() => Effect.die("called"))
      const transport = MemoryTransport.make(endpoint)
      const response = yield* send(transport, JsonRpc.request("a", "tools/list"))
      assert.deepStrictEqual([response.id, codeOf(response)], ["a", -32602])
      assert.strictEqual(codeOf(yield* send(transport, modern("nope"))), -32601)
      assert.strictEqual(codeOf(yield* send(transport, JsonRpc.request(1, "initialize"))), -32022)
      assert.lengthOf(calls, 0)
    }))

  it.effect("STDIO-9: nothing is mirrored, unless it is asked for", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { endpoint } = modernEndpoint((_, { mirrored }) =>
        Effect.sync(() => {
          const fields = ["protocolVersion", "method", "name", "param:region", "param:other"] as const
          seen.push(mirrored === undefined ? undefined : fields.map(mirrored))
          return {}
        })
      )
      const message = modern("tools/call", { name: "add" })
      const mirror = {
        protocolVersion: "2026-07-28",
        method: "tools/call",
        name: "add",
        params: [["Region", "eu"]]
      } as const
      yield* send(MemoryTransport.make(endpoint), message, { mirror })
      yield* send(MemoryTransport.make(endpoint, { mirror: true }), message, { mirror })
      assert.deepStrictEqual(seen, [undefined, ["2026-07-28", "tools/call", "add", "eu", undefined]])
      const other = { ...mirror, name: "sub" }
      const response = yield* send(MemoryTransport.make(endpoint, { mirror: true }), message, { mirror: other })
      assert.strictEqual(codeOf(response), -32020)
    }))

  it.effect("the services of the request are in the exchange, which asks nothing (RPC-14)", () =>
    Effect.gen(function*() {
      class User extends Context.Service<User, string>()("test/User") {}
      const seen: Array<unknown> = []
      const { endpoint } = modernEndpoint((_, { ask, context, transport }) =>
        Effect.sync(() => {
          seen.push([transport, ask, Context.getUnsafe(context as Context.Context<User>, User)])
          return {}
        })
      )
      const context = Context.make(User, "anna") as Context.Context<never>
      yield* send(MemoryTransport.make(endpoint, { context }), modern("tools/list"))
      assert.deepStrictEqual(seen, [["memory", undefined, "anna"]])
    }))

  it.effect("notifications are handed on, and there is nothing to answer or to listen to", () =>
    Effect.gen(function*() {
      const { endpoint, notified } = modernEndpoint(() => Effect.succeed({}))
      const transport = MemoryTransport.make(endpoint)
      yield* transport.notify(JsonRpc.notification("com.example/hello"))
      yield* transport.notify(JsonRpc.notification("notifications/cancelled", { requestId: 9 }))
      assert.deepStrictEqual(notified, ["com.example/hello"])
      const error = yield* Effect.flip(transport.reply(JsonRpc.success(1, {})))
      assert.strictEqual(error.reason._tag, "TransportClosed")
    }))

  it.effect("two requests at once do not meet (B15: each exchange is its own)", () =>
    Effect.gen(function*() {
      const { endpoint } = modernEndpoint((request, exchange) =>
        Effect.gen(function*() {
          const value = Number(request.params["cursor"])
          exchange.emit(progress(value))
          yield* Effect.yieldNow
          exchange.emit(progress(value))
          return { value }
        })
      )
      const transport = MemoryTransport.make(endpoint)
      const one = (value: number) => {
        const seen: Array<unknown> = []
        return send(transport, modern("tools/list", { cursor: `${value}` }), {
          onMessage: ({ params }) => Effect.sync(() => seen.push(params?.progress))
        }).pipe(Effect.map((response) => [response, seen]))
      }
      assert.deepStrictEqual(yield* Effect.all([one(1), one(2)], { concurrency: "unbounded" }), [
        [JsonRpc.success(1, { value: 1 }), [1, 1]],
        [JsonRpc.success(1, { value: 2 }), [2, 2]]
      ])
    }))
})

const initialize = JsonRpc.request("init", "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {} },
  clientInfo: { name: "c", version: "1" }
})

const legacyCall = (name: string, id: JsonRpc.Id = 1) => JsonRpc.request(id, "tools/call", { name })

describe("the legacy era in memory", () => {
  const connected = Effect.gen(function*() {
    const server = legacyEndpoint()
    const transport = MemoryTransport.make(server.endpoint)
    const response = yield* send(transport, initialize)
    return { ...server, transport, response }
  })

  it.effect("ERA-6: initialize opens a session, and is answered by it", () =>
    Effect.gen(function*() {
      const { response, sessions } = yield* connected
      assert.deepStrictEqual(response.id, "init")
      assert(response._tag === "Success")
      assert.strictEqual(JsonRpc.resultValue(response).protocolVersion, "2025-11-25")
      assert.lengthOf([...sessions.values()], 1)
    }))

  it.effect("an initialize that is refused opens none", () =>
    Effect.gen(function*() {
      const server = legacyEndpoint()
      const transport = MemoryTransport.make(server.endpoint)
      const refused = yield* send(transport, JsonRpc.request(1, "initialize", { protocolVersion: 1 }))
      assert.strictEqual(codeOf(refused), -32602)
      assert.strictEqual(codeOf(yield* send(transport, legacyCall("echo"))), -32600)
      assert.lengthOf([...server.sessions.values()], 0)
      assert.isUndefined(codeOf(yield* send(transport, initialize)))
    }))

  it.effect("ERA-6: before initialize a request is answered with an error", () =>
    Effect.gen(function*() {
      const response = yield* send(MemoryTransport.make(legacyEndpoint().endpoint), legacyCall("echo", "a"))
      assert.deepStrictEqual([response.id, codeOf(response)], ["a", -32600])
    }))

  it.effect("a second initialize is the session's to refuse", () =>
    Effect.gen(function*() {
      const { sessions, transport } = yield* connected
      assert.strictEqual(codeOf(yield* send(transport, initialize)), -32600)
      assert.lengthOf([...sessions.values()], 1)
    }))

  it.effect("a request is sorted under the revision of its session", () =>
    Effect.gen(function*() {
      const { transport } = yield* connected
      assert.deepStrictEqual(
        yield* send(transport, legacyCall("echo", 0)),
        JsonRpc.success(0, { revision: "2025-11-25", roots: true })
      )
      assert.strictEqual(codeOf(yield* send(transport, JsonRpc.request(1, "server/discover"))), -32601)
    }))

  it.effect("ERA-6, ERA-21: modern requests go beside the session, and see nothing of it", () =>
    Effect.gen(function*() {
      const { transport } = yield* connected
      assert.deepStrictEqual(
        yield* send(transport, modern("tools/call", { name: "echo" })),
        JsonRpc.success(1, { modern: true })
      )
      assert.strictEqual(codeOf(yield* send(transport, modern("ping"))), -32601)
      assert.strictEqual(codeOf(yield* send(transport, JsonRpc.request(1, "ping"))), undefined)
    }))

  it.effect("INIT-7: a ping may come before initialize, and nothing else", () =>
    Effect.gen(function*() {
      const transport = MemoryTransport.make(legacyEndpoint().endpoint)
      assert.deepStrictEqual(yield* send(transport, JsonRpc.request(1, "ping")), JsonRpc.success(1, {}))
      assert.strictEqual(codeOf(yield* send(transport, JsonRpc.request(2, "tools/list"))), -32600)
    }))

  it.effect("RPC-15: a handler asks, the client answers, and the answer reaches the handler", () =>
    Effect.gen(function*() {
      const { transport } = yield* connected
      const asked: Array<JsonRpc.Request | JsonRpc.Notification> = []
      const response = yield* send(transport, legacyCall("roots"), {
        onMessage: (message) =>
          Effect.suspend(() => {
            asked.push(message)
            return message._tag === "Request"
              ? Effect.orDie(transport.reply(JsonRpc.success(message.id, { roots: [{ uri: "file:///a" }] })))
              : Effect.void
          })
      })
      assert.deepStrictEqual(asked, [progress(1), JsonRpc.request("s1", "roots/list", {}), progress(2)])
      assert.deepStrictEqual(response, JsonRpc.success(1, { roots: [{ uri: "file:///a" }] }))
    }))

  it.effect("the client's refusal reaches the handler as its error", () =>
    Effect.gen(function*() {
      const { transport } = yield* connected
      const refusal = { code: -32601, message: "No roots here" }
      const response = yield* send(transport, legacyCall("roots"), {
        onMessage: (message) =>
          message._tag === "Request" ? Effect.orDie(transport.reply(JsonRpc.failure(message.id, refusal))) : Effect.void
      })
      assert.deepStrictEqual(response, JsonRpc.failure(1, refusal))
    }))

  it.effect("trap 22: the ids of the server are apart from those of the client, and each answer finds its question", () =>
    Effect.gen(function*() {
      const { transport } = yield* connected
      const questions: Array<JsonRpc.Id> = []
      const ask = (name: string) =>
        send(transport, legacyCall("roots", "s1"), {
          onMessage: (message) => Effect.sync(() => message._tag === "Request" && questions.push(message.id))
        }).pipe(Effect.map((response) => [name, response]))
      const fiber = yield* Effect.forkChild(Effect.all([ask("a"), ask("b")], { concurrency: "unbounded" }))
      while (questions.length < 2) yield* Effect.yieldNow
      assert.deepStrictEqual(questions, ["s1", "s2"])
      yield* transport.reply(JsonRpc.success("s2", { roots: ["b"] }))
      yield* transport.reply(JsonRpc.success("s1", { roots: ["a"] }))
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        ["a", JsonRpc.success("s1", { roots: ["a"] })],
        ["b", JsonRpc.success("s1", { roots: ["b"] })]
      ])
    }))

  it.effect("CAN-6, case 19: an answer nobody waits for is ignored", () =>
    Effect.gen(function*() {
      const { ignored, transport } = yield* connected
      yield* transport.reply(JsonRpc.success("", {}))
      yield* transport.reply(JsonRpc.success("s1", {}))
      assert.deepStrictEqual(ignored, ["", "s1"])
    }))

  it.effect("interrupting the request interrupts the handler, and its question with it", () =>
    Effect.gen(function*() {
      const { ignored, transport } = yield* connected
      const asked = yield* Deferred.make<JsonRpc.Id>()
      const fiber = yield* Effect.forkChild(
        send(transport, legacyCall("roots"), {
          onMessage: (message) =>
            message._tag === "Request" ? Effect.asVoid(Deferred.succeed(asked, message.id)) : Effect.void
        })
      )
      const id = yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow
      yield* transport.reply(JsonRpc.success(id, { roots: [] }))
      assert.deepStrictEqual(ignored, [id])
    }))

  it.effect("what belongs to no request arrives apart, and can be answered", () =>
    Effect.gen(function*() {
      const { sessions, transport } = yield* connected
      const [session] = sessions.values()
      assert(session !== undefined)
      session.push(JsonRpc.notification("notifications/tools/list_changed"))
      const answer = yield* Effect.forkChild(session.ask("roots/list"), { startImmediately: true })
      const messages = yield* Stream.runCollect(Stream.take(transport.unrelated, 2))
      assert.deepStrictEqual(messages, [
        JsonRpc.notification("notifications/tools/list_changed"),
        JsonRpc.request("s1", "roots/list", {})
      ])
      yield* transport.reply(JsonRpc.success("s1", { roots: [] }))
      assert.deepStrictEqual(yield* Fiber.join(answer), { roots: [] })
    }))

  it.effect("whoever listens before the session is open is not forgotten", () =>
    Effect.gen(function*() {
      const { endpoint, sessions } = legacyEndpoint()
      const transport = MemoryTransport.make(endpoint)
      const fiber = yield* Effect.forkChild(Stream.runHead(transport.unrelated), { startImmediately: true })
      yield* send(transport, initialize)
      const [session] = sessions.values()
      session?.push(JsonRpc.notification("a"))
      const first = yield* Fiber.join(fiber)
      assert.deepStrictEqual(first.valueOrUndefined, JsonRpc.notification("a"))
    }))

  it.effect("notifications of the client reach the session once it is open", () =>
    Effect.gen(function*() {
      const { endpoint, notified, sessions } = legacyEndpoint()
      const transport = MemoryTransport.make(endpoint)
      yield* transport.notify(JsonRpc.notification("notifications/initialized"))
      yield* send(transport, initialize)
      yield* transport.notify(JsonRpc.notification("notifications/initialized"))
      const [session] = sessions.values()
      assert.deepStrictEqual(session?.notified, ["notifications/initialized"])
      assert.deepStrictEqual(notified, ["notifications/initialized"])
    }))

  it.effect("the session ends its stream with itself", () =>
    Effect.gen(function*() {
      const { sessions, transport } = yield* connected
      const fiber = yield* Effect.forkChild(Stream.runCollect(transport.unrelated), { startImmediately: true })
      const [session] = sessions.values()
      session!.push(JsonRpc.notification("a"))
      yield* session!.close
      assert.deepStrictEqual(yield* Fiber.join(fiber), [JsonRpc.notification("a")])
      assert.lengthOf([...sessions.values()], 0)
    }))
})

describe("layer", () => {
  it.effect("closes the session when it ends, and with it the streams; nothing can be sent after that", () =>
    Effect.gen(function*() {
      const { endpoint, sessions } = legacyEndpoint()
      const connection = MemoryTransport.layer().pipe(Layer.provide(Layer.succeed(McpEndpoint, endpoint)))
      const [transport, listening] = yield* Effect.gen(function*() {
        const transport = yield* McpTransport
        const listening = yield* Effect.forkDetach(Stream.runCollect(transport.unrelated), { startImmediately: true })
        yield* send(transport, initialize)
        assert.lengthOf([...sessions.values()], 1)
        return [transport, listening] as const
      }).pipe(Effect.provide(connection))
      assert.lengthOf([...sessions.values()], 0)
      assert.deepStrictEqual(yield* Fiber.join(listening), [])
      const attempts = [
        send(transport, modern("tools/list")),
        transport.notify(JsonRpc.notification("a")),
        transport.reply(JsonRpc.success(1, {}))
      ]
      for (const attempt of attempts) {
        const error = yield* Effect.flip(Effect.asVoid(attempt))
        assert.strictEqual(error.reason._tag, "TransportClosed")
      }
    }))

  it.effect("without a session too", () =>
    Effect.gen(function*() {
      const { endpoint } = modernEndpoint(() => Effect.succeed({}))
      const connection = MemoryTransport.layer().pipe(Layer.provide(Layer.succeed(McpEndpoint, endpoint)))
      const listening = yield* McpTransport.pipe(
        Effect.flatMap(({ unrelated }) => Effect.forkDetach(Stream.runCollect(unrelated), { startImmediately: true })),
        Effect.provide(connection)
      )
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(listening)))
    }))
})
