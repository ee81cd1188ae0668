/**
 * The sessions of a server: opened, found again, and ended when they have not been used for long.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import { Implementation } from "@effect-mcp/core/schema/Common"
import {
  awaitCall,
  type Exchange,
  type LegacyEndpoint,
  type Lifetime,
  type Opened,
  SessionUnavailable
} from "@effect-mcp/core/ServerEndpoint"
import type * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Dialect, legacy } from "./dialect.ts"
import type { Driver } from "./driver.ts"
import { type Change, ended, isTooLarge, type Keeper, LegacySession, tooLarge } from "./legacySession.ts"
import type { Registry } from "./registry.ts"
import { RequestState } from "./requestState.ts"
import { SessionChanges } from "./sessionChanges.ts"

/** LHTTP-19: nobody guesses 256 bits. */
const idBytes = 32

const utf8 = new TextEncoder()

export interface Services {
  readonly store: SessionStore.SessionStore["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly digest: Digest.Digest["Service"]
  readonly scope: Scope.Scope
}

/** `initialize` while it is answered: a request before there is a session. */
class Opening extends RequestState {
  readonly lifetime: Lifetime

  constructor(request: Inbound.Request, exchange: Exchange, dialect: Dialect, lifetime: Lifetime, registry: Registry) {
    super(request, exchange, dialect, undefined, registry)
    this.lifetime = lifetime
  }
}

/** A stored session that is alive in this process. */
interface Live {
  readonly session: LegacySession
  readonly principal: string | undefined
  version: number
  lastUse: number
}

export class LegacySessions implements LegacyEndpoint, Keeper {
  readonly revisions: ReadonlyArray<Revision.Revision>
  readonly registry: Registry
  readonly driver: Driver
  readonly #services: Services
  readonly #changes: SessionChanges
  readonly #dialects = new Map<Revision.Revision, Dialect>()
  readonly #stateless = new Map<Revision.Revision, LegacySession>()
  readonly #sessions = new Set<LegacySession>()
  readonly #live = new Map<string, Live>()
  /** How often a session was made alive, for ids that none of the others has. */
  #enlivened = 0
  #isSweeping = false

  constructor(registry: Registry, driver: Driver, services: Services) {
    this.registry = registry
    this.driver = driver
    this.#services = services
    this.revisions = registry.options.revisions.filter((revision) => Revision.era(revision) === "legacy")
    this.#changes = new SessionChanges(registry)
    registry.handlers.set(Method.initialize.name, (_, state) => ({
      context: registry.options.context,
      effect: Effect.sync(() => this.#initialized(state))
    }))
  }

  /** Tells sessions of changes for as long as the scope is open. */
  get start(): Effect.Effect<void, never, Scope.Scope> {
    return this.#changes.run
  }

  readonly open = Effect.fnUntraced({ self: this }, function*(
    this: LegacySessions,
    initialize: JsonRpc.Request,
    exchange: Exchange,
    lifetime: Lifetime
  ) {
    const { id, params = {} } = initialize
    const revision = this.#choose(params.protocolVersion)
    const clientInfo = isImplementation(params.clientInfo) ? params.clientInfo : undefined
    const clientCapabilities = isCapabilities(params.capabilities) ? params.capabilities : {}
    const raw = JsonRpc.isJsonObject(params._meta) ? params._meta : {}
    const meta = {
      protocolVersion: revision,
      clientCapabilities,
      clientInfo,
      logLevel: undefined,
      progressToken: undefined,
      raw
    }
    const dialect = this.#dialect(revision)
    const request: Inbound.Request = { _tag: "Request", id, definition: Method.initialize, revision, params, meta }
    const response = yield* awaitCall(
      this.driver.start(new Opening(request, exchange, dialect, lifetime, this.registry))
    )
    if (response?._tag !== "Success" || clientInfo === undefined || lifetime === "none") {
      return refused(response ?? JsonRpc.failure(id, dialect.error(gaveUp)))
    }
    const data: SessionStore.SessionData = { revision, clientInfo, clientCapabilities, subscriptions: [] }
    const { sessionSize } = this.registry.options.limits
    if (isTooLarge(data, sessionSize)) return refused(JsonRpc.failure(id, dialect.error(tooLarge(sessionSize))))
    const { capabilities } = JsonRpc.resultValue(response)
    const declared = JsonRpc.isJsonObject(capabilities) ? capabilities : {}
    const session = lifetime === "stored"
      ? yield* this.#create(data, exchange.principal, declared)
      : this.#add(
        new LegacySession(this, { id: "", lifetime, data, dialect, declared, idPrefix: undefined, isReady: false })
      )
    const opened: Opened = { response, session }
    return opened
  })

