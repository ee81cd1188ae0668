/**
 * What every layer of `ChangeBus` must do, as effects that any test runner can run.
 *
 * A layer on a message broker runs them against a real broker. A `Resync` may come at any time, and no law minds it.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import * as ChangeBus from "@effect-mcp/core/ChangeBus"
 * import * as ChangeBusLaws from "@effect-mcp/testing/ChangeBusLaws"
 * import { it } from "@effect/vitest"
 * import * as Effect from "effect/Effect"
 *
 * for (const { law, name } of ChangeBusLaws.laws) {
 *   it.live(name, () => Effect.provide(law, ChangeBus.layerMemory))
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * A law that a layer breaks.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawViolation extends Schema.Error<LawViolation>("@effect-mcp/testing/ChangeBusLaws/LawViolation")({
  _tag: Schema.tag("LawViolation"),
  expected: Schema.String,
  actual: Schema.Unknown
}) {
  override get message(): string {
    return `expected ${this.expected}, got ${JSON.stringify(this.actual)}`
  }
}

/**
 * A law: its name, and an effect that fails where a bus breaks it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law {
  readonly name: string
  readonly law: Effect.Effect<void, LawViolation | ChangeBus.SlowSubscriber, ChangeBus.ChangeBus | Scope.Scope>
}

const updated = (uri: string): ChangeBus.Fact => ({ _tag: "ResourceUpdated", uri })

const extensionChanged = (key: string): ChangeBus.Fact => ({
  _tag: "ExtensionChanged",
  extension: "com.example/laws",
  key,
  value: { list: [1, "two", null, true], empty: {} }
})

const every: ReadonlyArray<ChangeBus.Fact> = [
  { _tag: "ToolsChanged" },
  { _tag: "PromptsChanged" },
  { _tag: "ResourcesChanged" },
  updated("law://every"),
  extensionChanged("every")
]

const expect = (condition: boolean, expected: string, actual: unknown): Effect.Effect<void, LawViolation> =>
  condition ? Effect.void : Effect.fail(new LawViolation({ expected, actual }))

const expectFacts = (
  events: ReadonlyArray<ChangeBus.Changed>,
  facts: ReadonlyArray<ChangeBus.Fact>
): Effect.Effect<void, LawViolation> => {
  const actual = events.map(({ fact }) => fact)
  return expect(Equal.equals(actual, facts), JSON.stringify(facts), actual)
}

// A `Resync` is allowed at any time: it costs a subscriber some work, and tells it nothing wrong.
const changes = <E>(events: Stream.Stream<ChangeBus.Event, E>): Stream.Stream<ChangeBus.Changed, E> =>
  Stream.filter(events, (event): event is ChangeBus.Changed => event._tag === "Changed")

const take = <E>(
  events: Stream.Stream<ChangeBus.Event, E>,
  count: number
): Effect.Effect<Array<ChangeBus.Changed>, E | LawViolation> =>
  changes(events).pipe(
    Stream.take(count),
    Stream.runCollect,
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail(new LawViolation({ expected: `${count} facts within 10 seconds`, actual: "fewer" }))
    })
  )

const about = (prefix: string) => (fact: ChangeBus.Fact): boolean =>
  fact._tag === "ResourceUpdated" && fact.uri.startsWith(prefix)

type Bus = Context.Service.Shape<typeof ChangeBus.ChangeBus>

const law = (
  name: string,
  body: (bus: Bus) => Effect.Effect<void, LawViolation | ChangeBus.SlowSubscriber, Scope.Scope>
): Law => ({ name, law: Effect.flatMap(ChangeBus.ChangeBus, body) })

/**
 * The laws. Each one needs a bus that nobody else publishes to while it runs.
 *
 * **Details**
 *
 * A law waits for its facts for at most 10 seconds of the `Clock`, so on a test clock it is the runner that has to give
 * up.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law> = [
  law(
    "a fact published after subscribe has returned is in the stream, read early or late",
    Effect.fnUntraced(function*(bus) {
      const events = yield* bus.subscribe(about("law://active"))
      yield* bus.publish(updated("law://active"))
      yield* expectFacts(yield* take(events, 1), [updated("law://active")])
    })
  ),
  law(
    "a fact from before the subscription is not in the stream",
    Effect.fnUntraced(function*(bus) {
      yield* bus.publish(updated("law://start/before"))
      const events = yield* bus.subscribe(about("law://start"))
      yield* bus.publish(updated("law://start/after"))
      yield* expectFacts(yield* take(events, 1), [updated("law://start/after")])
    })
  ),
  law(
    "every kind of fact arrives as it was published",
    Effect.fnUntraced(function*(bus) {
      const events = yield* bus.subscribe(() => true)
      yield* Effect.forEach(every, bus.publish)
      const received = yield* take(events, every.length)
      // Order is per channel only.
      yield* Effect.forEach(
        every,
        (fact) => expectFacts(received.filter((event) => event.fact._tag === fact._tag), [fact])
      )
    })
  ),
  law(
    "a filter keeps out what it does not want",
    Effect.fnUntraced(function*(bus) {
      const events = yield* bus.subscribe(about("law://wanted"))
      const uris = ["law://wanted/1", "law://other/1", "law://wanted/2", "law://wanted/3"]
      yield* Effect.forEach(uris, (uri) => bus.publish(updated(uri)))
      yield* bus.publish({ _tag: "ToolsChanged" })
      const wanted = uris.filter((uri) => uri.startsWith("law://wanted")).map(updated)
      yield* expectFacts(yield* take(events, wanted.length), wanted)
    })
  ),
  law(
    "every subscriber has every fact",
    Effect.fnUntraced(function*(bus) {
      const subscriptions = yield* Effect.replicateEffect(bus.subscribe(about("law://all")), 3)
      const facts = [updated("law://all/1"), updated("law://all/2")]
      yield* Effect.forEach(facts, bus.publish)
      yield* Effect.forEach(
        subscriptions,
        (events) => Effect.flatMap(take(events, facts.length), (received) => expectFacts(received, facts))
      )
    })
  ),
  law(
    "the facts of a channel come in order, numbered without a hole",
    Effect.fnUntraced(function*(bus) {
      const events = yield* bus.subscribe(() => true)
      const facts = Arr.makeBy(20, (i) => updated(`law://order/${i}`))
      yield* Effect.forEach(facts, (fact) => Effect.andThen(bus.publish(fact), bus.publish(extensionChanged("order"))))
      const received = yield* take(events, facts.length * 2)
      const resources = received.filter(({ fact }) => fact._tag === "ResourceUpdated")
      yield* expectFacts(resources, facts)
      yield* expectConsecutive(resources)
      yield* expectConsecutive(received.filter(({ fact }) => fact._tag === "ExtensionChanged"))
    })
  ),
  law(
    "the sequence of a channel grows while nobody listens",
    Effect.fnUntraced(function*(bus) {
      const sequence = bus.subscribe(about("law://alone")).pipe(
        Effect.tap(() => bus.publish(updated("law://alone"))),
        Effect.flatMap((events) => take(events, 1)),
        Effect.map((received) => received[0]?.sequence ?? NaN),
        Effect.scoped
      )
      const before = yield* sequence
      yield* bus.publish(updated("law://alone"))
      yield* bus.publish(updated("law://alone"))
      const after = yield* sequence
      yield* expect(after === before + 3, `${before + 3}`, after)
    })
  ),
  law(
    "concurrent publishers lose nothing",
    Effect.fnUntraced(function*(bus) {
      const events = yield* bus.subscribe(about("law://concurrent"))
      const facts = Arr.makeBy(200, (i) => updated(`law://concurrent/${i}`))
      yield* Effect.forEach(facts, bus.publish, { concurrency: "unbounded", discard: true })
      const received = yield* take(events, facts.length)
      yield* expectConsecutive(received)
      const uris = new Set(received.map(({ fact }) => fact._tag === "ResourceUpdated" ? fact.uri : ""))
      yield* expect(uris.size === facts.length, `${facts.length} different facts`, uris.size)
    })
  ),
  law(
    "a slow reader is ended with SlowSubscriber, and neither the publisher nor another subscriber notices",
    Effect.fnUntraced(function*(bus) {
      const slow = yield* bus.subscribe(about("law://slow"), { buffer: 4 })
      const other = yield* bus.subscribe(about("law://slow"))
      const facts = Arr.makeBy(10, (i) => updated(`law://slow/${i}`))
      yield* Effect.forEach(facts, bus.publish)
      yield* expectFacts(yield* take(other, facts.length), facts)
      const received: Array<ChangeBus.Changed> = []
      const end = yield* Effect.result(
        Stream.runForEach(changes(slow), (event) => Effect.sync(() => received.push(event)))
      )
      yield* expectFacts(received, facts.slice(0, received.length))
      yield* expect(Result.isFailure(end) && end.failure.buffer === 4, "SlowSubscriber of a buffer of 4", end)
    })
  ),
  law(
    "closing the scope ends the stream, and what is published later hurts nobody",
    Effect.fnUntraced(function*(bus) {
      const scope = yield* Scope.make()
      const events = yield* Scope.provide(bus.subscribe(about("law://scope")), scope)
      const reader = yield* Effect.forkChild(Stream.runDrain(events), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      const exit = yield* Fiber.await(reader)
      yield* expect(Exit.isSuccess(exit), "the end of the stream", exit)
      yield* bus.publish(updated("law://scope"))
    })
  )
]

const expectConsecutive = (events: ReadonlyArray<ChangeBus.Changed>): Effect.Effect<void, LawViolation> => {
  const actual = events.map(({ sequence }) => sequence)
  const first = actual[0] ?? NaN
  return expect(actual.every((sequence, i) => sequence === first + i), "consecutive numbers", actual)
}
