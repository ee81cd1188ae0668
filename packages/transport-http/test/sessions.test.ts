/** Sessions of the legacy era: how messages find theirs, and how they are answered. */
import * as RequestService from "@effect-mcp/core/RequestService"
import { McpEndpoint, SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { progress } from "./support/endpoint.ts"
import { errorOf } from "./support/http.ts"
import { call, Client, connect, held, initialize, notification, serve } from "./support/legacy.ts"
import * as LegacyEndpoint from "./support/legacyEndpoint.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serveRoutes } from "./support/serve.ts"

const legacyRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const
const echo = { result: { resultType: "complete", echo: {} } }

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}

const Authenticated = HttpRouter.middleware<{ provides: Principal }>()((next) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => Effect.provideService(next, Principal, { subject: headers["x-user"] ?? "nobody" })
  )
)

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: sessions`, () => {
    for (const revision of legacyRevisions) {
      it.live(`LHTTP-1, LHTTP-5, LHTTP-19, LHTTP-26, INIT-3: ${revision} has a session, and plain JSON for an answer at once`, () =>
        Effect.gen(function*() {
          const { port } = yield* serve(entry)
          const client = new Client(port)
          const answer = yield* client.post(initialize(revision))
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers["content-type"], "application/json")
          assert.strictEqual(JSON.parse(answer.body).result.protocolVersion, revision)
          const id = String(answer.headers["mcp-session-id"])
          // Without the version header the session knows better than 2025-03-26.
          for (const version of [undefined, revision]) {
            const headers = { "mcp-session-id": id, "mcp-protocol-version": version }
            const called = yield* client.post(call("echo", "x"), headers)
            assert.strictEqual(called.headers["content-type"], "application/json")
            assert.deepStrictEqual(JSON.parse(called.body), { jsonrpc: "2.0", id: "x", ...echo })
          }
        }))

      it.live(`a server pinned to ${revision} answers with it, whatever was offered`, () =>
        Effect.gen(function*() {
          const { port } = yield* serve(entry, { revisions: [revision] })
          const client = new Client(port)
          const answer = yield* client.post(initialize("2099-01-01"))
          assert.strictEqual(JSON.parse(answer.body).result.protocolVersion, revision)
          const headers = { "mcp-session-id": String(answer.headers["mcp-session-id"]) }
          assert.strictEqual((yield* client.post(call("echo"), headers)).status, 200)
        }))
    }

    it.live("ERA-5, ERA-6, ERA-21, trap 1: both eras on one endpoint, and the body decides", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const client = yield* connect(port)
        const modern = Message.call("echo")
        const answer = yield* new Client(port).post(modern, Message.headers(modern))
        assert.strictEqual(answer.status, 200)
        // HTTP-22: the session of somebody is nothing to a modern request.
        const both = yield* client.post(modern, Message.headers(modern))
        assert.deepStrictEqual(both.body, answer.body)
        assert.strictEqual((yield* client.post(call("echo"))).status, 200)
        // A modern request whose fields are missing is no legacy one.
        const broken = yield* client.post(call("echo"), { "mcp-protocol-version": "2026-07-28" })
        assert.deepInclude(errorOf(broken), { id: 1, code: -32602 })
      }))

    it.live("LHTTP-29, trap 23: the names of headers have no case", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const id = (yield* connect(port)).headers["mcp-session-id"]
        for (const name of ["MCP-Session-Id", "Mcp-Session-Id", "MCP-SESSION-ID"]) {
          assert.strictEqual((yield* new Client(port, { [name]: id }).post(call("echo"))).status, 200)
        }
      }))

    it.live("a failed initialize opens no session", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const answer = yield* new Client(port).post({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
        // LHTTP-30: a status of 4xx would send a client to look for an older transport.
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(errorOf(answer).code, -32602)
        assert.notProperty(answer.headers, "mcp-session-id")
        assert.strictEqual(sessions.size, 0)
      }))

    it.live("LHTTP-21, trap 23: a message without a session is 400, of whatever kind and verb", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        yield* connect(port)
        const client = new Client(port)
        const answers = [
          yield* client.post(call("echo")),
          yield* client.post(notification("notifications/initialized")),
          yield* client.post(notification("notifications/cancelled", { requestId: 1 })),
          yield* client.post({ jsonrpc: "2.0", id: 1, result: {} }),
          yield* client.post([call("echo")]),
          yield* client.delete()
        ]
        for (const answer of answers) {
          assert.strictEqual(answer.status, 400)
          assert.include(errorOf(answer).message, "Mcp-Session-Id")
        }
        assert.strictEqual((yield* client.get()).status, 400)
      }))

    it.live("LHTTP-22, B9, F18: a guessed, malformed or ended session is 404, and all of them are told the same", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const ended = yield* connect(port)
        assert.strictEqual((yield* ended.delete()).status, 204)
        const ids = ["guessed", "x".repeat(129), "a b", "a\tb", "\u00e9", ended.headers["mcp-session-id"]]
        const bodies = new Set<string>()
        for (const id of ids) {
          const client = new Client(port, { "mcp-session-id": id })
          const get = yield* client.get()
          yield* get.end
          const answers = [
            yield* client.post(call("echo")),
            yield* client.post(notification("notifications/initialized")),
            yield* client.post({ jsonrpc: "2.0", id: 1, result: {} }),
            yield* client.delete(),
            get
          ]
          for (const { body, status } of answers) {
            assert.strictEqual(status, 404, id)
            bodies.add(body)
          }
        }
        assert.strictEqual(bodies.size, 1)
      }))

    it.live("LHTTP-28, B9, case 56: a session is for whom it was opened by, on every request", () =>
      Effect.gen(function*() {
        const { endpoint } = LegacyEndpoint.make()
        const routes = entries[entry]({
          services: [Principal],
          principal: (services) => Context.get(services, Principal).subject
        })
        const port = yield* serveRoutes(
          Layer.provide(routes, [Layer.succeed(McpEndpoint, endpoint), Authenticated.layer])
        )
        const alice = yield* connect(port, "2025-11-25", { "x-user": "alice" })
        const as = (user: string | undefined) => new Client(port, { ...alice.headers, "x-user": user })
        const made = yield* new Client(port, { "mcp-session-id": "made-up", "x-user": "bob" }).post(call("echo"))
        for (const user of ["bob", undefined]) {
          const client = as(user)
          const stream = yield* client.get()
          assert.strictEqual(stream.status, 404)
          assert.strictEqual((yield* client.delete()).status, 404)
          const answer = yield* client.post(call("echo"))
          assert.deepStrictEqual([answer.status, answer.body], [404, made.body])
        }
        assert.strictEqual((yield* as("alice").post(call("echo"))).status, 200)
      }))

    it.live("B9, case 32: a second initialize is refused within its session, which goes on", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port)
        const answer = yield* client.post(initialize("2025-03-26", 7))
        assert.strictEqual(answer.status, 400)
        assert.deepInclude(errorOf(answer), { id: 7, code: -32600 })
        assert.notProperty(answer.headers, "mcp-session-id")
        assert.strictEqual(sessions.size, 1)
        assert.strictEqual((yield* client.post(call("echo"))).status, 200)
      }))

    it.live("LHTTP-27: a version that is not served is 400, on every verb", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { revisions: ["2025-11-25", "2025-06-18"] })
        const client = yield* connect(port)
        for (const version of ["2025-03-26", "1999-01-01", "nonsense"]) {
          const headers = { "mcp-protocol-version": version }
          const stream = yield* client.get(headers)
          assert.strictEqual(stream.status, 400)
          const answers = [
            yield* client.post(call("echo"), headers),
            yield* client.post(notification("n"), headers),
            yield* client.delete(headers)
          ]
          for (const answer of answers) {
            assert.strictEqual(answer.status, 400)
            assert.include(errorOf(answer).message, "2025-11-25, 2025-06-18")
          }
        }
        // Any that is served will do, since the session has its own.
        assert.strictEqual((yield* client.post(call("echo"), { "mcp-protocol-version": "2025-06-18" })).status, 200)
      }))

    it.live("LHTTP-4, CAN-6: notifications and responses are 202 without a body", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port)
        const answers = [
          yield* client.post(notification("notifications/roots/list_changed")),
          yield* client.post({ jsonrpc: "2.0", id: "s1", result: {} }),
          yield* client.post({ jsonrpc: "2.0", id: "s2", error: { code: -1, message: "No" } }),
          yield* client.post(notification("notifications/cancelled", { requestId: "unknown" }))
        ]
        for (const { body, status } of answers) assert.deepStrictEqual([status, body], [202, ""])
        const [session] = sessions.values()
        assert.deepStrictEqual(session?.notified, [
          "notifications/initialized",
          "notifications/roots/list_changed"
        ])
        assert.deepStrictEqual(session?.answers.map(({ id }) => id), ["s1", "s2"])
      }))

    it.live("an unknown method is 200, since 404 would mean the session", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const client = yield* connect(port)
        const answer = yield* client.post({ jsonrpc: "2.0", id: 3, method: "no/such" })
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(errorOf(answer), { id: 3, code: -32601 })
        const failed = yield* client.post(call("no such tool"))
        assert.strictEqual(failed.status, 200)
        assert.strictEqual(errorOf(failed).code, -32602)
      }))

    it.live("LHTTP-24: DELETE ends the session, interrupts its calls, and ends its streams", () =>
      Effect.gen(function*() {
        const [waiting, streaming] = [yield* held(), yield* held()]
        const { port, sessions } = yield* serve(entry, {
          handlers: { waiting: waiting.handler, streaming: streaming.handler }
        })
        const client = yield* connect(port)
        const listening = yield* client.get()
        const first = yield* Effect.forkChild(client.post(call("waiting", 1)))
        const second = yield* Effect.forkChild(client.openPost(call("streaming", 2)))
        yield* waiting.exchange
        const exchange = yield* streaming.exchange
        exchange.emit(progress(1))
        const stream = yield* Fiber.join(second)
        yield* stream.until(({ events }) => events.length === 1)
        assert.strictEqual((yield* client.delete()).status, 204)
        yield* Effect.all([waiting.interrupted, streaming.interrupted, stream.end, listening.end])
        assert.deepStrictEqual([stream.ended, listening.ended], ["complete", "complete"])
        assert.strictEqual((yield* Fiber.join(first)).body, "")
        assert.strictEqual(sessions.size, 0)
        assert.strictEqual((yield* client.post(call("echo"))).status, 404)
        assert.strictEqual((yield* client.delete()).status, 404)
      }))

    it.live("case 53: a handler that goes on after its session has ended harms nobody", () =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        const done = yield* Deferred.make<void>()
        const { port } = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.gen(function*() {
                for (let n = 1; n <= 3; n++) exchange.emit(progress(n))
                yield* Deferred.await(go)
                for (let n = 4; n <= 10; n++) exchange.emit(progress(n))
                exchange.ask?.({ _tag: "Request", id: "q", method: "roots/list", params: undefined })
                yield* exchange.drained
                yield* Deferred.succeed(done, undefined)
                return {}
              }).pipe(Effect.uninterruptible)
          }
        })
        const [client, other] = [yield* connect(port), yield* connect(port)]
        const stream = yield* client.openPost(call("tool"))
        yield* stream.until(({ events }) => events.length === 3)
        yield* client.delete()
        yield* stream.end
        assert.strictEqual(stream.ended, "complete")
        yield* Deferred.succeed(go, undefined)
        yield* Deferred.await(done)
        assert.strictEqual((yield* other.post(call("echo"))).status, 200)
        assert.lengthOf(stream.events, 3)
      }))

    it.live("F4: sessions that cannot be had for now are 503, and modern requests are served", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, {
          store: Effect.fail(new SessionUnavailable({ message: "No session for now" }))
        })
        const client = new Client(port, { "mcp-session-id": "some" })
        const answers = [
          yield* new Client(port).post(initialize()),
          yield* client.post(call("echo")),
          yield* client.delete()
        ]
        for (const answer of answers) {
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(answer.headers["retry-after"], "1")
          assert.deepInclude(errorOf(answer), { code: -32603, message: "No session for now" })
        }
        const modern = Message.call("echo")
        assert.strictEqual((yield* new Client(port).post(modern, Message.headers(modern))).status, 200)
      }))

    it.live("a store that takes its time, and one that is broken", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { store: Effect.yieldNow })
        const client = yield* connect(port)
        assert.strictEqual((yield* client.post(call("echo"))).status, 200)
        const logs: Array<string> = []
        const broken = yield* serve(entry, { store: Effect.die(new Error("broken")), logs })
        const answer = yield* new Client(broken.port).post(initialize())
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(errorOf(answer), { code: -32603, message: "Internal error" })
        assert.deepStrictEqual(logs, ["Error A message could not be taken"])
      }))

    it.live("the limit inFlightRequests counts calls of both eras, and those whose client is gone", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { inFlightRequests: 1 } })
        const client = yield* connect(port)
        const gone = yield* Effect.forkChild(client.openPost(call("tool", 1)))
        yield* tool.exchange
        yield* Fiber.interrupt(gone)
        const modern = Message.call("echo")
        const answers = [
          yield* client.post(call("echo", 2)),
          yield* new Client(port).post(initialize("2025-11-25", 2)),
          yield* new Client(port).post({ ...modern, id: 2 }, Message.headers(modern))
        ]
        for (const answer of answers) {
          assert.strictEqual(answer.status, 503)
          assert.deepInclude(errorOf(answer), { id: 2, code: -32603 })
        }
        yield* tool.release
        yield* Effect.yieldNow
        assert.strictEqual((yield* client.post(call("echo", 3))).status, 200)
      }))

    it.live("case 43, B8, B1: Host, Origin, types and sizes are looked at as ever", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { limits: { messageBytes: 2000 } })
        const client = yield* connect(port)
        const evil = { origin: "https://evil.example" }
        const stream = yield* client.get(evil)
        assert.strictEqual(stream.status, 403)
        assert.strictEqual((yield* client.get({ accept: "application/json" })).status, 406)
        assert.strictEqual((yield* client.post(call("echo"), evil)).status, 403)
        assert.strictEqual((yield* client.delete(evil)).status, 403)
        assert.strictEqual((yield* client.delete({ host: "evil.example" })).status, 403)
        assert.strictEqual((yield* client.post(call("echo"), { "content-type": "text/plain" })).status, 415)
        assert.strictEqual((yield* client.post(call("echo"), { accept: "text/html" })).status, 406)
        assert.strictEqual((yield* client.post(call("x".repeat(2000)))).status, 413)
        assert.strictEqual((yield* client.post("{")).status, 400)
        assert.strictEqual((yield* client.post(call("echo"))).status, 200)
      }))

    it.live("case 41: a page of another origin reads the id of its session, and may use every verb", () =>
      Effect.gen(function*() {
        const page = { origin: "https://app.example.com" }
        const { port } = yield* serve(entry, { options: { cors: { allowedOrigins: [page.origin] } } })
        const answer = yield* new Client(port).post(initialize(), page)
        assert.strictEqual(answer.headers["access-control-expose-headers"], "mcp-session-id, www-authenticate")
        const client = yield* connect(port, "2025-11-25", page)
        const stream = yield* client.get()
        const others = [stream, yield* client.post(call("echo")), yield* client.delete(), yield* client.delete()]
        for (const { headers } of others) assert.strictEqual(headers["access-control-allow-origin"], page.origin)
        stream.close()
      }))
  })
}