  readonly find = Effect.fnUntraced({ self: this }, function*(
    this: LegacySessions,
    id: string,
    { principal }: Pick<Exchange, "principal">
  ) {
    // The features that would answer are being taken down. The session is not gone, so that it is not called unknown.
    if (this.registry.phase === "closing") return yield* closing
    // LHTTP-28: what is somebody else's does not exist, and he does not keep it alive by trying.
    const known = this.#live.get(id)
    if (known !== undefined && known.principal !== principal) return undefined
    const { store } = this.#services
    if (known === undefined) {
      const found = yield* store.get(id).pipe(Effect.catch(unavailable))
      if (found === undefined || found.data.principal !== (yield* this.#digest(principal))) return undefined
    }
    const entry = yield* store.touch(id).pipe(Effect.catch(unavailable))
    const live = this.#live.get(id)
    if (entry === undefined) {
      live?.session.end()
      return undefined
    }
    if (live === undefined) {
      // It was closed here while the store was asked.
      if (known !== undefined) return undefined
      return yield* this.#revive(entry, principal)
    }
    if (live.principal !== principal) return undefined
    live.lastUse = yield* Clock.currentTimeMillis
    take(live, entry)
    return live.session
  })

  readonly stateless = (revision: Revision.Revision): LegacySession => {
    let session = this.#stateless.get(revision)
    if (session === undefined) {
      const data = { revision, clientInfo: { name: "", version: "" }, clientCapabilities: {}, subscriptions: [] }
      const dialect = this.#dialect(revision)
      session = new LegacySession(this, {
        id: "",
        lifetime: "none",
        data,
        dialect,
        declared: {},
        idPrefix: undefined,
        isReady: true
      })
      this.#stateless.set(revision, session)
    }
    return session
  }

  /** Ends what is left. What is stored stays: another process may go on with it. */
  close(): void {
    for (const session of [...this.#sessions, ...this.#stateless.values()]) session.end()
  }

  change(session: LegacySession, change: Change): Effect.Effect<void, McpError.McpError> {
    return Effect.suspend(() => {
      if (session.lifetime !== "stored") {
        return Effect.map(Effect.fromResult(change(session.data)), (data) => session.refresh(data))
      }
      const live = this.#live.get(session.id)
      return live === undefined ? Effect.fail(ended) : this.#update(live, change, attempts)
    })
  }

  #update(live: Live, change: Change, left: number): Effect.Effect<void, McpError.McpError> {
    const { session, version } = live
    const { store } = this.#services
    const changed = change(session.data)
    if (Result.isFailure(changed)) return Effect.fail(changed.failure)
    if (changed.success === session.data) return Effect.void
    return store.update(session.id, version, changed.success).pipe(
      Effect.map((entry) => take(live, entry)),
      Effect.catchTag("SessionConflict", () =>
        // Another process was faster: what it wrote is taken first.
        Effect.flatMap(store.get(session.id), (entry) => {
          if (entry === undefined) return Effect.fail(ended)
          if (left <= 1) return Effect.fail(contended)
          take(live, entry)
          return this.#update(live, change, left - 1)
        })),
      Effect.catchTag("StoreUnavailable", ({ message }) => Effect.fail(new McpError.InternalError({ message })))
    )
  }

  subscribed(session: LegacySession, uri: string, isOn: boolean): void {
    this.#changes.subscribed(session, uri, isOn)
  }

  remove({ id }: LegacySession): Effect.Effect<void> {
    return this.#live.has(id)
      ? this.#services.store.delete(id).pipe(
        Effect.catch((error) => Effect.logWarning("A session could not be deleted, and lives until it expires", error))
      )
      : Effect.void
  }

  ended(session: LegacySession): void {
    this.#sessions.delete(session)
    this.#changes.delete(session)
    this.#live.delete(session.id)
  }

  /** INIT-3: the revision that was offered if it is served, and else the newest. */
  #choose(offered: unknown): Revision.Revision {
    return this.revisions.find((revision) => revision === offered) ?? this.revisions[0] ?? Revision.latest
  }

  #dialect(revision: Revision.Revision): Dialect {
    let dialect = this.#dialects.get(revision)
    if (dialect === undefined) this.#dialects.set(revision, dialect = legacy(revision))
    return dialect
  }

  /** INIT-5. */
  #initialized(state: RequestState) {
    const { info, instructions } = this.registry.options
    return {
      protocolVersion: state.revision,
      capabilities: this.registry.legacyCapabilities(state instanceof Opening ? state.lifetime : "none"),
      serverInfo: info,
      ...(instructions === undefined ? undefined : { instructions })
    }
  }

