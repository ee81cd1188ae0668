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
import * as Limits from "@effect-mcp/core/Limits"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Law from "./Law.ts"

type Store = Context.Service.Shape<typeof SessionStore.SessionStore>

type Failure =
  | SessionStore.TooManySessions
  | SessionStore.SessionExists
  | SessionStore.SessionConflict
  | SessionStore.StoreUnavailable

/** What a law is given beside the store. */
interface Around {
  readonly limits: Limits.Values
  readonly letPass: (millis: number) => Effect.Effect<void>
  /** An id nobody else has: the store may have kept sessions of laws that ran before. */
  readonly id: Effect.Effect<string>
}

const plain: SessionStore.SessionData = {
  revision: "2025-11-25",
  clientInfo: { name: "laws", version: "1" },
  clientCapabilities: {},
  subscriptions: []
}

const full: SessionStore.SessionData = {
  principal: "b1946ac92492d2347c6235b4d2611184",
  revision: "2025-06-18",
  clientInfo: { name: "laws", title: "Läws, 法", version: "1.0.0" },
  clientCapabilities: {
    elicitation: {},
    roots: { listChanged: true },
    experimental: { "com.example/x": { deep: [1] } }
  },
  logLevel: "warning",
  subscriptions: ["law://one", "law://two"]
}

const subscribedTo = (...subscriptions: ReadonlyArray<string>): SessionStore.SessionData => ({
  ...plain,
  subscriptions
})

const expectEntry = (entry: SessionStore.Entry | undefined, expected: SessionStore.Entry) =>
  Law.expect(Equal.equals(entry, expected), JSON.stringify(expected), entry)

