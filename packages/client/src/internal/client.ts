/**
 * A client put together: its connection, and the methods over it.
 */
import { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as Extension from "@effect-mcp/core/Extension"
import * as Limits from "@effect-mcp/core/Limits"
import * as Method from "@effect-mcp/core/Method"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Client } from "../Client.ts"
import * as EraCache from "../EraCache.ts"
import type { RootsOption } from "../Handlers.ts"
import type { Options } from "../McpClient.ts"
import type { RequestOptions } from "../RequestOptions.ts"
import * as Capabilities from "./capabilities.ts"
import * as Connect from "./connect.ts"
import type { Connection } from "./connection.ts"
import * as Deadlines from "./deadlines.ts"
import * as Dialect from "./dialect.ts"
import * as Discovery from "./discovery.ts"
import { request } from "./exchange.ts"
import * as Features from "./features.ts"
import { reopen } from "./legacyExchange.ts"
import { rules as makeRules } from "./negotiation.ts"
import { core } from "./prepared.ts"
import { Questions, type Respond } from "./questions.ts"
import * as Responder from "./responder.ts"
import { Session } from "./session.ts"
import * as Tools from "./tools.ts"
import { Unasked } from "./unasked.ts"

export interface Connected {
  readonly connection: Connection
  readonly unasked: Unasked
  readonly limits: Limits.Values
  readonly extensions: ReadonlySet<string>
}

export const connect = Effect.fnUntraced(function*(info: Implementation, options: Options<unknown>) {
  const transport = yield* McpTransport
  const limits = yield* Limits.Limits
  const rules = yield* Effect.fromResult(makeRules(options.revisions, options.prefer))
  const extensions = options.extensions ?? []
  const capabilities = Capabilities.client(options, extensions)
  const idle = options.deadline === undefined ? limits.requestDeadline : Duration.toMillis(options.deadline)
  const max = options.deadlineMax === undefined ? limits.requestDeadlineMax : Duration.toMillis(options.deadlineMax)

  const session = new Session()
  const run = yield* FiberSet.makeRuntime<unknown>()
  // `run` has the context that the handlers require.
  const respond = Responder.make(options) as Respond
  const questions = new Questions(transport, Responder.onWire(respond, capabilities), limits, run)
  // Before the fibers end, so that nothing is answered for that reason.
  yield* Effect.addFinalizer(() => Effect.sync(() => questions.close()))
  const unasked = new Unasked({
    transport,
    session,
    questions,
    max: limits.streamBuffer,
    run,
    reopen: Effect.suspend(() => reopen(connection, session.epoch))
  })

  const tells = options.sendClientInfo === false ? undefined : info
  const modern: Connection["modern"] = (revision) => Dialect.modern(revision, capabilities(revision), tells)
  const first = rules.modern ?? rules.allowed[0]
  const connection: Connection = {
    transport,
    info,
    capabilities,
    deadlines: yield* Deadlines.make,
    times: { idle, max, extend: true },
    inFlight: { count: 0, max: limits.inFlightRequests },
    maxPages: limits.pages,
    maxWaiting: limits.streamBuffer,
    maxRounds: limits.inputRounds,
    greeting: options.deadline === undefined ? limits.discoverTimeout : idle,
    rules,
    knows: (method, resultType) =>
      Extension.resultSchema(extensions.map(({ extension }) => extension), method, resultType) !== undefined,
    session,
    questions,
    answer: (question, asker) => run(respond(question, asker)),
    receive: (notification, own) => unasked.receive(notification, own),
    modern,
    listen: unasked.listen,
    open: (revision) => Connect.open(connection, revision),
    dialect: modern(first),
    server: Discovery.unasked(first),
    negotiation: { era: "modern", revision: first, attempts: [], cached: false },
    lastId: 0
  }
  // Also where nothing is expected, so that what comes does not pile up.
  yield* unasked.listen
  yield* Connect.connect(connection, yield* EraCache.EraCache, options.discover !== false)
  if (options.roots !== undefined) run(tellRootsChanges(connection, options.roots))
  return { connection, unasked, limits, extensions: new Set(extensions.map(({ extension }) => extension.id)) }
})

/** ROOT-3. What the roots are at the start is no change. */
const tellRootsChanges = (connection: Connection, roots: RootsOption<unknown>): Effect.Effect<void, never, unknown> => {
  const changes = SubscriptionRef.isSubscriptionRef(roots)
    ? Stream.drop(SubscriptionRef.changes(roots), 1)
    : "list" in roots
    ? roots.changes
    : undefined
  return changes === undefined ? Effect.void : Stream.runForEach(changes, () =>
    connection.dialect.era === "legacy"
      ? Effect.ignore(Features.notify(connection, Method.rootsListChanged.name, {}))
      : Effect.void)
}

export const client = ({ connection, extensions, limits, unasked }: Connected): Client => {
  const tools = Tools.make(connection, limits)
  return {
    get server() {
      return connection.server
    },
    get negotiation() {
      return connection.negotiation
    },
    notifications: unasked.notifications,
    ...lifecycle(connection),
    ...tools.methods,
    ...Features.resources(connection),
    ...Features.prompts(connection),
    ...Features.completion(connection),
    ...Features.custom(connection, extensions, tools.byName)
  }
}

const lifecycle = (connection: Connection) => ({
  discover: <R = never>(options?: RequestOptions<R>) => request(connection, core.discover, {}, options),
  ping: <R = never>(options?: RequestOptions<R>) =>
    Effect.suspend(() => {
      const { dialect } = connection
      return dialect.era === "modern"
        ? Effect.fail(Capabilities.notInRevision(Method.ping.name, dialect.revision))
        : Effect.asVoid(request(connection, core.ping, {}, options))
    })
})
