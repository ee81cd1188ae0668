/** HTTP+SSE, the transport of 2024-11-05: what goes over a connection, and how it ends. */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { progress } from "./support/endpoint.ts"
import { errorOf } from "./support/http.ts"
import { connect, type Connection, get, openSession, serve } from "./support/httpSse.ts"
import { call, held, initialize, notification } from "./support/legacy.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry } from "./support/serve.ts"

const echo = { resultType: "complete", echo: {} }
const done = (id: string | number) => ({ jsonrpc: "2.0", id, result: { done: true } })
const roots = JsonRpc.request("s1", "roots/list")

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: messages`, () => {
    it.live("SSE-4: whatever the server says comes as an event of the stream, and a POST is answered with 202 alone", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port, sessions } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const connection = yield* openSession(port)
        const [session] = sessions.values()
        yield* connection.tell(call("tool", "slow"))
        const exchange = yield* tool.exchange
        assert.strictEqual(exchange.transport, "http")
        exchange.emit(progress(1))
        exchange.ask?.(roots)
        yield* connection.count(3)
        yield* connection.tell({ jsonrpc: "2.0", id: "s1", result: { roots: [] } })
        assert.deepStrictEqual(session?.answers, [JsonRpc.success("s1", { roots: [] })])
        assert.deepInclude(yield* connection.ask(call("echo", 7)), { id: 7, result: echo })
        session?.push(JsonRpc.notification("notifications/tools/list_changed"))
        session?.push(JsonRpc.request("s2", "ping"))
        yield* connection.count(6)
        yield* tool.release
        assert.deepStrictEqual(yield* connection.answer("slow"), done("slow"))
        assert.deepStrictEqual(
          connection.messages.map(({ id, method }) => method ?? id),
          [0, "notifications/progress", "roots/list", 7, "notifications/tools/list_changed", "ping", "slow"]
        )
        assert.deepStrictEqual(session?.notified, ["notifications/initialized"])
      }))

    it.live("CAN-4, case 38: a call is cancelled with another POST, and is not answered", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const connection = yield* openSession(port)
        yield* connection.tell(call("tool", 5))
        yield* tool.exchange
        yield* connection.tell(notification("notifications/cancelled", { requestId: 6 }))
        assert.isFalse(tool.isInterrupted())
        yield* connection.tell(notification("notifications/cancelled", { requestId: 5 }))
        yield* Effect.timeout(tool.interrupted, "2 seconds")
        yield* connection.ask(call("echo", 8))
        assert.deepStrictEqual(connection.messages.map(({ id }) => id), [0, 8])
      }))

    it.live("RPC-16, RPC-17, trap 23: a batch of 2025-03-26 has an event for each answer", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const connection = yield* openSession(port, "2025-03-26")
        yield* connection.tell([
          call("echo", "a"),
          notification("notifications/roots/list_changed"),
          initialize("2025-03-26", "b"),
          { jsonrpc: "2.0", id: "s1", result: {} },
          { jsonrpc: "2.0", id: "c", method: 1 },
          call("nobody", "d"),
          17
        ])
        yield* connection.count(6)
        assert.deepStrictEqual(
          connection.messages.slice(1).map(({ error, id }) => [id, (error as { readonly code?: number })?.code]),
          [["a", undefined], ["b", -32600], ["c", -32600], ["d", -32602], [undefined, -32600]]
        )
        const [session] = sessions.values()
        assert.deepStrictEqual(session?.notified, ["notifications/initialized", "notifications/roots/list_changed"])
        assert.lengthOf(session?.answers ?? [], 1)
        yield* connection.tell([notification("notifications/initialized")])
        assert.strictEqual(session?.notified.length, 3)
        assert.lengthOf(connection.messages, 6)
      }))

    it.live("RPC-16: a batch has no more messages than the limit batchMessages, and at least one", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { limits: { batchMessages: 2 } })
        const connection = yield* openSession(port, "2025-03-26")
        const answer = yield* connection.post([1, 2, 3].map((id) => call("echo", id)))
        assert.strictEqual(answer.status, 400)
        assert.include(errorOf(answer).message, "the limit batchMessages")
        assert.strictEqual((yield* connection.post([])).status, 400)
        assert.lengthOf(connection.messages, 1)
      }))

    for (const revision of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
      it.live(`RPC-18, trap 23: ${revision} has no batches`, () =>
        Effect.gen(function*() {
          const { port } = yield* serve(entry)
          const connection = yield* openSession(port, revision)
          const answer = yield* connection.post([call("echo")])
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(errorOf(answer).code, -32600)
          assert.deepInclude(yield* connection.ask(call("echo", 2)), { result: echo })
          assert.lengthOf(connection.messages, 2)
        }))
    }

    it.live("before initialize there is nothing to answer: 400", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const connection = yield* connect(port)
        for (
          const message of [call("echo"), { jsonrpc: "2.0", id: 1, result: {} }, [call("echo")], [
            initialize("2025-03-26")
          ]]
        ) {
          const answer = yield* connection.post(message)
          assert.strictEqual(answer.status, 400)
          assert.include(errorOf(answer).message, "send initialize first")
        }
        yield* connection.tell(notification("notifications/initialized"))
        assert.strictEqual(sessions.size, 0)
        // One that failed has opened nothing, and may be tried again.
        const failed = yield* connection.ask({ jsonrpc: "2.0", id: "f", method: "initialize", params: {} })
        assert.nestedPropertyVal(failed, "error.code", -32602)
        assert.strictEqual((yield* connection.post(call("echo"))).status, 400)
        yield* connection.ask(initialize())
        assert.deepInclude(yield* connection.ask(call("echo")), { result: echo })
      }))

    it.live("B9: a second initialize is refused, also before the first has its answer", () =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        const { port, sessions } = yield* serve(entry, { store: Deferred.await(go) })
        const connection = yield* connect(port)
        yield* connection.tell(initialize("2024-11-05", 1))
        for (const message of [initialize("2024-11-05", 2), call("echo", 3)]) {
          const answer = yield* connection.post(message)
          assert.strictEqual(answer.status, 400)
          assert.include(errorOf(answer).message, "wait for its answer")
        }
        yield* Deferred.succeed(go, undefined)
        yield* connection.answer(1)
        const second = yield* connection.ask(initialize("2024-11-05", 4))
        assert.nestedPropertyVal(second, "error.code", -32600)
        assert.deepInclude(yield* connection.ask(call("echo", 5)), { result: echo })
        assert.strictEqual(sessions.size, 1)
      }))

    it.live("a session that cannot be opened for now is told on the stream", () =>
      Effect.gen(function*() {
        const store = Effect.fail(new SessionUnavailable({ message: "No session for now: it rains" }))
        const { port } = yield* serve(entry, { store })
        const answer = yield* (yield* connect(port)).ask(initialize())
        assert.deepStrictEqual(answer.error, { code: -32603, message: "No session for now: it rains" })
      }))

    it.live("ERA-6, trap 1: a message of 2026-07-28 has its own address, whatever it is", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        for (const connection of [yield* connect(port), yield* openSession(port)]) {
          const before = connection.messages.length
          for (
            const message of [
              Message.call("echo"),
              Message.request("initialize"),
              Message.request("nonsense"),
              {
                ...Message.call("echo"),
                params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } }
              }
            ]
          ) {
            const answer = yield* connection.post(message, Message.headers(message))
            assert.strictEqual(answer.status, 400)
            assert.include(errorOf(answer).message, "2026-07-28")
          }
          assert.lengthOf(connection.messages, before)
        }
      }))

    it.live("B9: what is no message is 400, with the id if there is one", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const connection = yield* openSession(port)
        const cases: ReadonlyArray<readonly [unknown, number, unknown]> = [
          ["{", -32700, undefined],
          ["", -32700, undefined],
          ["17", -32600, undefined],
          [{ id: 1, method: "ping" }, -32600, 1],
          [{ jsonrpc: "2.0", id: "x", method: "ping", params: [] }, -32600, "x"],
          [new Uint8Array([0x22, 0xff, 0x22]), -32600, undefined]
        ]
        for (const [body, code, id] of cases) {
          const answer = yield* connection.post(body)
          assert.strictEqual(answer.status, 400, String(body))
          assert.deepStrictEqual([errorOf(answer).code, errorOf(answer).id], [code, id], String(body))
        }
        assert.lengthOf(connection.messages, 1)
        assert.deepInclude(yield* connection.ask(call("echo")), { result: echo })
      }))
  })

  describe(`${entry}: the end of a connection`, () => {
    it.live("a peer that goes away ends its session, and what goes on in it", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port, sessions } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const other = yield* openSession(port)
        const connection = yield* openSession(port)
        assert.strictEqual(sessions.size, 2)
        yield* connection.tell(call("tool"))
        const exchange = yield* tool.exchange
        connection.stream.close()
        yield* Effect.timeout(tool.interrupted, "2 seconds")
        assert.strictEqual(sessions.size, 1)
        // Nobody minds what still comes.
        exchange.emit(progress(1))
        exchange.ask?.(roots)
        yield* exchange.drained
        assert.strictEqual((yield* connection.post(call("echo"))).status, 404)
        assert.deepInclude(yield* other.ask(call("echo")), { result: echo })
      }))

    it.live("a session that is opened when its peer has gone is closed at once", () =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        const isGivenUp = yield* Deferred.make<void>()
        const store = Effect.onInterrupt(Deferred.await(go), () => Deferred.succeed(isGivenUp, undefined))
        const { port, sessions } = yield* serve(entry, { store })
        const connection = yield* connect(port)
        yield* connection.tell(initialize())
        connection.stream.close()
        yield* Effect.timeout(Deferred.await(isGivenUp), "2 seconds")
        yield* Deferred.succeed(go, undefined)
        assert.strictEqual(sessions.size, 0)
      }))

    it.live("a session that ends by itself ends its stream", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const connection = yield* openSession(port)
        const [session] = sessions.values()
        yield* session?.close ?? Effect.void
        yield* connection.stream.end
        assert.strictEqual(connection.stream.ended, "complete")
        assert.strictEqual((yield* connection.post(call("echo"))).status, 404)
      }))

    it.live("F12: a peer that does not read is cut off, its session ends, and others are served", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const logs: Array<string> = []
        const { port, sessions } = yield* serve(entry, {
          handlers: { tool: tool.handler },
          limits: { streamBuffer: 16 },
          logs
        })
        const other = yield* openSession(port)
        const connection = yield* openSession(port)
        connection.stream.response.pause()
        yield* connection.tell(call("tool"))
        const exchange = yield* tool.exchange
        const big = { _tag: "Notification", method: "n", params: { text: "x".repeat(256 * 1024) } } as const
        let sent = 0
        while (!tool.isInterrupted() && sent < 1000) {
          exchange.emit(big)
          sent++
          yield* Effect.sleep(1)
        }
        // What the kernel holds comes on top of the sixteen.
        assert.isBelow(sent, 200)
        assert.strictEqual(sessions.size, 1)
        assert.deepInclude(yield* other.ask(call("echo")), { result: echo })
        assert.deepStrictEqual(logs, [
          "Warn The stream of HTTP+SSE was ended: its client does not read, and no more may wait (the limits streamBuffer and messageBytes)"
        ])
        connection.stream.response.resume()
        yield* connection.stream.end
        assert.strictEqual(connection.stream.ended, "broken")
      }))

    it.live("F12: a handler that emits without end before it is waited for is interrupted too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port, sessions } = yield* serve(entry, {
          handlers: {
            tool: (request, exchange) => {
              for (let i = 0; i < 5000; i++) exchange.emit({ ...progress(i), params: { text: "x".repeat(10_000) } })
              return tool.handler(request, exchange)
            }
          },
          limits: { streamBuffer: 16, inFlightRequests: 1 }
        })
        const connection = yield* openSession(port)
        assert.strictEqual((yield* connection.post(call("tool"))).status, 202)
        yield* Effect.timeout(tool.interrupted, "2 seconds")
        yield* connection.stream.end
        assert.strictEqual(sessions.size, 0)
        // It does not count any more.
        assert.deepInclude(yield* (yield* openSession(port)).ask(call("echo")), { result: echo })
      }))

    it.live("a connection more than the limit sessions is 503, until another has ended", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { limits: { sessions: 2 } })
        const first = yield* connect(port)
        yield* openSession(port)
        const refused = yield* get(port)
        yield* refused.end
        assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [503, "1"])
        assert.include(refused.body, "the limit sessions")
        first.stream.close()
        yield* Effect.timeout(
          Effect.repeat(Effect.map(get(port), ({ status }) => status), { until: (status) => status === 200 }),
          "2 seconds"
        )
      }))

    it.live("a request more than the limit inFlightRequests is told so on the stream, initialize too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { inFlightRequests: 1 } })
        const connection = yield* openSession(port)
        const other = yield* connect(port)
        yield* connection.tell(call("tool", "t"))
        yield* tool.exchange
        for (const answer of [yield* connection.ask(call("echo", 2)), yield* other.ask(initialize())]) {
          assert.nestedPropertyVal(answer, "error.code", -32603)
          assert.match(JSON.stringify(answer), /the limit inFlightRequests/)
        }
        yield* tool.release
        assert.deepStrictEqual(yield* connection.answer("t"), done("t"))
        assert.deepInclude(yield* other.ask(initialize()), { id: 0 })
        assert.deepInclude(yield* connection.ask(call("echo", 3)), { result: echo })
      }))

    it.effect("case 44, HTTP-13: a silent stream has a comment from time to time, with a session or without", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const comments = ({ stream }: Connection) => stream.body.split("\n\n").filter((frame) => frame === ":").length
        const both = [yield* connect(port), yield* openSession(port)]
        yield* TestClock.adjust("15 seconds")
        for (const connection of both) yield* connection.stream.until(() => comments(connection) === 1)
        yield* TestClock.adjust("15 seconds")
        for (const connection of both) yield* connection.stream.until(() => comments(connection) === 2)
        const silent = yield* openSession((yield* serve(entry, { options: { keepAlive: false } })).port)
        yield* TestClock.adjust("1 hour")
        yield* silent.ask(call("echo"))
        assert.strictEqual(comments(silent), 0)
      }))

    it.live("case 53: what a handler says after its end harms nobody", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const connection = yield* openSession(port)
        const ended = yield* Effect.forkChild(connection.ask(call("tool")))
        const exchange = yield* tool.exchange
        yield* tool.release
        yield* Fiber.join(ended)
        connection.stream.close()
        exchange.emit(progress(1))
        yield* exchange.drained
        assert.deepInclude(yield* (yield* openSession(port)).ask(call("echo")), { result: echo })
      }))
  })
}
