/**
 * What clients remember of servers they have met: the era each of them speaks, so that the next connection does not have
 * to find out again (ERA-16).
 *
 * Clients read it from {@link EraCache}, whose default is one memory per process. Servers are told apart by the origin
 * their transport names; a server that is a child process is a new one each time, and is not remembered.
 *
 * @since 0.1.0
 */
import * as Limits from "@effect-mcp/core/Limits"
import type { Era } from "@effect-mcp/core/Revision"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * A memory of eras. It may forget anything at any time, and be wrong: a client that finds a belief to be wrong drops it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Store {
  readonly get: (peer: string) => Effect.Effect<Era | undefined>
  readonly set: (peer: string, era: Era) => Effect.Effect<void>
  readonly remove: (peer: string) => Effect.Effect<void>
}

/**
 * Makes a memory of at most `capacity` servers, by default the limit `eraCache`. The one that was not met for the longest
 * time is forgotten first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (capacity: number = Limits.defaults.eraCache): Store => {
  const eras = new Map<string, Era>()
  const set = (peer: string, era: Era): void => {
    // Inserted anew, so that the oldest stands first.
    eras.delete(peer)
    eras.set(peer, era)
    if (eras.size > capacity) eras.delete(eras.keys().next().value ?? peer)
  }
  return {
    get: (peer) =>
      Effect.sync(() => {
        const era = eras.get(peer)
        if (era !== undefined) set(peer, era)
        return era
      }),
    set: (peer, era) => Effect.sync(() => set(peer, era)),
    remove: (peer) => Effect.sync(() => void eras.delete(peer))
  }
}

/**
 * The memory in force: without a layer, one per process.
 *
 * @category services
 * @since 0.1.0
 */
export const EraCache: Context.Reference<Store> = Context.Reference("@effect-mcp/client/EraCache", {
  defaultValue: () => make()
})

/**
 * A memory of its own, as large as the limit `eraCache` says.
 *
 * **Example** (Tests that remember nothing of each other)
 *
 * ```ts
 * import * as EraCache from "@effect-mcp/client/EraCache"
 * import * as McpClient from "@effect-mcp/client/McpClient"
 * import * as Layer from "effect/Layer"
 *
 * const Client = McpClient.layer({ name: "test", version: "1.0.0" }).pipe(Layer.provide(EraCache.layerMemory))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<never> = Layer.effect(
  EraCache,
  Effect.map(Limits.Limits, ({ eraCache }) => make(eraCache))
)
