/**
 * What has changed, told to whoever wants to know.
 *
 * Everything that leads to a change notification is published here as a {@link Fact}, and every stream that tells a
 * client about changes is a subscriber. With {@link layerMemory} both are in one process; a layer on a message broker
 * lets a change on one node reach the clients of all of them.
 *
 * **The bus is a hint, the store is the truth.** A fact says that something changed, not what it is now: a reader looks
 * that up. That is why a {@link Resync} can stand for any number of facts that were lost.
 *
 * **Channels and sequences.** Facts of one kind are one channel, and facts of one extension are one channel. A channel
 * has a sequence that starts at 1 and grows by 1 with every fact, whether or not anyone listens, so that a layer sees a
 * hole when its broker loses messages. URIs share the channel of `ResourceUpdated`: a sequence for each of them would
 * need memory for every URI ever published. A subscriber sees the facts of a channel in order, and since its filter
 * leaves some out, a jump in the sequence means nothing to it; holes are found before the filter, by the layer, which
 * then sends a {@link Resync}.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Limits from "./Limits.ts"

/**
 * Something that changed.
 *
 * **Details**
 *
 * - `ToolsChanged`, `PromptsChanged`, `ResourcesChanged`: the list. Resource templates belong to the resources.
 * - `ResourceUpdated`: the contents of the resource at `uri`.
 * - `ExtensionChanged`: whatever `key` stands for in an extension, with any JSON that the extension defines.
 *
 * It is a schema, so that a layer can send facts to other processes.
 *
 * **Example** (A fact)
 *
 * ```ts
 * import * as ChangeBus from "@effect-mcp/core/ChangeBus"
 *
 * const updated: ChangeBus.Fact = { _tag: "ResourceUpdated", uri: "notes://today" }
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const Fact = Schema.TaggedUnion({
  ToolsChanged: {},
  PromptsChanged: {},
  ResourcesChanged: {},
  ResourceUpdated: { uri: Schema.String },
  ExtensionChanged: { extension: Schema.String, key: Schema.String, value: Schema.Json }
})

/**
 * @category models
 * @since 0.1.0
 */
export type Fact = typeof Fact.Type

/**
 * A fact, with its number in its channel.
 *
 * @category models
 * @since 0.1.0
 */
export interface Changed {
  readonly _tag: "Changed"
  readonly sequence: number
  readonly fact: Fact
}

/**
 * Facts may have been lost: whatever the subscriber knows has to be looked up again.
 *
 * **Details**
 *
 * Comes from layers on a broker, after a hole in a sequence or a connection that was lost. {@link layerMemory} loses
 * nothing and has none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resync {
  readonly _tag: "Resync"
}

/**
 * What a subscriber receives.
 *
 * @category models
 * @since 0.1.0
 */
export type Event = Changed | Resync

/**
 * The end of a subscription whose reader did not keep up.
 *
 * **Details**
 *
 * The events that were waiting are still delivered before it. The reader subscribes again and looks everything up.
 *
 * @category errors
 * @since 0.1.0
 */
export class SlowSubscriber extends Schema.Error<SlowSubscriber>("@effect-mcp/core/ChangeBus/SlowSubscriber")({
  _tag: Schema.tag("SlowSubscriber"),
  buffer: Schema.Finite
}) {
  override get message(): string {
    return `more than ${this.buffer} changes were waiting for one subscriber, which was ended`
  }
}

/**
 * The bus.
 *
 * **Details**
 *
 * `publish` never fails and never waits for a subscriber. A layer that cannot reach its broker owes its subscribers a
 * {@link Resync} when it can again.
 *
 * `subscribe` gives a stream once the subscription is active: every fact that is published after that, and that the
 * filter lets through, is in the stream, until the scope closes. Facts from before are not. The filter is called while a
 * fact is published, so it must be fast and must not throw; one that looks at URIs can let sub-resources through as it
 * likes. `buffer` is how many events may wait for the reader (by default the `changeBusBuffer` limit); one more ends
 * this subscription with {@link SlowSubscriber}. The stream is for one reader, which runs it once.
 *
 * **Example** (Listening to one resource)
 *
 * ```ts
 * import * as ChangeBus from "@effect-mcp/core/ChangeBus"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const program = Effect.gen(function*() {
 *   const bus = yield* ChangeBus.ChangeBus
 *   const updates = yield* bus.subscribe((fact) => fact._tag === "ResourceUpdated" && fact.uri === "notes://today")
 *   yield* bus.publish({ _tag: "ResourceUpdated", uri: "notes://today" })
 *   yield* Stream.runForEach(updates, Effect.log)
 * }).pipe(Effect.scoped, Effect.provide(ChangeBus.layerMemory))
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class ChangeBus extends Context.Service<ChangeBus, {
  readonly publish: (fact: Fact) => Effect.Effect<void>
  readonly subscribe: (
    filter: (fact: Fact) => boolean,
    options?: { readonly buffer?: number | undefined }
  ) => Effect.Effect<Stream.Stream<Event, SlowSubscriber>, never, Scope.Scope>
}>()("@effect-mcp/core/ChangeBus") {}

/**
 * The channel of a fact, by which its sequence is counted.
 *
 * **Details**
 *
 * The kind, or the extension's identifier, which is never a kind since it has a slash in it.
 *
 * @category models
 * @since 0.1.0
 */
export const channel = (fact: Fact): string => fact._tag === "ExtensionChanged" ? fact.extension : fact._tag

interface Subscriber {
  readonly filter: (fact: Fact) => boolean
  readonly buffer: number
  readonly queue: Queue.Queue<Event, SlowSubscriber | Cause.Done>
}

const make = Effect.gen(function*() {
  const { changeBusBuffer } = yield* Limits.Limits
  const subscribers = new Set<Subscriber>()
  const sequences = new Map<string, number>()

  const deliver = (fact: Fact) => {
    const name = channel(fact)
    const sequence = (sequences.get(name) ?? 0) + 1
    sequences.set(name, sequence)
    if (subscribers.size === 0) return
    // One event for all of them, and none at all if no filter lets the fact through.
    let event: Event | undefined
    for (const subscriber of subscribers) {
      if (!subscriber.filter(fact)) continue
      event ??= { _tag: "Changed", sequence, fact }
      if (Queue.offerUnsafe(subscriber.queue, event)) continue
      subscribers.delete(subscriber)
      Queue.failCauseUnsafe(subscriber.queue, Cause.fail(new SlowSubscriber({ buffer: subscriber.buffer })))
    }
  }

  return ChangeBus.of({
    publish: (fact) => Effect.sync(() => deliver(fact)),
    subscribe: Effect.fnUntraced(function*(filter, options) {
      const buffer = options?.buffer ?? changeBusBuffer
      const queue = yield* Queue.dropping<Event, SlowSubscriber | Cause.Done>(buffer)
      const subscriber: Subscriber = { filter, buffer, queue }
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribers.add(subscriber)),
        () =>
          Effect.sync(() => {
            subscribers.delete(subscriber)
            // Ends a waiting reader as a stream ends, and then forgets what it has not read.
            Queue.endUnsafe(queue)
            Queue.shutdownUnsafe(queue)
          })
      )
      return Stream.fromQueue(queue)
    })
  })
})

/**
 * A bus inside this process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<ChangeBus> = Layer.effect(ChangeBus, make)
