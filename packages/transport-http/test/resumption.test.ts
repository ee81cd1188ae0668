/** Streams that were lost, and go on where they were. */
import * as EventLog from "@effect-mcp/core/EventLog"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { progress } from "./support/endpoint.ts"
import { errorOf, type Incoming } from "./support/http.ts"
import { call, type Client, connect, held, serve } from "./support/legacy.ts"
import type { Json } from "./support/message.ts"
import { entries, type Entry } from "./support/serve.ts"

const done = (id: string | number) => ({ jsonrpc: "2.0", id, result: { done: true } })
const progressOf = (events: ReadonlyArray<Json>) =>
  events.map(({ id, params }) => id ?? (params as { readonly progress: number }).progress)
const changed = (n: number) => JsonRpc.notification("notifications/resources/updated", { uri: `test://${n}` })

/** Calls a tool that waits, and the stream of it with one event. */
const streaming = Effect.fnUntraced(function*(client: Client, name: string, id: string | number, tool: Held) {
  const posted = yield* Effect.forkChild(client.openPost(call(name, id)))
  const exchange = yield* tool.exchange
  exchange.emit(progress(1))
  const stream = yield* Fiber.join(posted)
  yield* stream.until(({ events }) => events.length === 1)
  return { exchange, stream }
})

type Held = Effect.Success<ReturnType<typeof held>>

