import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Law from "@effect-mcp/testing/Law"
import * as NonceStoreLaws from "@effect-mcp/testing/NonceStoreLaws"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"

type Store = NonceStore.NonceStore["Service"]

const LetPass = Layer.succeed(Law.LetPass, TestClock.adjust)
const layer = NonceStore.layerMemory.pipe(
  Layer.provideMerge(Limits.layer({ nonces: 20 })),
  Layer.merge(LetPass)
)

describe("NonceStoreLaws", () => {
  for (const { law, name } of NonceStoreLaws.laws) {
    it.effect(`layerMemory: ${name}`, () => Effect.provide(law, layer))
  }
})

/** For each law a store that breaks it. */
const broken: Record<string, (store: Store) => Store> = {
  "a nonce is claimed once": (store) => ({ claim: (nonce, ttl) => Effect.as(store.claim(nonce, ttl), true) }),
  "of several who claim one nonce at the same time, one does": (store) => {
    const seen = new Set<string>()
    return {
      claim: (nonce, ttl) =>
        Effect.gen(function*() {
          const isNew = !seen.has(nonce)
          yield* Effect.yieldNow
          seen.add(nonce)
          yield* store.claim(nonce, ttl)
          return isNew
        })
    }
  },
  "nonces do not touch one another, whatever is in them": (store) => ({
    claim: (nonce, ttl) => store.claim(nonce.toLowerCase(), ttl)
  }),
  "a nonce is remembered for its time, and then it can be claimed again": (store) => ({
    claim: (nonce, ttl) => store.claim(nonce, 2 * ttl)
  }),
  "a claim in vain gives a nonce no more time, and no less": (store) => {
    let round = 0
    return {
      claim: (nonce, ttl) =>
        Effect.flatMap(store.claim(`${nonce} ${round}`, ttl), (claimed) => {
          if (claimed) return Effect.succeed(true)
          round++
          return Effect.as(store.claim(`${nonce} ${round}`, ttl), false)
        })
    }
  },
  "each nonce has a time of its own": (store) => {
    let first: number | undefined
    return { claim: (nonce, ttl) => store.claim(nonce, first ??= ttl) }
  },
  "there are no more than the limit nonces, and none is forgotten to make room": (store) => {
    let age = 0
    return {
      claim: (nonce, ttl) =>
        store.claim(`${nonce} ${age}`, ttl).pipe(Effect.catchTag("TooManyNonces", () => Effect.succeed(++age > 0)))
    }
  },
  "nonces that have expired do not count, and one for which there was no room was not claimed": (store) => {
    const refused = new Set<string>()
    return {
      claim: (nonce, ttl) =>
        Effect.suspend(() =>
          refused.has(nonce)
            ? Effect.succeed(false)
            : Effect.tapErrorTag(store.claim(nonce, ttl), "TooManyNonces", () => Effect.sync(() => refused.add(nonce)))
        )
    }
  }
}

describe("NonceStoreLaws find a store that breaks one", () => {
  it("each of them", () => {
    assert.sameMembers(Object.keys(broken), NonceStoreLaws.laws.map(({ name }) => name))
  })

  for (const { law, name } of NonceStoreLaws.laws) {
    const breaks = (change: (store: Store) => Store) =>
      Effect.gen(function*() {
        const store = Layer.effect(NonceStore.NonceStore, Effect.map(NonceStore.NonceStore, change))
        const result = yield* Effect.result(Effect.provide(law, Layer.provideMerge(store, layer)))
        assert.isTrue(Result.isFailure(result))
      })

    it.effect(name, () => breaks(broken[name] ?? ((same) => same)))

    it.effect(`${name}, and a store that is down passes none`, () =>
      breaks(() => ({
        claim: () => Effect.fail(new NonceStore.NonceStoreUnavailable({ cause: new Error("ECONNREFUSED") }))
      })))
  }
})
