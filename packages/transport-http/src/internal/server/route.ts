/**
 * The routes of a server on the application's router, for any way of writing answers.
 */
import * as EventLog from "@effect-mcp/core/EventLog"
import * as Limits from "@effect-mcp/core/Limits"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import { Closing } from "./closing.ts"
import { HttpSse, type Paths } from "./legacy/httpSse.ts"
import { KeepAlive } from "./keepAlive.ts"
import { Legacy } from "./legacy/sessions.ts"
import type { Platform } from "./platform/platform.ts"
import type { Services } from "./request.ts"
import { HttpServer, type Options as ServerOptions } from "./server.ts"
import type { Log } from "./legacy/sessionStreams.ts"
import type { Shared, Tell } from "./shared.ts"

/** The options of both entries. `Listed` is what the services are that were listed. */
export interface Options<out Listed> extends Omit<ServerOptions, "principal"> {
  readonly principal?: ((services: Context.Context<Listed>) => string | undefined) | undefined
  readonly path?: HttpRouter.PathInput | undefined
  readonly keepAlive?: Duration.Input | false | undefined
  readonly sessions?: boolean | undefined
  readonly polling?: { readonly after: Duration.Input; readonly retry: Duration.Input } | undefined
  readonly httpSse?: boolean | { readonly [K in keyof Paths]?: Paths[K] | undefined } | undefined
}

/** Adds the routes. */
export const layer = <Listed>(
  platform: Platform,
  options: Options<Listed> = {}
): Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint> =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    // The context of a request has what was listed, which its type does not say.
    const server = yield* make(options as Options<never>)
    yield* refuseConstant(options.services ?? [])
    const path = options.path ?? "/mcp"
    yield* router.add("POST", path, platform.post(server))
    yield* router.add("GET", path, platform.other(server, (...args) => server.get(...args)))
    yield* router.add("DELETE", path, platform.other(server, (...args) => server.delete(...args)))
    const paths = [path]
    const { legacy } = server.endpoint
    if (options.httpSse !== undefined && options.httpSse !== false && legacy !== undefined) {
      const { messages = "/messages", path = "/sse" } = options.httpSse === true ? {} : options.httpSse
      const random = yield* build(SecureRandom.SecureRandom, SecureRandom.layerWebCrypto)
      const sse = new HttpSse(server, legacy, random, { path, messages })
      yield* router.add("GET", path, platform.other(sse, (...args) => sse.open(...args)))
      yield* router.add("POST", messages, platform.post(sse))
      paths.push(path, messages)
    }
    if (!server.cors) return
    // A browser asks without credentials, so a middleware that wants them must not come before the answer. The router finds
    // the middlewares of a route in the context in which it is added.
    for (const path of new Set(paths)) {
      const preflight = router.add("OPTIONS", path, (request) => Effect.succeed(server.preflight(request).response))
      yield* Effect.updateContext(preflight, (_: Context.Context<never>) => Context.empty())
    }
  }))

/**
 * A service of the request that the application has made at its start would be the same for whoever asks. What is left of
 * the requirement when the routes are served is a plain service, so that types cannot tell.
 */
const refuseConstant = (services: Services): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const found = services.find(({ key }) => context.mapUnsafe.has(key))
    return found === undefined ? Effect.void : Effect.die(
      new Error(
        `${found.key} is listed in the option \`services\`, so that it is found out for each request, but a layer provides it ` +
          "once for all of them: provide it with an HttpRouter.middleware instead"
      )
    )
  })

const make = Effect.fnUntraced(function*(options: Options<never>) {
  const endpoint = yield* McpEndpoint
  const limits = yield* Limits.Limits
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const sweep = (interval: Duration.Input) => new KeepAlive(Duration.fromInputUnsafe(interval), scope, context)
  const interval = options.keepAlive ?? Duration.millis(limits.keepAlive)
  const closing = new Closing(limits.shutdownGrace, scope, context)
  yield* Effect.addFinalizer(() => closing.close)
  const shared: Shared = {
    limits,
    inFlight: { count: 0 },
    streams: { count: 0 },
    keepAlive: interval === false ? undefined : sweep(interval),
    closing,
    run,
    tell: tell((effect) => void run(effect))
  }
  const { polling, sessions } = options
  const legacy = endpoint.legacy && new Legacy(endpoint.legacy, shared, {
    log: sessions === false || endpoint.legacy.revisions.length === 0 ? undefined : yield* makeLog,
    polling: polling && {
      sweep: sweep(polling.after),
      retry: Math.round(Duration.toMillis(Duration.fromInputUnsafe(polling.retry)))
    }
  })
  return new HttpServer(endpoint, shared, legacy, options)
})

/** The log of the application, or one of the server's own. */
const makeLog = Effect.gen(function*() {
  const given = Context.getOrUndefined(yield* Effect.context<never>(), EventLog.EventLog)
  const random = yield* build(SecureRandom.SecureRandom, SecureRandom.layerWebCrypto)
  const log: Log = {
    service: given ?? (yield* build(EventLog.EventLog, EventLog.layerMemory)),
    isShared: given !== undefined,
    prefix: `${yield* random.uuidV4()}-`
  }
  return log
})

/** A service of the server's own: forked, so that another server of the application gets one of its own. */
const build = <I, S>(key: Context.Key<I, S>, layer: Layer.Layer<I>) =>
  Effect.gen(function*() {
    const memoMap = Layer.CurrentMemoMap.forkOrCreate(yield* Effect.context<never>())
    return Context.get(yield* Layer.buildWithMemoMap(layer, memoMap, yield* Effect.scope), key)
  })

const tell = (run: (effect: Effect.Effect<void>) => void): Tell => ({
  unprintable: (method, cause) =>
    run(Effect.logError(`A part of the answer to ${method} cannot be written as JSON`, cause)),
  overflow: (method) =>
    run(Effect.logWarning(
      `The stream of ${method} was ended: its client does not read, and no more may wait (the limits streamBuffer and messageBytes)`
    )),
  logFailed: (cause) => run(Effect.logError("A stream was ended: the log of events does not work", cause)),
  resumeFailed: (cause) => run(Effect.logWarning("A stream that was resumed was ended: it cannot go on", cause)),
  defect: (cause) => run(Effect.logError("A message could not be taken", cause))
})
