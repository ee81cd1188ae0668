import * as EventLog from "@effect-mcp/core/EventLog"
import * as Limits from "@effect-mcp/core/Limits"
import * as EventLogLaws from "@effect-mcp/testing/EventLogLaws"
import * as Law from "@effect-mcp/testing/Law"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

type Log = typeof EventLog.EventLog.Service

const limits = Limits.layer({ eventLogEvents: 64, eventLogBytes: 64 * 1024, eventLogAge: 60_000 })
const LetPass = Layer.succeed(Law.LetPass, TestClock.adjust)
const layer = EventLog.layerMemory.pipe(Layer.provideMerge(limits), Layer.merge(LetPass))

describe("EventLogLaws", () => {
  for (const { law, name } of EventLogLaws.laws) {
    it.effect(`layerMemory: ${name}`, () => Effect.provide(law, layer))
    it.effect(`layerMemory with the limits as they are: ${name}`, () =>
      Effect.provide(law, Layer.merge(EventLog.layerMemory, LetPass)))
  }
})

/** A log that changes the events of resumed streams. */
const reading = (f: (events: EventLog.Resumed["events"]) => EventLog.Resumed["events"]) => (log: Log): Log => ({
  ...log,
  resume: (session, id) => Effect.map(log.resume(session, id), ({ events, stream }) => ({ stream, events: f(events) }))
})

/** A log with other limits. */
const withLimits = (overrides: Parameters<typeof Limits.layer>[0]) =>
  Effect.provide(EventLog.EventLog, EventLog.layerMemory.pipe(Layer.provide(Layer.orDie(Limits.layer(overrides)))), {
    local: true
  })

const bound = 1_000_000_000

/** For each law a log that breaks it. */
const broken: Record<string, (log: Log) => Log | Effect.Effect<Log>> = {
  "ids are visible ASCII without spaces, and no two are the same, in whichever stream or session": (log) => {
    const counts = new Map<string, number>()
    return {
      ...log,
      append: ({ session, stream }) =>
        Effect.sync(() => {
          const count = (counts.get(session) ?? 0) + 1
          counts.set(session, count)
          return `${stream}-${count}`
        })
    }
  },
  "a stream that has ended is resumed after an event with all that followed, in order and as it was appended": reading(
    Stream.filter(({ data }) => data !== "")
  ),
  "after the last event of a stream that has ended comes the end": reading((events) =>
    Stream.concat(events, Stream.make({ id: "more", data: "" }))
  ),
  "only the stream of the event is resumed": (log) => ({
    ...log,
    append: ({ session }, data) => log.append({ session, stream: "a" }, data),
    end: ({ session }) => log.end({ session, stream: "a" })
  }),
  "an id of another session is unknown": (log) => {
    const sessions = new Map<string, string>()
    return {
      ...log,
      append: (stream, data) =>
        Effect.tap(log.append(stream, data), (id) => Effect.sync(() => sessions.set(id, stream.session))),
      resume: (session, id) => log.resume(sessions.get(id) ?? session, id)
    }
  },
  "an id that was never given is unknown": (log) => ({
    ...log,
    resume: (session, id) =>
      log.resume(session, id).pipe(Effect.catchTag("UnknownEvent", () => Effect.fail(new EventLog.EventsLost())))
  }),
  "what is appended after the resumption follows, and then the end": reading((events) => Stream.take(events, 10)),
  "a reader that has everything waits for more": reading((events) =>
    Stream.timeout(events, 0).pipe(Stream.merge(Stream.empty))
  ),
  "several readers of one stream see the same, and one that stops takes nothing from the others": (log) => {
    const seen = new Set<string>()
    return reading(Stream.filter(({ id }) => seen.size < seen.add(id).size))(log)
  },
  "of events that are appended at the same time none is lost": (log) => {
    let busy = false
    return {
      ...log,
      append: (stream, data) =>
        Effect.suspend(() => {
          if (busy) return Effect.succeed("busy")
          busy = true
          return Effect.yieldNow.pipe(
            Effect.andThen(log.append(stream, data)),
            Effect.tap(() =>
              Effect.sync(() => {
                busy = false
              })
            )
          )
        })
    }
  },
  "nothing follows on a stream that has ended": (log) => ({
    ...log,
    end: (stream) => Effect.as(log.append(stream, "after the end"), undefined),
    resume: (session, id) =>
      Effect.map(log.resume(session, id), (resumed) => ({
        ...resumed,
        events: Stream.takeUntil(resumed.events, ({ data }) => data === "too late")
      }))
  }),
  "more events than eventLogEvents: the oldest are lost, all of them are said to be, and the newest are there": () =>
    withLimits({ eventLogEvents: bound, eventLogBytes: bound }),
  "more data than eventLogBytes: the oldest events are lost, and said to be": () =>
    withLimits({ eventLogBytes: bound }),
  "events that are older than eventLogAge are lost, and said to be": () => withLimits({ eventLogAge: bound }),
  "a reader that does not keep up gets no hole, but EventsLost": reading((events) =>
    Stream.catchTag(events, "EventsLost", () => Stream.empty)
  ),
  "what is trimmed of one session is not trimmed of another": (log) => {
    const session = "one for all"
    return {
      append: ({ stream }, data) => log.append({ session, stream }, data),
      end: ({ stream }) => log.end({ session, stream }),
      resume: (_, id) => log.resume(session, id),
      drop: () => log.drop(session)
    }
  },
  "a session that is dropped is forgotten: its readers end, and its ids resume nothing": (log) => ({
    ...log,
    drop: () => Effect.void
  }),
  "ending or dropping what there is not does nothing": (log) => ({
    ...log,
    end: ({ session }) => log.drop(session)
  })
}

describe("EventLogLaws find a log that breaks one", () => {
  it("each of them", () => {
    assert.sameMembers(Object.keys(broken), EventLogLaws.laws.map(({ name }) => name))
  })

  for (const { law, name } of EventLogLaws.laws) {
    it.effect(name, () => {
      const log = Layer.effect(
        EventLog.EventLog,
        Effect.flatMap(EventLog.EventLog, (memory) => {
          const other = broken[name]?.(memory) ?? memory
          return Effect.isEffect(other) ? other : Effect.succeed(other)
        })
      )
      return Effect.gen(function*() {
        const failed = yield* law.pipe(
          Effect.scoped,
          Effect.provide(Layer.provideMerge(log, layer)),
          Effect.match({ onFailure: () => true, onSuccess: () => false }),
          // A law that waits for ever found it too.
          Effect.raceFirst(Effect.as(TestClock.withLive(Effect.sleep("200 millis")), true))
        )
        assert.isTrue(failed)
      })
    })
  }
})
