import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as http from "node:http"
import { connect, type ConnectOptions, rawServer } from "./support/client.ts"
import {
  answerTo,
  event,
  initialize,
  legacyOutgoing,
  note,
  pass,
  reasonOf,
  recorder,
  type Seen,
  sendJson,
  stream,
  until
} from "./support/legacyServer.ts"

const call = legacyOutgoing("tools/call")
const ok = (id: JsonRpc.Id = 1) => ({ _tag: "Success", id, result: { ok: true } }) as const
const endpoint = (uri: string) => `event: endpoint\ndata: ${uri}\n\n`

const progress = (n: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: "t", progress: n }
})

interface Options {
  readonly uri?: string
  readonly revision?: "2024-11-05" | "2025-03-26" | "2025-06-18"
  readonly connect?: ConnectOptions
  /** Answers the POSTs of requests; `emit` writes to the stream. */
  readonly post?: (
    response: http.ServerResponse,
    seen: Seen,
    emit: (...messages: ReadonlyArray<unknown>) => void
  ) => void
}

/** A client that has a session with a server of 2024-11-05, at the same URL. */
const session = Effect.fnUntraced(function*(options: Options = {}) {
  let sse: http.ServerResponse | undefined
  const emit = (...messages: ReadonlyArray<unknown>) => sse?.write(messages.map((message) => event(message)).join(""))
  const server = yield* recorder((response, seen) => {
    const { message, url, verb } = seen
    if (verb === "GET") return (sse = stream(response, endpoint(options.uri ?? "/messages?sessionId=1")))
    if (!url.startsWith("/messages")) return response.writeHead(405).end()
    if (message.method === "initialize") {
      emit(answerTo(seen, { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: {} }))
    } else if (message.id !== undefined && options.post !== undefined) {
      return options.post(response, seen, emit)
    }
    response.writeHead(202).end("Accepted")
  })
  const transport = yield* connect(server.port, options.connect)
  const { older } = transport.legacy
  if (older === undefined) return assert.fail("there is none")
  yield* older
  yield* initialize(transport, options.revision ?? "2024-11-05")
  return { ...server, transport, emit, end: () => sse?.end(), cut: () => sse?.destroy() }
})

/** Tries to switch to the older transport with a server that answers GET so. */
const attempt = Effect.fnUntraced(function*(
  respond: (response: http.ServerResponse, port: number) => void,
  options?: ConnectOptions
) {
  let port = 0
  const seen: Array<http.IncomingMessage> = []
  port = yield* rawServer((request, response) => {
    seen.push(request)
    respond(response, port)
  })
  const transport = yield* connect(port, options)
  const reason = yield* reasonOf(transport.legacy.older ?? Effect.void)
  return { reason, seen, transport, port }
})

