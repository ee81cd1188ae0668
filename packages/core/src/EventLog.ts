/**
 * What was sent on the event streams of the legacy HTTP transport, for a client that lost its connection and wants to go
 * on where it was (LHTTP-10, LHTTP-17).
 *
 * Every event of a stream is appended before it is sent, and is sent with the id that `append` gave. A client that comes
 * back with the last id it has seen gets what followed *on that stream* and no other (LHTTP-18), and then whatever is
 * still appended.
 *
 * **Ids** are opaque, visible ASCII without spaces, and unique wherever they were made. Each belongs to one event of one
 * stream of one session (LHTTP-16); to another session it is one that was never given.
 *
 * **Loss is said, never hidden.** The log is bounded in count, bytes and age (the limits `eventLogEvents`,
 * `eventLogBytes`, `eventLogTotalBytes`, `eventLogAge`), and trims the oldest events first. Who asks for events of which
 * some were trimmed gets {@link EventsLost} and nothing else.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { elapsed } from "./internal/elapsed.ts"
import { type KeptStream, MemoryEvents } from "./internal/memoryEvents.ts"
import * as Limits from "./Limits.ts"

/**
 * One stream of one session. The caller names it, and gives no name twice in a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamRef {
  readonly session: string
  readonly stream: string
}

/**
 * An event, with the data that was appended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Event {
  readonly id: string
  readonly data: string
}

/**
 * What `resume` gives.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resumed {
  readonly stream: StreamRef
  readonly events: Stream.Stream<Event, EventsLost | LogUnavailable>
}

/**
 * The id is of no event of this session: it is malformed, was never given, or belongs to another session. The error does
 * not say which.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnknownEvent extends Schema.TaggedError<UnknownEvent>("@effect-mcp/core/EventLog/UnknownEvent")(
  "UnknownEvent",
  {}
) {
  override get message(): string {
    return "no event of this session has that id"
  }
}

/**
 * Events that followed are not kept any more, so the stream cannot be resumed without a hole.
 *
 * @category errors
 * @since 0.1.0
 */
export class EventsLost extends Schema.TaggedError<EventsLost>("@effect-mcp/core/EventLog/EventsLost")(
  "EventsLost",
  {}
) {
  override get message(): string {
    return "events after that id are not kept any more (the limits eventLogEvents, eventLogBytes, eventLogTotalBytes and eventLogAge)"
  }
}

/**
 * The log cannot be reached, or does not work. {@link layerMemory} never fails with it.
 *
 * @category errors
 * @since 0.1.0
 */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>("@effect-mcp/core/EventLog/LogUnavailable")(
  "LogUnavailable",
  { cause: Schema.Defect() }
) {
  override get message(): string {
    return "the log of events is not available"
  }
}

/**
 * The log.
 *
 * **Details**
 *
 * - `append`: keeps an event, and gives its id once it is kept. The events of a stream are in the order in which they
 *   were appended. The first one makes the stream.
 * - `end`: nothing follows on the stream. Its events stay for who resumes it, and readers that have them all end. What is
 *   appended all the same is in the stream for no reader.
 * - `resume`: what followed that event, what is appended from then on, and the end of the stream when it has ended. Any
 *   number of readers may resume from one event, and each gets everything. The stream fails with {@link EventsLost} when
 *   its reader is so slow that events it has not read are trimmed.
 * - `drop`: forgets a session, which is for whoever deletes it. Its readers end, and its ids are unknown, or, to a layer
 *   that still can tell, lost.
 *
 * **Example** (Sending and resuming)
 *
 * ```ts
 * import * as EventLog from "@effect-mcp/core/EventLog"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function*() {
 *   const log = yield* EventLog.EventLog
 *   const stream = { session: "s-1", stream: "get" }
 *   const first = yield* log.append(stream, "")
 *   yield* log.append(stream, "{}")
 *   yield* log.end(stream)
 *   const { events } = yield* log.resume("s-1", first)
 *   return yield* Stream.runCollect(events)
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class EventLog extends Context.Service<EventLog, {
  readonly append: (stream: StreamRef, data: string) => Effect.Effect<string, LogUnavailable>
  readonly end: (stream: StreamRef) => Effect.Effect<void, LogUnavailable>
  readonly resume: (
    session: string,
    eventId: string
  ) => Effect.Effect<Resumed, UnknownEvent | EventsLost | LogUnavailable>
  readonly drop: (session: string) => Effect.Effect<void, LogUnavailable>
}>()("@effect-mcp/core/EventLog") {}

const make = Effect.gen(function*() {
  const limits = yield* Limits.Limits
  const random = yield* SecureRandom.SecureRandom
  const log = new MemoryEvents({
    maxEvents: limits.eventLogEvents,
    maxBytes: limits.eventLogBytes,
    maxTotalBytes: limits.eventLogTotalBytes,
    maxSessions: limits.sessions,
    maxAge: limits.eventLogAge,
    now: yield* elapsed,
    name: Hex.encode(yield* random.randomBytes(8)),
    salt: Hex.encode(yield* random.randomBytes(8))
  })

  const read = (stream: KeptStream, after: number): Stream.Stream<Event, EventsLost> =>
    Effect.acquireRelease(
      Effect.sync(() => log.startReading(stream)),
      () => Effect.sync(() => log.stopReading(stream))
    ).pipe(
      Effect.map(() => {
        let place = after
        const more = Effect.callback<void>((resume) => {
          // Something may have come since the reader looked.
          if (!stream.isIdle(place)) return resume(Effect.void)
          // The reader goes on when its turn comes, and not on the stack of whoever appends.
          const cancel = stream.wait(() => resume(Effect.yieldNow))
          return Effect.sync(cancel)
        })
        const pull: Pull.Pull<readonly [Event, ...Array<Event>], EventsLost> = Effect.suspend(() => {
          const next = stream.after(place)
          if (next === "waiting") return Effect.andThen(more, pull)
          if (next === "end") return Cause.done()
          if (next === "lost") return Effect.fail(new EventsLost())
          place += next.length
          return Effect.succeed(next)
        })
        return Stream.fromPull(Effect.succeed(pull))
      }),
      Stream.unwrap
    )

  return EventLog.of({
    append: (stream, data) => Effect.sync(() => log.append(stream, data)),
    end: (stream) => Effect.sync(() => log.end(stream)),
    resume: (session, eventId) =>
      Effect.suspend(() => {
        const found = log.resume(session, eventId)
        if (typeof found === "object") {
          return Effect.succeed({ stream: found.stream.ref, events: read(found.stream, found.place) })
        }
        return Effect.fail(found === "lost" ? new EventsLost() : new UnknownEvent())
      }),
    drop: (session) => Effect.sync(() => log.drop(session))
  })
})

/**
 * A log inside this process, which ends with it.
 *
 * **Details**
 *
 * Events that are too old are forgotten when the log is used next. Of a session that is never dropped nothing is left but
 * the streams that have not ended, and of these there are no more than `eventLogEvents`; when there are more sessions than
 * the limit `sessions`, the one that was used longest ago and that nobody reads is forgotten. Whatever was forgotten is
 * {@link EventsLost} to its own session and {@link UnknownEvent} to others.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<EventLog> = Layer.effect(EventLog, make).pipe(
  Layer.provide(SecureRandom.layerWebCrypto)
)
