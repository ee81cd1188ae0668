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
import { McpTransport, type RequestError } from "@effect-mcp/core/ClientTransport"
import * as Extension from "@effect-mcp/core/Extension"
import * as Limits from "@effect-mcp/core/Limits"
import type { Revision } from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Client } from "./Client.ts"
import * as Deadlines from "./internal/deadlines.ts"
import * as Discovery from "./internal/discovery.ts"
import type { Connection } from "./internal/exchange.ts"
import { request } from "./internal/exchange.ts"
import * as Features from "./internal/features.ts"
import * as Negotiation from "./internal/negotiation.ts"
import { core } from "./internal/prepared.ts"
import * as Tools from "./internal/tools.ts"

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
export interface Options {
  /** The revisions it may speak, by default all it can. Only for narrowing them. */
  readonly revisions?: ReadonlyArray<Revision> | undefined
  /** The extensions that are on, made with `Extension.forClient` (EXT-4). */
  readonly extensions?: ReadonlyArray<Extension.Enabled> | undefined
  /** How long a server may be silent about a request, by default the limit `requestDeadline`. */
  readonly deadline?: Duration.Input | undefined
  /** How long a request may take in all, by default the limit `requestDeadlineMax`. */
  readonly deadlineMax?: Duration.Input | undefined
  /** Whether requests tell the server who the client is. By default they do (META-10). */
  readonly sendClientInfo?: boolean | undefined
  /**
   * Whether the server is asked what it is at the start. By default it is. Without that, the newest revision is taken
   * for granted until the server refuses it, and nothing is known of the server (ERA-4).
   */
  readonly discover?: boolean | undefined
}

/**
 * Connects a client to the server behind the transport in context.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  info: Info,
  options?: Options
) => Effect.Effect<Client, RequestError, McpTransport | Scope.Scope> = Effect.fnUntraced(
  function*(info: Info, options: Options = {}) {
    const transport = yield* McpTransport
    const limits = yield* Limits.Limits
    const revisions = yield* Effect.fromResult(Negotiation.revisions(options.revisions))
    const extensions = options.extensions ?? []
    const settings = Extension.capabilities(extensions)
    const capabilities = settings === undefined ? {} : { extensions: settings }
    const negotiation = Negotiation.make(
      revisions,
      capabilities,
      options.sendClientInfo === false ? undefined : info
    )
    const idle = options.deadline === undefined ? limits.requestDeadline : Duration.toMillis(options.deadline)
    const max = options.deadlineMax === undefined ? limits.requestDeadlineMax : Duration.toMillis(options.deadlineMax)
    const connection: Connection = {
      transport,
      deadlines: yield* Deadlines.make,
      times: { idle, max, extend: true },
      inFlight: { count: 0, max: limits.inFlightRequests },
      maxPages: limits.pages,
      negotiation,
      knows: (method, resultType) =>
        Extension.resultSchema(extensions.map(({ extension }) => extension), method, resultType) !== undefined,
      dialect: negotiation.preferred,
      lastId: 0
    }
    // Nothing of the modern era belongs to no request. Whatever comes is let go, so that it does not pile up.
    yield* transport.unrelated.pipe(Stream.runDrain, Effect.ignore, Effect.forkScoped)
    const server = options.discover === false
      ? Discovery.unasked(connection.dialect)
      : yield* Discovery.discover(connection, options.deadline === undefined ? limits.discoverTimeout : idle)
    return {
      server,
      discover: (options) => request(connection, core.discover, {}, options),
      ...Tools.make(connection, limits),
      ...Features.resources(connection),
      ...Features.prompts(connection),
      ...Features.completion(connection),
      ...Features.custom(connection, new Set(extensions.map(({ extension }) => extension.id)))
    }
  }
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
export const layer = (
  info: Info,
  options?: Options
): Layer.Layer<McpClient, RequestError, McpTransport> => Layer.effect(McpClient, make(info, options))
