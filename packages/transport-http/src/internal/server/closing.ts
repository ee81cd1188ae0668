/**
 * The end of a server: what is in flight may finish, what would never end is ended, and nothing new begins.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** A call that has not ended. */
export interface Work {
  /** Whether anybody would still get its answer. */
  readonly isHeard: boolean
  /** Interrupts it. */
  readonly giveUp: () => void
}

/** Something that never ends by itself. */
export interface Endless {
  /** Ends it, so that the peer sees a proper end. */
  readonly finish: () => void
}

/** A server of Node, as far as it says whether it still takes connections. */
interface Listening {
  readonly listening: boolean
}

/** How often a server is asked while something is open. */
const pollEvery = 250

/**
 * Closes the HTTP side of one server.
 *
 * The layer of the routes is released when the platform has stopped to serve, and Node's server, which has been told to
 * close, waits for open connections before that. Nobody tells of it, so Node's server is looked at: with every request, and
 * from time to time while something is open.
 */
export class Closing {
  /** Whether it has begun. */
  now = false
  readonly #grace: number
  readonly #scope: Scope.Scope
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #clock: Clock.Clock
  readonly #works = new Set<Work>()
  readonly #endless = new Set<Endless>()
  #server: Listening | undefined
  #polling = false
  #until = 0
  #idle: Array<() => void> = []

  constructor(grace: number, scope: Scope.Scope, context: Context.Context<never>) {
    this.#grace = grace
    this.#scope = scope
    this.#run = Effect.runForkWith(context)
    this.#clock = Context.get(context, Clock.Clock)
  }

  /** Whether a request comes too late. */
  refuses(source: unknown): boolean {
    if (this.#server === undefined) this.#server = serverOf(source)
    else if (!this.#server.listening) this.begin()
    return this.now
  }

  /** Watches over a call. */
  add(work: Work): void {
    this.#works.add(work)
    this.#poll()
  }

  /** Forgets one that has ended. */
  delete(work: Work): void {
    if (this.#works.delete(work)) this.check()
  }

  /** Watches over something endless, which is ended at once when it is too late for it. */
  addEndless(endless: Endless): void {
    this.#endless.add(endless)
    if (this.now) endless.finish()
    else this.#poll()
  }

  /** Forgets one that has ended. */
  deleteEndless(endless: Endless): void {
    this.#endless.delete(endless)
  }

  /** Begins to close. */
  begin(): void {
    if (this.now) return
    this.now = true
    this.#until = this.#clock.currentTimeMillisUnsafe() + this.#grace
    for (const endless of this.#endless) endless.finish()
    if (this.#works.size > 0) this.#fork(Effect.andThen(Effect.sleep(this.#grace), Effect.sync(() => this.#giveUp())))
  }

  /** Tells that there may be nobody left to wait for. */
  check(): void {
    if (this.#idle.length === 0 || this.#isBusy()) return
    const waiting = this.#idle
    this.#idle = []
    for (const resume of waiting) resume()
  }

  /** Closes: returns when what is in flight has ended, or the grace period has. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.begin()
    const idle = Effect.callback<void>((resume) => {
      this.#idle.push(() => resume(Effect.void))
      this.check()
    })
    const left = Math.max(0, this.#until - this.#clock.currentTimeMillisUnsafe())
    return Effect.andThen(
      this.#isBusy() ? Effect.timeoutOption(idle, left) : Effect.void,
      Effect.sync(() => this.#giveUp())
    )
  })

  #isBusy(): boolean {
    for (const work of this.#works) if (work.isHeard) return true
    return false
  }

  #giveUp(): void {
    for (const work of this.#works) work.giveUp()
  }

  #poll(): void {
    if (this.#polling || this.now || this.#server === undefined) return
    this.#polling = true
    this.#fork(Effect.whileLoop({
      while: () => this.#polling,
      body: () => Effect.sleep(pollEvery),
      step: () => {
        if (this.#server?.listening === false) this.begin()
        this.#polling = !this.now && this.#works.size + this.#endless.size > 0
      }
    }))
  }

  #fork(effect: Effect.Effect<void>): void {
    Fiber.runIn(this.#run(effect), this.#scope)
  }
}

/** Node's server, of a request that came over it. One that never listened gets its connections from elsewhere, and is not asked. */
const serverOf = (source: unknown): Listening | undefined => {
  const server = member(member(source, "socket"), "server")
  return isListening(server) && server.listening ? server : undefined
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const isListening = (value: unknown): value is Listening => typeof member(value, "listening") === "boolean"
