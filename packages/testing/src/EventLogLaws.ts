/**
 * What every layer of `EventLog` must do, as effects that any test runner can run.
 *
 * The laws read the limits in force (`eventLogEvents`, `eventLogBytes`, `eventLogAge`), which must be those of the log, and
 * append more than they allow and let more time pass. So a layer on an engine, with a clock of its own, is tested with
 * small limits; with a test clock there is `Law.LetPass`. That a log is bounded over all sessions is for its own tests.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import * as EventLog from "@effect-mcp/core/EventLog"
 * import * as Limits from "@effect-mcp/core/Limits"
 * import * as EventLogLaws from "@effect-mcp/testing/EventLogLaws"
 * import { it } from "@effect/vitest"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = EventLog.layerMemory.pipe(
 *   Layer.provideMerge(Limits.layer({ eventLogEvents: 64, eventLogBytes: 64 * 1024, eventLogAge: 2_000 }))
 * )
 *
 * for (const { law, name } of EventLogLaws.laws) {
 *   it.live(name, () => Effect.provide(law, layer))
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as EventLog from "@effect-mcp/core/EventLog"
import * as Limits from "@effect-mcp/core/Limits"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Law from "./Law.ts"

type Log = Context.Service.Shape<typeof EventLog.EventLog>

type Failure = EventLog.UnknownEvent | EventLog.EventsLost | EventLog.LogUnavailable

/** What a law is given beside the log: two sessions that nobody else has, and two streams of the first. */
interface Around {
  readonly limits: Limits.Values
  readonly letPass: (millis: number) => Effect.Effect<void>
  readonly session: string
  readonly other: string
  readonly a: EventLog.StreamRef
  readonly b: EventLog.StreamRef
}

type Failed = Law.LawViolation | Failure

const numbered = (count: number): ReadonlyArray<string> => Arr.makeBy(count, (i) => `{"event":${i}}`)

