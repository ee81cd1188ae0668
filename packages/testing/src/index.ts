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
export * as ChangeBusLaws from "./ChangeBusLaws.ts"

/**
 * A client in memory over the real endpoint of a server, for tests of features.
 *
 * @since 0.1.0
 */
export * as McpTest from "./McpTest.ts"
