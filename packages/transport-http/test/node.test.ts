import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import * as http2 from "node:http2"
import * as net from "node:net"
import * as Endpoint from "./support/endpoint.ts"
import { send } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

const message = Message.call("echo", { text: "x" })
const body = JSON.stringify(message)
const result = { resultType: "complete", echo: { text: "x" } }

/** Reads what comes over a socket until a text is in it. */
const readUntil = (socket: net.Socket, text: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    socket.on("data", (data) => {
      received += data.toString()
      if (received.includes(text)) resume(Effect.succeed(received))
    })
  }).pipe(Effect.timeout("2 seconds"))

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(entry, () => {
    it.live("a client that waits for 100 Continue is told to go on, once", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const socket = net.connect(port, "127.0.0.1")
        yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
        const headers = Object.entries(Message.headers(message)).map(([name, value]) => `${name}: ${value}\r\n`).join(
          ""
        )
        socket.write(
          `POST /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n${headers}content-length: ${body.length}\r\n\r\n`
        )
        assert.match(yield* readUntil(socket, "\r\n\r\n"), /^HTTP\/1.1 100 Continue\r\n\r\n$/)
        socket.write(body)
        assert.match(yield* readUntil(socket, "}"), /^HTTP\/1.1 200 OK\r\n/)
      }))

    it.live("B1: a client that waits for 100 Continue with too much is refused before it sends", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { limits: { messageBytes: 10 } })
        const socket = net.connect(port, "127.0.0.1")
        yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
        socket.write(
          "POST /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n"
        )
        assert.match(yield* readUntil(socket, "}}"), /^HTTP\/1.1 413 /)
      }))

    it.live("two requests on one connection", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
        yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
        const sockets = new Set<unknown>()
        for (let i = 0; i < 3; i++) {
          const answer = yield* Effect.callback<string>((resume) => {
            const request = http.request(
              { port, host: "127.0.0.1", path: "/mcp", method: "POST", agent, headers: Message.headers(message) },
              (response) => {
                let text = ""
                response.on("data", (data) => (text += data))
                response.on("end", () => resume(Effect.succeed(text)))
              }
            )
            request.on("socket", (socket) => sockets.add(socket))
            request.end(body)
          })
          assert.deepStrictEqual(JSON.parse(answer).result, result)
        }
        assert.strictEqual(sockets.size, 1)
      }))

    it.live("a body that a middleware has read is read again", () =>
      Effect.gen(function*() {
        const server = http.createServer()
        const reading = HttpRouter.middleware((handler) =>
          Effect.andThen(
            Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => Effect.orDie(request.text)),
            handler
          )
        )
        yield* Layer.build(
          HttpRouter.serve(
            entries[entry]().pipe(
              Layer.provide(reading.layer),
              Layer.provide(Layer.succeed(McpEndpoint, Endpoint.make()))
            ),
            { disableLogger: true, disableListenLog: true }
          ).pipe(
            Layer.provide(
              NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", disablePreemptiveShutdown: true })
            )
          )
        )
        const { port } = server.address() as net.AddressInfo
        const answer = yield* send(port, { headers: Message.headers(message), body })
        assert.deepStrictEqual(JSON.parse(answer.body).result, result)
      }))

    it.live("HTTP/2: a body and a stream", () =>
      Effect.gen(function*() {
        const server = http2.createServer()
        const handlers: Endpoint.Options["handlers"] = {
          count: (_, exchange) =>
            Effect.sync(() => {
              exchange.emit(Endpoint.progress(1))
              return { resultType: "complete" }
            })
        }
        yield* Layer.build(
          HttpRouter.serve(
            entries[entry]().pipe(Layer.provide(Layer.succeed(McpEndpoint, Endpoint.make({ handlers })))),
            { disableLogger: true, disableListenLog: true }
          ).pipe(
            Layer.provide(
              NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", disablePreemptiveShutdown: true })
            )
          )
        )
        const session = http2.connect(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`)
        yield* Effect.addFinalizer(() => Effect.sync(() => session.destroy()))
        const ask = (message: Message.Json) =>
          Effect.callback<{ readonly type: unknown; readonly text: string }>((resume) => {
            const stream = session.request({ ":method": "POST", ":path": "/mcp", ...Message.headers(message) })
            let text = ""
            let type: unknown
            stream.on("response", (headers) => (type = headers["content-type"]))
            stream.on("data", (data) => (text += data))
            stream.on("end", () => resume(Effect.succeed({ type, text })))
            stream.end(JSON.stringify(message))
          }).pipe(Effect.timeout("2 seconds"))
        const echo = yield* ask(message)
        assert.strictEqual(echo.type, "application/json")
        assert.deepStrictEqual(JSON.parse(echo.text).result, result)
        const count = yield* ask(Message.call("count"))
        assert.strictEqual(count.type, "text/event-stream")
        assert.lengthOf(count.text.split("data: "), 3)
      }))
  })
}

describe("an answer on the wire", () => {
  it.live("NodeMcpHttp: head and body leave in one write", () =>
    Effect.gen(function*() {
      const port = yield* serve("NodeMcpHttp")
      const chunks: Array<string> = []
      const socket = net.connect(port, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      socket.on("data", (data) => chunks.push(data.toString()))
      const headers = Object.entries(Message.headers(message)).map(([name, value]) => `${name}: ${value}\r\n`).join("")
      socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`)
      yield* readUntil(socket, "}}")
      assert.lengthOf(chunks, 1)
      assert.match(chunks[0] ?? "", /content-length: \d+\r\n/i)
    }))

  it.live("McpHttp: a middleware that changes responses is seen", () =>
    Effect.gen(function*() {
      const server = http.createServer()
      yield* Layer.build(
        HttpRouter.serve(
          McpHttp.layerServer().pipe(Layer.provide(Layer.succeed(McpEndpoint, Endpoint.make()))),
          {
            disableLogger: true,
            disableListenLog: true,
            middleware: HttpMiddleware.cors({ allowedOrigins: ["http://localhost"] })
          }
        ).pipe(
          Layer.provide(
            NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1", disablePreemptiveShutdown: true })
          )
        )
      )
      const { port } = server.address() as net.AddressInfo
      const answer = yield* send(port, { headers: { ...Message.headers(message), origin: "http://localhost" }, body })
      assert.strictEqual(answer.headers["access-control-allow-origin"], "http://localhost")
    }))
})