/** Appends one after the other, and gives the events as a reader must see them. */
const append = (
  log: Log,
  stream: EventLog.StreamRef,
  data: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<EventLog.Event>, EventLog.LogUnavailable> =>
  Effect.forEach(data, (one) => Effect.map(log.append(stream, one), (id) => ({ id, data: one })))

const inTime = <A, E>(effect: Effect.Effect<A, E>, what: string): Effect.Effect<A, E | Law.LawViolation> =>
  Effect.timeoutOrElse(effect, {
    duration: "10 seconds",
    orElse: () => Effect.fail(new Law.LawViolation({ expected: `${what} within 10 seconds`, actual: "nothing" }))
  })

const all = (events: EventLog.Resumed["events"]) => inTime(Stream.runCollect(events), "the end of the stream")

const take = (events: EventLog.Resumed["events"], count: number) =>
  inTime(Stream.runCollect(Stream.take(events, count)), `${count} events`)

const idOf = (events: ReadonlyArray<EventLog.Event>, index: number): string => events.at(index)?.id ?? "missing"

const expectEvents = (actual: ReadonlyArray<EventLog.Event>, expected: ReadonlyArray<EventLog.Event>) =>
  Law.expect(Equal.equals(actual, expected), JSON.stringify(expected.slice(0, 20)), actual.slice(0, 20))

/** What a resumption ends with, events that come first included. `resumed`, if it does not fail. */
const outcome = (log: Log, session: string, id: string): Effect.Effect<string, EventLog.LogUnavailable> =>
  log.resume(session, id).pipe(
    Effect.as("resumed"),
    Effect.catchTags({
      UnknownEvent: () => Effect.succeed("UnknownEvent"),
      EventsLost: () => Effect.succeed("EventsLost")
    })
  )

const expectOutcome = Effect.fnUntraced(
  function*(log: Log, session: string, id: string, ...expected: ReadonlyArray<string>) {
    const actual = yield* outcome(log, session, id)
    yield* Law.expect(
      expected.includes(actual),
      `${expected.join(" or ")} for ${JSON.stringify(id.slice(0, 80))}`,
      actual
    )
  }
)

/** Reads until nothing more comes: what came, and the tag of the error it ended with. */
const readToEnd = Effect.fnUntraced(function*(events: EventLog.Resumed["events"]) {
  const received: Array<EventLog.Event> = []
  const end = yield* inTime(
    Stream.runForEach(events, (event) => Effect.sync(() => received.push(event))),
    "the end of the stream"
  ).pipe(Effect.result)
  return { received, end: Result.isFailure(end) ? end.failure._tag : "end" }
})

const law = (
  name: string,
  body: (log: Log, around: Around) => Effect.Effect<void, Failed, Scope.Scope>
): Law.Law<EventLog.EventLog, Failure> => ({
  name,
  law: Effect.gen(function*() {
    const log = yield* EventLog.EventLog
    const limits = yield* Limits.Limits
    const letPass = yield* Law.LetPass
    const session = SecureRandom.uuidV4Unsafe()
    const other = SecureRandom.uuidV4Unsafe()
    const a = { session, stream: "a" }
    const b = { session, stream: "b" }
    return yield* body(log, { limits, letPass, session, other, a, b })
  })
})

/**
 * The laws.
 *
 * **Details**
 *
 * A law waits for its events for at most 10 seconds of the `Clock`, so on a test clock it is the runner that has to give
 * up.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law.Law<EventLog.EventLog, Failure>> = [
  law(
    "ids are visible ASCII without spaces, and no two are the same, in whichever stream or session",
    Effect.fnUntraced(function*(log, { a, b, other }) {
      const streams = [a, b, { session: other, stream: "a" }, { session: other, stream: "" }]
      const ids = (yield* Effect.forEach(streams, (stream) => append(log, stream, numbered(40)))).flat()
        .map(({ id }) => id)
      const wrong = ids.filter((id) => !/^[\x21-\x7e]+$/.test(id))
      yield* Law.expect(wrong.length === 0, "visible ASCII", wrong)
      yield* Law.expect(new Set(ids).size === ids.length, `${ids.length} different ids`, new Set(ids).size)
    })
  ),
  law(
    "a stream that has ended is resumed after an event with all that followed, in order and as it was appended",
    Effect.fnUntraced(function*(log, { a, session }) {
      const events = yield* append(log, a, [
        "",
        "{}",
        "line\nbreak\r\n",
        "法 🚀 \u0000",
        "",
        "data: x",
        ...numbered(20)
      ])
      yield* log.end(a)
      for (const index of [0, 3, events.length - 2]) {
        const resumed = yield* log.resume(session, idOf(events, index))
        yield* expectEvents(yield* all(resumed.events), events.slice(index + 1))
        yield* Law.expect(Equal.equals(resumed.stream, a), JSON.stringify(a), resumed.stream)
      }
    })
  ),
  law(
    "after the last event of a stream that has ended comes the end",
    Effect.fnUntraced(function*(log, { a, session }) {
      const events = yield* append(log, a, numbered(2))
      yield* log.end(a)
      yield* expectEvents(yield* all((yield* log.resume(session, idOf(events, -1))).events), [])
    })
  ),
  law(
    "only the stream of the event is resumed",
    Effect.fnUntraced(function*(log, { a, b, other, session }) {
      const streams = [a, b, { session: other, stream: "a" }]
      const events: Array<Array<EventLog.Event>> = streams.map(() => [])
      for (let i = 0; i < 10; i++) {
        for (const [j, stream] of streams.entries()) {
          events[j]?.push(...(yield* append(log, stream, [`${stream.stream}${j}-${i}`])))
        }
      }
      yield* Effect.forEach(streams, log.end)
      for (const [j, stream] of streams.entries()) {
        const own = events[j] ?? []
        const resumed = yield* log.resume(j === 2 ? other : session, idOf(own, 0))
        yield* Law.expect(Equal.equals(resumed.stream, stream), JSON.stringify(stream), resumed.stream)
        yield* expectEvents(yield* all(resumed.events), own.slice(1))
      }
    })
  ),
  law(
    "an id of another session is unknown",
    Effect.fnUntraced(function*(log, { a, other, session }) {
      const events = yield* append(log, a, numbered(2))
      yield* expectOutcome(log, other, idOf(events, 0), "UnknownEvent")
      // Not even a session with streams of the same names.
      yield* append(log, { session: other, stream: "a" }, numbered(2))
      yield* expectOutcome(log, other, idOf(events, 0), "UnknownEvent")
      yield* expectOutcome(log, session, idOf(events, 0), "resumed")
    })
  ),
  law(
    "an id that was never given is unknown",
    Effect.fnUntraced(function*(log, { a, other, session }) {
      const id = idOf(yield* append(log, a, numbered(2)), 0)
      const wrong = ["", "0", "-", "----", "*", "\u0000", "法", "__proto__", "x".repeat(10_000), `${id}~`, ` ${id}`]
      for (const one of wrong) {
        yield* expectOutcome(log, session, one, "UnknownEvent")
        yield* expectOutcome(log, other, one, "UnknownEvent")
      }
    })
  ),
  law(
    "what is appended after the resumption follows, and then the end",
    Effect.fnUntraced(function*(log, { a, session }) {
      const before = yield* append(log, a, numbered(3))
      const { events } = yield* log.resume(session, idOf(before, 0))
      const reader = yield* Effect.forkScoped(all(events), { startImmediately: true })
      const after = yield* append(log, a, numbered(20))
      yield* Effect.yieldNow
      const later = yield* append(log, a, numbered(5))
      yield* log.end(a)
      yield* expectEvents(yield* Fiber.join(reader), [...before.slice(1), ...after, ...later])
    })
  ),
  law(
    "a reader that has everything waits for more",
    Effect.fnUntraced(function*(log, { a, session }) {
      const before = yield* append(log, a, numbered(1))
      const { events } = yield* log.resume(session, idOf(before, 0))
      const reader = yield* Effect.forkScoped(take(events, 1), { startImmediately: true })
      yield* Effect.yieldNow
      const after = yield* append(log, a, ["{}"])
      yield* expectEvents(yield* Fiber.join(reader), after)
    })
  ),
  law(
    "several readers of one stream see the same, and one that stops takes nothing from the others",
    Effect.fnUntraced(function*(log, { a, session }) {
      const before = yield* append(log, a, numbered(2))
      const { events } = yield* log.resume(session, idOf(before, 0))
      const again = yield* log.resume(session, idOf(before, 0))
      const readers = yield* Effect.forEach(
        [events, again.events, again.events],
        (one) => Effect.forkScoped(all(one), { startImmediately: true })
      )
      yield* take(again.events, 1)
      const after = yield* append(log, a, numbered(10))
      yield* log.end(a)
      for (const reader of readers) yield* expectEvents(yield* Fiber.join(reader), [...before.slice(1), ...after])
    })
  ),
  law(
    "of events that are appended at the same time none is lost",
    Effect.fnUntraced(function*(log, { a, session }) {
      const first = yield* append(log, a, [""])
      const appended = yield* Effect.forEach(
        numbered(40),
        (data) => Effect.map(log.append(a, data), (id) => ({ id, data })),
        { concurrency: "unbounded" }
      )
      yield* log.end(a)
      const received = yield* all((yield* log.resume(session, idOf(first, 0))).events)
      const sorted = (events: ReadonlyArray<EventLog.Event>) =>
        events.map(({ data, id }) => `${id} ${data}`).toSorted().join("\n")
      yield* Law.expect(sorted(received) === sorted(appended), sorted(appended), sorted(received))
    })
  ),
  law(
    "nothing follows on a stream that has ended",
    Effect.fnUntraced(function*(log, { a, session }) {
      const events = yield* append(log, a, numbered(3))
      yield* log.end(a)
      yield* Effect.exit(log.append(a, "too late"))
      yield* expectEvents(yield* all((yield* log.resume(session, idOf(events, 0))).events), events.slice(1))
    })
  ),
  law(
    "more events than eventLogEvents: the oldest are lost, all of them are said to be, and the newest are there",
    Effect.fnUntraced(function*(log, { a, b, limits, session }) {
      const one = yield* append(log, b, numbered(2))
      const events = yield* append(log, a, numbered(limits.eventLogEvents * 10))
      yield* log.end(a)
      yield* expectOutcome(log, session, idOf(events, 0), "EventsLost")
      // The streams of a session share the limit.
      yield* expectOutcome(log, session, idOf(one, 0), "EventsLost")
      const half = Math.floor(limits.eventLogEvents / 2)
      const { events: newest } = yield* log.resume(session, idOf(events, -half))
      yield* expectEvents(yield* all(newest), events.slice(events.length - half + 1))
    })
  ),
  law(
    "more data than eventLogBytes: the oldest events are lost, and said to be",
    Effect.fnUntraced(function*(log, { a, limits, session }) {
      const data = "x".repeat(Math.ceil(limits.eventLogBytes / 4))
      const events = yield* append(log, a, Arr.replicate(data, 40))
      yield* expectOutcome(log, session, idOf(events, 0), "EventsLost")
      yield* expectEvents(yield* take((yield* log.resume(session, idOf(events, -2))).events, 1), events.slice(-1))
    })
  ),
  law(
    "events that are older than eventLogAge are lost, and said to be",
    Effect.fnUntraced(function*(log, { a, letPass, limits, session }) {
      const old = yield* append(log, a, numbered(3))
      yield* letPass(limits.eventLogAge * 2)
      const fresh = yield* append(log, a, numbered(2))
      yield* log.end(a)
      yield* expectOutcome(log, session, idOf(old, 0), "EventsLost")
      yield* expectEvents(yield* all((yield* log.resume(session, idOf(fresh, 0))).events), fresh.slice(1))
    })
  ),
  law(
    "a reader that does not keep up gets no hole, but EventsLost",
    Effect.fnUntraced(function*(log, { a, limits, session }) {
      const before = yield* append(log, a, numbered(3))
      const { events } = yield* log.resume(session, idOf(before, 0))
      const appended: Array<EventLog.Event> = [...before]
      let first = true
      const slow = Stream.tap(events, () => {
        if (!first) return Effect.void
        first = false
        return Effect.map(append(log, a, numbered(limits.eventLogEvents * 10)), (more) => appended.push(...more))
      })
      const { end, received } = yield* readToEnd(slow)
      yield* expectEvents(received, appended.slice(1, received.length + 1))
      yield* Law.expect(end === "EventsLost", "EventsLost", end)
    })
  ),
  law(
    "what is trimmed of one session is not trimmed of another",
    Effect.fnUntraced(function*(log, { a, limits, other, session }) {
      const events = yield* append(log, { session: other, stream: "a" }, numbered(3))
      yield* append(log, a, numbered(limits.eventLogEvents * 2))
      yield* expectEvents(yield* take((yield* log.resume(other, idOf(events, 0))).events, 2), events.slice(1))
      yield* log.drop(session)
      yield* expectEvents(yield* take((yield* log.resume(other, idOf(events, 0))).events, 2), events.slice(1))
    })
  ),
  law(
    "a session that is dropped is forgotten: its readers end, and its ids resume nothing",
    Effect.fnUntraced(function*(log, { a, b, session }) {
      const events = yield* append(log, a, numbered(2))
      const ended = yield* append(log, b, numbered(2))
      yield* log.end(b)
      const { events: stream } = yield* log.resume(session, idOf(events, -1))
      const reader = yield* Effect.forkScoped(all(stream), { startImmediately: true })
      yield* log.drop(session)
      yield* expectEvents(yield* Fiber.join(reader), [])
      for (const { id } of [...events, ...ended]) yield* expectOutcome(log, session, id, "UnknownEvent", "EventsLost")
      // The same names again are other streams.
      const again = yield* append(log, a, numbered(2))
      for (const { id } of events) yield* expectOutcome(log, session, id, "UnknownEvent", "EventsLost")
      yield* expectEvents(yield* take((yield* log.resume(session, idOf(again, 0))).events, 1), again.slice(1))
    })
  ),
  law(
    "ending or dropping what there is not does nothing",
    Effect.fnUntraced(function*(log, { a, b, other, session }) {
      const events = yield* append(log, a, numbered(2))
      yield* log.end(b)
      yield* log.end({ session: other, stream: "a" })
      yield* log.drop(other)
      yield* expectEvents(yield* take((yield* log.resume(session, idOf(events, 0))).events, 1), events.slice(1))
    })
  )
]
