/** Services that go from the application's router to handlers. */
import type { Exchange } from "@effect-mcp/core/ServerEndpoint"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as Endpoint from "./support/endpoint.ts"
import { errorOf, post, send } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serveRoutes } from "./support/serve.ts"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}

const subjectOf = (authorization: string | undefined): string | undefined =>
  /^Bearer token-of-(\w+)$/.exec(authorization ?? "")?.[1]

/** A bearer check. It waits, so that requests overtake one another. */
const Authenticated = HttpRouter.middleware<{ provides: Principal }>()((next) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const subject = subjectOf(headers.authorization)
    if (subject === undefined) {
      return HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": "Bearer" } })
    }
    yield* Effect.sleep(subject.length % 3)
    return yield* Effect.provideService(next, Principal, { subject })
  })
)

const subject = Effect.map(Principal, ({ subject }) => subject)
const admin = Visibility.make("admin", Effect.map(subject, (subject) => subject === "root"))
const Features = Layer.mergeAll(
  McpServer.tool(Tool.make("who-am-i", {}), () =>
    Effect.gen(function*() {
      const before = yield* subject
      yield* Effect.sleep(before.length % 5)
      return `${before} ${yield* subject}`
    })),
  McpServer.tool(Tool.make("restart", {}), () => Effect.succeed("Restarted"), { visibility: admin })
).pipe(Layer.provide(McpServer.fromTransport(Principal)))
const Server = Layer.orDie(McpServer.layer({ name: "test", version: "1.0.0" }, Features))

const served = {
  McpHttp: McpHttp.layerServer({ services: [Principal], cors: { allowedOrigins: ["https://app.example.com"] } }),
  NodeMcpHttp: NodeMcpHttp.layerServer({ services: [Principal], cors: { allowedOrigins: ["https://app.example.com"] } })
}

const bearer = (subject: string) => ({ authorization: `Bearer token-of-${subject}` })
const textOf = (body: string) => JSON.parse(body).result.content[0].text

