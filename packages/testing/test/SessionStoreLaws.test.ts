import * as Limits from "@effect-mcp/core/Limits"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Law from "@effect-mcp/testing/Law"
import * as SessionStoreLaws from "@effect-mcp/testing/SessionStoreLaws"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"

type Store = typeof SessionStore.SessionStore.Service

const limits = Limits.layer({ sessions: 20, sessionIdle: 1_000, sessionLifetime: 3_500 })
const LetPass = Layer.succeed(Law.LetPass, TestClock.adjust)
const layer = SessionStore.layerMemory.pipe(Layer.provideMerge(limits), Layer.merge(LetPass))

describe("SessionStoreLaws", () => {
  for (const { law, name } of SessionStoreLaws.laws) {
    it.effect(`layerMemory: ${name}`, () => Effect.provide(law, layer))
    it.effect(`layerMemory with the limits as they are: ${name}`, () =>
      Effect.provide(law, Layer.merge(SessionStore.layerMemory, LetPass)))
  }
})

const conflict = (version: number, current?: number) =>
  Effect.fail(new SessionStore.SessionConflict({ version, current }))

/** For each law a store that breaks it. */
const broken: Record<string, (store: Store) => Store> = {
  "a session is found as it was created, from version 1 on": (store) => ({
    ...store,
    create: (id, { principal: _, ...data }) => store.create(id, data)
  }),
  "creating a session that exists fails, and leaves it as it was": (store) => ({
    ...store,
    create: (id, data) =>
      store.create(id, data).pipe(Effect.tapErrorTag("SessionExists", () => Effect.ignore(store.update(id, 1, data))))
  }),
  "of several who create one session at the same time, one does": (store) => ({
    ...store,
    create: (id, data) =>
      store.create(id, data).pipe(
        Effect.catchTag("SessionExists", () =>
          store.get(id).pipe(Effect.map((entry) => entry ?? { id, version: 1, data })))
      )
  }),
  "an id that was never given is of no session": (store) => ({
    ...store,
    get: (id) =>
      id === "*"
        ? Effect.succeed({
          id,
          version: 1,
          data: {
            revision: "2025-11-25",
            clientInfo: { name: "", version: "" },
            clientCapabilities: {},
            subscriptions: []
          }
        })
        : store.get(id)
  }),
  "sessions do not touch one another": (store) => {
    const ids: Array<string> = []
    return {
      ...store,
      create: (id, data) => Effect.tap(store.create(id, data), () => Effect.sync(() => ids.push(id))),
      delete: (id) => Effect.andThen(Effect.forEach(ids, store.delete), store.delete(id))
    }
  },
  "an update of the version that was read writes, and gives the next version": (store) => ({
    ...store,
    update: (id, version, data) => Effect.map(store.update(id, version, data), (entry) => ({ ...entry, version }))
  }),
  "an update of any other version fails with the one there is, and writes nothing": (store) => ({
    ...store,
    update: (id, _, data) => Effect.flatMap(store.get(id), (entry) => store.update(id, entry?.version ?? 0, data))
  }),
  "of several who update one version at the same time, one does": (store) => ({
    ...store,
    update: (id, version, data) =>
      Effect.gen(function*() {
        const entry = yield* store.get(id)
        if (entry?.version !== version) return yield* conflict(version, entry?.version)
        yield* Effect.yieldNow
        yield* store.delete(id)
        yield* Effect.ignore(store.create(id, data))
        return { id, version: version + 1, data }
      })
  }),
  "a deleted session is gone, and stays so": (store) => ({
    ...store,
    delete: (id) => Effect.map(store.get(id), (entry) => entry !== undefined)
  }),
  "a session that is not used for sessionIdle is gone, and touching it does not bring it back": (store) => {
    const data = new Map<string, SessionStore.SessionData>()
    return {
      ...store,
      create: (id, given) => Effect.tap(store.create(id, given), () => Effect.sync(() => data.set(id, given))),
      touch: (id) =>
        Effect.flatMap(store.touch(id), (entry) => {
          const kept = data.get(id)
          return entry === undefined && kept !== undefined
            ? Effect.orDie(store.create(id, kept))
            : Effect.succeed(entry)
        })
    }
  },
  "touching a session keeps it": (store) => ({ ...store, touch: store.get }),
  "looking at a session does not keep it": (store) => ({ ...store, get: store.touch }),
  "updating a session does not keep it": (store) => ({
    ...store,
    update: (id, version, data) => Effect.andThen(store.touch(id), store.update(id, version, data))
  }),
  "no use makes a session older than sessionLifetime": (store) => ({
    ...store,
    touch: (id) =>
      Effect.gen(function*() {
        const entry = yield* store.get(id)
        if (entry === undefined) return undefined
        yield* store.delete(id)
        return yield* Effect.orDie(store.create(id, entry.data))
      })
  }),
  "there are no more than the limit sessions, none is ended to make room, and one that ends makes room": (store) => {
    const ids: Array<string> = []
    return {
      ...store,
      create: (id, data) =>
        Effect.suspend(() => {
          if (ids.length === 20) return Effect.andThen(store.delete(ids.shift() ?? ""), store.create(id, data))
          ids.push(id)
          return store.create(id, data)
        })
    }
  },
  "sessions that have expired do not count": (store) => {
    let count = 0
    return {
      ...store,
      create: (id, data) =>
        Effect.suspend(() =>
          ++count > 20 ? Effect.fail(new SessionStore.TooManySessions({ max: 20 })) : store.create(id, data)
        )
    }
  }
}

describe("SessionStoreLaws find a store that breaks one", () => {
  it("each of them", () => {
    assert.sameMembers(Object.keys(broken), SessionStoreLaws.laws.map(({ name }) => name))
  })

  for (const { law, name } of SessionStoreLaws.laws) {
    it.effect(name, () => {
      const store = Layer.effect(
        SessionStore.SessionStore,
        Effect.map(SessionStore.SessionStore, broken[name] ?? ((same) => same))
      )
      return Effect.gen(function*() {
        const result = yield* Effect.result(Effect.provide(law, Layer.provideMerge(store, layer)))
        assert.isTrue(Result.isFailure(result))
      })
    })
  }
})
