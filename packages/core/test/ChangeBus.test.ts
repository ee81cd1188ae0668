import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Limits from "@effect-mcp/core/Limits"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const tools: ChangeBus.Fact = { _tag: "ToolsChanged" }

describe("ChangeBus", () => {
  it.effect("F12: the changeBusBuffer limit is the buffer, and what waited is still delivered", () =>
    Effect.gen(function*() {
      const bus = yield* ChangeBus.ChangeBus
      const events = yield* bus.subscribe(() => true)
      yield* Effect.replicateEffect(bus.publish(tools), 5)
      const received: Array<ChangeBus.Event> = []
      const end = yield* Effect.result(Stream.runForEach(events, (event) => Effect.sync(() => received.push(event))))
      assert.deepStrictEqual(received, [1, 2, 3].map((sequence) => ({ _tag: "Changed", sequence, fact: tools })))
      assert.isTrue(Result.isFailure(end))
      if (Result.isFailure(end)) {
        assert.strictEqual(end.failure.buffer, 3)
        assert.strictEqual(end.failure.message, "more than 3 changes were waiting for one subscriber, which was ended")
      }
    }).pipe(Effect.provide(ChangeBus.layerMemory.pipe(Layer.provide(Limits.layer({ changeBusBuffer: 3 }))))))

  it.effect("by default 1024 events may wait", () =>
    Effect.gen(function*() {
      const bus = yield* ChangeBus.ChangeBus
      const events = yield* bus.subscribe(() => true)
      yield* Effect.replicateEffect(bus.publish(tools), 1_024)
      assert.lengthOf(yield* Stream.runCollect(Stream.take(events, 1_024)), 1_024)
    }).pipe(Effect.provide(ChangeBus.layerMemory)))

  it.effect("subscribers share one event", () =>
    Effect.gen(function*() {
      const bus = yield* ChangeBus.ChangeBus
      const first = yield* bus.subscribe(() => true)
      const second = yield* bus.subscribe(() => true)
      yield* bus.publish(tools)
      const [a] = yield* Stream.runCollect(Stream.take(first, 1))
      const [b] = yield* Stream.runCollect(Stream.take(second, 1))
      assert.isTrue(a !== undefined && a === b)
    }).pipe(Effect.provide(ChangeBus.layerMemory)))

  it.effect("a subscriber that was ended costs nothing more", () =>
    Effect.gen(function*() {
      const bus = yield* ChangeBus.ChangeBus
      let asked = 0
      yield* bus.subscribe(() => ++asked > 0, { buffer: 1 })
      yield* Effect.replicateEffect(bus.publish(tools), 10)
      assert.strictEqual(asked, 2)
    }).pipe(Effect.provide(ChangeBus.layerMemory)))

  it("channels are kinds and extensions", () => {
    assert.strictEqual(ChangeBus.channel(tools), "ToolsChanged")
    assert.strictEqual(ChangeBus.channel({ _tag: "ResourceUpdated", uri: "a:b" }), "ResourceUpdated")
    const fact: ChangeBus.Fact = { _tag: "ExtensionChanged", extension: "com.example/x", key: "1", value: null }
    assert.strictEqual(ChangeBus.channel(fact), "com.example/x")
  })

  it.prop("a fact survives the way through JSON", [ChangeBus.Fact], ([fact]) => {
    const codec = Schema.fromJsonString(ChangeBus.Fact)
    const copy = Schema.decodeSync(codec)(Schema.encodeSync(codec)(fact))
    assert.strictEqual(JSON.stringify(copy), JSON.stringify(fact))
  })
})
