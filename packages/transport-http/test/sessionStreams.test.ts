/** Event streams of sessions: what goes on which, with which ids, and what a lost connection means. */
import * as EventLog from "@effect-mcp/core/EventLog"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { progress } from "./support/endpoint.ts"
import { call, connect, held, notification, serve } from "./support/legacy.ts"
import { entries, type Entry } from "./support/serve.ts"

const changed = (n: number) => JsonRpc.notification("notifications/resources/updated", { uri: `test://${n}` })
const uris = (events: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  events.map(({ params }) => (params as { readonly uri: string }).uri)
const answered = (id: string | number) => ({ jsonrpc: "2.0", id, result: { done: true } })
const roots = JsonRpc.request("s1", "roots/list")

/** A log that takes its time, and is down when it is told so. */
const slowLog = (isDown: () => boolean) =>
  Layer.effect(
    EventLog.EventLog,
    Effect.map(EventLog.EventLog, (log) => {
      const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.suspend((): Effect.Effect<A, E | EventLog.LogUnavailable> =>
            isDown() ? Effect.fail(new EventLog.LogUnavailable({ cause: new Error("down") })) : effect
          )
        )
      return EventLog.EventLog.of({
        append: (...args) => slowly(log.append(...args)),
        end: (...args) => slowly(log.end(...args)),
        resume: (...args) => slowly(log.resume(...args)),
        drop: (...args) => slowly(log.drop(...args))
      })
    })
  ).pipe(Layer.provide(EventLog.layerMemory))

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: streams of sessions`, () => {
    it.live("LHTTP-15: HEAD is no GET, and takes no message from one", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port)
        const get = yield* client.get()
        const head = yield* client.head()
        assert.strictEqual(head.status, 405)
        ;[...sessions.values()][0]?.push(changed(1))
        yield* get.until(({ events }) => events.length === 1)
      }))

    for (const [revision, primes] of [["2025-03-26", false], ["2025-06-18", false], ["2025-11-25", true]] as const) {
      it.live(`LHTTP-6, LHTTP-7, LHTTP-9, LHTTP-16: ${revision}: what is sent first makes it a stream, whose events have ids`, () =>
        Effect.gen(function*() {
          const tool = yield* held()
          const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
          const client = yield* connect(port, revision)
          const posted = yield* Effect.forkChild(client.openPost(call("tool", "x")))
          const exchange = yield* tool.exchange
          exchange.emit(progress(1))
          const stream = yield* Fiber.join(posted)
          assert.deepInclude(stream.headers, { "content-type": "text/event-stream", "x-accel-buffering": "no" })
          yield* stream.until(({ events }) => events.length === 1)
          exchange.emit(progress(2))
          yield* tool.release
          yield* stream.end
          assert.strictEqual(stream.ended, "complete")
          assert.deepStrictEqual(stream.frames.map(({ data }) => data?.method ?? data?.id), [
            ...(primes ? [undefined] : []),
            "notifications/progress",
            "notifications/progress",
            "x"
          ])
          const ids = stream.frames.map(({ id }) => id)
          assert.strictEqual(new Set(ids).size, primes ? 4 : 3)
          assert.notInclude(ids, undefined)
          assert.isTrue(stream.frames.every((frame) => !("retry" in frame)))
        }))
    }

    it.live("RPC-15, case 55: what is asked within a call goes on its stream, and the answer comes on another POST", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port, sessions } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const client = yield* connect(port)
        const posted = yield* Effect.forkChild(client.openPost(call("tool")))
        const exchange = yield* tool.exchange
        exchange.ask?.(roots)
        const stream = yield* Fiber.join(posted)
        yield* stream.until(({ events }) => events.length === 1)
        assert.deepStrictEqual(stream.events[0], { jsonrpc: "2.0", id: "s1", method: "roots/list" })
        const answer = { jsonrpc: "2.0", id: "s1", result: { roots: [] } }
        assert.strictEqual((yield* client.post(answer)).status, 202)
        assert.deepStrictEqual([...sessions.values()][0]?.answers, [JsonRpc.success("s1", answer.result)])
        yield* tool.release
        yield* stream.end
        assert.deepStrictEqual(stream.events[1], answered(1))
      }))

    it.live("a client that takes no stream can be asked nothing, and gets the answer alone", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.sync(() => {
                exchange.emit(progress(1))
                return { canAsk: exchange.ask !== undefined }
              })
          }
        })
        const client = yield* connect(port)
        const answer = yield* client.post(call("tool"), { accept: "application/json" })
        assert.deepStrictEqual(JSON.parse(answer.body).result, { canAsk: false })
        const stream = yield* client.openPost(call("tool"), { accept: "text/event-stream" })
        yield* stream.end
        assert.deepStrictEqual(stream.events.at(-1)?.result, { canAsk: true })
      }))

    it.live("a client that takes nothing but streams gets one, primed and with ids", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry)
        const client = yield* connect(port)
        const stream = yield* client.openPost(call("echo"), { accept: "text/event-stream" })
        yield* stream.end
        assert.deepStrictEqual(stream.frames.map(({ data }) => data?.id), [undefined, 1])
        assert.isTrue(stream.frames.every(({ id }) => id !== undefined))
      }))

    it.live("LHTTP-12, trap 8, case 38: a lost connection cancels nothing", () =>
      Effect.gen(function*() {
        const [waiting, streaming] = [yield* held(), yield* held()]
        const { port } = yield* serve(entry, {
          handlers: { waiting: waiting.handler, streaming: streaming.handler }
        })
        const client = yield* connect(port)
        const gone = yield* Effect.forkChild(client.openPost(call("waiting", 1)))
        yield* waiting.exchange
        yield* Fiber.interrupt(gone)
        const posted = yield* Effect.forkChild(client.openPost(call("streaming", 2)))
        const exchange = yield* streaming.exchange
        exchange.emit(progress(1))
        const stream = yield* Fiber.join(posted)
        stream.close()
        yield* stream.end
        // The server has seen both go when a later request is answered.
        yield* client.post(call("echo", 3))
        yield* client.post(call("echo", 4))
        exchange.emit(progress(2))
        assert.deepStrictEqual([waiting.isInterrupted(), streaming.isInterrupted()], [false, false])
      }))

    it.live("CAN-4, CAN-5, case 38: a cancellation on another POST reaches the handler, and nothing is answered", () =>
      Effect.gen(function*() {
        const [waiting, streaming] = [yield* held(), yield* held()]
        const { port } = yield* serve(entry, {
          handlers: { waiting: waiting.handler, streaming: streaming.handler }
        })
        const client = yield* connect(port)
        const other = yield* connect(port)
        const posted = yield* Effect.forkChild(client.post(call("waiting", 1)))
        const opened = yield* Effect.forkChild(client.openPost(call("streaming", 2)))
        yield* waiting.exchange
        const exchange = yield* streaming.exchange
        exchange.emit(progress(1))
        const stream = yield* Fiber.join(opened)
        const cancel = (requestId: unknown) => notification("notifications/cancelled", { requestId })
        // B15: an id of another session is none here.
        yield* other.post(cancel(1))
        yield* other.post(cancel(2))
        assert.deepStrictEqual([waiting.isInterrupted(), streaming.isInterrupted()], [false, false])
        for (const id of [1, 2]) assert.strictEqual((yield* client.post(cancel(id))).status, 202)
        yield* Effect.all([waiting.interrupted, streaming.interrupted, stream.end])
        assert.deepStrictEqual([stream.ended, stream.events.length], ["complete", 1])
        const answer = yield* Fiber.join(posted)
        assert.deepStrictEqual([answer.status, answer.body], [202, ""])
      }))

    it.live("F12: a client that does not read is cut off, and its call goes on", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const logs: Array<string> = []
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { streamBuffer: 16 }, logs })
        const client = yield* connect(port)
        const posted = yield* Effect.forkChild(client.openPost(call("tool")))
        const exchange = yield* tool.exchange
        exchange.emit(progress(0))
        const stream = yield* Fiber.join(posted)
        stream.response.pause()
        const big = JsonRpc.notification("n", { text: "x".repeat(256 * 1024) })
        for (let sent = 0; logs.length === 0 && sent < 1000; sent++) {
          exchange.emit(big)
          yield* Effect.sleep(1)
        }
        assert.match(logs[0] ?? "", /^Warn The stream of tools\/call was ended: its client does not read/)
        stream.response.resume()
        yield* stream.end
        assert.strictEqual(stream.ended, "broken")
        assert.isFalse(tool.isInterrupted())
      }))

    for (const [revision, primes] of [["2025-06-18", false], ["2025-11-25", true]] as const) {
      it.effect(`HTTP-13, case 44: ${revision}: a silent call becomes a stream, and a silent GET stays alive`, () =>
        Effect.gen(function*() {
          const tool = yield* held()
          const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
          const client = yield* connect(port, revision)
          const get = yield* client.get()
          assert.deepInclude(get.headers, { "content-type": "text/event-stream", "cache-control": "no-cache" })
          const begun = primes ? /^id: \S+\ndata: \n\n$/ : /^:\n\n$/
          // LHTTP-13: at once, before there is anything to say.
          yield* get.until(({ body }) => begun.test(body))
          const posted = yield* Effect.forkChild(client.openPost(call("tool")), { startImmediately: true })
          yield* tool.exchange
          yield* TestClock.adjust("15 seconds")
          const stream = yield* Fiber.join(posted)
          yield* stream.until(({ body }) => begun.test(body))
          const before = get.body
          assert.isTrue(before.endsWith(":\n\n"))
          for (let n = 1; n <= 15; n++) yield* TestClock.adjust("1 seconds")
          yield* stream.until(({ body }) => body.endsWith(":\n\n") && body.length > 3)
          yield* get.until(({ body }) => body.length > before.length)
          yield* tool.release
          yield* stream.end
          assert.deepStrictEqual(stream.events, [answered(1)])
          get.close()
        }))
    }

    it.live("LHTTP-13, LHTTP-14, LHTTP-15: each message goes to one standalone stream, the newest", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port)
        const [session] = sessions.values()
        session?.push(changed(1))
        const first = yield* client.get()
        yield* first.until(({ events }) => events.length === 1)
        session?.push(changed(2))
        yield* first.until(({ events }) => events.length === 2)
        const second = yield* client.get()
        yield* second.until(({ frames }) => frames.length === 1)
        session?.push(changed(3))
        session?.push(roots)
        yield* second.until(({ events }) => events.length === 2)
        second.close()
        yield* session!.heardBy(1)
        session?.push(changed(4))
        yield* first.until(({ events }) => events.length === 3)
        assert.deepStrictEqual(uris(first.events), ["test://1", "test://2", "test://4"])
        assert.deepStrictEqual(second.events.map(({ method }) => method), [changed(3).method, "roots/list"])
        const ids = [...first.frames, ...second.frames].map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 7)
        // Nobody listens, and the session keeps it for the next.
        first.close()
        yield* session!.heardBy(0)
        session?.push(changed(5))
        const third = yield* client.get()
        yield* third.until(({ events }) => events.length === 1)
        assert.deepStrictEqual(uris(third.events), ["test://5"])
        third.close()
      }))

    it.live("the limit sessionStreams: the oldest makes room", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry, { limits: { sessionStreams: 2 } })
        const client = yield* connect(port)
        const [first, second, third] = [yield* client.get(), yield* client.get(), yield* client.get()]
        yield* first.end
        assert.strictEqual(first.ended, "complete")
        assert.deepStrictEqual([second.ended, third.ended], ["no", "no"])
        assert.strictEqual([...sessions.values()][0]?.listeners, 2)
        // Another session has streams of its own.
        const other = yield* (yield* connect(port)).get()
        assert.strictEqual(second.ended, "no")
        for (const stream of [second, third, other]) stream.close()
      }))

    it.live("F12: a standalone stream that nobody reads is ended", () =>
      Effect.gen(function*() {
        const logs: Array<string> = []
        const { port, sessions } = yield* serve(entry, { limits: { streamBuffer: 16 }, logs })
        const client = yield* connect(port)
        const get = yield* client.get()
        get.response.pause()
        const [session] = sessions.values()
        const big = JsonRpc.notification("n", { text: "x".repeat(256 * 1024) })
        const isHeard = () => session?.listeners === 1
        for (let sent = 0; isHeard() && sent < 1000; sent++) {
          session?.push(big)
          yield* Effect.sleep(1)
        }
        assert.match(logs[0] ?? "", /^Warn The stream of GET was ended/)
        get.response.resume()
        yield* get.end
      }))

    it.live("a log that takes its time: everything is sent, and in its order", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) =>
              Effect.gen(function*() {
                for (let n = 1; n <= 20; n++) exchange.emit(progress(n))
                yield* exchange.drained
                for (let n = 21; n <= 40; n++) exchange.emit(progress(n))
                return { done: true }
              })
          },
          provided: slowLog(() => false)
        })
        const client = yield* connect(port)
        const get = yield* client.get()
        const stream = yield* client.openPost(call("tool"))
        yield* stream.end
        assert.deepStrictEqual(
          stream.events.map(({ id, params }) => id ?? (params as { readonly progress: number }).progress),
          [...Array.from({ length: 40 }, (_, n) => n + 1), 1]
        )
        assert.strictEqual(stream.frames.length, 42)
        const [session] = sessions.values()
        for (let n = 1; n <= 20; n++) session?.push(changed(n))
        yield* get.until(({ events }) => events.length === 20)
        assert.deepStrictEqual(uris(get.events), Array.from({ length: 20 }, (_, n) => `test://${n + 1}`))
        yield* client.delete()
        yield* get.end
      }))

    it.live("F4: a log that is down ends streams, is told to the operator, and plain answers go on", () =>
      Effect.gen(function*() {
        let isDown = false
        const go = yield* Deferred.make<void>()
        const logs: Array<string> = []
        const { port, sessions } = yield* serve(entry, {
          handlers: {
            early: (_, exchange) => Effect.sync(() => (exchange.emit(progress(1)), {})),
            late: (_, exchange) =>
              Effect.andThen(
                Effect.sync(() => exchange.emit(progress(1))),
                Effect.andThen(Deferred.await(go), Effect.sync(() => (exchange.emit(progress(2)), {})))
              )
          },
          provided: slowLog(() => isDown),
          logs
        })
        const client = yield* connect(port)
        const get = yield* client.get()
        yield* get.until(({ frames }) => frames.length === 1)
        const late = yield* client.openPost(call("late"))
        yield* late.until(({ events }) => events.length === 1)
        isDown = true
        yield* Deferred.succeed(go, undefined)
        yield* late.end
        assert.deepStrictEqual([late.ended, late.events.length], ["complete", 1])
        const early = yield* client.post(call("early", 2))
        assert.strictEqual(early.status, 503)
        assert.strictEqual(early.headers["retry-after"], "1")
        ;[...sessions.values()][0]?.push(changed(1))
        yield* get.end
        assert.strictEqual(get.ended, "complete")
        const resumed = yield* client.get({ "last-event-id": get.lastId })
        assert.strictEqual(resumed.status, 503)
        assert.strictEqual((yield* client.post(call("echo", 3))).status, 200)
        assert.strictEqual(new Set(logs).size, 1)
        assert.include(logs[0], "the log of events does not work")
      }))
  })
}
