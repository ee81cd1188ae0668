/**
 * Which nonces were used already: what makes a thing that a client carries, such as the `requestState` of a
 * multi-round-trip request, good for one use (MRTR-17).
 *
 * With {@link layerMemory} they are in this process. Where several nodes take the same things, they need a layer on a
 * database that all of them use: otherwise each of them takes a thing once.
 *
 * **A store that is down is an error.** A layer that cannot reach its engine fails with {@link NonceStoreUnavailable}, and
 * never goes on from memory: what was used on another node would be used again.
 *
 * **Time.** A nonce is remembered for as long as its claim says, which is a duration, so that a layer measures it with a
 * clock that nobody sets.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { elapsed } from "./internal/elapsed.ts"
import { MemoryNonces } from "./internal/memoryNonces.ts"
import * as Limits from "./Limits.ts"

/**
 * There are as many nonces as may be. None of them was forgotten to make room, and the new one was not claimed.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManyNonces extends Schema.TaggedError<TooManyNonces>("@effect-mcp/core/NonceStore/TooManyNonces")(
  "TooManyNonces",
  { max: Schema.Finite }
) {
  override get message(): string {
    return `there are ${this.max} nonces already (the limit nonces). Limits.layer({ nonces: ... }) raises it`
  }
}

/**
 * The store cannot be reached, or does not work. {@link layerMemory} never fails with it.
 *
 * **Details**
 *
 * Whether the nonce was claimed is not known, so whatever it stands for must not be taken.
 *
 * @category errors
 * @since 0.1.0
 */
export class NonceStoreUnavailable extends Schema.TaggedError<NonceStoreUnavailable>(
  "@effect-mcp/core/NonceStore/NonceStoreUnavailable"
)("NonceStoreUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "the store of nonces is not available"
  }
}

/**
 * The store.
 *
 * **Details**
 *
 * - `claim`: `true` for the first who claims the nonce, and `false` for whoever claims it within `ttl` milliseconds from
 *   then, which is a positive integer. A claim in vain changes nothing; after that time the nonce is forgotten, and can be
 *   claimed again. Fails with {@link TooManyNonces} if there are as many as the limit `nonces` allows; those that have
 *   expired do not count.
 *
 * Nonces are made by the caller, from at least 128 random bits if others must not guess them. Of several who claim one at
 * the same time, one does.
 *
 * **Example** (Taking a ticket once)
 *
 * ```ts
 * import * as NonceStore from "@effect-mcp/core/NonceStore"
 * import * as Effect from "effect/Effect"
 *
 * const take = Effect.fnUntraced(function*(ticket: { readonly nonce: string; readonly millisLeft: number }) {
 *   const store = yield* NonceStore.NonceStore
 *   return (yield* store.claim(ticket.nonce, ticket.millisLeft)) ? "taken" : "used already"
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class NonceStore extends Context.Service<NonceStore, {
  readonly claim: (nonce: string, ttl: number) => Effect.Effect<boolean, NonceStoreUnavailable | TooManyNonces>
}>()("@effect-mcp/core/NonceStore") {}

const make = Effect.gen(function*() {
  const { nonces: max } = yield* Limits.Limits
  const nonces = new MemoryNonces({ max, now: yield* elapsed })

  return NonceStore.of({
    claim: (nonce, ttl) =>
      Effect.suspend(() => {
        const outcome = nonces.claim(nonce, ttl)
        return outcome === "full" ? Effect.fail(new TooManyNonces({ max })) : Effect.succeed(outcome === "claimed")
      })
  })
})

/**
 * Nonces inside this process, which are all forgotten when it ends.
 *
 * **Details**
 *
 * No change of the wall clock makes it forget a nonce or keep one. Nonces that have expired are forgotten when the store is
 * used next.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<NonceStore> = Layer.effect(NonceStore, make)
