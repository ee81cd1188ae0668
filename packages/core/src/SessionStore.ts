/**
 * Where the sessions of the legacy HTTP transport are kept: what each request of a session needs to know of it.
 *
 * With {@link layerMemory} they are in this process. A layer on a database lets every node serve every session, so only
 * data is in here. What is alive, such as an open stream, stays with the node that has it.
 *
 * **A store that is down is an error.** A layer that cannot reach its engine fails with {@link StoreUnavailable}, and
 * never goes on from memory: two nodes would then disagree about who has a session.
 *
 * **Time.** A session ends when it was not used for as long as the limit `sessionIdle` says, or when it is as old as
 * `sessionLifetime`, whichever comes first. Both are durations, so that a layer measures them with a clock that nobody
 * sets.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { elapsed } from "./internal/elapsed.ts"
import { MemorySessions } from "./internal/memorySessions.ts"
import * as Limits from "./Limits.ts"
import * as Revision from "./Revision.ts"
import { ClientCapabilities } from "./schema/Capabilities.ts"
import { Implementation } from "./schema/Common.ts"
import { LoggingLevel } from "./schema/Logging.ts"

/**
 * What is kept of a session.
 *
 * **Details**
 *
 * - `principal`: a digest of whom the session belongs to, made by the caller; missing where nobody is authenticated. The
 *   store keeps it, the caller compares it (LHTTP-28).
 * - `revision`, `clientInfo`, `clientCapabilities`: from `initialize`.
 * - `logLevel`: what `logging/setLevel` asked for.
 * - `subscriptions`: URIs of the resources the client has subscribed to.
 *
 * It is a schema, so that a layer can write it down.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionData = Schema.Struct({
  principal: Schema.optional(Schema.String),
  revision: Revision.Revision,
  clientInfo: Implementation,
  clientCapabilities: ClientCapabilities,
  logLevel: Schema.optional(LoggingLevel),
  subscriptions: Schema.Array(Schema.String)
})

/**
 * What is kept of a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionData extends Schema.Schema.Type<typeof SessionData> {}

/**
 * A session as it is in the store. `version` changes with every update, and with nothing else.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly id: string
  readonly version: number
  readonly data: SessionData
}

/**
 * There are as many sessions as may be. None of them was ended to make room.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManySessions extends Schema.TaggedError<TooManySessions>(
  "@effect-mcp/core/SessionStore/TooManySessions"
)("TooManySessions", { max: Schema.Finite }) {
  override get message(): string {
    return `there are ${this.max} sessions already (the limit sessions). Limits.layer({ sessions: ... }) raises it`
  }
}

/**
 * There is a session with this id, which is left as it was. The error does not have the id: who knows it may use the
 * session, so it belongs in no log.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionExists extends Schema.TaggedError<SessionExists>("@effect-mcp/core/SessionStore/SessionExists")(
  "SessionExists",
  {}
) {
  override get message(): string {
    return "there is a session with this id already; ids need at least 128 random bits"
  }
}

/**
 * The session was changed since it was read, or is gone. Nothing was written.
 *
 * **Details**
 *
 * `current` is the version it has now, or `undefined` if there is no such session any more. In the first case the caller
 * reads it, decides anew, and tries again; in the second there is nothing left to try.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionConflict extends Schema.TaggedError<SessionConflict>(
  "@effect-mcp/core/SessionStore/SessionConflict"
)("SessionConflict", { version: Schema.Finite, current: Schema.UndefinedOr(Schema.Finite) }) {
  override get message(): string {
    return this.current === undefined
      ? "the session is gone"
      : `the session has version ${this.current}, and the update was made for version ${this.version}`
  }
}

/**
 * The store cannot be reached, or does not work. {@link layerMemory} never fails with it.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>(
  "@effect-mcp/core/SessionStore/StoreUnavailable"
)("StoreUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "the store of sessions is not available"
  }
}

/**
 * The store.
 *
 * **Details**
 *
 * - `create`: ids are made by the caller, from at least 128 random bits. The first version is 1. Fails with
 *   {@link TooManySessions} if there are as many as the limit `sessions` allows; those that have expired do not count.
 * - `get`: looks a session up, which is no use of it.
 * - `touch`: looks a session up and counts as use: it has all of `sessionIdle` before it again, and no more than what is
 *   left of `sessionLifetime`. A session that has expired or was deleted stays so.
 * - `update`: compares and sets. It writes if the session has the version the caller has read, and gives the entry with
 *   the next version; otherwise it fails with {@link SessionConflict}, also if the session is gone. It is no use of the
 *   session.
 * - `delete`: whether there was such a session. It may be created again, which is for the caller never to do.
 *
 * Every operation happens at once or not at all: of two updates of one version, one fails.
 *
 * **Example** (Changing a session, whoever else does)
 *
 * ```ts
 * import * as SessionStore from "@effect-mcp/core/SessionStore"
 * import * as Effect from "effect/Effect"
 *
 * const subscribe = Effect.fnUntraced(function*(id: string, uri: string) {
 *   const store = yield* SessionStore.SessionStore
 *   const entry = yield* store.get(id)
 *   if (entry === undefined) return false
 *   const subscriptions = [...entry.data.subscriptions, uri]
 *   yield* store.update(id, entry.version, { ...entry.data, subscriptions })
 *   return true
 * }, Effect.retry({ times: 5, while: (error) => error._tag === "SessionConflict" }))
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class SessionStore extends Context.Service<SessionStore, {
  readonly create: (
    id: string,
    data: SessionData
  ) => Effect.Effect<Entry, TooManySessions | SessionExists | StoreUnavailable>
  readonly get: (id: string) => Effect.Effect<Entry | undefined, StoreUnavailable>
  readonly touch: (id: string) => Effect.Effect<Entry | undefined, StoreUnavailable>
  readonly update: (
    id: string,
    version: number,
    data: SessionData
  ) => Effect.Effect<Entry, SessionConflict | StoreUnavailable>
  readonly delete: (id: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("@effect-mcp/core/SessionStore") {}

const make = Effect.gen(function*() {
  const { sessionIdle, sessionLifetime, sessions: max } = yield* Limits.Limits
  const sessions = new MemorySessions({ max, idle: sessionIdle, lifetime: sessionLifetime, now: yield* elapsed })

  return SessionStore.of({
    create: (id, data) =>
      Effect.suspend(() => {
        const created = sessions.create(id, data)
        return typeof created === "object"
          ? Effect.succeed(created)
          : Effect.fail(created === "full" ? new TooManySessions({ max }) : new SessionExists())
      }),
    get: (id) => Effect.sync(() => sessions.get(id)),
    touch: (id) => Effect.sync(() => sessions.touch(id)),
    update: (id, version, data) =>
      Effect.suspend(() => {
        const updated = sessions.update(id, version, data)
        return typeof updated === "object"
          ? Effect.succeed(updated)
          : Effect.fail(new SessionConflict({ version, current: updated }))
      }),
    delete: (id) => Effect.sync(() => sessions.delete(id))
  })
})

/**
 * Sessions inside this process, which all end with it.
 *
 * **Details**
 *
 * No change of the wall clock ends a session or keeps one alive. Sessions that have expired are forgotten when the store
 * is used next.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<SessionStore> = Layer.effect(SessionStore, make)
