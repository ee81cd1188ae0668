/**
 * What a client can do.
 *
 * @since 0.1.0
 */
export * as Client from "./Client.ts"

/**
 * What clients remember of servers they have met: the era each of them speaks, so that the next connection does not have
 * to find out again (ERA-16).
 *
 * Clients read it from {@link EraCache}, whose default is one memory per process. Servers are told apart by the origin
 * their transport names; a server that is a child process is a new one each time, and is not remembered.
 *
 * @since 0.1.0
 */
export * as EraCache from "./EraCache.ts"

/**
 * What a client does for a server that asks: to fill in a form, to open an address, to have a model answer, to name its
 * roots.
 *
 * A client declares the capabilities it has handlers for, and nothing else. Handlers are given to `McpClient.layer`, which
 * then requires the services they need. The same handlers answer under every revision: a server up to 2025-11-25 sends
 * requests of its own, and one of 2026-07-28 asks in the place of an answer, whereupon the client sends its request once
 * more, with what was asked for.
 *
 * @since 0.1.0
 */
export * as Handlers from "./Handlers.ts"

/**
 * A client of the Model Context Protocol, over any transport.
 *
 * **Example** (Calling a tool by its contract)
 *
 * ```ts
 * import * as McpClient from "@effect-mcp/client/McpClient"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Add = Tool.make("add", {
 *   input: { a: Schema.Finite, b: Schema.Finite },
 *   output: { sum: Schema.Finite }
 * })
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpClient.McpClient
 *   const { sum } = yield* client.call(Add, { a: 1, b: 2 })
 *   return sum
 * }).pipe(Effect.provide(McpClient.layer({ name: "example", version: "1.0.0" })))
 * ```
 *
 * @since 0.1.0
 */
export * as McpClient from "./McpClient.ts"

/**
 * How a client and a server came to the revision they speak: what was tried, what came back, what was chosen.
 *
 * @since 0.1.0
 */
export * as Negotiation from "./Negotiation.ts"

/**
 * What a server of the legacy era tells unasked.
 *
 * @since 0.1.0
 */
export * as Notifications from "./Notifications.ts"

/**
 * What can be said about a single request of a client: how long it may take, and what happens before its answer is
 * there.
 *
 * @since 0.1.0
 */
export * as RequestOptions from "./RequestOptions.ts"
