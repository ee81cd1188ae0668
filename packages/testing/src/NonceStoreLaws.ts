/**
 * What every layer of `NonceStore` must do, as effects that any test runner can run.
 *
 * The laws read the limit in force (`nonces`), which must be that of the store, fill it up, and let seconds pass. So a layer
 * on an engine, with a clock of its own, is tested with a small limit; with a test clock there is `Law.LetPass`.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 * import * as NonceStore from "@effect-mcp/core/NonceStore"
 * import * as NonceStoreLaws from "@effect-mcp/testing/NonceStoreLaws"
 * import { it } from "@effect/vitest"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = NonceStore.layerMemory.pipe(Layer.provideMerge(Limits.layer({ nonces: 10 })))
 *
 * for (const { law, name } of NonceStoreLaws.laws) {
 *   it.live(name, () => Effect.provide(law, layer))
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@effect-mcp/core/Limits"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Law from "./Law.ts"

type Failure = NonceStore.TooManyNonces | NonceStore.NonceStoreUnavailable

/** What a law is given. */
interface Around {
  /** Expects that a claim of the nonce comes to this. */
  readonly claim: (nonce: string, ttl: number, expected: boolean) => Effect.Effect<void, Law.LawViolation | Failure>
  /** Expects that there is no room for the nonce. */
  readonly expectFull: (nonce: string) => Effect.Effect<void, Law.LawViolation | Failure>
  readonly store: NonceStore.NonceStore["Service"]
  readonly max: number
  readonly letPass: (millis: number) => Effect.Effect<void>
  /** A nonce nobody else has: the store may have kept those of laws that ran before. */
  readonly nonce: Effect.Effect<string>
}

/** Milliseconds: long enough for an engine, short enough to wait for. */
const short = 1_000

/** Longer than any law takes. */
const long = 60_000

const law = (
  name: string,
  body: (around: Around) => Effect.Effect<void, Law.LawViolation | Failure>
): Law.Law<NonceStore.NonceStore, Failure> => ({
  name,
  law: Effect.gen(function*() {
    const store = yield* NonceStore.NonceStore
    const { nonces: max } = yield* Limits.Limits
    return yield* body({
      store,
      max,
      letPass: yield* Law.LetPass,
      nonce: Effect.sync(() => SecureRandom.uuidV4Unsafe()),
      claim: (nonce, ttl, expected) =>
        Effect.flatMap(store.claim(nonce, ttl), (claimed) => Law.expect(claimed === expected, `${expected}`, claimed)),
      expectFull: Effect.fnUntraced(function*(nonce) {
        const result = yield* Effect.result(store.claim(nonce, long))
        const failure = Result.isFailure(result) ? result.failure : undefined
        if (failure?._tag === "NonceStoreUnavailable") return yield* failure
        yield* Law.expect(failure?.max === max, `TooManyNonces of ${max}`, failure ?? "success")
      })
    })
  })
})

/**
 * The laws. Each one needs an empty store that nobody else uses while it runs.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law.Law<NonceStore.NonceStore, Failure>> = [
  law(
    "a nonce is claimed once",
    Effect.fnUntraced(function*({ claim, nonce }) {
      const one = yield* nonce
      yield* claim(one, long, true)
      yield* claim(one, long, false)
      yield* claim(one, short, false)
    })
  ),
  law(
    "of several who claim one nonce at the same time, one does",
    Effect.fnUntraced(function*({ nonce, store }) {
      const one = yield* nonce
      const results = yield* Effect.all(Array.from({ length: 20 }, () => store.claim(one, long)), {
        concurrency: "unbounded"
      })
      const claimed = results.filter((result) => result)
      yield* Law.expect(claimed.length === 1, "one claim", claimed.length)
    })
  ),
  law(
    "nonces do not touch one another, whatever is in them",
    Effect.fnUntraced(function*({ claim, nonce }) {
      const one = yield* nonce
      const all = [one, `${one}a`, `${one}A`, `${one} `, `${one}*`, `${one}:ttl`, `${one}ü`, `*${one}`, "", "__proto__"]
      yield* Effect.forEach(all, (each) => claim(each, long, true), { discard: true })
      yield* Effect.forEach(all, (each) => claim(each, long, false), { discard: true })
    })
  ),
  law(
    "a nonce is remembered for its time, and then it can be claimed again",
    Effect.fnUntraced(function*({ claim, letPass, nonce }) {
      const one = yield* nonce
      yield* claim(one, short, true)
      yield* letPass(short / 2)
      yield* claim(one, short, false)
      yield* letPass(short / 2)
      yield* claim(one, short, true)
      yield* claim(one, short, false)
    })
  ),
  law(
    "a claim in vain gives a nonce no more time, and no less",
    Effect.fnUntraced(function*({ claim, letPass, nonce }) {
      const [longer, shorter] = [yield* nonce, yield* nonce]
      yield* claim(longer, short, true)
      yield* claim(longer, long, false)
      yield* claim(shorter, long, true)
      yield* claim(shorter, short, false)
      yield* letPass(short)
      yield* claim(longer, long, true)
      yield* claim(shorter, long, false)
    })
  ),
  law(
    "each nonce has a time of its own",
    Effect.fnUntraced(function*({ claim, letPass, nonce }) {
      const ttls = [2 * short, short, long]
      const nonces = yield* Effect.forEach(ttls, (ttl) => Effect.map(nonce, (one) => ({ one, ttl })))
      yield* Effect.forEach(nonces, ({ one, ttl }) => claim(one, ttl, true), { discard: true })
      for (let passed = 0; passed < 2 * short; passed += short) {
        for (const { one, ttl } of nonces) if (ttl > passed) yield* claim(one, long, false)
        yield* letPass(short)
        for (const { one, ttl } of nonces) if (ttl === passed + short) yield* claim(one, long, true)
      }
    })
  ),
  law(
    "there are no more than the limit nonces, and none is forgotten to make room",
    Effect.fnUntraced(function*({ claim, expectFull, max, nonce }) {
      const all = yield* Effect.replicateEffect(nonce, max)
      yield* Effect.forEach(all, (one) => claim(one, long, true), { discard: true })
      yield* expectFull(yield* nonce)
      yield* Effect.forEach(all, (one) => claim(one, long, false), { discard: true })
      yield* expectFull(yield* nonce)
    })
  ),
  law(
    "nonces that have expired do not count, and one for which there was no room was not claimed",
    Effect.fnUntraced(function*({ claim, expectFull, letPass, max, nonce }) {
      const fill = (nonces: ReadonlyArray<string>) =>
        Effect.forEach(nonces, (one) => claim(one, 2 * short, true), { discard: true })
      yield* fill(yield* Effect.replicateEffect(nonce, max))
      const extra = yield* nonce
      yield* expectFull(extra)
      yield* letPass(2 * short)
      yield* fill([extra, ...(yield* Effect.replicateEffect(nonce, max - 1))])
      yield* expectFull(yield* nonce)
    })
  )
]
