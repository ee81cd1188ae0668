/**
 * The sessions of `SessionStore.layerMemory`.
 *
 * They are in two orders: by last use, which is the order in which they become idle, and by age. The time never goes
 * back, so the first of each order is the next to expire, and those that have are removed from the front, a bounded
 * number with each operation. One that has expired and was not removed yet is never found.
 */
import type { Entry, SessionData } from "../SessionStore.ts"
import * as Links from "./links.ts"

export interface Options {
  readonly max: number
  /** Milliseconds. */
  readonly idle: number
  /** Milliseconds. */
  readonly lifetime: number
  /** Milliseconds that never go back. */
  readonly now: () => number
}

class Session {
  entry: Entry
  used: number
  readonly born: number
  readonly byUse: Links.Link<Session> = Links.make(this)
  readonly byAge: Links.Link<Session> = Links.make(this)

  constructor(entry: Entry, now: number) {
    this.entry = entry
    this.used = now
    this.born = now
  }
}

/** How many expired sessions one operation removes at most: enough to overtake any flood, and no stall for the caller. */
const sweep = 256

export class MemorySessions {
  readonly #options: Options
  readonly #sessions = new Map<string, Session>()
  readonly #byUse = new Links.Links<Session>()
  readonly #byAge = new Links.Links<Session>()

  constructor(options: Options) {
    this.#options = options
  }

  create(id: string, data: SessionData): Entry | "exists" | "full" {
    const now = this.#sweep()
    if (this.#find(id, now) !== undefined) return "exists"
    if (this.#sessions.size >= this.#options.max) return "full"
    const entry: Entry = { id, version: 1, data }
    const session = new Session(entry, now)
    this.#sessions.set(id, session)
    this.#byUse.toEnd(session.byUse)
    this.#byAge.toEnd(session.byAge)
    return entry
  }

  get(id: string): Entry | undefined {
    return this.#find(id, this.#sweep())?.entry
  }

  touch(id: string): Entry | undefined {
    const now = this.#sweep()
    const session = this.#find(id, now)
    if (session === undefined) return undefined
    session.used = now
    this.#byUse.toEnd(session.byUse)
    return session.entry
  }

  /** The new entry, or the version the session has. */
  update(id: string, version: number, data: SessionData): Entry | number | undefined {
    const session = this.#find(id, this.#sweep())
    if (session === undefined) return undefined
    if (session.entry.version !== version) return session.entry.version
    return session.entry = { id, version: version + 1, data }
  }

  delete(id: string): boolean {
    const session = this.#find(id, this.#sweep())
    if (session === undefined) return false
    this.#remove(session)
    return true
  }

  #find(id: string, now: number): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || !this.#expired(session, now)) return session
    this.#remove(session)
    return undefined
  }

  #expired(session: Session, now: number): boolean {
    return now - session.used >= this.#options.idle || now - session.born >= this.#options.lifetime
  }

  /** Since it removes at least one if any has expired, sessions that have expired never keep a new one out. */
  #sweep(): number {
    const now = this.#options.now()
    for (let left = sweep; left > 0; left--) {
      const idle = this.#byUse.first?.value
      const old = this.#byAge.first?.value
      if (idle !== undefined && this.#expired(idle, now)) this.#remove(idle)
      else if (old !== undefined && this.#expired(old, now)) this.#remove(old)
      else break
    }
    return now
  }

  #remove(session: Session): void {
    this.#sessions.delete(session.entry.id)
    this.#byUse.remove(session.byUse)
    this.#byAge.remove(session.byAge)
  }
}