  #add(session: LegacySession): LegacySession {
    this.#sessions.add(session)
    this.#changes.add(session)
    return session
  }

  readonly #create = Effect.fnUntraced({ self: this }, function*(
    this: LegacySessions,
    data: SessionStore.SessionData,
    principal: string | undefined,
    declared: JsonRpc.JsonObject
  ) {
    const id = Base64Url.encode(yield* this.#services.random.randomBytes(idBytes))
    const digest = yield* this.#digest(principal)
    const stored = digest === undefined ? data : { ...data, principal: digest }
    return yield* Effect.uninterruptible(
      Effect.flatMap(
        this.#services.store.create(id, stored).pipe(Effect.catch(unavailable)),
        (entry) => this.#enliven(entry, principal, declared, false)
      )
    )
  })

  /** What it was told elsewhere is what would be told here. */
  #revive(entry: SessionStore.Entry, principal: string | undefined) {
    return this.#enliven(entry, principal, this.registry.legacyCapabilities("stored"), true)
  }

  #enliven(
    { data, id, version }: SessionStore.Entry,
    principal: string | undefined,
    declared: JsonRpc.JsonObject,
    isReady: boolean
  ): Effect.Effect<LegacySession> {
    return Effect.map(Clock.currentTimeMillis, (lastUse) => {
      // Two requests may have found it asleep.
      const live = this.#live.get(id)
      if (live !== undefined) return live.session
      const dialect = this.#dialect(data.revision)
      const idPrefix = `${this.registry.options.run.toString(36)}-${++this.#enlivened}`
      const session = new LegacySession(this, { id, lifetime: "stored", data, dialect, declared, idPrefix, isReady })
      this.#live.set(id, { session, principal, version, lastUse })
      this.#sweepLater()
      return this.#add(session)
    })
  }

  #digest(principal: string | undefined): Effect.Effect<string | undefined> {
    return principal === undefined
      ? Effect.succeed(undefined)
      : this.#services.digest.digestHex(Digest.sha256, utf8.encode(principal))
  }

  /** One fiber for all sessions, while there are any. */
  #sweepLater(): void {
    if (this.#isSweeping) return
    this.#isSweeping = true
    const { context, limits } = this.registry.options
    const pause = Effect.sleep(Math.max(1, Math.min(limits.sessionIdle / 4, 60_000)))
    const sweep = Effect.whileLoop({
      while: () => this.#isSweeping,
      body: () => Effect.andThen(pause, this.#sweep),
      step: () => {
        this.#isSweeping = this.#live.size > 0
      }
    })
    Fiber.runIn(Effect.runForkWith(context)(sweep), this.#services.scope)
  }

  readonly #sweep: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach([...this.#live.values()], (live) => this.#look(live), { discard: true })
  )

  /** A session in which something goes on is in use. One that is not has to be looked up, since another process may use it. */
  readonly #look = Effect.fnUntraced({ self: this }, function*(this: LegacySessions, live: Live) {
    const { session } = live
    const now = yield* Clock.currentTimeMillis
    const { store } = this.#services
    if (session.isBusy) live.lastUse = now
    else if (now - live.lastUse < this.registry.options.limits.sessionIdle) return
    const entry = yield* session.isBusy ? store.touch(session.id) : store.get(session.id)
    if (entry === undefined) session.end()
  }, (effect) =>
    // Whatever is wrong with the store, the others are looked after.
    effect.pipe(Effect.catch(notLookedUp), Effect.catchDefect(notLookedUp)))
}

const notLookedUp = (error: unknown): Effect.Effect<void> => Effect.logDebug("A session could not be looked up", error)

/** An answer of the store that was overtaken by another says nothing. */
const take = (live: Live, { data, version }: SessionStore.Entry): void => {
  if (version <= live.version) return
  live.version = version
  live.session.refresh(data)
}

/** How often a change is tried that others get ahead of. */
const attempts = 16

const refused = (response: JsonRpc.Response): Opened => ({ response, session: undefined })

const isImplementation = Schema.is(Implementation)

const isCapabilities = Schema.is(ClientCapabilities)

const unavailable = (
  error: SessionStore.TooManySessions | SessionStore.SessionExists | SessionStore.StoreUnavailable
) =>
  Effect.andThen(
    // The client is told that there is no session for now; what is wrong with the store is for the operator.
    error._tag === "StoreUnavailable" ? Effect.logError("The store of sessions does not work", error) : Effect.void,
    Effect.fail(new SessionUnavailable({ message: `No session for now: ${error.message}`, cause: error }))
  )

const gaveUp = new McpError.InternalError({ message: "The server gave up this request" })

const closing = new SessionUnavailable({ message: "No session for now: the server is closing" })

const contended = new McpError.InternalError({ message: "The session is being changed by others all the time" })
