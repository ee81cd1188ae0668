/**
 * The events of `EventLog.layerMemory`.
 *
 * An event is in three orders: of its stream, of its session and of the whole log. It leaves all of them at the same time,
 * and always as the oldest of its session. A reader has no buffer: it has a place in its stream, takes what is there, and
 * is woken when there is more.
 *
 * An id has four parts: the log, the session, the stream and the place in it. The session is there as a hash, so that
 * whatever this log has forgotten is still told from what it never knew; what is known is compared with the session
 * itself.
 */
import * as Hash from "effect/Hash"
import type { Event, StreamRef } from "../EventLog.ts"
import { Fifo } from "./fifo.ts"
import * as Links from "./links.ts"

export interface Options {
  /** Of one session. */
  readonly maxEvents: number
  /** Of one session. */
  readonly maxBytes: number
  readonly maxTotalBytes: number
  readonly maxSessions: number
  /** Milliseconds. */
  readonly maxAge: number
  /** Milliseconds that never go back. */
  readonly now: () => number
  /** What makes this log another one than all others: random, of letters and digits. */
  readonly name: string
  /** What makes the hash of a session tell nothing about it. */
  readonly salt: string
}

/** What an event takes beside its data. */
const overhead = 192

/** How many events one operation forgets at most because of their age. */
const sweep = 256

/** How many events a reader takes at a time. */
const batch = 64

class Kept {
  readonly stream: KeptStream
  readonly data: string
  readonly bytes: number
  readonly at: number
  readonly link: Links.Link<Kept> = Links.make(this)

  constructor(stream: KeptStream, data: string, at: number) {
    this.stream = stream
    this.data = data
    // Strings take one byte for each character, or two if one of them is outside of Latin-1.
    this.bytes = overhead + (/[\u0100-\uffff]/.test(data) ? data.length * 2 : data.length)
    this.at = at
  }
}

export class KeptStream {
  readonly ref: StreamRef
  readonly session: KeptSession
  readonly number: number
  readonly prefix: string
  readonly events = new Fifo<Kept>()
  /** How many events, from the first one on, are not kept any more. */
  trimmed = 0
  /** `dropped`: with its session. `lost`: forgotten to make room. */
  state: "open" | "ended" | "dropped" | "lost" = "open"
  #waiting: Array<() => void> | undefined = undefined

  constructor(ref: StreamRef, session: KeptSession, number: number, prefix: string) {
    this.ref = ref
    this.session = session
    this.number = number
    this.prefix = prefix
  }

  get last(): number {
    return this.trimmed + this.events.size
  }

  /** What comes after a place: events, `waiting` if there are none yet, the end, or that something is missing. */
  after(place: number): readonly [Event, ...Array<Event>] | "waiting" | "end" | "lost" {
    if (this.state === "dropped") return "end"
    if (this.state === "lost" || place < this.trimmed) return "lost"
    const first = this.#event(place + 1)
    if (first === undefined) return this.state === "ended" ? "end" : "waiting"
    const events: [Event, ...Array<Event>] = [first]
    while (events.length < batch) {
      const event = this.#event(place + 1 + events.length)
      if (event === undefined) break
      events.push(event)
    }
    return events
  }

  id(place: number): string {
    return this.prefix + place.toString(36)
  }

  #event(place: number): Event | undefined {
    const kept = this.events.at(place - this.trimmed - 1)
    return kept === undefined ? undefined : { id: this.id(place), data: kept.data }
  }

  /** Whether a reader at this place has to wait. */
  isIdle(place: number): boolean {
    return this.state === "open" && place === this.last
  }

  /** Calls back, once, when there is more or the state is another one; gives what takes the callback back. */
  wait(wake: () => void): () => void {
    const waiting = this.#waiting ??= []
    waiting.push(wake)
    return () => {
      const index = waiting.indexOf(wake)
      if (index >= 0) waiting.splice(index, 1)
    }
  }

  wake(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    for (const wake of waiting) wake()
  }
}

class KeptSession {
  readonly id: string
  readonly prefix: string
  /** The streams that have not ended, by name. */
  readonly open = new Map<string, KeptStream>()
  readonly events = new Fifo<Kept>()
  readonly link: Links.Link<KeptSession> = Links.make(this)
  bytes = 0
  readers = 0

  constructor(id: string, prefix: string) {
    this.id = id
    this.prefix = prefix
  }
}

export class MemoryEvents {
  readonly #options: Options
  readonly #sessions = new Map<string, KeptSession>()
  /** By number: those that are open or have events. */
  readonly #streams = new Map<number, KeptStream>()
  readonly #events = new Links.Links<Kept>()
  /** The sessions that nobody reads, the one that was used longest ago first. */
  readonly #unread = new Links.Links<KeptSession>()
  #bytes = 0
  #lastStream = 0

  constructor(options: Options) {
    this.#options = options
  }

