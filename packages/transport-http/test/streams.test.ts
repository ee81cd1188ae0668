import * as McpError from "@effect-mcp/core/McpError"
import type { Exchange } from "@effect-mcp/core/ServerEndpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as net from "node:net"
import { progress } from "./support/endpoint.ts"
import { errorOf, openPost, post } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

const done = { resultType: "complete" }
const answer = (id: unknown = 1) => ({ jsonrpc: "2.0", id, result: done })
const progressed = (n: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 1, progress: n }
})

/** A handler that shows its exchange, and ends when it is told to. */
const held = Effect.fnUntraced(function*() {
  const exchange = yield* Deferred.make<Exchange>()
  const release = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  return {
    exchange: Deferred.await(exchange),
    release: Deferred.succeed(release, undefined),
    interrupted: Deferred.await(interrupted),
    handler: (_: unknown, given: Exchange) =>
      Deferred.succeed(exchange, given).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.as(done),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  }
})

/** Opens a stream and does not read it while its handler emits until it is interrupted. Says how much that was. */
const unread = Effect.fnUntraced(function*(port: number, tool: Effect.Success<ReturnType<typeof held>>) {
  const response = yield* Effect.forkChild(openPost(port, Message.call("tool")))
  const exchange = yield* tool.exchange
  exchange.emit(progress(0))
  const incoming = yield* Fiber.join(response)
  incoming.response.pause()
  const big = { _tag: "Notification", method: "n", params: { text: "x".repeat(256 * 1024) } } as const
  const cut = yield* Effect.forkChild(tool.interrupted)
  let sent = 0
  while (cut.pollUnsafe() === undefined && sent < 1000) {
    exchange.emit(big)
    sent++
    yield* Effect.sleep(1)
  }
  assert.isDefined(cut.pollUnsafe(), "the handler was not interrupted")
  return { incoming, sent }
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(entry, () => {
    it.live("HTTP-6, HTTP-9, HTTP-11, HTTP-12: what is sent before the answer makes it a stream, which the answer ends", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, { handlers: { tool: tool.handler } })
        const response = yield* Effect.forkChild(openPost(port, Message.call("tool", {}, "x")))
        const exchange = yield* tool.exchange
        exchange.emit(progress(1))
        const incoming = yield* Fiber.join(response)
        assert.strictEqual(incoming.status, 200)
        assert.deepInclude(incoming.headers, {
          "content-type": "text/event-stream",
          "cache-control": "no-cache",
          "x-accel-buffering": "no"
        })
        yield* incoming.until(({ events }) => events.length === 1)
        exchange.emit(progress(2))
        yield* incoming.until(({ events }) => events.length === 2)
        yield* tool.release
        yield* incoming.end
        assert.strictEqual(incoming.ended, "complete")
        assert.deepStrictEqual(incoming.events, [progressed(1), progressed(2), answer("x")])
        assert.match(incoming.body, /^(event: message\ndata: [^\n]+\n\n){3}$/)
        exchange.emit(progress(3))
      }))

    it.live("HTTP-14: events have no ids, and the headers of sessions are ignored (HTTP-22)", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: { tool: (_, exchange) => Effect.sync(() => (exchange.emit(progress(1)), done)) }
        })
        const incoming = yield* post(port, Message.call("tool"), { "mcp-session-id": "s", "last-event-id": "1" })
        assert.notMatch(incoming.body, /^(id|retry):/m)
        assert.notProperty(incoming.headers, "mcp-session-id")
      }))

    it.live("trap 7: on an open stream an error rides the stream", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) => {
              exchange.emit(progress(1))
              return Effect.fail(new McpError.MethodNotFound({ message: "Gone" }))
            }
          }
        })
        const incoming = yield* post(port, Message.call("tool"))
        assert.strictEqual(incoming.status, 200)
        assert.include(incoming.body, `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Gone"}}\n\n`)
      }))

    it.live("B8: a client that takes no stream gets the answer alone", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.andThen(Effect.sync(() => exchange.emit(progress(1))), Effect.as(exchange.drained, done))
          },
          options: { keepAlive: "10 millis" }
        })
        const incoming = yield* post(port, Message.call("tool"), { accept: "application/json" })
        assert.strictEqual(incoming.headers["content-type"], "application/json")
        assert.deepStrictEqual(JSON.parse(incoming.body), answer())
      }))

    it.live("a notification that cannot be written is left out", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.sync(() => {
                exchange.emit({ _tag: "Notification", method: "n", params: { n: 1n } })
                exchange.emit(progress(2))
                return done
              })
          }
        })
        const incoming = yield* openPost(port, Message.call("tool"))
        yield* incoming.end
        assert.deepStrictEqual(incoming.events, [progressed(2), answer()])
      }))

    it.effect("HTTP-13: silence for keepAlive opens a stream, and comments keep it alive", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, { handlers: { tool: tool.handler } })
        const response = yield* Effect.forkChild(openPost(port, Message.call("tool")), { startImmediately: true })
        yield* tool.exchange
        yield* TestClock.adjust("15 seconds")
        const incoming = yield* Fiber.join(response)
        yield* incoming.until(({ body }) => body === ":\n\n")
        yield* TestClock.adjust("14 seconds")
        yield* TestClock.adjust("1 seconds")
        yield* incoming.until(({ body }) => body === ":\n\n:\n\n")
        yield* tool.release
        yield* incoming.end
        assert.deepStrictEqual(incoming.events, [answer()])
      }))

    it.effect("an answer before keepAlive is one body", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, { handlers: { tool: tool.handler } })
        const response = yield* Effect.forkChild(post(port, Message.call("tool")), { startImmediately: true })
        yield* tool.exchange
        yield* TestClock.adjust("14 seconds")
        yield* tool.release
        assert.strictEqual((yield* Fiber.join(response)).headers["content-type"], "application/json")
      }))

    it.effect("with keepAlive: false it is one body however long it takes", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, { handlers: { tool: tool.handler }, options: { keepAlive: false } })
        const response = yield* Effect.forkChild(post(port, Message.call("tool")), { startImmediately: true })
        yield* tool.exchange
        yield* TestClock.adjust("1 hour")
        yield* tool.release
        assert.strictEqual((yield* Fiber.join(response)).headers["content-type"], "application/json")
      }))

    for (const opened of [false, true]) {
      it.live(`F1, HTTP-15, trap 8: a client that goes away interrupts the handler within 100 ms (stream open: ${opened})`, () =>
        Effect.gen(function*() {
          const tool = yield* held()
          const port = yield* serve(entry, { handlers: { tool: tool.handler } })
          const body = JSON.stringify(Message.call("tool"))
          const headers = Object.entries(Message.headers(Message.call("tool"))).map(([k, v]) => `${k}: ${v}\r\n`)
          const socket = net.connect(port, "127.0.0.1")
          socket.write(
            `POST /mcp HTTP/1.1\r\nhost: localhost\r\n${headers.join("")}content-length: ${body.length}\r\n\r\n${body}`
          )
          const exchange = yield* tool.exchange
          if (opened) {
            exchange.emit(progress(1))
            yield* Effect.callback<void>((resume) => void socket.once("data", () => resume(Effect.void)))
          }
          socket.destroy()
          yield* Effect.timeout(tool.interrupted, "100 millis")
          exchange.emit(progress(2))
          assert.strictEqual((yield* post(port, Message.call("echo"))).status, 200)
        }))
    }

    it.live("F12: a client that does not read is cut off when its buffer is full, and others are served", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const logs: Array<string> = []
        const port = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { streamBuffer: 16 }, logs })
        const { incoming, sent } = yield* unread(port, tool)
        // What the kernel holds comes on top of the sixteen.
        assert.isBelow(sent, 200)
        assert.strictEqual((yield* post(port, Message.call("echo"))).status, 200)
        incoming.response.resume()
        yield* incoming.end
        assert.strictEqual(incoming.ended, "broken")
        assert.deepStrictEqual(logs, [
          "Warn The stream of tools/call was ended: its client does not read, and no more may wait (the limits streamBuffer and messageBytes)"
        ])
      }))

    it.live("F12: what waits for a reader is bounded by its length too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { messageBytes: 1024 * 1024 } })
        const { incoming, sent } = yield* unread(port, tool)
        // Far from the 1,024 messages that may wait, and only what the kernel holds comes on top.
        assert.isBelow(sent, 200)
        incoming.response.resume()
        yield* incoming.end
      }))

    it.live("F12: a handler that emits without end before it is waited for is cut off too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const port = yield* serve(entry, {
          handlers: {
            tool: (request, exchange) => {
              for (let i = 0; i < 5000; i++) exchange.emit({ ...progress(i), params: { text: "x".repeat(10_000) } })
              return tool.handler(request, exchange)
            }
          },
          limits: { streamBuffer: 16 }
        })
        yield* Effect.exit(post(port, Message.call("tool")))
        yield* Effect.timeout(tool.interrupted, "1 second")
      }))

    it.live("drained keeps a producer to the reader's pace", () =>
      Effect.gen(function*() {
        const text = "x".repeat(64 * 1024)
        let emitted = 0
        const port = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.gen(function*() {
                while (emitted < 400) {
                  exchange.emit({ _tag: "Notification", method: "n", params: { text } })
                  emitted++
                  yield* exchange.drained
                }
                return done
              })
          },
          limits: { streamBuffer: 2 }
        })
        const incoming = yield* openPost(port, Message.call("tool"))
        incoming.response.pause()
        yield* Effect.sleep(300)
        const before = emitted
        assert.isBelow(before, 400)
        incoming.response.resume()
        yield* incoming.end
        assert.lengthOf(incoming.events, 401)
      }))

    it.live("a call that is given up elsewhere is 503, and ends an open stream without an answer", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            early: () => Effect.andThen(Effect.sleep(10), Effect.interrupt),
            late: (_, exchange) =>
              Effect.andThen(
                Effect.andThen(Effect.sync(() => exchange.emit(progress(1))), Effect.sleep(10)),
                Effect.interrupt
              )
          }
        })
        const early = yield* post(port, Message.call("early"))
        assert.strictEqual(early.status, 503)
        assert.strictEqual(errorOf(early).message, "The server gave up this request")
        const late = yield* openPost(port, Message.call("late"))
        yield* late.end
        assert.deepStrictEqual([late.ended, late.events], ["complete", [progressed(1)]])
      }))
  })
}