describe("the steps to it", () => {
  it.effect("SSE-1..4, ERA-15, LHTTP-30: from a POST that is refused to a session", () =>
    Effect.gen(function*() {
      const { seen, transport } = yield* session({
        connect: { headers: { authorization: "Bearer t" } },
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit(answerTo(seen))
        }
      })
      assert.deepStrictEqual(yield* transport.send(call), ok())
      yield* transport.reply(JsonRpc.success(7, {}))
      assert.deepStrictEqual(seen.map(({ message, url, verb }) => [verb, url, message.method ?? message.result]), [
        ["GET", "/mcp", undefined],
        ["POST", "/messages?sessionId=1", "initialize"],
        ["POST", "/messages?sessionId=1", "notifications/initialized"],
        ["POST", "/messages?sessionId=1", "tools/call"],
        ["POST", "/messages?sessionId=1", {}]
      ])
      assert.strictEqual(seen[0]?.headers.accept, "text/event-stream")
      for (const { headers } of seen) {
        assert.strictEqual(headers.authorization, "Bearer t")
        assert.notProperty(headers, "mcp-protocol-version")
        assert.notProperty(headers, "mcp-method")
      }
    }))

  for (
    const [what, uri, expected] of [
      ["a path", "/messages", "/messages"],
      ["a relative one", "../messages?x=1", "/messages?x=1"],
      ["a query only", "?s=1", "/mcp?s=1"]
    ] as const
  ) {
    it.effect(`SSE-2: the endpoint is resolved against the URL: ${what}`, () =>
      Effect.gen(function*() {
        const { port, seen } = yield* recorder((response, { verb }) =>
          verb === "GET" ? stream(response, endpoint(uri)) : response.writeHead(202).end()
        )
        const transport = yield* connect(port)
        yield* transport.legacy.older ?? Effect.void
        yield* transport.send(legacyOutgoing("initialize")).pipe(Effect.forkScoped)
        yield* until(() => seen.length === 2, "the POST")
        assert.strictEqual(seen[1]?.url, expected)
      }))
  }

  it.effect("SSE-2: an endpoint with its origin, if it is the same", () =>
    Effect.gen(function*() {
      let port = 0
      const server = yield* recorder((response, { verb }) =>
        verb === "GET"
          ? stream(response, endpoint(`http://127.0.0.1:${port}/messages`))
          : response.writeHead(202).end()
      )
      port = server.port
      const transport = yield* connect(port)
      yield* transport.legacy.older ?? Effect.void
      yield* transport.send(legacyOutgoing("initialize")).pipe(Effect.forkScoped)
      yield* until(() => server.seen.length === 2, "the POST")
    }))

  for (
    const uri of [
      "https://evil.example/messages",
      "//evil.example/messages",
      "http://127.0.0.1:1/messages",
      "http://localhost/messages",
      "javascript:alert(1)",
      "\\\\evil.example\\messages"
    ]
  ) {
    it.effect(`B14: an endpoint of another origin is refused: ${uri}`, () =>
      Effect.gen(function*() {
        const { reason, seen } = yield* attempt((response) => void stream(response, endpoint(uri)), {
          headers: { authorization: "Bearer secret" }
        })
        assert.strictEqual(reason._tag, "ConnectFailed")
        assert.include(reason.message, "/mcp does not speak HTTP+SSE: its endpoint is of another origin")
        assert.lengthOf(seen, 1)
      }))
  }

  it.effect("an endpoint that is no URL", () =>
    Effect.gen(function*() {
      const { reason } = yield* attempt((response) => void stream(response, endpoint("http://[")))
      assert.include(reason.message, "its endpoint is no URL: http://[")
    }))

  it.effect("a status that refuses is told as it is", () =>
    Effect.gen(function*() {
      for (const status of [401, 404, 405, 500]) {
        const { reason } = yield* attempt((response) => void response.writeHead(status).end("no"))
        assert.deepStrictEqual(reason, new McpClientError.UnexpectedStatus({ status, body: "no" }))
      }
    }))

  it.effect("what is no such stream: a page, another kind of stream, a stream that ends", () =>
    Effect.gen(function*() {
      const page = yield* attempt((response) => sendJson(response, 200, {}))
      assert.include(page.reason.message, "it answers GET with application/json")
      const other = yield* attempt((response) => void stream(response, event(note(1), "1")))
      assert.strictEqual(other.reason._tag, "ConnectFailed")
      assert.include(other.reason.message, "its stream does not begin with the event \"endpoint\"")
      const ended = yield* attempt((response) => void stream(response).end())
      assert.strictEqual(ended.reason._tag, "TransportClosed")
    }))

  it.effect("F19: a server that says nothing is waited for as long as discoverTimeout", () =>
    Effect.gen(function*() {
      let closed = false
      const running = yield* Effect.forkChild(attempt((response) => {
        response.on("close", () => (closed = true))
        stream(response, ":\n\n")
      }, { limits: { discoverTimeout: 3000 } }))
      const waited = yield* pass(() => running.pollUnsafe() !== undefined, "the end of it")
      assert.isAtLeast(waited, 2950)
      const { reason } = yield* Fiber.join(running)
      assert.include(reason.message, "it sent no event \"endpoint\" within 3000 ms")
      yield* until(() => closed, "the end of the stream")
    }))
})

