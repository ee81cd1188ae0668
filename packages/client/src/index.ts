/**
 * What a client can do.
 *
 * @since 0.1.0
 */
export * as Client from "./Client.ts"

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
 * What can be said about a single request of a client: how long it may take, and what happens before its answer is
 * there.
 *
 * @since 0.1.0
 */
export * as RequestOptions from "./RequestOptions.ts"
