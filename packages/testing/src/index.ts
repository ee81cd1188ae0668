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
export * as EventLogLaws from "./EventLogLaws.ts"

/**
 * What the law suites have in common: a law, how one is broken, and how time passes for it.
 *
 * @since 0.1.0
 */
export * as Law from "./Law.ts"

/**
 * A client in memory over the real endpoint of a server, for tests of features.
 *
 * @since 0.1.0
 */
export * as McpTest from "./McpTest.ts"

/**
 * What every layer of `NonceStore` must do, as effects that any test runner can run.
 *
 * The laws read the limit in force (`nonces`), which must be that of the store, fill it up, and let seconds pass. So a layer
 * on an engine, with a clock of its own, is tested with a small limit; with a test clock there is `Law.LetPass`.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 * import * as NonceStore from "@effect-mcp/core/NonceStore"
 * import * as NonceStoreLaws from "@effect-mcp/testing/NonceStoreLaws"
 * import { it } from "@effect/vitest"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = NonceStore.layerMemory.pipe(Layer.provideMerge(Limits.layer({ nonces: 10 })))
 *
 * for (const { law, name } of NonceStoreLaws.laws) {
 *   it.live(name, () => Effect.provide(law, layer))
 * }
 * ```
 *
 * @since 0.1.0
 */
export * as NonceStoreLaws from "./NonceStoreLaws.ts"

/**
 * What every layer of `SessionStore` must do, as effects that any test runner can run.
 *
 * The laws read the limits in force (`sessions`, `sessionIdle`, `sessionLifetime`), which must be those of the store, and
 * fill it up and let all of that time pass. So a layer on an engine, with a clock of its own, is tested with small limits;
 * with a test clock there is `Law.LetPass`.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 * import * as SessionStore from "@effect-mcp/core/SessionStore"
 * import * as SessionStoreLaws from "@effect-mcp/testing/SessionStoreLaws"
 * import { it } from "@effect/vitest"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = SessionStore.layerMemory.pipe(
 *   Layer.provideMerge(Limits.layer({ sessions: 10, sessionIdle: 1_000, sessionLifetime: 4_000 }))
 * )
 *
 * for (const { law, name } of SessionStoreLaws.laws) {
 *   it.live(name, () => Effect.provide(law, layer))
 * }
 * ```
 *
 * @since 0.1.0
 */
export * as SessionStoreLaws from "./SessionStoreLaws.ts"