describe("messages", () => {
  it.effect("SSE-4: answers find their requests by their ids, whichever comes first", () =>
    Effect.gen(function*() {
      const waiting: Array<Seen> = []
      const { emit, transport } = yield* session({
        post: (response, seen) => {
          waiting.push(seen)
          response.writeHead(202).end()
        }
      })
      const ids = ["1", 1, 0, "", "b"]
      const running = yield* Effect.forkChild(Effect.all(
        ids.map((id) => transport.send(legacyOutgoing("tools/call", { id }))),
        { concurrency: "unbounded" }
      ))
      yield* until(() => waiting.length === ids.length, "the requests")
      emit({ jsonrpc: "2.0", id: "nobody", result: {} })
      for (const seen of waiting.toReversed()) emit(answerTo(seen))
      assert.deepStrictEqual(yield* Fiber.join(running), ids.map((id) => ok(id)))
    }))

  it.effect("progress goes to its request, and everything else to nobody's", () =>
    Effect.gen(function*() {
      const progress = (progressToken: unknown) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1 }
      })
      const { transport } = yield* session({
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit(progress(0), progress("0"), note(1), { jsonrpc: "2.0", id: 9, method: "ping" }, answerTo(seen))
        }
      })
      const unrelated: Array<unknown> = []
      yield* Effect.forkScoped(Stream.runForEach(transport.unrelated, (message) =>
        Effect.sync(() =>
          unrelated.push([message.method, message.params?.progressToken])
        )))
      const own: Array<unknown> = []
      yield* transport.send(legacyOutgoing("tools/call", {
        params: { _meta: { progressToken: 0 } },
        onMessage: (message) =>
          Effect.sync(() => void own.push(message.params?.progressToken))
      }))
      yield* until(() => unrelated.length === 3, "the others")
      assert.deepStrictEqual(own, [0])
      assert.deepStrictEqual(unrelated, [["notifications/progress", "0"], ["notifications/n", undefined], [
        "ping",
        undefined
      ]])
    }))

  it.effect("a server may hold the POST until everything is said, its own questions too", () =>
    Effect.gen(function*() {
      let held: { response: http.ServerResponse; seen: Seen } | undefined
      const { emit, transport } = yield* session({
        post: (response, seen) => {
          if (seen.message.method === undefined) {
            response.writeHead(202).end()
            if (held !== undefined) emit(answerTo(held.seen))
            return void held?.response.writeHead(202).end()
          }
          held = { response, seen }
          emit({ jsonrpc: "2.0", id: 9, method: "roots/list" })
        }
      })
      yield* Effect.forkScoped(
        Stream.runForEach(transport.unrelated, () => transport.reply(JsonRpc.success(9, {})).pipe(Effect.orDie))
      )
      assert.deepStrictEqual(yield* transport.send(call), ok())
    }))

  it.effect("RPC-16: batches of 2025-03-26, LHTTP-25: the version of 2025-06-18", () =>
    Effect.gen(function*() {
      const batches = yield* session({
        revision: "2025-03-26",
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit([answerTo(seen)])
        }
      })
      assert.deepStrictEqual(yield* batches.transport.send(call), ok())
      const newer = yield* session({ revision: "2025-06-18" })
      assert.strictEqual(newer.seen.at(-1)?.headers["mcp-protocol-version"], "2025-06-18")
    }))

  it.effect("what is no message is skipped", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit(7, "x", [], answerTo(seen))
        }
      })
      assert.deepStrictEqual(yield* transport.send(call), ok())
    }))

  it.effect("streamBuffer: a burst reaches consumers that keep up, of a request and of no request", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          const all = Array.from({ length: 3_000 }, (_, n) => [note(n), progress(n)])
          emit(...all.flat(), answerTo(seen))
        }
      })
      const others = yield* Effect.forkChild(Stream.runCollect(Stream.take(transport.unrelated, 3_000)), {
        startImmediately: true
      })
      const told: Array<unknown> = []
      const answer = yield* transport.send(legacyOutgoing("tools/call", {
        params: { _meta: { progressToken: "t" } },
        onMessage: ({ params }) => Effect.sync(() => void told.push(params?.progress))
      }))
      assert.deepStrictEqual(answer, ok())
      assert.deepStrictEqual(told, Array.from({ length: 3_000 }, (_, n) => n))
      assert.deepStrictEqual(
        (yield* Fiber.join(others)).map(({ params }) => params?.n),
        Array.from({ length: 3_000 }, (_, n) => n)
      )
    }))

  it.effect("B5: a hundred events that are no messages give one warning", () => {
    const logs: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit(...Array.from({ length: 100 }, () => 7), answerTo(seen))
        }
      })
      assert.deepStrictEqual(yield* transport.send(call), ok())
      assert.lengthOf(logs.filter((log) => log.startsWith("Warn")), 1)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("streamBuffer: the oldest of unrelated is dropped when nobody takes it, and answers still come", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        connect: { limits: { streamBuffer: 2 } },
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          emit(note(1), note(2), note(3), note(4), answerTo(seen))
        }
      })
      const running = yield* Effect.forkChild(transport.send(call))
      yield* pass(() => running.pollUnsafe() !== undefined, "the answer")
      assert.deepStrictEqual(yield* Fiber.join(running), ok())
      const kept = yield* Stream.runCollect(Stream.take(transport.unrelated, 2))
      assert.deepStrictEqual(kept.map(({ params }) => params?.n), [3, 4])
    }))

  it.effect("streamBuffer: a request whose messages nobody takes fails alone", () =>
    Effect.gen(function*() {
      const { seen, transport } = yield* session({
        connect: { limits: { streamBuffer: 3 } },
        post: (response, seen, emit) => {
          response.writeHead(202).end()
          if (seen.message.id === 1) emit(...Array.from({ length: 10 }, (_, n) => progress(n)))
          else emit(answerTo(seen))
        }
      })
      const gate = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(reasonOf(transport.send(legacyOutgoing("tools/call", {
        params: { _meta: { progressToken: "t" } },
        onMessage: () => Deferred.await(gate)
      }))))
      const other = yield* Effect.forkChild(transport.send(legacyOutgoing("tools/call", { id: 2 })))
      yield* pass(() => other.pollUnsafe() !== undefined, "the other answer")
      assert.deepStrictEqual(yield* Fiber.join(other), ok(2))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(
        yield* Fiber.join(running),
        new McpClientError.LimitExceeded({ limit: "streamBuffer", max: 3 })
      )
      yield* until(() => seen.at(-1)?.message.method === "notifications/cancelled", "the cancellation")
    }))
})