  append(ref: StreamRef, data: string): string {
    const now = this.#sweep()
    const session = this.#sessions.get(ref.session) ?? this.#addSession(ref.session)
    const stream = session.open.get(ref.stream) ?? this.#addStream(ref, session)
    const kept = new Kept(stream, data, now)
    stream.events.push(kept)
    session.events.push(kept)
    session.bytes += kept.bytes
    this.#bytes += kept.bytes
    this.#events.toEnd(kept.link)
    if (session.readers === 0) this.#unread.toEnd(session.link)
    const id = stream.id(stream.last)

    const { maxBytes, maxEvents, maxTotalBytes } = this.#options
    while (session.events.size > maxEvents || session.bytes > maxBytes) this.#trim(session.events.at(0))
    while (this.#bytes > maxTotalBytes) this.#trim(this.#events.first?.value)
    stream.wake()
    return id
  }

  end(ref: StreamRef): void {
    this.#sweep()
    const session = this.#sessions.get(ref.session)
    const stream = session?.open.get(ref.stream)
    if (session === undefined || stream === undefined) return
    session.open.delete(ref.stream)
    stream.state = "ended"
    this.#forgetStream(stream)
    this.#forgetSession(session)
    stream.wake()
  }

  resume(session: string, id: string): { readonly stream: KeptStream; readonly place: number } | "unknown" | "lost" {
    this.#sweep()
    const { name } = this.#options
    // Longer than any id of this log.
    if (id.length > 64) return "unknown"
    const [log, , streamPart = "", placePart = ""] = id.split("-")
    const number = Number.parseInt(streamPart, 36)
    const place = Number.parseInt(placePart, 36)
    // Printed again it must be the same, or it was not printed here.
    if (log !== name || id !== `${this.#prefix(session)}${number.toString(36)}-${place.toString(36)}`) return "unknown"
    if (!(number >= 1 && number <= this.#lastStream && place >= 1)) return "unknown"
    const stream = this.#streams.get(number)
    if (stream === undefined) return "lost"
    if (stream.ref.session !== session || place > stream.last) return "unknown"
    return place < stream.trimmed ? "lost" : { stream, place }
  }

  /** A session is not forgotten to make room while somebody reads it. */
  startReading({ session }: KeptStream): void {
    session.readers++
    this.#unread.remove(session.link)
  }

  stopReading({ session }: KeptStream): void {
    session.readers--
    if (session.readers === 0 && this.#sessions.get(session.id) === session) this.#unread.toEnd(session.link)
  }

  drop(id: string): void {
    this.#sweep()
    const session = this.#sessions.get(id)
    if (session !== undefined) this.#removeSession(session, "dropped")
  }

  #prefix(session: string): string {
    const { name, salt } = this.#options
    return `${name}-${(Hash.string(session + salt) >>> 0).toString(36)}-`
  }

  #addSession(id: string): KeptSession {
    const session = new KeptSession(id, this.#prefix(id))
    this.#sessions.set(id, session)
    // Whoever keeps sessions may forget one without a word.
    const longest = this.#unread.first?.value
    if (this.#sessions.size > this.#options.maxSessions && longest !== undefined) this.#removeSession(longest, "lost")
    return session
  }

  #addStream(ref: StreamRef, session: KeptSession): KeptStream {
    const number = ++this.#lastStream
    const stream = new KeptStream(ref, session, number, `${session.prefix}${number.toString(36)}-`)
    this.#streams.set(number, stream)
    session.open.set(ref.stream, stream)
    if (session.open.size > this.#options.maxEvents) {
      for (const oldest of session.open.values()) {
        session.open.delete(oldest.ref.stream)
        this.#removeStream(oldest, "lost")
        break
      }
    }
    return stream
  }

  #removeSession(session: KeptSession, state: "dropped" | "lost"): void {
    this.#sessions.delete(session.id)
    this.#unread.remove(session.link)
    const streams = new Set(session.open.values())
    for (let kept = session.events.shift(); kept !== undefined; kept = session.events.shift()) {
      streams.add(kept.stream)
      this.#events.remove(kept.link)
      this.#bytes -= kept.bytes
    }
    for (const stream of streams) {
      // A reader that never comes back still holds its stream.
      stream.events.clear()
      this.#removeStream(stream, state)
    }
  }

  #removeStream(stream: KeptStream, state: "dropped" | "lost"): void {
    this.#streams.delete(stream.number)
    stream.state = state
    stream.wake()
  }

  /** An ended stream without events is of no use: its ids say themselves that they are of this log. */
  #forgetStream(stream: KeptStream): void {
    if (stream.state !== "open" && stream.events.size === 0) this.#streams.delete(stream.number)
  }

  #forgetSession(session: KeptSession): void {
    if (session.events.size > 0 || session.open.size > 0) return
    this.#sessions.delete(session.id)
    this.#unread.remove(session.link)
  }

  #sweep(): number {
    const { maxAge, now } = this.#options
    const time = now()
    for (let left = sweep; left > 0; left--) {
      const oldest = this.#events.first?.value
      if (oldest === undefined || time - oldest.at < maxAge) break
      this.#trim(oldest)
    }
    return time
  }

  /** Forgets the oldest event of a session. */
  #trim(kept: Kept | undefined): void {
    if (kept === undefined) return
    const { stream } = kept
    const { session } = stream
    session.events.shift()
    stream.events.shift()
    stream.trimmed++
    session.bytes -= kept.bytes
    this.#bytes -= kept.bytes
    this.#events.remove(kept.link)
    this.#forgetStream(stream)
    this.#forgetSession(session)
  }
}
