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
import type { McpTransport, RequestError } from "@effect-mcp/core/ClientTransport"
import type * as Extension from "@effect-mcp/core/Extension"
import type { Revision } from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Client } from "./Client.ts"
import type * as Handlers from "./Handlers.ts"
import { client, connect, type Connected } from "./internal/client.ts"
import type { Preference } from "./Negotiation.ts"

/**
 * The client in context.
 *
 * @category services
 * @since 0.1.0
 */
export class McpClient extends Context.Service<McpClient, Client>()("@effect-mcp/client/McpClient") {}

/**
 * How a client presents itself (META-10).
 *
 * @category models
 * @since 0.1.0
 */
export interface Info extends Implementation {}

/**
 * The options of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<out R = never> extends Handlers.Handlers<R> {
  /** The revisions it may speak, by default all there are. Only for narrowing them. */
  readonly revisions?: ReadonlyArray<Revision> | undefined
  /** Where it begins, by default with the newest revision. */
  readonly prefer?: Preference | undefined
  /** The extensions that are on, made with `Extension.forClient` (EXT-4). */
  readonly extensions?: ReadonlyArray<Extension.Enabled> | undefined
  /** How long a server may be silent about a request, by default the limit `requestDeadline`. */
  readonly deadline?: Duration.Input | undefined
  /** How long a request may take in all, by default the limit `requestDeadlineMax`. */
  readonly deadlineMax?: Duration.Input | undefined
  /**
   * Whether requests tell the server who the client is. By default they do (META-10). The handshake of the legacy era
   * always does (INIT-1).
   */
  readonly sendClientInfo?: boolean | undefined
  /**
   * Whether the server is asked what it is at the start. By default it is. Without that, the newest revision is taken
   * for granted until the server refuses it, and nothing is known of the server (ERA-4). A server of the legacy era is
   * always met with its handshake, where it is known to be one or preferred; one that is not known is not found out.
   */
  readonly discover?: boolean | undefined
}

/**
 * Connects a client to the server behind the transport in context.
 *
 * **Details**
 *
 * It requires what the handlers among its options require.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const O extends Options<unknown>>(
  info: Info,
  options?: O
): Effect.Effect<Client, RequestError, McpTransport | Scope.Scope | Handlers.Services<O>> =>
  Effect.map(
    // The handlers run in the context that is required here.
    connect(info, options ?? {}) as Effect.Effect<
      Connected,
      RequestError,
      McpTransport | Scope.Scope | Handlers.Services<O>
    >,
    client
  )

/**
 * A client of the server behind the transport in context.
 *
 * **Details**
 *
 * The layer fails when the server cannot be reached, or speaks no revision in common.
 *
 * **Example** (With a deadline of its own)
 *
 * ```ts
 * import * as McpClient from "@effect-mcp/client/McpClient"
 *
 * const Client = McpClient.layer({ name: "example", version: "1.0.0" }, { deadline: "20 seconds" })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <const O extends Options<unknown>>(
  info: Info,
  options?: O
): Layer.Layer<McpClient, RequestError, McpTransport | Exclude<Handlers.Services<O>, Scope.Scope>> =>
  Layer.effect(McpClient, make(info, options))
