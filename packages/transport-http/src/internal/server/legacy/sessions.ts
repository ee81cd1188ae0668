/**
 * The legacy era over one endpoint: each message names its session, whose streams can be lost and resumed.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Revision from "@effect-mcp/core/Revision"
import type { LegacyEndpoint, Session, SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import { NotificationExchange } from "../exchange.ts"
import { ResumedStream, StandaloneStream } from "./getStream.ts"
import type { Accepts } from "../../negotiate.ts"
import { type Peer, settled } from "../peer.ts"
import { type About, type Polling, PostAnswer } from "./postAnswer.ts"
import { defect, type ExtraHeaders, later, logUnavailable, overLimit, refused, Reply } from "../reply.ts"
import type { Asker } from "./sessionExchange.ts"
import { takeBatch, takeMessage } from "./sessionPost.ts"
import { type Log, SessionStreams } from "./sessionStreams.ts"
import type { Shared } from "../shared.ts"
import type { Sink } from "../platform/sink.ts"

/** A request that may be looked at, of whatever verb. */
export interface Incoming extends Asker {
  readonly headers: Headers.Headers
  /** Headers of every answer. */
  readonly cors: ExtraHeaders
}

/** A message that was posted. */
export interface Posted extends Incoming {
  readonly accepts: Accepts
}

/** What was decided for a server. */
export interface Options {
  /** Where streams are kept; `undefined` where there are no sessions. */
  readonly log: Log | undefined
  readonly polling: Polling | undefined
}

/** LHTTP-19: what an id may be at all. */
const idShape = /^[\x21-\x7e]{1,128}$/

/** The header of a session. */
const sessionHeader = "mcp-session-id"

export class Legacy {
  readonly #endpoint: LegacyEndpoint
  readonly #shared: Shared
  readonly #options: Options
  readonly #streams = new Map<string, SessionStreams>()

  constructor(endpoint: LegacyEndpoint, shared: Shared, options: Options) {
    this.#endpoint = endpoint
    this.#shared = shared
    this.#options = options
  }

  /** Whether messages name a session. */
  get hasSessions(): boolean {
    return this.#options.log !== undefined
  }

  /** Whether a notification, which does not say it, is of this era. */
  claims({ headers }: Incoming): boolean {
    const version = headers["mcp-protocol-version"]
    return version === undefined || !Revision.isRevision(version) || Revision.era(version) === "legacy"
  }

  /** Takes a message that was posted. */
  post(message: JsonRpc.Message | JsonRpc.Batch, posted: Posted, sink: Sink): Peer | undefined {
    const id = posted.headers[sessionHeader]
    const opens = message._tag === "Request" && message.method === "initialize"
    if (opens && (id === undefined || !this.hasSessions)) return this.#open(message, posted, sink)
    if (this.hasSessions) {
      return this.#inSession(posted, sink, (session) => this.#take(session, message, posted, sink))
    }
    const version = posted.headers["mcp-protocol-version"]
    const revision = version === undefined ? this.#unnamed : this.#serves(version)
    if (revision === undefined) return this.#answer(sink, posted, unsupported(this.#endpoint.revisions))
    return this.#take(this.#endpoint.stateless(revision), message, posted, sink)
  }

