/**
 * Finds the exchanges that were silent for long: one sweep per server, not a timer per request.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** Something that must not be silent for long. */
export interface Silent {
  /** The tick of the last sign of life. */
  touched: number
  /** Gives one. */
  readonly keepAlive: () => void
}

/** Ticks from one sign of life to the next. The more there are, the closer the silence comes to the whole time. */
const steps = 4

/**
 * Sweeps while something waits. An exchange is silent for more than three quarters of the interval, and never for longer
 * than all of it, since that is what the interval is compared with: a proxy's patience.
 */
export class KeepAlive {
  readonly #waiting = new Set<Silent>()
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #sweep: Effect.Effect<void>
  #tick = 0
  #running = false

  constructor(interval: Duration.Duration, scope: Scope.Scope, context: Context.Context<never>) {
    const fork = Effect.runForkWith(context)
    this.#run = (effect) => Fiber.runIn(fork(effect), scope)
    const step = Effect.sleep(Duration.millis(Math.max(1, Duration.toMillis(interval) / steps)))
    // It ends when nothing waits, so that an idle server has no timer.
    this.#sweep = Effect.whileLoop({
      while: () => this.#running,
      body: () => step,
      step: () => this.#swept()
    })
  }

  /** The present tick. */
  get tick(): number {
    return this.#tick
  }

  /** Watches over an exchange. */
  add(silent: Silent): void {
    silent.touched = this.#tick
    this.#waiting.add(silent)
    if (this.#running) return
    this.#running = true
    this.#run(this.#sweep)
  }

  /** Forgets one. */
  delete(silent: Silent): void {
    this.#waiting.delete(silent)
  }

  #swept(): void {
    this.#tick++
    this.#running = this.#waiting.size > 0
    for (const silent of this.#waiting) {
      if (this.#tick - silent.touched < steps) continue
      silent.touched = this.#tick
      silent.keepAlive()
    }
  }
}
