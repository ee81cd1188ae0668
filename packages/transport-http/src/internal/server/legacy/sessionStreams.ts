/**
 * The event streams of the sessions: their names, and which of them have a connection here.
 */
import type * as EventLog from "@effect-mcp/core/EventLog"
import type { Session } from "@effect-mcp/core/ServerEndpoint"
import * as Effect from "effect/Effect"
import { type Keeper, LoggedStream } from "./loggedStream.ts"
import type { Shared } from "../shared.ts"

/** What brings a stream to a client. */
export interface Connection {
  /** Ends this connection. The stream may go on, on another one. */
  readonly leave: () => void
}

/** What all sessions of a server share. */
export interface Log {
  readonly service: EventLog.EventLog["Service"]
  /** Whether it outlives this server, so that others may go on with its streams. */
  readonly isShared: boolean
  /** What the names of streams begin with, so that no two processes give the same. */
  readonly prefix: string
}

/** A standalone stream is told by its name: it listens again when it is resumed. */
const standalone = "g"

/** Whether a stream belongs to no request. */
export const isStandalone = ({ stream }: EventLog.StreamRef): boolean => stream.startsWith(standalone)

/** The streams of one session. */
export class SessionStreams {
  readonly session: Session
  readonly log: Log
  readonly #shared: Shared
  readonly #keeper: Keeper
  readonly #connections = new Map<string, Connection>()
  /** The connections that were opened with GET, the oldest first. */
  readonly #opened = new Set<Connection>()
  #isClosed = false

  constructor(shared: Shared, log: Log, session: Session) {
    this.#shared = shared
    this.log = log
    this.session = session
    this.#keeper = {
      log: log.service,
      run: shared.run,
      waiting: shared.limits.streamBuffer,
      isClosed: () => this.#isClosed,
      broken: shared.tell.logFailed
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Begins a stream on a connection. */
  begin(kind: "standalone" | "request", connection: Connection): LoggedStream {
    const stream = `${kind === "standalone" ? standalone : "p"}${this.log.prefix}${++this.#shared.streams.count}`
    this.#connections.set(stream, connection)
    return this.writer({ session: this.session.id, stream })
  }

  /** Goes on with a stream on another connection. There is one at a time. */
  resume({ stream }: EventLog.StreamRef, connection: Connection): void {
    const before = this.#connections.get(stream)
    this.#connections.set(stream, connection)
    before?.leave()
  }

  /** Whether a stream has another connection than the one it began on. */
  isResumed({ stream }: EventLog.StreamRef, first: Connection): boolean {
    const connection = this.#connections.get(stream)
    return connection !== undefined && connection !== first
  }

  /** Writes a stream that has begun before. */
  writer(ref: EventLog.StreamRef): LoggedStream {
    return new LoggedStream(this.#keeper, ref)
  }

  /** The connection of a stream has ended. */
  left({ stream }: EventLog.StreamRef, connection: Connection): void {
    if (this.#connections.get(stream) === connection) this.#connections.delete(stream)
  }

  /** Takes one more connection of GET. The oldest has to make room. */
  open(connection: Connection): void {
    this.#opened.add(connection)
    if (this.#opened.size <= this.#shared.limits.sessionStreams) return
    const [oldest] = this.#opened
    oldest?.leave()
  }

  /** Such a connection has ended. */
  close(connection: Connection): void {
    this.#opened.delete(connection)
  }

  /** The session has ended, and nobody may ask for its events any more. */
  end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const connection of [...this.#connections.values(), ...this.#opened]) connection.leave()
    this.#connections.clear()
    this.#opened.clear()
    // When it is this server that ends, others may have the session still.
    if (this.log.isShared && this.#shared.closing.now) return
    this.#shared.run(
      Effect.tapCause(
        this.log.service.drop(this.session.id),
        (cause) => Effect.sync(() => this.#shared.tell.logFailed(cause))
      )
    )
  }
}
