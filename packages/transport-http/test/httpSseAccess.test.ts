/** HTTP+SSE, the transport of 2024-11-05: where it is, and who may come. */
import * as RequestService from "@effect-mcp/core/RequestService"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { errorOf, send } from "./support/http.ts"
import { connect, type Connection, get, openSession, post, serve } from "./support/httpSse.ts"
import * as Legacy from "./support/legacy.ts"
import { call, initialize, notification } from "./support/legacy.ts"
import * as LegacyEndpoint from "./support/legacyEndpoint.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serveLayer, serveRoutes } from "./support/serve.ts"

const echo = { resultType: "complete", echo: {} }

/** Serves on a router that has something before every path. */
const serveBelow = (entry: Entry, prefix: string, options: McpHttp.ServerOptions) =>
  serveRoutes(
    entries[entry](options).pipe(
      Layer.provide(Layer.succeed(McpEndpoint, LegacyEndpoint.make().endpoint)),
      Layer.provide(
        Layer.effect(HttpRouter.HttpRouter, Effect.map(HttpRouter.HttpRouter, (router) => router.prefixed(prefix)))
      )
    )
  )

/** The path of the address, whose query is nothing but the id. */
const pathOf = ({ address }: Connection): string => {
  const match = /^(.*)\?sessionId=[A-Za-z0-9_-]{43}$/.exec(address)
  assert(match !== null, address)
  return match[1]!
}

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}