const lose = (stream: Incoming) => Effect.andThen(Effect.sync(() => stream.close()), stream.end)

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: resumption`, () => {
    it.live("LHTTP-17, LHTTP-18, case 50: only what followed on the same stream, with the answer, whatever else was sent", () =>
      Effect.gen(function*() {
        const tools = [yield* held(), yield* held(), yield* held()] as const
        const { port, sessions } = yield* serve(entry, {
          handlers: { a: tools[0].handler, b: tools[1].handler, c: tools[2].handler }
        })
        const [one, two] = [yield* connect(port), yield* connect(port)]
        const a = yield* streaming(one, "a", "a", tools[0])
        const b = yield* streaming(one, "b", "b", tools[1])
        const c = yield* streaming(two, "c", "c", tools[2])
        const get = yield* one.get()
        yield* lose(a.stream)
        // Interleaved: what each has missed is its own.
        for (const n of [2, 3]) for (const { exchange } of [a, b, c]) exchange.emit(progress(n * 10))
        ;[...sessions.values()][0]?.push(changed(1))
        yield* tools[0].release
        yield* get.until(({ events }) => events.length === 1)
        const resumed = yield* one.get({ "last-event-id": a.stream.lastId })
        yield* resumed.end
        assert.strictEqual(resumed.ended, "complete")
        assert.deepStrictEqual(progressOf(resumed.events), [20, 30, "a"])
        // LHTTP-9: it begins with the id that was seen last, so that it can break again before anything is sent.
        assert.strictEqual(resumed.frames[0]?.id, a.stream.lastId)
        // The first id of all, so that everything of the stream comes and no more than that.
        const primer = a.stream.frames[0]?.id
        assert.isDefined(primer)
        const whole = yield* one.get({ "last-event-id": primer })
        yield* whole.end
        assert.deepStrictEqual(progressOf(whole.events), [1, 20, 30, "a"])
        assert.deepStrictEqual(
          whole.frames.slice(1).map(({ id }) => id),
          [...a.stream.frames.slice(1), ...resumed.frames.slice(1)].map(({ id }) => id)
        )
        // After the answer there is nothing more.
        const nothing = yield* one.get({ "last-event-id": resumed.lastId })
        yield* nothing.end
        assert.deepStrictEqual([nothing.ended, nothing.events], ["complete", []])
        yield* b.stream.until(({ events }) => events.length === 3)
        assert.deepStrictEqual(progressOf(b.stream.events), [1, 20, 30])
        assert.deepStrictEqual(progressOf(c.stream.events), [1, 20, 30])
      }))

    it.live("case 50, B9: an id that is unknown, malformed, or of another session is 404, and nothing is told", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const [one, two] = [yield* connect(port), yield* connect(port)]
        const { stream } = yield* streaming(one, "tool", 1, tool)
        const bodies = new Set<string>()
        for (const id of [stream.lastId, "unknown", "", " ", "x".repeat(5000), "\u00e9", `${stream.lastId}0`, "%00"]) {
          const answer = yield* two.get({ "last-event-id": id })
          yield* answer.end
          assert.strictEqual(answer.status, 404, id)
          assert.strictEqual(errorOf(answer).code, -32600)
          bodies.add(answer.body)
        }
        assert.strictEqual(bodies.size, 1)
        // The session has not ended by that.
        assert.strictEqual((yield* two.post(call("echo"))).status, 200)
        assert.strictEqual(stream.ended, "no")
      }))

    it.live("F6: events that are kept no more are 410, and not a part of the rest", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { eventLogEvents: 4 } })
        const client = yield* connect(port)
        const { exchange, stream } = yield* streaming(client, "tool", 1, tool)
        const before = stream.lastId
        for (let n = 2; n <= 9; n++) exchange.emit(progress(n))
        yield* stream.until(({ events }) => events.length === 9)
        yield* lose(stream)
        const lost = yield* client.get({ "last-event-id": before })
        yield* lost.end
        assert.strictEqual(lost.status, 410)
        assert.strictEqual(lost.headers["content-type"], "application/json")
        assert.include(errorOf(lost).message, "were lost")
        yield* tool.release
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* resumed.end
        assert.deepStrictEqual(resumed.events, [done(1)])
      }))

    it.live("F6: events that are lost while a stream is resumed end it, and the operator is told", () =>
      Effect.gen(function*() {
        const logs: Array<string> = []
        const tool = yield* held()
        // A log whose readers see one event and then a loss.
        const provided = Layer.effect(
          EventLog.EventLog,
          Effect.map(EventLog.EventLog, (log) =>
            EventLog.EventLog.of({
              ...log,
              resume: (...args) =>
                Effect.map(log.resume(...args), ({ events, stream }) => ({
                  stream,
                  events: Stream.concat(Stream.take(events, 1), Stream.fail(new EventLog.EventsLost()))
                }))
            }))
        ).pipe(Layer.provide(EventLog.layerMemory))
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, provided, logs })
        const client = yield* connect(port)
        const { exchange, stream } = yield* streaming(client, "tool", 1, tool)
        yield* lose(stream)
        exchange.emit(progress(2))
        exchange.emit(progress(3))
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* resumed.end
        assert.deepStrictEqual(progressOf(resumed.events), [2])
        assert.deepStrictEqual(logs, ["Warn A stream that was resumed was ended: it cannot go on"])
        // Others may read such a log, so that a server which closes waits for what would be in it.
        yield* tool.release
      }))

    it.live("case 50: a stream goes on where it is resumed, with what is still to come, and on one connection at a time", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const client = yield* connect(port)
        const { exchange, stream } = yield* streaming(client, "tool", 1, tool)
        exchange.emit(progress(2))
        yield* stream.until(({ events }) => events.length === 2)
        // The server does not know yet that the first connection is lost.
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* stream.end
        assert.strictEqual(stream.ended, "complete")
        exchange.emit(progress(3))
        yield* resumed.until(({ events }) => events.length === 1)
        const again = yield* client.get({ "last-event-id": resumed.lastId })
        yield* resumed.end
        exchange.emit(progress(4))
        yield* tool.release
        yield* again.end
        assert.deepStrictEqual(progressOf(stream.events), [1, 2])
        assert.deepStrictEqual(progressOf(resumed.events), [3])
        assert.deepStrictEqual(progressOf(again.events), [4, 1])
        assert.strictEqual(again.ended, "complete")
      }))

    it.live("case 50: the answer to a call whose client is gone waits for it, a question too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const client = yield* connect(port, "2025-06-18")
        const { exchange, stream } = yield* streaming(client, "tool", 1, tool)
        yield* lose(stream)
        exchange.ask?.(JsonRpc.request("s1", "roots/list"))
        yield* tool.release
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* resumed.end
        assert.deepStrictEqual(resumed.events, [{ jsonrpc: "2.0", id: "s1", method: "roots/list" }, done(1)])
      }))

    for (const isStillOpen of [false, true]) {
      it.live(`a standalone stream is resumed, and listens again (the old connection open: ${isStillOpen})`, () =>
        Effect.gen(function*() {
          const { port, sessions } = yield* serve(entry)
          const client = yield* connect(port)
          const [session] = sessions.values()
          const get = yield* client.get()
          session?.push(changed(1))
          yield* get.until(({ events }) => events.length === 1)
          const primer = get.frames[0]?.id
          if (!isStillOpen) {
            yield* lose(get)
            yield* session!.heardBy(0)
            session?.push(changed(2))
          }
          const resumed = yield* client.get({ "last-event-id": primer })
          if (isStillOpen) yield* get.end
          yield* resumed.until(({ events }) => events.length === (isStillOpen ? 1 : 2))
          assert.strictEqual(session?.listeners, 1)
          session?.push(changed(3))
          yield* resumed.until(({ events }) => events.length === (isStillOpen ? 2 : 3))
          assert.deepStrictEqual(
            resumed.events.map(({ params }) => (params as { readonly uri: string }).uri),
            isStillOpen ? ["test://1", "test://3"] : ["test://1", "test://2", "test://3"]
          )
          // Resuming it again gives the whole stream, as one.
          yield* lose(resumed)
          const again = yield* client.get({ "last-event-id": primer })
          yield* again.until(({ events }) => events.length === resumed.events.length)
          assert.deepStrictEqual(again.frames, resumed.frames)
          again.close()
        }))
    }

    it.live("a session that ends ends what was resumed, and its events are nobody's any more", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler } })
        const client = yield* connect(port)
        const { stream } = yield* streaming(client, "tool", 1, tool)
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* client.delete()
        yield* resumed.end
        assert.deepStrictEqual([resumed.ended, resumed.events], ["complete", []])
        const late = yield* client.get({ "last-event-id": stream.lastId })
        assert.strictEqual(late.status, 404)
      }))

    it.live("the limit sessionStreams counts resumed streams", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { sessionStreams: 1 } })
        const client = yield* connect(port)
        const { exchange, stream } = yield* streaming(client, "tool", 1, tool)
        const get = yield* client.get()
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* get.end
        exchange.emit(progress(2))
        yield* resumed.until(({ events }) => events.length === 1)
        resumed.close()
      }))
  })

  describe(`${entry}: polling`, () => {
    const polling = { after: "2 seconds", retry: "500 millis" } as const

    it.effect("LHTTP-9, LHTTP-10, SEP-1699: who waits for long is sent away with an id, and comes back for the answer", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, options: { polling } })
        const client = yield* connect(port)
        const posted = yield* Effect.forkChild(client.openPost(call("tool")), { startImmediately: true })
        const exchange = yield* tool.exchange
        yield* TestClock.adjust("2 seconds")
        const stream = yield* Fiber.join(posted)
        yield* stream.end
        assert.strictEqual(stream.ended, "complete")
        assert.deepStrictEqual(stream.frames, [{ id: stream.lastId, retry: "500", data: undefined }])
        assert.isFalse(tool.isInterrupted())
        exchange.emit(progress(1))
        // Once more: the call is still not done.
        const second = yield* client.get({ "last-event-id": stream.lastId })
        yield* second.until(({ events }) => events.length === 1)
        yield* TestClock.adjust("2 seconds")
        yield* second.end
        assert.strictEqual(second.ended, "complete")
        const third = yield* client.get({ "last-event-id": second.lastId })
        yield* tool.release
        yield* third.end
        assert.deepStrictEqual(third.events, [done(1)])
      }))

    it.effect("a stream that is open says when to come back, and is ended after that time too", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, options: { polling } })
        const client = yield* connect(port)
        const { stream } = yield* streaming(client, "tool", 1, tool)
        assert.strictEqual(stream.frames[0]?.retry, "500")
        yield* TestClock.adjust("2 seconds")
        yield* stream.end
        assert.deepStrictEqual([stream.ended, stream.events.length], ["complete", 1])
        assert.isFalse(tool.isInterrupted())
      }))

    it.effect("LHTTP-8: an answer in time is plain, and other revisions, other clients and standalone streams are left alone", () =>
      Effect.gen(function*() {
        const [old, plain] = [yield* held(), yield* held()]
        const { port } = yield* serve(entry, {
          handlers: { old: old.handler, plain: plain.handler },
          options: { polling, keepAlive: false }
        })
        const [client, older] = [yield* connect(port), yield* connect(port, "2025-06-18")]
        assert.strictEqual((yield* client.post(call("echo"))).headers["content-type"], "application/json")
        const get = yield* client.get()
        yield* get.until(({ frames }) => frames[0]?.retry === "500")
        const first = yield* Effect.forkChild(older.post(call("old")))
        const second = yield* Effect.forkChild(client.post(call("plain"), { accept: "application/json" }))
        yield* Effect.all([old.exchange, plain.exchange])
        yield* TestClock.adjust("1 minute")
        yield* Effect.all([old.release, plain.release])
        for (const fiber of [first, second]) {
          assert.strictEqual((yield* Fiber.join(fiber)).headers["content-type"], "application/json")
        }
        assert.strictEqual(get.ended, "no")
        get.close()
      }))
  })
}
