/**
 * The streams that a client opens with GET: one of its own, or one that it lost and goes on with.
 */
import type * as EventLog from "@effect-mcp/core/EventLog"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Unrelated } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Closing, Endless, Work } from "../closing.ts"
import type { Silent } from "../keepAlive.ts"
import type { LoggedStream } from "./loggedStream.ts"
import type { Peer } from "../peer.ts"
import type { Polling } from "./postAnswer.ts"
import type { ExtraHeaders } from "../reply.ts"
import { type Connection, isStandalone, type SessionStreams } from "./sessionStreams.ts"
import type { Shared } from "../shared.ts"
import { comment, event, primer, type Sink, streamHeaders } from "../platform/sink.ts"

/** What is known of a GET when its stream begins. */
export interface About {
  readonly headers: ExtraHeaders
  readonly streams: SessionStreams
  /** Whether it begins with an event that says nothing. */
  readonly primes: boolean
  readonly polling: Polling | undefined
}

/** A connection that was opened with GET. */
abstract class GetConnection implements Silent, Peer, Connection {
  touched = 0
  protected readonly shared: Shared
  protected readonly about: About
  readonly #sink: Sink
  #isOver = false

  constructor(shared: Shared, about: About, sink: Sink) {
    this.shared = shared
    this.about = about
    this.#sink = sink
  }

  protected get isOver(): boolean {
    return this.#isOver
  }

  protected get pace(): Effect.Effect<void> {
    return Effect.suspend(() => this.#sink.pending ? this.#sink.drained : Effect.void)
  }

  protected open(): void {
    this.#sink.open({ ...streamHeaders, ...this.about.headers }, true)
    this.about.streams.open(this)
    this.shared.keepAlive?.add(this)
    this.watch(this.shared.closing)
  }

  protected put(frame: string): void {
    if (this.#isOver) return
    const { keepAlive, tell } = this.shared
    if (keepAlive !== undefined) this.touched = keepAlive.tick
    if (this.#sink.write(frame)) return
    tell.overflow("GET")
    this.gone()
    this.#sink.abort()
  }

  keepAlive(): void {
    if (!this.#sink.pending) this.put(comment)
  }

  gone(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { closing, keepAlive } = this.shared
    keepAlive?.delete(this)
    this.unwatch(closing)
    this.about.streams.close(this)
    this.stop()
  }

  leave(): void {
    if (this.#isOver) return
    this.gone()
    this.#sink.end("")
  }

  /** Has it ended with the server. */
  protected abstract watch(closing: Closing): void

  protected abstract unwatch(closing: Closing): void

  /** Takes no more messages. */
  protected abstract stop(): void
}

/** Hears what a session says unasked, and writes it to a stream. */
class Listening {
  readonly #stop: () => void

  constructor(
    shared: Shared,
    streams: SessionStreams,
    stream: LoggedStream,
    kept: (text: string, id: string | undefined) => void
  ) {
    this.#stop = streams.session.listen((message: Unrelated) => {
      const printed = JsonRpc.print(message)
      if (Result.isFailure(printed)) return shared.tell.unprintable(message.method, printed.failure.cause)
      stream.append(printed.success, (id) => kept(printed.success, id))
    })
  }

  stop(): void {
    this.#stop()
  }
}

/** A stream of what belongs to no request. */
export class StandaloneStream extends GetConnection implements Endless {
  #stream: LoggedStream | undefined
  #listening: Listening | undefined

  start(): this {
    const { polling, primes, streams } = this.about
    const stream = this.#stream = streams.begin("standalone", this)
    this.open()
    // A client waits for the head, and some proxies for a first byte.
    if (primes) {
      stream.append("", (id) => id === undefined ? this.leave() : this.put(primer(id, polling?.retry)))
    } else {
      this.put(comment)
    }
    if (this.isOver) return this
    const listening = new Listening(
      this.shared,
      streams,
      stream,
      (text, id) => id === undefined ? this.leave() : this.put(event(text, id))
    )
    // What has waited was more than may wait here.
    if (this.isOver) listening.stop()
    else this.#listening = listening
    return this
  }

  finish(): void {
    this.leave()
  }

  protected watch(closing: Closing): void {
    closing.addEndless(this)
  }

  protected unwatch(closing: Closing): void {
    closing.deleteEndless(this)
  }

  protected stop(): void {
    this.#listening?.stop()
    if (this.#stream !== undefined) this.about.streams.left(this.#stream.ref, this)
  }
}

/** A stream that was lost: what followed in the log, and then what still comes. */
export class ResumedStream extends GetConnection implements Endless, Work {
  /** The call whose stream it is has to be waited for, where it is here; not this connection. */
  readonly isHeard = false
  #ref: EventLog.StreamRef | undefined
  #fiber: Fiber.Fiber<void, unknown> | undefined
  #listening: Listening | undefined
  #poll: Silent | undefined

  /** `last` is what the client has seen: said again, so that it can come back once more, whatever happens (LHTTP-9). */
  start({ events, stream: ref }: EventLog.Resumed, last: string): this {
    const { polling, primes, streams } = this.about
    this.#ref = ref
    streams.resume(ref, this)
    this.open()
    this.put(primes ? primer(last, polling?.retry) : comment)
    if (this.isOver) return this
    if (isStandalone(ref)) {
      const listening = new Listening(this.shared, streams, streams.writer(ref), (_, id) => {
        if (id === undefined) this.leave()
      })
      if (this.isOver) return listening.stop(), this
      this.#listening = listening
    } else if (polling !== undefined && primes) {
      this.#poll = { touched: 0, keepAlive: () => this.leave() }
      polling.sweep.add(this.#poll)
    }
    const fiber = this.shared.run(Stream.runForEachArray(events, (events) => {
      this.put(events.map(({ data, id }) => data === "" ? primer(id, polling?.retry) : event(data, id)).join(""))
      return this.pace
    }))
    this.#fiber = fiber
    fiber.addObserver((exit) => this.#read(exit))
    return this
  }

  finish(): void {
    this.leave()
  }

  giveUp(): void {
    this.leave()
  }

  /** The stream of a request ends with its answer; that of no request never does. */
  protected watch(closing: Closing): void {
    if (this.#ref === undefined || isStandalone(this.#ref)) closing.addEndless(this)
    else closing.add(this)
  }

  protected unwatch(closing: Closing): void {
    closing.deleteEndless(this)
    closing.delete(this)
  }

  #read(exit: Exit.Exit<void, unknown>): void {
    // Whoever has left has interrupted it.
    if (this.isOver) return
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) this.shared.tell.resumeFailed(exit.cause)
    this.leave()
  }

  protected stop(): void {
    this.#listening?.stop()
    this.#fiber?.interruptUnsafe()
    if (this.#poll !== undefined) this.about.polling?.sweep.delete(this.#poll)
    if (this.#ref !== undefined) this.about.streams.left(this.#ref, this)
  }
}