const Authenticated = HttpRouter.middleware<{ provides: Principal }>()((next) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers["x-user"] === undefined
      ? Effect.succeed(HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } }))
      : Effect.provideService(next, Principal, { subject: headers["x-user"] }))
)

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: the address`, () => {
    it.live("SSE-1, SSE-2: the first event of the stream tells where to post, and every connection has its own", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const [one, two] = [yield* connect(port), yield* connect(port)]
        assert.deepInclude(one.stream.headers, {
          "content-type": "text/event-stream",
          "cache-control": "no-cache",
          "x-accel-buffering": "no",
          connection: "close"
        })
        assert.strictEqual(one.frames[0]?.[0], "endpoint")
        assert.strictEqual(pathOf(one), "/messages")
        assert.notStrictEqual(one.address, two.address)
        assert.strictEqual((yield* one.ask(initialize("2024-11-05"))).id, 0)
        assert.lengthOf(one.messages, 1)
        assert.lengthOf(two.messages, 0)
      }))

    const custom = { path: "/old/events", messages: "/old/in" } as const
    const tenants = { path: "/:tenant/events", messages: "/:tenant/events/in" } as const
    const cases: ReadonlyArray<readonly [prefix: string, McpHttp.ServerOptions["httpSse"], string, string]> = [
      ["", true, "/sse?token=secret&sessionId=mine", "/messages"],
      ["", true, "/sse/", "/messages"],
      ["", true, "/SSE", "/messages"],
      // Two slashes at the beginning of an address are another server.
      ["", true, "//sse", "/messages"],
      ["", { path: "/stream", messages: undefined }, "/stream", "/messages"],
      ["", { messages: "/in" }, "/sse", "/in"],
      ["", { path: "/both", messages: "/both" }, "/both", "/both"],
      ["", custom, "/old/events?x=1", "/old/in"],
      ["", tenants, "/acme%20inc/events", "/acme%20inc/events/in"],
      ["/api/v1", true, "/api/v1/sse?x=/sse", "/api/v1/messages"],
      ["/api/v1", true, "//api//v1/sse/", "/api/v1/messages"],
      ["/api", custom, "/api/old/events", "/api/old/in"],
      ["/:org", tenants, "/us/acme/events", "/us/acme/events/in"]
    ]
    for (const [prefix, httpSse, path, expected] of cases) {
      it.live(`SSE-2: GET ${path} below ${prefix || "nothing"} is told of ${expected}, which works`, () =>
        Effect.gen(function*() {
          const options = { httpSse, cors: { allowedOrigins: ["https://app.example.com"] } }
          const port = prefix === ""
            ? (yield* serve(entry, { options })).port
            : yield* serveBelow(entry, prefix, options)
          const connection = yield* openSession(port, "2024-11-05", { path })
          assert.strictEqual(pathOf(connection), expected)
          assert.deepInclude(yield* connection.ask(call("echo")), { id: 1, result: echo })
        }))
    }

    it.live("SSE-6: nothing is there unless it is asked for, or where no session can be opened", () =>
      Effect.gen(function*() {
        const ports = [
          (yield* Legacy.serve(entry)).port,
          (yield* serve(entry, { options: { httpSse: false } })).port,
          (yield* serve(entry, { options: { httpSse: { path: "/x", messages: "/y" } } })).port,
          yield* serveLayer(
            entry,
            Layer.succeed(McpEndpoint, { ...LegacyEndpoint.make().endpoint, legacy: undefined }),
            { options: { httpSse: true } }
          )
        ]
        for (const port of ports) {
          assert.strictEqual((yield* get(port)).status, 404)
          assert.strictEqual((yield* post(port, "/messages?sessionId=x", call("echo"))).status, 404)
        }
      }))

    it.live("SSE-6, ERA-5: it is beside the endpoint of the other transports, and their sessions are apart", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const older = yield* openSession(port)
        const streamable = yield* Legacy.connect(port)
        const modern = Message.call("echo")
        const [a, b, c] = yield* Effect.all([
          older.ask(call("echo", "old")),
          streamable.post(call("echo")),
          send(port, { headers: Message.headers(modern), body: JSON.stringify(modern) })
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(a, { jsonrpc: "2.0", id: "old", result: echo })
        assert.deepStrictEqual([b.status, c.status], [200, 200])
        const id = String(streamable.headers["mcp-session-id"])
        assert.strictEqual((yield* post(port, `/messages?sessionId=${id}`, call("echo"))).status, 404)
        const ours = older.address.slice("/messages?sessionId=".length)
        assert.strictEqual((yield* new Legacy.Client(port, { "mcp-session-id": ours }).post(call("echo"))).status, 404)
        // Each path has its own verbs.
        assert.strictEqual((yield* post(port, "/sse", call("echo"))).status, 404)
        assert.strictEqual((yield* get(port, { path: older.address })).status, 404)
        assert.strictEqual((yield* send(port, { method: "HEAD", path: "/sse" })).status, 405)
      }))

    it.live("sessions: false is about the other transport", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { options: { sessions: false } })
        const older = yield* openSession(port)
        assert.deepInclude(yield* older.ask(call("echo")), { result: echo })
        const client = new Legacy.Client(port)
        assert.notProperty((yield* client.post(initialize())).headers, "mcp-session-id")
        assert.strictEqual((yield* client.get()).status, 405)
      }))
  })

  describe(`${entry}: who may`, () => {
    it.live("B9, F18: a connection that is guessed, malformed, missing or over is 404, and all are told the same", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const open = yield* openSession(port)
        const over = yield* openSession(port)
        over.stream.close()
        const isOver = Effect.repeat(
          Effect.map(post(port, over.address, call("echo")), ({ status }) => status),
          { until: (status) => status === 404 }
        )
        yield* Effect.timeout(isOver, "2 seconds")
        const guessed = `${open.address.slice(0, -1)}${open.address.endsWith("A") ? "B" : "A"}`
        const bodies = new Set<string>()
        for (
          const address of [
            guessed,
            over.address,
            "/messages",
            "/messages?sessionId=",
            "/messages?sessionId=__proto__",
            `/messages?sessionId=${"x".repeat(1000)}`,
            `/messages?xsessionId=${open.address.split("=")[1]}`
          ]
        ) {
          for (const message of [call("echo"), initialize(), notification("notifications/initialized"), "{"]) {
            const { body, status } = yield* post(port, address, message)
            assert.strictEqual(status, 404, address)
            bodies.add(body)
          }
        }
        assert.strictEqual(bodies.size, 1)
        assert.lengthOf(open.messages, 1)
      }))

    it.live("LHTTP-28, B9, case 56: a connection is for whom it was opened by, and nobody comes to it unasked", () =>
      Effect.gen(function*() {
        const { endpoint, sessions } = LegacyEndpoint.make()
        const routes = entries[entry]({
          httpSse: true,
          services: [Principal],
          principal: (services) => Context.get(services, Principal).subject
        })
        const port = yield* serveRoutes(
          routes.pipe(Layer.provide([Layer.succeed(McpEndpoint, endpoint), Authenticated.layer]))
        )
        const alice = yield* openSession(port, "2024-11-05", { headers: { "x-user": "alice" } })
        assert.strictEqual([...sessions.values()][0]?.principal, "alice")
        for (const message of [call("echo"), notification("notifications/cancelled", { requestId: 1 })]) {
          assert.strictEqual((yield* post(port, alice.address, message, { "x-user": "bob" })).status, 404)
          const nobody = yield* post(port, alice.address, message)
          assert.deepStrictEqual([nobody.status, nobody.headers["www-authenticate"]], [401, "Bearer"])
        }
        assert.strictEqual((yield* get(port)).status, 401)
        assert.deepInclude(yield* alice.ask(call("echo")), { result: echo })
        assert.lengthOf(alice.messages, 2)
      }))

    it.live("SSE-5: a host or an origin that is not known is 403, for GET and POST", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const connection = yield* openSession(port)
        const foreign: ReadonlyArray<Record<string, string>> = [
          { host: "evil.example" },
          { origin: "https://evil.example" },
          { origin: "null" }
        ]
        for (const headers of foreign) {
          const stream = yield* get(port, { headers })
          yield* stream.end
          assert.strictEqual(stream.status, 403)
          assert.strictEqual((yield* connection.post(call("echo"), headers)).status, 403)
        }
        assert.lengthOf(connection.messages, 1)
        const page = yield* connect(port, { headers: { origin: "http://localhost:3000" } })
        assert.deepInclude(yield* page.ask(initialize()), { id: 0 })
      }))

    it.live("what is sent or wanted in another form is 406, 415 and 413", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { limits: { messageBytes: 1000 } })
        const connection = yield* openSession(port)
        for (const accept of ["application/json", "text/html", "text/event-stream;q=0"]) {
          const stream = yield* get(port, { headers: { accept } })
          yield* stream.end
          assert.strictEqual(stream.status, 406, accept)
        }
        assert.strictEqual((yield* connection.post(call("echo"), { accept: "text/html" })).status, 406)
        for (const type of ["text/plain", "application/json; charset=latin1"]) {
          assert.strictEqual((yield* connection.post(call("echo"), { "content-type": type })).status, 415)
        }
        const long = JSON.stringify(call("echo", 1, { text: "x".repeat(1000) }))
        const answers = [
          yield* connection.post(long),
          yield* send(port, {
            path: connection.address,
            headers: { "content-type": "application/json" },
            body: [long.slice(0, 10), long.slice(10)]
          })
        ]
        for (const answer of answers) {
          assert.strictEqual(answer.status, 413)
          assert.include(errorOf(answer).message, "the limit messageBytes")
        }
        assert.deepInclude(yield* connection.ask(call("echo", 2)), { result: echo })
        // What the clients of that time send.
        for (const accept of ["*/*", "text/event-stream"]) {
          yield* connect(port, { headers: { accept } })
          assert.strictEqual((yield* connection.post(call("echo", accept), { accept })).status, 202)
        }
      }))

    it.live("case 41: a page of an allowed origin may ask on both paths, and reads every answer", () =>
      Effect.gen(function*() {
        const page = "https://app.example.com"
        const { port } = yield* serve(entry, { options: { cors: { allowedOrigins: [page] } } })
        const headers = {
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization, content-type, mcp-protocol-version"
        }
        for (const path of ["/sse", "/messages?sessionId=x", "/mcp"]) {
          const answer = yield* send(port, { method: "OPTIONS", path, headers: { ...headers, origin: page } })
          assert.strictEqual(answer.status, 204, path)
          assert.strictEqual(answer.headers["access-control-allow-origin"], page)
          for (const name of ["authorization", "content-type", "mcp-protocol-version"]) {
            assert.include(answer.headers["access-control-allow-headers"], name)
          }
          const other = { ...headers, origin: "https://evil.example" }
          assert.strictEqual((yield* send(port, { method: "OPTIONS", path, headers: other })).status, 403)
        }
        const connection = yield* openSession(port, "2024-11-05", { headers: { origin: page } })
        const answers = [
          connection.stream,
          yield* connection.post(notification("notifications/initialized")),
          yield* connection.post("{"),
          yield* post(port, "/messages", call("echo"), { origin: page }),
          yield* get(port, { headers: { origin: page, accept: "text/html" } })
        ]
        assert.deepStrictEqual(answers.map(({ status }) => status), [200, 202, 400, 404, 406])
        for (const { headers } of answers) {
          assert.deepInclude(headers, { "access-control-allow-origin": page, vary: "Origin" })
        }
      }))
  })
}