describe("what fails", () => {
  it.effect("a POST that is refused fails its request, and its error of the protocol is the answer", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen) =>
          seen.message.id === 1
            ? sendJson(response, 500, "oh")
            : sendJson(response, 400, { jsonrpc: "2.0", id: 2, error: { code: -32602, message: "no" } })
      })
      assert.deepStrictEqual(
        yield* reasonOf(transport.send(call)),
        new McpClientError.UnexpectedStatus({ status: 500, body: "oh" })
      )
      assert.deepInclude(yield* transport.send(legacyOutgoing("tools/call", { id: 2 })), { _tag: "Failure", id: 2 })
      assert.strictEqual((yield* reasonOf(transport.reply(JsonRpc.success(1, {}))))._tag, "UnexpectedStatus")
    }))

  for (const how of ["end", "cut"] as const) {
    it.effect(`F13: the stream is gone (${how}): so is everything that waits, and everything later`, () =>
      Effect.gen(function*() {
        let arrived = 0
        const server = yield* session({
          post: (response) => {
            arrived++
            response.writeHead(202).end()
          }
        })
        const { seen, transport } = server
        const unrelated = yield* Effect.forkChild(Effect.flip(Stream.runDrain(transport.unrelated)))
        const running = yield* Effect.forkChild(Effect.all(
          [1, 2].map((id) => reasonOf(transport.send(legacyOutgoing("tools/call", { id })))),
          { concurrency: 2 }
        ))
        yield* until(() => arrived === 2, "both requests")
        server[how]()
        for (const reason of yield* Fiber.join(running)) assert.strictEqual(reason._tag, "TransportClosed")
        assert.strictEqual((yield* Fiber.join(unrelated)).reason._tag, "TransportClosed")
        const before = seen.length
        assert.strictEqual((yield* reasonOf(transport.send(call)))._tag, "TransportClosed")
        assert.strictEqual((yield* reasonOf(transport.notify(JsonRpc.notification("x"))))._tag, "TransportClosed")
        assert.lengthOf(seen, before)
      }))
  }

  it.effect("CAN-4: an interrupted request is cancelled by a notification", () =>
    Effect.gen(function*() {
      const { seen, transport } = yield* session({ post: (response) => void response.writeHead(202).end() })
      const running = yield* Effect.forkChild(transport.send(legacyOutgoing("tools/call", { id: 42 })))
      yield* until(() => seen.some(({ message }) => message.id === 42), "the request")
      yield* Fiber.interrupt(running)
      yield* until(() => seen.at(-1)?.message.method === "notifications/cancelled", "the notification")
      assert.deepStrictEqual(seen.at(-1)?.message.params, { requestId: 42 })
    }))

  it.effect("INIT-16: the end of the connection is that of the stream; there is no session to delete", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      let closed = false
      const { port, seen } = yield* recorder((response, { verb }) => {
        if (verb !== "GET") return response.writeHead(202).end()
        response.on("close", () => (closed = true))
        stream(response, endpoint("/messages"))
      })
      const transport = yield* connect(port).pipe(Scope.provide(scope))
      yield* transport.legacy.older ?? Effect.void
      yield* Scope.close(scope, Exit.void)
      yield* until(() => closed, "the end of the stream")
      assert.lengthOf(seen, 1)
    }))
})
