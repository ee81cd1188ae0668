/**
 * When to connect again to go on with a stream: as the server wants it (LHTTP-11), and more seldom the longer it brings
 * nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Place } from "./events.ts"

/** The wait if the server says nothing about it, in milliseconds. It doubles with each attempt that brings nothing. */
const first = 1_000
const longest = 30_000

/** A server that wants no wait is asked no more often than this, whatever it has to say. */
const shortest = 100

/** A connection that was open for this long was worth having, though nothing came: something between has cut it. */
const lasting = 10_000

export class Reconnect {
  readonly #place: Place
  readonly #max: number
  #connectedAt: number | undefined
  /** Connections in a row, and attempts to make one, that brought nothing at all. */
  #fruitless = 0

  constructor(place: Place, max: number) {
    this.#place = place
    this.#max = max
  }

  /** To be run before each attempt. */
  begin(): void {
    this.#place.told = "nothing"
    this.#connectedAt = undefined
  }

  /** To be run when a stream is there. */
  readonly connected: Effect.Effect<void> = Effect.map(Clock.currentTimeMillis, (now) => {
    this.#connectedAt = now
  })

  /** Waits for the next attempt. `false` if there is none any more. */
  readonly wait: Effect.Effect<boolean> = Effect.suspend(() => {
    const { told } = this.#place
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const lasted = this.#connectedAt === undefined ? 0 : now - this.#connectedAt
      this.#fruitless = told !== "nothing" || lasted >= lasting ? 0 : this.#fruitless + 1
      return this.#fruitless > this.#max ? Effect.succeed(false) : Effect.as(this.pause, true)
    })
  })

  /** The wait alone, for an attempt that is not held against the server. */
  readonly pause: Effect.Effect<void> = Effect.suspend(() => {
    const asked = this.#place.retry
    if (this.#fruitless === 0) return Effect.sleep(Math.max(asked ?? first, shortest))
    const grown = Math.min(first * 2 ** (this.#fruitless - 1), longest)
    // Clients that have lost the same server must not come back all at once.
    return Effect.flatMap(Random.next, (random) => Effect.sleep(Math.max(asked ?? 0, grown * (0.75 + random / 2))))
  })
}
