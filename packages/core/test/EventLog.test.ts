import * as EventLog from "@effect-mcp/core/EventLog"
import * as Limits from "@effect-mcp/core/Limits"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { held } from "./support/garbage.ts"
import * as JumpingClock from "./support/jumpingClock.ts"

const withLimits = (overrides: Parameters<typeof Limits.layer>[0]) =>
  EventLog.layerMemory.pipe(Layer.provide(Limits.layer(overrides)))

const ref = (session: string, stream = "get"): EventLog.StreamRef => ({ session, stream })

const append = Effect.fnUntraced(function*(stream: EventLog.StreamRef, count: number, prefix = "") {
  const log = yield* EventLog.EventLog
  const ids: Array<string> = []
  for (let i = 0; i < count; i++) ids.push(yield* log.append(stream, `${prefix}${i}`))
  return ids
})

/** What a client that comes back with an id gets: the data of what was missed, or why it gets nothing. */
const missed = Effect.fnUntraced(function*(session: string, id: string | undefined) {
  const log = yield* EventLog.EventLog
  const resumed = yield* Effect.result(log.resume(session, id ?? "no id"))
  if (resumed._tag === "Failure") return resumed.failure._tag
  const pull = yield* Stream.toPull(resumed.success.events)
  const data: Array<string> = []
  for (;;) {
    // A stream that waits has nothing more for now.
    const fiber = yield* Effect.forkScoped(pull, { startImmediately: true })
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      yield* Fiber.interrupt(fiber)
      return [...data, "…"]
    }
    if (Exit.isSuccess(exit)) data.push(...exit.value.map((event) => event.data))
    else return Pull.isDoneCause(exit.cause) ? data : [...data, Cause.pretty(exit.cause)]
  }
})

