/**
 * A Model Context Protocol server: features are layers, and a server is a layer made of them.
 *
 * @since 0.1.0
 */
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Revision from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import { McpEndpoint, type ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as LogLevel from "effect/LogLevel"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import type { CacheOptions } from "./features/Cache.ts"
import { Registry } from "./features/Feature.ts"
import * as cacheHints from "./internal/cacheHints.ts"
import * as completion from "./internal/completion.ts"
import * as lists from "./internal/lists.ts"
import { Driver } from "./internal/driver.ts"
import * as legacyMethods from "./internal/legacyMethods.ts"
import { LegacySessions } from "./internal/legacySessions.ts"
import * as prompts from "./internal/prompts.ts"
import * as registry from "./internal/registry.ts"
import * as resources from "./internal/resources.ts"
import { Rounds } from "./internal/rounds.ts"
import * as tools from "./internal/tools.ts"
import * as RequestStateCodec from "./RequestStateCodec.ts"

export * from "./features/Cache.ts"
export * from "./features/Completion.ts"
export * from "./features/Extensions.ts"
export * from "./features/Feature.ts"
export * from "./features/Middleware.ts"
export * from "./features/Prompts.ts"
export * from "./features/Resources.ts"
export * from "./features/Tools.ts"

/**
 * The features of one server could not be put together. Every conflict is named.
 *
 * @category errors
 * @since 0.1.0
 */
export class RegistrationError extends Schema.TaggedError<RegistrationError>("@effect-mcp/server/RegistrationError")(
  "RegistrationError",
  { problems: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return `The server cannot be built:\n${this.problems.map((problem) => `- ${problem}`).join("\n")}`
  }
}

/**
 * The options of {@link layer}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Implementation {
  /** Guidance for a model that uses this server (DISC-6). */
  readonly instructions?: string | undefined
  /** The revisions to serve, by default every one. Only for narrowing them. */
  readonly revisions?: ReadonlyArray<Revision.Revision> | undefined
  /** How long and for whom answers may be cached, by default not at all and only for their client (CACHE-1). */
  readonly cache?: CacheOptions | undefined
  /**
   * The lowest level of handlers' logs that a client may ask for, or `false` to send none. By default every level: who may
   * call a tool may read what it logs, and a server with clients it does not trust sets this (LOG-8).
   */
  readonly logs?: LogLevel.LogLevel | false | undefined
  /** Whether results name this server in their `_meta` (META-14). By default they do. */
  readonly sendServerInfo?: boolean | undefined
}

/**
 * A server made of features. Transports serve it.
 *
 * **Details**
 *
 * Features are built once per server, so that the same value may serve several servers of one application, while the
 * services they need from outside are built once. Fails with {@link RegistrationError} when features collide, and with
 * `InvalidAllowList` for a list of revisions that cannot be.
 *
 * Services that the application provides are taken, and else the usual ones: `ChangeBus`, `SessionStore`,
 * `RequestStateCodec` (with the secrets in `MCP_REQUEST_STATE_KEYS`, or a key of its own and a warning), `SecureRandom`,
 * `Digest`; a `NonceStore` only if it is provided, which makes each `requestState` good for one use (MRTR-17).
 *
 * **Example** (A server over standard input and output)
 *
 * ```ts
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 *
 * const Hello = Tool.make("hello", { description: "Say hello" })
 *
 * const Server = McpServer.layer(
 *   { name: "hello", version: "1.0.0" },
 *   McpServer.tool(Hello, () => Effect.succeed("Hello!"))
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <A, E, R>(
  options: Options,
  features: Layer.Layer<A, E, R>
): Layer.Layer<McpEndpoint, E | RegistrationError | Revision.InvalidAllowList, Exclude<R, Registry>> =>
  // What is left of R is what the features need from outside.
  Layer.effect(McpEndpoint, make(options, features as Layer.Layer<A, E, Registry>)) as never

const make = Effect.fnUntraced(function*<A, E>(options: Options, features: Layer.Layer<A, E, Registry>) {
  const { cache, instructions, logs, revisions, sendServerInfo, ...info } = options
  const context = yield* Effect.context<never>()
  const scope = yield* Effect.scope
  // Forked, so that features which another server of the application built are built again, for this one.
  const memoMap = Layer.CurrentMemoMap.forkOrCreate(context)
  const service = servicesOf(context, memoMap, scope)
  const bus = yield* service(ChangeBus.ChangeBus, ChangeBus.layerMemory)
  const random = yield* service(SecureRandom.SecureRandom, SecureRandom.layerWebCrypto)
  const digest = yield* service(Digest.Digest, Digest.layerWebCrypto)
  const codec = yield* service(RequestStateCodec.RequestStateCodec, RequestStateCodec.layerDefault).pipe(
    Effect.mapError(({ message }) => new RegistrationError({ problems: [message] }))
  )
  const limits = yield* Limits.Limits
  const allowed = yield* Effect.fromResult(Revision.allowList(revisions ?? Revision.all))
  const target = new registry.Registry({
    info,
    sendServerInfo: sendServerInfo ?? true,
    instructions,
    revisions: allowed,
    logFloor: logs === false ? undefined : logs ?? "All",
    run: yield* Random.nextInt,
    limits,
    cache: cacheHints.all(cache),
    bus,
    rounds: new Rounds({
      codec,
      nonces: Context.getOrUndefined(context, NonceStore.NonceStore),
      digest,
      random,
      audience: info.name,
      limits
    }),
    context: Context.omit(Scope.Scope)(context)
  })
  lists.install(target)
  tools.install(target)
  prompts.install(target)
  resources.install(target)
  completion.install(target)
  legacyMethods.install(target)
  yield* Layer.buildWithMemoMap(Layer.provide(features, Layer.succeed(Registry, target)), memoMap, scope)
  if (target.problems.length > 0) {
    return yield* new RegistrationError({ problems: target.problems.map((problem) => problem.message) })
  }
  const driver = new Driver(target)
  const sessions = allowed.some((revision) => Revision.era(revision) === "legacy")
    ? new LegacySessions(target, driver, {
      store: yield* service(SessionStore.SessionStore, SessionStore.layerMemory),
      random,
      digest,
      scope
    })
    : undefined
  target.serving()
  // Runs before the features' own finalizers.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      target.closing()
      sessions?.close()
      return driver.close
    })
  )
  if (sessions !== undefined) yield* sessions.start
  const endpoint: ServerEndpoint = {
    classify: (message, mirrored) => target.classify(message, mirrored),
    call: driver.call,
    notify: driver.notify,
    legacy: sessions
  }
  return endpoint
})

/** The services a server is built upon: as the application has them, or the usual. */
const servicesOf =
  (context: Context.Context<never>, memoMap: Layer.MemoMap, scope: Scope.Scope) =>
  <I, S, E>(key: Context.Key<I, S>, layer: Layer.Layer<I, E>): Effect.Effect<S, E> =>
    Effect.suspend(() => {
      const given = Context.getOrUndefined(context, key)
      return given === undefined
        ? Effect.map(Layer.buildWithMemoMap(layer, memoMap, scope), Context.get(key))
        : Effect.succeed(given)
    })
