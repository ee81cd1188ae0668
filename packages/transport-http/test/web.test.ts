import * as Limits from "@effect-mcp/core/Limits"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./support/endpoint.ts"
import * as Message from "./support/message.ts"

const make = (options: Endpoint.Options & { readonly options?: McpHttp.ServerOptions } = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      McpHttp.toWebHandler(
        Layer.merge(Layer.succeed(McpEndpoint, Endpoint.make(options)), Limits.layer({})),
        options.options
      )
    ),
    ({ dispose }) => Effect.promise(dispose)
  )

const request = (message: Message.Json, init: RequestInit = {}, url = "http://localhost:3000/mcp") =>
  new Request(url, {
    method: "POST",
    headers: Message.headers(message),
    body: JSON.stringify(message),
    ...init
  })

describe("McpHttp.toWebHandler", () => {
  it.live("HTTP-6: answers one JSON body", () =>
    Effect.gen(function*() {
      const { handler } = yield* make()
      const response = yield* Effect.promise(() => handler(request(Message.call("echo", { a: 1 }))))
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(yield* Effect.promise(() => response.json()), {
        jsonrpc: "2.0",
        id: 1,
        result: { resultType: "complete", echo: { a: 1 } }
      })
    }))

  it.live("case 43: the host is that of the URL when there is no Host header", () =>
    Effect.gen(function*() {
      const { handler } = yield* make({ options: { allowedHosts: ["mcp.example.com"] } })
      const message = Message.call("echo")
      const status = (url: string, headers?: Record<string, string>) =>
        Effect.promise(() => handler(request(message, { headers: { ...Message.headers(message), ...headers } }, url)))
          .pipe(Effect.map((response) => response.status))
      assert.strictEqual(yield* status("https://mcp.example.com/mcp"), 200)
      assert.strictEqual(yield* status("https://mcp.example.com:8443/mcp?x=//localhost/"), 200)
      assert.strictEqual(yield* status("https://evil.example/mcp"), 403)
      assert.strictEqual(yield* status("https://mcp.example.com/mcp", { host: "evil.example" }), 403)
    }))

  it.live("B1: a body beyond the limit is 413, with a length and without", () =>
    Effect.gen(function*() {
      const { handler } = yield* make()
      const message = Message.call("echo")
      const big = new Uint8Array(5 * 1024 * 1024)
      const sized = request(message, {
        body: big,
        headers: { ...Message.headers(message), "content-length": `${big.length}` }
      })
      const chunked = request(message, { body: new Blob([big]).stream(), duplex: "half" } as RequestInit)
      assert.strictEqual((yield* Effect.promise(() => handler(sized))).status, 413)
      assert.strictEqual((yield* Effect.promise(() => handler(chunked))).status, 413)
    }))

  it.live("HTTP-9, HTTP-15: streams, and a reader that gives up interrupts the handler", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const { handler } = yield* make({
        handlers: {
          tool: (_, exchange) =>
            Effect.sync(() => exchange.emit(Endpoint.progress(1))).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
            )
        }
      })
      const response = yield* Effect.promise(() => handler(request(Message.call("tool"))))
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const reader = response.body!.getReader()
      const { value } = yield* Effect.promise(() => reader.read())
      assert.include(new TextDecoder().decode(value), "notifications/progress")
      yield* Effect.promise(() => reader.cancel())
      yield* Effect.timeout(Deferred.await(interrupted), "100 millis")
    }))

  it.live("F1: an aborted request interrupts the handler", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const { handler } = yield* make({
        handlers: {
          tool: () =>
            Deferred.succeed(started, undefined).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
            )
        }
      })
      const controller = new AbortController()
      void handler(request(Message.call("tool"), { signal: controller.signal })).catch(() => {})
      yield* Deferred.await(started)
      controller.abort()
      yield* Effect.timeout(Deferred.await(interrupted), "100 millis")
    }))

  it.live("a layer that cannot be built rejects the requests with its error", () =>
    Effect.gen(function*() {
      const { handler } = McpHttp.toWebHandler(Layer.effect(McpEndpoint, Effect.fail("no database")))
      const error = yield* Effect.flip(Effect.tryPromise({
        try: () => handler(request(Message.call("echo"))),
        catch: (error) => error
      }))
      assert.include(String(error), "no database")
    }))
})