const expectFailure = <A, E extends { readonly _tag: string }, const Tag extends E["_tag"]>(
  result: Result.Result<A, E>,
  tag: Tag
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, Law.LawViolation> => {
  const failure = Result.isFailure(result) ? result.failure : undefined
  return isTagged(failure, tag)
    ? Effect.succeed(failure)
    : Effect.fail(new Law.LawViolation({ expected: tag, actual: failure ?? "success" }))
}

const isTagged = <E extends { readonly _tag: string }, Tag extends string>(
  error: E | undefined,
  tag: Tag
): error is Extract<E, { readonly _tag: Tag }> => error?._tag === tag

/** That nothing finds a session, in whatever way. */
const expectGone = Effect.fnUntraced(function*(store: Store, id: string, version: number) {
  const touched = yield* store.touch(id)
  yield* Law.expect(touched === undefined, "nothing to touch", touched)
  const found = yield* store.get(id)
  yield* Law.expect(found === undefined, "no session", found)
  const conflict = yield* expectFailure(yield* Effect.result(store.update(id, version, plain)), "SessionConflict")
  yield* Law.expect(conflict.current === undefined, "a conflict with no version", conflict.current)
  const deleted = yield* store.delete(id)
  yield* Law.expect(!deleted, "nothing to delete", deleted)
})

const expectThere = Effect.fnUntraced(function*(store: Store, id: string) {
  const entry = yield* store.get(id)
  yield* Law.expect(entry !== undefined, "the session", "nothing")
})

const newId = Effect.sync(() => SecureRandom.uuidV4Unsafe())

const law = (
  name: string,
  body: (store: Store, around: Around) => Effect.Effect<void, Law.LawViolation | Failure>
): Law.Law<SessionStore.SessionStore, Failure> => ({
  name,
  law: Effect.gen(function*() {
    const store = yield* SessionStore.SessionStore
    const limits = yield* Limits.Limits
    const letPass = yield* Law.LetPass
    return yield* body(store, { limits, letPass, id: newId })
  })
})

/**
 * The laws. Each one needs an empty store that nobody else uses while it runs.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law.Law<SessionStore.SessionStore, Failure>> = [
  law(
    "a session is found as it was created, from version 1 on",
    Effect.fnUntraced(function*(store, { id }) {
      for (const data of [plain, full]) {
        const entry = { id: yield* id, version: 1, data }
        yield* expectEntry(yield* store.create(entry.id, data), entry)
        yield* expectEntry(yield* store.get(entry.id), entry)
        yield* expectEntry(yield* store.touch(entry.id), entry)
      }
    })
  ),
  law(
    "creating a session that exists fails, and leaves it as it was",
    Effect.fnUntraced(function*(store, { id }) {
      const entry = yield* store.create(yield* id, full)
      yield* expectFailure(yield* Effect.result(store.create(entry.id, plain)), "SessionExists")
      yield* expectEntry(yield* store.get(entry.id), entry)
    })
  ),
  law(
    "of several who create one session at the same time, one does",
    Effect.fnUntraced(function*(store, around) {
      const id = yield* around.id
      const results = yield* Effect.forEach(
        Arr.range(1, 20),
        (i) => Effect.result(store.create(id, subscribedTo(`law://${i}`))),
        { concurrency: "unbounded" }
      )
      const created = results.filter(Result.isSuccess)
      yield* Law.expect(created.length === 1, "one session", created.length)
      const winner = created[0]?.success
      if (winner !== undefined) yield* expectEntry(yield* store.get(id), winner)
    })
  ),
  law(
    "an id that was never given is of no session",
    Effect.fnUntraced(function*(store, { id }) {
      yield* store.create(yield* id, plain)
      for (const wrong of [yield* id, "", "*", "../x", "ü", "x".repeat(1_000), "__proto__"]) {
        yield* expectGone(store, wrong, 1)
      }
    })
  ),
  law(
    "sessions do not touch one another",
    Effect.fnUntraced(function*(store, { id }) {
      const first = yield* store.create(yield* id, plain)
      const second = yield* store.create(yield* id, full)
      yield* store.update(first.id, first.version, subscribedTo("law://first"))
      yield* expectEntry(yield* store.get(second.id), second)
      yield* store.delete(first.id)
      yield* expectEntry(yield* store.get(second.id), second)
    })
  ),
  law(
    "an update of the version that was read writes, and gives the next version",
    Effect.fnUntraced(function*(store, { id }) {
      const entry = yield* store.create(yield* id, plain)
      const updated = yield* store.update(entry.id, 1, full)
      yield* expectEntry(updated, { id: entry.id, version: 2, data: full })
      yield* expectEntry(yield* store.get(entry.id), updated)
    })
  ),
  law(
    "an update of any other version fails with the one there is, and writes nothing",
    Effect.fnUntraced(function*(store, { id }) {
      const entry = yield* store.create(yield* id, plain)
      const updated = yield* store.update(entry.id, 1, full)
      for (const version of [0, 1, 3]) {
        const conflict = yield* expectFailure(
          yield* Effect.result(store.update(entry.id, version, plain)),
          "SessionConflict"
        )
        yield* Law.expect(
          conflict.current === 2 && conflict.version === version,
          `a conflict of ${version} with 2`,
          conflict
        )
        yield* expectEntry(yield* store.get(entry.id), updated)
      }
    })
  ),
  law(
    "of several who update one version at the same time, one does",
    Effect.fnUntraced(function*(store, { id }) {
      const entry = yield* store.create(yield* id, plain)
      const results = yield* Effect.forEach(
        Arr.range(1, 20),
        (i) => Effect.result(store.update(entry.id, 1, subscribedTo(`law://${i}`))),
        { concurrency: "unbounded" }
      )
      const updated = results.filter(Result.isSuccess)
      yield* Law.expect(updated.length === 1, "one update", updated.length)
      const winner = updated[0]?.success
      if (winner !== undefined) yield* expectEntry(yield* store.get(entry.id), winner)
    })
  ),
  law(
    "a deleted session is gone, and stays so",
    Effect.fnUntraced(function*(store, { id }) {
      const entry = yield* store.create(yield* id, plain)
      const deleted = yield* store.delete(entry.id)
      yield* Law.expect(deleted, "a deleted session", deleted)
      yield* expectGone(store, entry.id, entry.version)
    })
  ),
  law(
    "a session that is not used for sessionIdle is gone, and touching it does not bring it back",
    Effect.fnUntraced(function*(store, { id, letPass, limits }) {
      const entry = yield* store.create(yield* id, plain)
      yield* expectThere(store, entry.id)
      yield* letPass(limits.sessionIdle)
      yield* expectGone(store, entry.id, entry.version)
    })
  ),
  law(
    "touching a session keeps it",
    Effect.fnUntraced(function*(store, { id, letPass, limits }) {
      const entry = yield* store.create(yield* id, plain)
      for (let i = 0; i < 2; i++) {
        yield* letPass(Math.ceil(limits.sessionIdle * 0.6))
        yield* store.touch(entry.id)
      }
      yield* expectThere(store, entry.id)
    })
  ),
  law(
    "looking at a session does not keep it",
    Effect.fnUntraced(function*(store, { id, letPass, limits }) {
      const entry = yield* store.create(yield* id, plain)
      yield* letPass(Math.ceil(limits.sessionIdle * 0.5))
      yield* expectThere(store, entry.id)
      yield* letPass(Math.ceil(limits.sessionIdle * 0.5))
      yield* expectGone(store, entry.id, entry.version)
    })
  ),
  law(
    "updating a session does not keep it",
    Effect.fnUntraced(function*(store, { id, letPass, limits }) {
      const entry = yield* store.create(yield* id, plain)
      yield* letPass(Math.ceil(limits.sessionIdle * 0.5))
      const { version } = yield* store.update(entry.id, entry.version, full)
      yield* letPass(Math.ceil(limits.sessionIdle * 0.5))
      yield* expectGone(store, entry.id, version)
    })
  ),
  law(
    "no use makes a session older than sessionLifetime",
    Effect.fnUntraced(function*(store, { id, letPass, limits: { sessionIdle, sessionLifetime } }) {
      const entry = yield* store.create(yield* id, plain)
      const step = Math.ceil(Math.min(sessionIdle, sessionLifetime) / 2)
      for (let age = step; age < sessionLifetime + step; age += step) {
        if (age <= sessionLifetime / 2) yield* expectThere(store, entry.id)
        yield* store.touch(entry.id)
        yield* letPass(step)
      }
      yield* expectGone(store, entry.id, entry.version)
    })
  ),
  law(
    "there are no more than the limit sessions, none is ended to make room, and one that ends makes room",
    Effect.fnUntraced(function*(store, { id, limits: { sessions } }) {
      const ids = yield* Effect.replicateEffect(id, sessions)
      yield* Effect.forEach(ids, (one) => store.create(one, plain), { discard: true })
      const extra = yield* id
      const { max } = yield* expectFailure(yield* Effect.result(store.create(extra, plain)), "TooManySessions")
      yield* Law.expect(max === sessions, `TooManySessions of ${sessions}`, max)
      yield* Effect.forEach(ids, (one) => expectThere(store, one), { discard: true })
      yield* store.delete(ids[0] ?? "")
      yield* store.create(extra, plain)
      yield* expectFailure(yield* Effect.result(store.create(yield* id, plain)), "TooManySessions")
    })
  ),
  law(
    "sessions that have expired do not count",
    Effect.fnUntraced(function*(store, { id, letPass, limits: { sessionIdle, sessions } }) {
      for (let round = 0; round < 2; round++) {
        const ids = yield* Effect.replicateEffect(id, sessions)
        yield* Effect.forEach(ids, (one) => store.create(one, plain), { discard: true })
        yield* letPass(sessionIdle)
      }
      yield* store.create(yield* id, plain)
    })
  )
]
