import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type * as http from "node:http"
import { connect, engines, outgoing, rawServer, type ConnectOptions } from "./support/client.ts"
import { version } from "./support/message.ts"

const list = outgoing("tools/list")
const success = { _tag: "Success", id: 1, result: { tools: [] } } as const
const successText = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [] } })

/** Sends `tools/list` to a server that answers as told. */
const ask = Effect.fnUntraced(function*(
  respond: (response: http.ServerResponse, request: http.IncomingMessage) => void,
  options?: ConnectOptions
) {
  const port = yield* rawServer((request, response) => respond(response, request))
  const transport = yield* connect(port, options)
  return yield* transport.send(list)
})

const reasonOf = <A, R>(effect: Effect.Effect<A, McpClientError.McpClientError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const json = (status: number, body: string, type = "application/json") => (response: http.ServerResponse) => {
  response.writeHead(status, type === "" ? {} : { "content-type": type })
  response.end(body)
}

describe("requests", () => {
  it.live("HTTP-4, HTTP-5, HTTP-16, HDR-1 to HDR-5, HDR-10: what is sent", () =>
    Effect.gen(function*() {
      const seen: Array<
        { readonly headers: http.IncomingHttpHeaders; readonly method?: string; readonly body: string }
      > = []
      const port = yield* rawServer(({ headers, method }, response, body) => {
        seen.push({ headers, ...(method === undefined ? undefined : { method }), body })
        json(200, successText)(response)
      })
      const transport = yield* connect(port, {
        headers: { authorization: "Bearer t", Accept: "text/html", "mcp-method": "spoofed" }
      })
      yield* transport.send(outgoing("tools/call", { name: " ünïcode" }, {
        mirror: { params: [["Region", "eu west"], ["City", "Zürich"], ["Empty", ""], ["Looks", "=?base64?x?="]] }
      }))
      yield* transport.send(list)
      const [call, second] = seen
      assert.strictEqual(call?.method, "POST")
      assert.deepInclude(call?.headers, {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "=?base64?IMO8bsOvY29kZQ==?=",
        "mcp-param-region": "eu west",
        "mcp-param-city": "=?base64?WsO8cmljaA==?=",
        "mcp-param-empty": "",
        "mcp-param-looks": "=?base64?PT9iYXNlNjQ/eD89?=",
        authorization: "Bearer t"
      })
      assert.deepStrictEqual(JSON.parse(call?.body ?? ""), {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: list.message.params === undefined ? {} : { ...list.message.params, name: " ünïcode" }
      })
      assert.notProperty(second?.headers ?? {}, "mcp-name")
    }))

  it.live("a header beyond its limit, and a message without JSON form, are not sent", () =>
    Effect.gen(function*() {
      const port = yield* rawServer(() => assert.fail("sent"))
      const transport = yield* connect(port)
      assert.deepStrictEqual(
        yield* reasonOf(transport.send(outgoing("tools/call", { name: "x".repeat(9000) }))),
        new McpClientError.LimitExceeded({ limit: "headerBytes", max: 8192 })
      )
      const reason = yield* reasonOf(transport.send(outgoing("tools/call", { name: "a", n: 1n })))
      assert.strictEqual(reason._tag, "InvalidCall")
    }))

  for (const engine of Object.keys(engines) as ReadonlyArray<keyof typeof engines>) {
    it.live(`a redirect is not followed, wherever it leads (${engine})`, () =>
      Effect.gen(function*() {
        const elsewhere = yield* rawServer(() => assert.fail("followed"))
        for (const status of [301, 302, 307, 308]) {
          const port = yield* rawServer((_, response) =>
            void response.writeHead(status, { location: `http://127.0.0.1:${elsewhere}/mcp` }).end()
          )
          const transport = yield* connect(port, { engine, headers: { "x-api-key": "secret" } })
          const reason = yield* reasonOf(transport.send(outgoing("tools/list")))
          assert.strictEqual(reason._tag === "UnexpectedStatus" && reason.status, status)
        }
      }))
  }

  it.live("case 40: a notification is taken by any 2xx, and the connection goes on", () =>
    Effect.gen(function*() {
      const sockets = new Set<unknown>()
      const shapes: ReadonlyArray<(response: http.ServerResponse) => void> = [
        (response) => response.writeHead(202).end(),
        (response) => response.writeHead(204).end(),
        (response) => (response.writeHead(200), response.write(""), response.end()),
        json(202, "Accepted", "text/plain"),
        json(200, "{}")
      ]
      let n = 0
      const port = yield* rawServer((request, response, body) => {
        sockets.add(request.socket)
        assert.deepInclude(request.headers, { "mcp-method": "notifications/x", "content-type": "application/json" })
        assert.deepStrictEqual(JSON.parse(body), { jsonrpc: "2.0", method: "notifications/x" })
        shapes[n++]?.(response)
      })
      const transport = yield* connect(port)
      for (const _ of shapes) {
        yield* transport.notify({ _tag: "Notification", method: "notifications/x", params: undefined })
      }
      assert.strictEqual(n, shapes.length)
      // undici may open a second one before it has the first back.
      assert.isAtMost(sockets.size, 2)
    }))

  it.live("a notification that is refused", () =>
    Effect.gen(function*() {
      const port = yield* rawServer((_, response) => json(400, "no", "text/plain")(response))
      const transport = yield* connect(port)
      assert.deepStrictEqual(
        yield* reasonOf(transport.notify({ _tag: "Notification", method: "n", params: undefined })),
        new McpClientError.UnexpectedStatus({ status: 400, body: "no" })
      )
    }))

  it.live("unrelated is silent, and ends with the connection", () =>
    Effect.gen(function*() {
      const unrelated = yield* Effect.scoped(Effect.gen(function*() {
        const { unrelated } = yield* connect(1)
        return yield* Effect.forkDetach(Stream.runCollect(unrelated))
      }))
      assert.deepStrictEqual(yield* Fiber.join(unrelated).pipe(Effect.timeout("5 seconds")), [])
    }))
})

describe("answers", () => {
  for (const type of ["application/json", "Application/JSON; charset=utf-8"]) {
    it.live(`HTTP-5, case 40: a body of ${type}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* ask(json(200, successText, type)), success)
      }))
  }

  it.live("case 40: a successful status with another type, or none, is no answer", () =>
    Effect.gen(function*() {
      for (
        const [type, problem] of [
          ["text/html", "status 200, and its content type is text/html"],
          ["", "status 200, and it has no content type"]
        ] as const
      ) {
        assert.deepStrictEqual(
          yield* reasonOf(ask(json(200, "<p>hello</p>", type))),
          new McpClientError.InvalidAnswer({ method: "tools/list", problem, raw: "<p>hello</p>" })
        )
      }
    }))

  it.live("a body that is no JSON, no message, or for another request", () =>
    Effect.gen(function*() {
      const other = JSON.stringify({ jsonrpc: "2.0", id: "1", result: {} })
      for (
        const [body, problem] of [
          ["{", "Not valid JSON"],
          ["[]", "An empty batch holds no message"],
          [other, "the body is no answer to this request"]
        ] as const
      ) {
        assert.deepStrictEqual(
          yield* reasonOf(ask(json(200, body))),
          new McpClientError.InvalidAnswer({ method: "tools/list", problem, raw: body })
        )
      }
    }))

  it.live("ERA-12, RPC-5: a 4xx with an error of the protocol is the answer, with or without an id", () =>
    Effect.gen(function*() {
      const error = { code: -32022, message: "No", data: { supported: [], requested: "x" } }
      for (const id of [1, undefined, null]) {
        assert.deepStrictEqual(yield* ask(json(400, JSON.stringify({ jsonrpc: "2.0", id, error }))), {
          _tag: "Failure",
          id: 1,
          error
        })
      }
      const reason = yield* reasonOf(ask(json(400, JSON.stringify({ jsonrpc: "2.0", id: 2, error }))))
      assert.strictEqual(reason._tag, "UnexpectedStatus")
    }))

  it.live("other statuses are told with the beginning of their body", () =>
    Effect.gen(function*() {
      for (const status of [302, 401, 404, 500, 502]) {
        assert.deepStrictEqual(
          yield* reasonOf(ask(json(status, `<html>${"x".repeat(1000)}`, "text/html"))),
          new McpClientError.UnexpectedStatus({ status, body: `<html>${"x".repeat(494)}` })
        )
      }
      assert.deepStrictEqual(
        yield* reasonOf(ask((response) => {
          response.writeHead(500)
          response.write("x".repeat(200_000))
        })),
        new McpClientError.UnexpectedStatus({ status: 500, body: "x".repeat(500) })
      )
    }))

  it.live("B1: a body beyond the limit, with a length and without", () =>
    Effect.gen(function*() {
      const limits = { messageBytes: 1000 }
      const expected = new McpClientError.LimitExceeded({ limit: "messageBytes", max: 1000 })
      const big = `{"text":"${"x".repeat(2000)}"}`
      assert.deepStrictEqual(yield* reasonOf(ask(json(200, big), { limits })), expected)
      const chunked = ask((response) => {
        response.writeHead(200, { "content-type": "application/json" })
        for (let i = 0; i < 100; i++) response.write("x".repeat(100))
      }, { limits })
      assert.deepStrictEqual(yield* reasonOf(chunked), expected)
    }))

  for (const engine of ["undici", "fetch", "node:http"] as const) {
    it.live(`${engine}: nobody listens`, () =>
      Effect.gen(function*() {
        const port = yield* Effect.scoped(rawServer(() => {}))
        const transport = yield* connect(port, { engine })
        const reason = yield* reasonOf(transport.send(list))
        assert.strictEqual(reason._tag, "ConnectFailed")
        assert.include(reason.message, `http://127.0.0.1:${port}/mcp does not answer: connect ECONNREFUSED`)
      }))

    it.live(`${engine}, case 47: a connection that is cut before the answer`, () =>
      Effect.gen(function*() {
        const reason = yield* reasonOf(ask((response) => response.destroy(), { engine }))
        assert.strictEqual(reason._tag, "TransportClosed")
      }))

    it.live(`${engine}, CAN-2, trap 9: interrupting closes the connection and sends nothing`, () =>
      Effect.gen(function*() {
        for (const head of [undefined, "application/json", "text/event-stream"]) {
          const requests: Array<string> = []
          const arrived = yield* Deferred.make<void>()
          const closed = yield* Deferred.make<void>()
          const port = yield* rawServer((_, response, body) => {
            requests.push(body)
            response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
            if (head !== undefined) {
              response.writeHead(200, { "content-type": head })
              response.write(" ")
            }
            Deferred.doneUnsafe(arrived, Effect.void)
          })
          const transport = yield* connect(port, { engine })
          const call = yield* Effect.forkChild(transport.send(list))
          yield* Deferred.await(arrived)
          yield* Effect.sleep(20)
          yield* Fiber.interrupt(call)
          yield* Effect.timeout(Deferred.await(closed), "5 seconds")
          assert.lengthOf(requests, 1)
        }
      }))
  }
})

describe("tracing", () => {
  const traced = Effect.fnUntraced(function*(options?: ConnectOptions) {
    const spans: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        spans.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const headers: Array<string | undefined> = []
    const send = ask((response, request) => {
      headers.push(request.headers.traceparent as string | undefined)
      json(200, successText)(response)
    }, options)
    const ids = yield* send.pipe(
      Effect.andThen(Effect.currentSpan),
      Effect.withSpan("call"),
      Effect.provideService(Tracer.Tracer, tracer)
    )
    return { spans, header: headers[0], ids }
  })

  it.live("there is one span for a call, and its headers are sent", () =>
    Effect.gen(function*() {
      const { header, ids, spans } = yield* traced()
      assert.deepStrictEqual(spans, ["call"])
      assert.strictEqual(header, `00-${ids.traceId}-${ids.spanId}-01`)
    }))

  it.live("httpSpans keeps those of HttpClient", () =>
    Effect.gen(function*() {
      const { header, ids, spans } = yield* traced({ httpSpans: true })
      assert.deepStrictEqual(spans, ["call", "POST"])
      assert.include(header, ids.traceId)
      assert.notInclude(header, ids.spanId)
    }))
})