/** The exchange of one request. */
const exchangeOf = Effect.fnUntraced(function*(layerServer: typeof McpHttp.layerServer, options: "none" | "services") {
  let seen: Exchange | undefined
  const endpoint = Endpoint.make({
    handlers: {
      echo: (request, exchange) => {
        seen = exchange
        return Endpoint.echo(request, exchange)
      }
    }
  })
  const routes = options === "none"
    ? layerServer()
    : layerServer({ services: [HttpServerRequest.HttpServerRequest, HttpRouter.RouteContext] })
  const port = yield* serveRoutes(Layer.provide(routes, Layer.succeed(McpEndpoint, endpoint)))
  yield* post(port, Message.call("echo"), { "x-test": "yes" })
  assert(seen !== undefined)
  return seen.context
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  it.live(`${entry}: a principal that a layer makes up for everybody is refused`, () =>
    Effect.gen(function*() {
      const routes = entries[entry]({ services: [Principal] }).pipe(
        Layer.provide(Server),
        Layer.provide(Layer.succeed(Principal, { subject: "root" }))
      )
      // What is left of the requirement after `HttpRouter.serve` is the plain service.
      const exit = yield* Effect.exit(serveRoutes(routes as Layer.Layer<never, never, HttpRouter.HttpRouter>))
      assert(Exit.isFailure(exit))
      assert.match(Cause.pretty(exit.cause), /Principal is listed in the option `services`.*HttpRouter\.middleware/)
    }))
}

for (const entry of Object.keys(served) as ReadonlyArray<Entry>) {
  const start = serveRoutes(Layer.provide(served[entry], [Server, Authenticated.layer]))

  describe(`${entry} with services`, () => {
    it.live("each of a hundred requests at a time is answered for its own principal", () =>
      Effect.gen(function*() {
        const port = yield* start
        const subjects = Array.from({ length: 100 }, (_, n) => `user${"x".repeat(n % 7)}${n}`)
        const answers = yield* Effect.forEach(
          subjects,
          (subject, id) => post(port, Message.call("who-am-i", {}, id), bearer(subject)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ body }) => textOf(body)), subjects.map((name) => `${name} ${name}`))
      }))

    it.live("who is nobody reaches no handler, and its connection is left alone", () =>
      Effect.gen(function*() {
        const port = yield* start
        const answer = yield* post(port, Message.call("who-am-i"))
        assert.strictEqual(answer.status, 401)
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
        assert.strictEqual((yield* send(port, { method: "GET" })).status, 401)
      }))

    it.live("conditions see the principal", () =>
      Effect.gen(function*() {
        const port = yield* start
        const list = (subject: string) =>
          Effect.map(
            post(port, Message.request("tools/list"), bearer(subject)),
            ({ body }) => JSON.parse(body).result.tools.map(({ name }: { readonly name: string }) => name)
          )
        assert.deepStrictEqual(yield* list("alice"), ["who-am-i"])
        assert.deepStrictEqual(yield* list("root"), ["who-am-i", "restart"])
        const hidden = yield* post(port, Message.call("restart"), bearer("alice"))
        assert.strictEqual(errorOf(hidden).code, -32602)
        assert.strictEqual(textOf((yield* post(port, Message.call("restart"), bearer("root"))).body), "Restarted")
      }))

    it.live("a preflight, which has no credentials, comes before the middleware", () =>
      Effect.gen(function*() {
        const port = yield* start
        const answer = yield* send(port, {
          method: "OPTIONS",
          headers: {
            origin: "https://app.example.com",
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization"
          }
        })
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.headers["access-control-allow-origin"], "https://app.example.com")
      }))

    it.live("without the option a request is an internal error, and the log says what is missing", () =>
      Effect.gen(function*() {
        const logged: Array<string> = []
        const logger = Logger.layer([
          Logger.make(({ cause, message }) => void logged.push(`${[message].flat().join(" ")} ${Cause.pretty(cause)}`))
        ])
        const routes = { McpHttp, NodeMcpHttp }[entry].layerServer()
        const port = yield* serveRoutes(Layer.provide(routes, [Layer.provide(Server, logger), Authenticated.layer]))
        const answer = yield* post(port, Message.call("who-am-i"), bearer("alice"))
        assert.deepStrictEqual(errorOf(answer), { id: 1, code: -32603, message: "Internal error" })
        assert.include(logged.join(), "The http transport did not provide test/Principal")
      }))

    it.live("what the router has may be listed", () =>
      Effect.gen(function*() {
        const context = yield* exchangeOf({ McpHttp, NodeMcpHttp }[entry].layerServer, "services")
        assert.strictEqual(context.mapUnsafe.size, 2)
        const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
        assert.deepStrictEqual(Option.map(request, ({ headers }) => headers["x-test"]), Option.some("yes"))
      }))

    it.live("nothing is made for a request when nothing is listed, and spans go on when something is", () =>
      Effect.gen(function*() {
        const { layerServer } = { McpHttp, NodeMcpHttp }[entry]
        assert.strictEqual(yield* exchangeOf(layerServer, "none"), Context.empty())
        const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
        const traced = yield* Effect.withTracer(exchangeOf(layerServer, "services"), tracer)
        assert.isTrue(Option.isSome(Context.getOption(traced, Tracer.ParentSpan)))
        assert.strictEqual(traced.mapUnsafe.size, 3)
      }))
  })
}

describe("McpHttp.toWebHandler with services", () => {
  const make = Effect.acquireRelease(
    Effect.sync(() => McpHttp.toWebHandler(Layer.provide(Server, Logger.layer([])), { services: [Principal] })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const request = (message: Message.Json) =>
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: Message.headers(message),
      body: JSON.stringify(message)
    })

  it.live("they come with the call", () =>
    Effect.gen(function*() {
      const { handler } = yield* make
      for (const subject of ["alice", "bob"]) {
        const context = Context.make(Principal, { subject })
        const response = yield* Effect.promise(() => handler(request(Message.call("who-am-i")), context))
        assert.strictEqual(textOf(yield* Effect.promise(() => response.text())), `${subject} ${subject}`)
      }
    }))

  it.live("what a runtime gives with the request is none", () =>
    Effect.gen(function*() {
      const { handler } = yield* make
      // As a runtime calls it, which knows nothing of its type.
      const response = yield* Effect.promise((): Promise<Response> =>
        Reflect.apply(handler, undefined, [request(Message.call("who-am-i")), { PATH: "/" }])
      )
      assert.strictEqual(JSON.parse(yield* Effect.promise(() => response.text())).error.code, -32603)
    }))
})
