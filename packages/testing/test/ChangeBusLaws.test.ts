import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as ChangeBusLaws from "@effect-mcp/testing/ChangeBusLaws"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

describe("ChangeBusLaws", () => {
  for (const { law, name } of ChangeBusLaws.laws) {
    it.effect(`layerMemory: ${name}`, () => Effect.provide(law, ChangeBus.layerMemory))
  }
})

type Bus = typeof ChangeBus.ChangeBus.Service

/** Buses that each break something, so that a law that never fails is found. */
const broken: Record<string, (bus: Bus) => Bus> = {
  "drops every fact of a list": (bus) => ({
    ...bus,
    publish: (fact) => fact._tag === "ToolsChanged" ? Effect.void : bus.publish(fact)
  }),
  "ignores the filter": (bus) => ({ ...bus, subscribe: (_, options) => bus.subscribe(() => true, options) }),
  "numbers nothing": (bus) => ({
    ...bus,
    subscribe: (filter, options) =>
      Effect.map(
        bus.subscribe(filter, options),
        Stream.map((event) => event._tag === "Changed" ? { ...event, sequence: 1 } : event)
      )
  }),
  "never ends a slow reader": (bus) => ({
    ...bus,
    subscribe: (filter) => bus.subscribe(filter, { buffer: 1_000_000 })
  }),
  "ends every subscriber early": (bus) => ({ ...bus, subscribe: (filter) => bus.subscribe(filter, { buffer: 1 }) })
}

describe("ChangeBusLaws find a bus that", () => {
  for (const [name, breakIt] of Object.entries(broken)) {
    it.live(name, () => {
      const layer = Layer.effect(ChangeBus.ChangeBus, Effect.map(ChangeBus.ChangeBus, breakIt)).pipe(
        Layer.provide(ChangeBus.layerMemory)
      )
      return Effect.gen(function*() {
        const results = yield* Effect.forEach(ChangeBusLaws.laws, ({ law }) =>
          law.pipe(
            Effect.scoped,
            Effect.provide(layer, { local: true }),
            // A law that waits for ever found it too.
            Effect.timeout("100 millis"),
            Effect.result
          ))
        assert.isTrue(results.some(Result.isFailure))
      })
    })
  }
})