  /** Opens a stream, or goes on with one. */
  get(incoming: Incoming, sink: Sink): Peer | undefined {
    return this.#inSession(incoming, sink, (session) => {
      const { log } = this.#options
      const streams = log && this.#streamsOf(session, log)
      if (streams === undefined || streams.isClosed) return this.#answer(sink, incoming, unknown)
      const about = { headers: incoming.cors, streams, primes: primes(session), polling: this.#options.polling }
      const last = incoming.headers["last-event-id"]
      if (last === undefined) return new StandaloneStream(this.#shared, about, sink).start()
      return this.#settled(streams.log.service.resume(session.id, last), incoming, sink, (exit) => {
        if (Exit.isSuccess(exit)) return new ResumedStream(this.#shared, about, sink).start(exit.value, last)
        switch (Option.getOrUndefined(Cause.findErrorOption(exit.cause))?._tag) {
          case "UnknownEvent":
            return this.#answer(sink, incoming, unknownEvent)
          case "EventsLost":
            return this.#answer(sink, incoming, eventsLost)
          case "LogUnavailable":
            this.#shared.tell.logFailed(exit.cause)
            return this.#answer(sink, incoming, logUnavailable)
          case undefined:
            return this.#broken(exit.cause, incoming, sink)
        }
      })
    })
  }

  /** Ends a session. */
  delete(incoming: Incoming, sink: Sink): Peer | undefined {
    return this.#inSession(
      incoming,
      sink,
      (session) =>
        this.#settled(session.close, incoming, sink, (exit) =>
          Exit.isSuccess(exit)
            ? this.#answer(sink, incoming, ended)
            : this.#broken(exit.cause, incoming, sink))
    )
  }

  /** ERA-20, LHTTP-26: who names no revision speaks one from before there was a header for it. */
  get #unnamed(): Revision.Revision | undefined {
    return this.#endpoint.revisions.find((revision) => !namesItsVersion({ revision }))
  }

  #serves(version: string): Revision.Revision | undefined {
    return this.#endpoint.revisions.find((revision) => revision === version)
  }

  /** Finds the session that is named. Whoever may not have it is told no more than who made it up (LHTTP-22, LHTTP-28). */
  #inSession(incoming: Incoming, sink: Sink, next: (session: Session) => Peer | undefined): Peer | undefined {
    const { headers } = incoming
    const id = headers[sessionHeader]
    if (id === undefined) return this.#answer(sink, incoming, unnamed) // LHTTP-21
    if (!idShape.test(id)) return this.#answer(sink, incoming, unknown)
    return this.#settled(this.#endpoint.find(id, incoming), incoming, sink, (exit) => {
      if (Exit.isFailure(exit)) return this.#unavailable(exit.cause, undefined, incoming, sink)
      if (exit.value === undefined) return this.#answer(sink, incoming, unknown)
      const version = headers["mcp-protocol-version"]
      // LHTTP-27. In the revisions before the header means nothing.
      return version !== undefined && namesItsVersion(exit.value) && this.#serves(version) === undefined
        ? this.#answer(sink, incoming, unsupported(this.#endpoint.revisions))
        : next(exit.value)
    })
  }

  /** Answers `initialize`. */
  #open(message: JsonRpc.Request, posted: Posted, sink: Sink): Peer | undefined {
    const { context, cors, principal } = posted
    const { inFlight, limits } = this.#shared
    if (inFlight.count >= limits.inFlightRequests) return this.#answer(sink, posted, overLimit(limits, message.id))
    const exchange = new NotificationExchange(context, undefined, principal)
    const opening = this.#endpoint.open(message, exchange, this.hasSessions ? "stored" : "none")
    inFlight.count++
    return this.#settled(opening, posted, sink, (exit) => {
      inFlight.count--
      if (Exit.isFailure(exit)) return this.#unavailable(exit.cause, message.id, posted, sink)
      const { response, session } = exit.value
      const headers = session === undefined ? cors : { ...cors, [sessionHeader]: session.id }
      const about = this.#about(session, "initialize", { ...posted, cors: headers }, undefined)
      new PostAnswer(this.#shared, about, sink).answer(response)
      return undefined
    })
  }

  #take(session: Session, message: JsonRpc.Message | JsonRpc.Batch, posted: Posted, sink: Sink): Peer | undefined {
    const about = (method: string, batch?: number) => this.#about(session, method, posted, batch)
    return message._tag === "Batch"
      ? takeBatch(this.#shared, session, message, posted, about, sink)
      : takeMessage(this.#shared, session, message, posted, about, sink)
  }

  #about(session: Session | undefined, method: string, { accepts, cors }: Posted, batch: number | undefined): About {
    const { log, polling } = this.#options
    return {
      method,
      accepts,
      headers: cors,
      streams: session === undefined || log === undefined ? undefined : () => this.#streamsOf(session, log),
      primes: session !== undefined && log !== undefined && primes(session),
      polling,
      batch
    }
  }

  /** The streams of a session. They are made with the first one, since most sessions have none. */
  #streamsOf(session: Session, log: Log): SessionStreams {
    const known = this.#streams.get(session.id)
    if (known?.session === session) return known
    const streams = new SessionStreams(this.#shared, log, session)
    this.#streams.set(session.id, streams)
    session.onClose(() => {
      if (this.#streams.get(session.id) === streams) this.#streams.delete(session.id)
      streams.end()
    })
    return streams
  }

  #settled<A, E>(
    effect: Effect.Effect<A, E>,
    incoming: Incoming,
    sink: Sink,
    next: (exit: Exit.Exit<A, E>) => Peer | undefined
  ): Peer | undefined {
    return settled(this.#shared.run(effect), (exit) => {
      // A fiber that ends calls this: what is thrown here would be lost, and with it the answer.
      try {
        return next(exit)
      } catch (thrown) {
        return this.#broken(Cause.die(thrown), incoming, sink)
      }
    })
  }

  #unavailable(
    cause: Cause.Cause<SessionUnavailable>,
    id: JsonRpc.Id | undefined,
    incoming: Incoming,
    sink: Sink
  ): undefined {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (error === undefined) return this.#broken(cause, incoming, sink)
    return this.#answer(sink, incoming, later(error.message, id))
  }

  #broken(cause: Cause.Cause<unknown>, incoming: Incoming, sink: Sink): undefined {
    this.#shared.tell.defect(cause)
    return this.#answer(sink, incoming, defect)
  }

  #answer(sink: Sink, { cors }: Incoming, reply: Reply): undefined {
    sink.reply(reply.with(cors))
    return undefined
  }
}

/** LHTTP-9. Clients of older revisions take an event without data for a message that is no JSON. */
const primes = ({ revision }: Session): boolean => revision === "2025-11-25"

/** LHTTP-25: since when messages name their revision in a header. */
const namesItsVersion = ({ revision }: Pick<Session, "revision">): boolean =>
  Revision.order(revision, "2025-06-18") >= 0

const unnamed = refused(400, "The header Mcp-Session-Id is missing; initialize gives one")

const unknown = refused(404, "There is no such session, or it has ended: initialize again, without Mcp-Session-Id")

const unknownEvent = refused(404, "No event of this session has the id that Last-Event-ID says")

const eventsLost = refused(
  410,
  "Events after Last-Event-ID were lost: open a new stream, and ask again for what is needed"
)

const ended = new Reply(204, undefined)

const unsupported = (revisions: ReadonlyArray<string>): Reply =>
  refused(400, `MCP-Protocol-Version is none of those that are served: ${revisions.join(", ")}`)
