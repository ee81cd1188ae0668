import * as Limits from "@effect-mcp/core/Limits"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EraCache from "../src/EraCache.ts"

describe("EraCache", () => {
  it.effect("ERA-16: remembers what it was told, until it is told otherwise", () =>
    Effect.gen(function*() {
      const { get, remove, set } = EraCache.make()
      assert.strictEqual(yield* get("a"), undefined)
      yield* set("a", "legacy")
      yield* set("b", "modern")
      assert.strictEqual(yield* get("a"), "legacy")
      yield* set("a", "modern")
      yield* remove("b")
      assert.strictEqual(yield* get("a"), "modern")
      assert.strictEqual(yield* get("b"), undefined)
    }))

  it.effect("eraCache: the one that was not met for the longest time is forgotten", () =>
    Effect.gen(function*() {
      const { get, set } = yield* EraCache.EraCache
      yield* set("a", "legacy")
      yield* set("b", "legacy")
      yield* get("a")
      yield* set("c", "legacy")
      assert.deepStrictEqual([yield* get("a"), yield* get("b"), yield* get("c")], ["legacy", undefined, "legacy"])
    }).pipe(Effect.provide(EraCache.layerMemory.pipe(Layer.provide(Limits.layer({ eraCache: 2 }))))))

  it.effect("ERA-16: without a layer there is one per process", () =>
    Effect.gen(function*() {
      const one = yield* EraCache.EraCache
      assert.strictEqual(one, yield* EraCache.EraCache)
    }))
})