describe("EventLog", () => {
  it.effect("LHTTP-16: ids are unique over all streams, sessions and logs, and each stream has its own", () =>
    Effect.gen(function*() {
      const twice = Effect.gen(function*() {
        return [
          ...(yield* append(ref("s1", "a"), 20)),
          ...(yield* append(ref("s1", "b"), 20)),
          ...(yield* append(ref("s2", "a"), 20))
        ]
      })
      const ids = [
        ...(yield* Effect.provide(twice, EventLog.layerMemory, { local: true })),
        ...(yield* Effect.provide(twice, EventLog.layerMemory, { local: true }))
      ]
      assert.strictEqual(new Set(ids).size, 120)
      for (const id of ids) assert.match(id, /^[\x21-\x7e]{1,64}$/)
      const streams = ids.map((id) => id.slice(0, id.lastIndexOf("-")))
      assert.strictEqual(new Set(streams).size, 6)
    }))

  it.effect("LHTTP-16: an id of another log is unknown, though all names in it are the same", () =>
    Effect.gen(function*() {
      const [id] = yield* Effect.provide(append(ref("s1"), 2), EventLog.layerMemory, { local: true })
      yield* append(ref("s1"), 2)
      assert.strictEqual(yield* missed("s1", id), "UnknownEvent")
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("LHTTP-18, case 50: streams and sessions are interleaved, and each client gets its own and its answer", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const streams = [ref("s1", "post-1"), ref("s1", "post-2"), ref("s2", "post-1")]
      const ids: Array<Array<string>> = streams.map(() => [])
      for (let i = 0; i < 3; i++) {
        for (const [j, stream] of streams.entries()) ids[j]?.push(yield* log.append(stream, `${j}:${i}`))
      }
      yield* Effect.forEach(streams, log.end)
      for (const [j, { session }] of streams.entries()) {
        assert.deepStrictEqual(yield* missed(session, ids[j]?.[0]), [`${j}:1`, `${j}:2`])
        assert.deepStrictEqual(yield* missed(session, ids[j]?.[2]), [])
      }
      assert.strictEqual(yield* missed("s2", ids[0]?.[0]), "UnknownEvent")
      assert.strictEqual(yield* missed("s1", ids[2]?.[0]), "UnknownEvent")
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("case 50: every change of one character of an id leaves it in its own stream or makes it unknown", () =>
    Effect.gen(function*() {
      const [id = ""] = yield* append(ref("s1", "a"), 3, "a")
      yield* append(ref("s1", "b"), 3, "b")
      yield* append(ref("s2", "a"), 3, "other ")
      for (let i = 0; i < id.length; i++) {
        for (const character of ["0", "1", "2", "9", "a", "A", "-", " ", "_", "é", ""]) {
          const events = yield* missed("s1", id.slice(0, i) + character + id.slice(i + 1))
          if (typeof events === "string") assert.strictEqual(events, "UnknownEvent")
          else assert.notMatch(events.join(), /other/)
        }
      }
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("F6: past the eventLogEvents limit the oldest of the session are lost, and not one of the rest is given", () =>
    Effect.gen(function*() {
      const [a1, a2, a3] = yield* append(ref("s1", "a"), 3, "a")
      const [b1] = yield* append(ref("s1", "b"), 2, "b")
      const [other] = yield* append(ref("s2"), 2)
      assert.deepStrictEqual(yield* missed("s1", a1), ["a1", "a2", "…"])
      yield* append(ref("s1", "c"), 1)
      // The first is trimmed, and nothing that followed it.
      assert.deepStrictEqual(yield* missed("s1", a1), ["a1", "a2", "…"])
      yield* append(ref("s1", "c"), 1)
      assert.strictEqual(yield* missed("s1", a1), "EventsLost")
      assert.deepStrictEqual(yield* missed("s1", a2), ["a2", "…"])
      yield* append(ref("s1", "c"), 3)
      assert.strictEqual(yield* missed("s1", a2), "EventsLost")
      // All is trimmed and nothing is missing: who has the last one has not lost any.
      assert.deepStrictEqual(yield* missed("s1", a3), ["…"])
      assert.strictEqual(yield* missed("s1", b1), "EventsLost")
      assert.deepStrictEqual(yield* missed("s2", other), ["1", "…"])
      yield* append(ref("s1", "c"), 1)
      yield* append(ref("s1", "a"), 1, "later ")
      assert.deepStrictEqual(yield* missed("s1", a3), ["later 0", "…"])
    }).pipe(Effect.provide(withLimits({ eventLogEvents: 5 }))))

  it.effect("F6: past the eventLogBytes limit the oldest are lost, and one that is larger is at once", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const id = yield* log.append(ref("s1"), "")
      for (let i = 0; i < 3; i++) yield* log.append(ref("s1"), "x".repeat(2_000))
      assert.strictEqual((yield* missed("s1", id)).length, 4)
      // As many characters, of two bytes each.
      const wide = yield* log.append(ref("s1"), "法".repeat(2_000))
      assert.strictEqual(yield* missed("s1", id), "EventsLost")
      assert.deepStrictEqual(yield* missed("s1", wide), ["…"])
      yield* log.append(ref("s1"), "x".repeat(20_000))
      assert.strictEqual(yield* missed("s1", wide), "EventsLost")
      const next = yield* log.append(ref("s1"), "")
      assert.deepStrictEqual(yield* missed("s1", next), ["…"])
    }).pipe(Effect.provide(withLimits({ eventLogBytes: 10_000 }))))

  it.effect("F6: past the eventLogTotalBytes limit the oldest of all sessions are lost", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const ids: Array<string> = []
      for (let i = 0; i < 10; i++) {
        ids.push(yield* log.append(ref(`s${i}`), ""))
        yield* log.append(ref(`s${i}`), "x".repeat(10_000))
      }
      for (let i = 0; i < 10; i++) {
        const events = yield* missed(`s${i}`, ids[i])
        if (i < 6) assert.strictEqual(events, "EventsLost")
        else assert.strictEqual(events.length, 2)
      }
    }).pipe(Effect.provide(withLimits({ eventLogTotalBytes: 45_000 }))))

  it.effect("F6: events as old as the eventLogAge limit are lost", () =>
    Effect.gen(function*() {
      const [first, second] = yield* append(ref("s1"), 2)
      yield* TestClock.adjust("3 minutes")
      const [third] = yield* append(ref("s1"), 2)
      assert.deepStrictEqual(yield* missed("s1", first), ["1", "0", "1", "…"])
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* missed("s1", first), "EventsLost")
      assert.deepStrictEqual(yield* missed("s1", second), ["0", "1", "…"])
      yield* TestClock.adjust("3 minutes")
      assert.strictEqual(yield* missed("s1", third), "EventsLost")
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("F14: the wall clock jumps an hour on and back, and no event is lost or kept for longer", () =>
    Effect.gen(function*() {
      const clock = yield* JumpingClock.make
      yield* Effect.gen(function*() {
        const [id] = yield* append(ref("s1"), 2)
        for (const offset of [3_600_000, -3_600_000]) {
          yield* clock.jumpTo(offset)
          assert.deepStrictEqual(yield* missed("s1", id), ["1", "…"])
        }
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* missed("s1", id), "EventsLost")
      }).pipe(Effect.provide(EventLog.layerMemory.pipe(Layer.provide(clock.layer))))
    }))

  it.effect("F6: a reader that lags behind gets what it had taken, and then EventsLost", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [first = ""] = yield* append(ref("s1"), 3, "early ")
      const { events } = yield* log.resume("s1", first)
      const quick = yield* log.resume("s1", first)
      const received: Array<string> = []
      const reader = yield* Effect.forkChild(
        Stream.runForEach(quick.events, ({ data }) => Effect.sync(() => received.push(data))),
        { startImmediately: true }
      )
      const pull = yield* Stream.toPull(events)
      assert.deepStrictEqual((yield* pull).map(({ data }) => data), ["early 1", "early 2"])
      for (let i = 0; i < 20; i++) {
        yield* log.append(ref("s1"), `${i}`)
        yield* Effect.yieldNow
      }
      assert.strictEqual((yield* Effect.flip(pull))._tag, "EventsLost")
      yield* log.end(ref("s1"))
      yield* Fiber.join(reader)
      assert.deepStrictEqual(received, ["early 1", "early 2", ...Arr.makeBy(20, String)])
    }).pipe(Effect.provide(withLimits({ eventLogEvents: 8 }))))

  it.effect("what is appended in one go is read in one go, and not while it is appended", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const first = yield* log.append(ref("s1"), "")
      const chunks: Array<number> = []
      const reader = yield* (yield* log.resume("s1", first)).events.pipe(
        Stream.runForEachArray((events) => Effect.sync(() => chunks.push(events.length))),
        Effect.forkChild({ startImmediately: true })
      )
      for (let i = 0; i < 10; i++) {
        yield* log.append(ref("s1"), "")
        assert.lengthOf(chunks, 0)
      }
      yield* log.end(ref("s1"))
      yield* Fiber.join(reader)
      assert.deepStrictEqual(chunks, [10])
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("ended streams and sessions that are forgotten are EventsLost to their session, unknown to others", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [id = ""] = yield* append(ref("s1", "post"), 2)
      yield* log.end(ref("s1", "post"))
      yield* TestClock.adjust("5 minutes")
      yield* append(ref("s2"), 1)
      for (const end of ["1", "2", "zzzz"]) {
        assert.strictEqual(yield* missed("s1", id.slice(0, -1) + end), "EventsLost")
      }
      assert.strictEqual(yield* missed("s2", id), "UnknownEvent")
      assert.strictEqual(yield* missed("s3", id), "UnknownEvent")
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("L4: 10,000 sessions with what they were sent are forgotten, and nothing of them is held any more", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const references: Array<WeakRef<object>> = []
      const use = Effect.fnUntraced(function*(session: string) {
        // A stream knows its session, its session all of its events.
        const post = ref(session, "post")
        references.push(new WeakRef(post))
        yield* log.append(post, "")
        yield* log.append(post, "{}")
        yield* log.end(post)
      })
      for (let i = 0; i < 10_000; i++) yield* use(`s${i}`)
      assert.strictEqual(yield* held(references), 10_000)
      yield* TestClock.adjust("5 minutes")
      yield* append(ref("new"), 100)
      assert.strictEqual(yield* held(references), 0)
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("of sessions that were never dropped no more than the sessions limit are remembered, or have a reader", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [read = ""] = yield* append(ref("read"), 1)
      const { events } = yield* log.resume("read", read)
      const reader = yield* Effect.forkChild(Stream.runCollect(events), { startImmediately: true })
      const [first] = yield* append(ref("first"), 2)
      const [second] = yield* append(ref("second"), 2)
      yield* append(ref("first"), 1)
      yield* append(ref("third"), 2)
      assert.strictEqual(yield* missed("second", second), "EventsLost")
      assert.deepStrictEqual(yield* missed("first", first), ["1", "0", "…"])
      yield* append(ref("read"), 1, "still ")
      yield* log.end(ref("read"))
      assert.deepStrictEqual((yield* Fiber.join(reader)).map(({ data }) => data), ["still 0"])
      // It is as old as the others now that nobody reads it.
      yield* append(ref("fourth"), 1)
      yield* append(ref("fifth"), 1)
      yield* append(ref("sixth"), 1)
      assert.strictEqual(yield* missed("read", read), "EventsLost")
    }).pipe(Effect.provide(withLimits({ sessions: 3 }))))

  it.effect("a session has no more open streams than eventLogEvents: the first is forgotten, and its readers told", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [first = ""] = yield* append(ref("s1", "0"), 1)
      const { events } = yield* log.resume("s1", first)
      const reader = yield* Effect.forkChild(Effect.flip(Stream.runDrain(events)), { startImmediately: true })
      for (let i = 1; i <= 4; i++) yield* append(ref("s1", `${i}`), 1)
      assert.strictEqual((yield* Fiber.join(reader))._tag, "EventsLost")
      assert.strictEqual(yield* missed("s1", first), "EventsLost")
    }).pipe(Effect.provide(withLimits({ eventLogEvents: 4 }))))

  it.effect("a reader that is interrupted leaves, and another one goes on where it was", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [first = ""] = yield* append(ref("s1"), 1)
      const { events } = yield* log.resume("s1", first)
      const reader = yield* Effect.forkChild(Stream.runDrain(events), { startImmediately: true })
      yield* Fiber.interrupt(reader)
      yield* append(ref("s1"), 2)
      assert.deepStrictEqual((yield* Stream.runCollect(Stream.take(events, 2))).map(({ data }) => data), ["0", "1"])
      assert.deepStrictEqual(yield* missed("s1", first), ["0", "1", "…"])
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it.effect("a reader has not lost anything when its session is dropped: it ends, read or unread", () =>
    Effect.gen(function*() {
      const log = yield* EventLog.EventLog
      const [first = ""] = yield* append(ref("s1"), 3)
      const { events } = yield* log.resume("s1", first)
      yield* log.drop("s1")
      assert.deepStrictEqual(yield* Stream.runCollect(events), [])
    }).pipe(Effect.provide(EventLog.layerMemory)))

  it("errors say what was wrong", () => {
    assert.strictEqual(new EventLog.UnknownEvent().message, "no event of this session has that id")
    assert.include(new EventLog.EventsLost().message, "eventLogAge")
    const down = new EventLog.LogUnavailable({ cause: new Error("ECONNREFUSED") })
    assert.strictEqual(down.message, "the log of events is not available")
  })
})
