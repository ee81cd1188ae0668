/**
 * The answer to one POST of the legacy era: a body, or a stream once something is sent before it. It outlives its
 * connection (LHTTP-12).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Call } from "@effect-mcp/core/ServerEndpoint"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Endless, Work } from "../closing.ts"
import type { KeepAlive, Silent } from "../keepAlive.ts"
import type { LoggedStream } from "./loggedStream.ts"
import type { Accepts } from "../../negotiate.ts"
import type { Peer } from "../peer.ts"
import { accepted, type ExtraHeaders, gaveUp, logUnavailable, Reply } from "../reply.ts"
import type { Connection, SessionStreams } from "./sessionStreams.ts"
import type { Shared } from "../shared.ts"
import { comment, event, primer, type Sink, streamHeaders } from "../platform/sink.ts"

/** When a client is sent away to come back for its answer (LHTTP-10). */
export interface Polling {
  readonly sweep: KeepAlive
  /** Milliseconds. */
  readonly retry: number
}

/** What is known of a POST when its answer begins. */
export interface About {
  /** What is asked for, for the operator. */
  readonly method: string
  readonly accepts: Accepts
  readonly headers: ExtraHeaders
  /** Where the session keeps what is sent; `undefined` where there is none, and nothing can be resumed. */
  readonly streams: (() => SessionStreams) | undefined
  /** Whether a stream begins with an event that says nothing: older clients take it for a message. */
  readonly primes: boolean
  readonly polling: Polling | undefined
  /** Whether the answer is an array, and of how many requests. */
  readonly batch: number | undefined
}

/** The answer to one POST. */
export class PostAnswer implements Silent, Peer, Connection, Work {
  touched = 0
  readonly #shared: Shared
  readonly #about: About
  /** `undefined` when nobody is connected any more. */
  #sink: Sink | undefined
  #isOpen = false
  #state: "waiting" | "streaming" | "ended" = "waiting"
  #streams: SessionStreams | undefined
  #stream: LoggedStream | undefined
  #calls: Array<Call> = []
  #questions: Array<Endless> = []
  /** How many requests have no answer yet. */
  #left: number
  /** The answers of a batch that wait for the others. */
  #answers: Array<string> = []
  #poll: Silent | undefined

  constructor(shared: Shared, about: About, sink: Sink) {
    this.#shared = shared
    this.#about = about
    this.#sink = sink
    this.#left = about.batch ?? 1
  }

  /** Takes a call that was started for it. */
  start(call: Call): void {
    const { closing, inFlight, keepAlive } = this.#shared
    if (call.response !== undefined) return this.answer(call.response)
    inFlight.count++
    call.onEnd(() => inFlight.count--)
    this.#calls.push(call)
    if (this.#calls.length === 1) {
      closing.add(this)
      this.#watch(keepAlive)
    }
    call.onEnd((response) => this.answer(response))
  }

  /** Sends a notification, or a request of the server. */
  send(message: JsonRpc.Notification | JsonRpc.Request): void {
    // A client that takes no stream gets the answer alone. Who is gone and has no id to come back with gets nothing.
    if (this.#state === "ended" || !this.#about.accepts.stream || !this.isReachable) return
    const printed = JsonRpc.print(message)
    if (Result.isFailure(printed)) return this.#shared.tell.unprintable(this.#about.method, printed.failure.cause)
    this.#begin()
    this.#write(printed.success)
  }

  /** Sends a request of the server. One that is closing gets no answer any more, and `giveUp` says so. */
  ask(request: JsonRpc.Request, giveUp: () => void): void {
    this.send(request)
    const question: Endless = { finish: giveUp }
    this.#questions.push(question)
    this.#shared.closing.addEndless(question)
  }

  /** Takes the answer to a request; `undefined` when it was cancelled, and there is none. */
  answer(response: JsonRpc.Response | undefined): void {
    if (this.#state === "ended") return
    this.#left--
    const text = response &&
      JsonRpc.printResponse(response, ({ cause }) => this.#shared.tell.unprintable(this.#about.method, cause))
    if (this.#left === 0) return this.#finish(text)
    if (text === undefined) return
    if (this.#state === "streaming") this.#write(text)
    else this.#answers.push(text)
  }

  /** Waits until what was sent has left. Nobody is waited for who is not there. */
  get drained(): Effect.Effect<void> {
    return this.#state !== "streaming" ? Effect.void : Effect.suspend(() => {
      const kept = this.#stream === undefined ?
        Effect.void :
        Effect.callback<void>((resume) => this.#stream?.flushed(() => resume(Effect.void)))
      return Effect.andThen(kept, Effect.suspend(() => this.#sink?.drained ?? Effect.void))
    })
  }

  /** Nothing was sent for as long as a proxy can be trusted to wait. */
  keepAlive(): void {
    if (this.#state === "waiting") {
      this.#begin()
      if (this.#about.primes) return
    }
    if (this.#sink?.pending === false) this.#put(comment)
  }

  /** The peer is gone. In a session that cancels nothing (LHTTP-12): what is sent from now on is for who resumes the stream. */
  gone(): void {
    const sink = this.#sink
    if (sink === undefined) return
    this.#sink = undefined
    this.#unwatch()
    // A handler that waits for a slow reader goes on without him.
    sink.release()
    // Without a session there is no other way to cancel it, and none to come back for its answer.
    if (this.#about.streams === undefined) this.giveUp()
    this.#shared.closing.check()
  }

  /** Ends the connection, and gives the client an id to come back with. */
  leave(): void {
    if (this.#sink === undefined) return
    if (this.#state === "waiting") {
      // Without an id nobody could come back.
      if (!this.#about.primes) return
      this.#begin()
    }
    const leave = () => {
      const sink = this.#sink
      this.gone()
      sink?.end("")
    }
    if (this.#stream === undefined) leave()
    else this.#stream.flushed(leave)
  }

  /** Whether a message can still come to the client. */
  get isReachable(): boolean {
    return this.#sink !== undefined || this.#stream !== undefined
  }

  get isHeard(): boolean {
    if (this.#sink !== undefined) return true
    const streams = this.#streams
    if (streams === undefined || this.#stream === undefined) return false
    // Somebody has resumed it, or can do so elsewhere: what is kept in memory goes with this process.
    return streams.log.isShared || streams.isResumed(this.#stream.ref, this)
  }

  giveUp(): void {
    for (const call of this.#calls) call.cancel()
  }

  #watch(keepAlive: KeepAlive | undefined): void {
    if (this.#sink === undefined || this.#state === "ended" || !this.#about.accepts.stream) return
    keepAlive?.add(this)
    const { polling } = this.#about
    if (polling === undefined || !this.#about.primes) return
    this.#poll = { touched: 0, keepAlive: () => this.leave() }
    polling.sweep.add(this.#poll)
  }

  #unwatch(): void {
    this.#shared.keepAlive?.delete(this)
    if (this.#poll !== undefined) this.#about.polling?.sweep.delete(this.#poll)
  }

  /** Makes it a stream. */
  #begin(): void {
    if (this.#state !== "waiting") return
    this.#state = "streaming"
    const { polling, streams } = this.#about
    this.#streams = streams?.()
    this.#stream = this.#streams?.begin("request", this)
    if (this.#about.primes) {
      this.#stream?.append("", (id) => id === undefined ? this.#broken() : this.#put(primer(id, polling?.retry)))
    }
    for (const text of this.#answers.splice(0)) this.#write(text)
  }

  #write(text: string): void {
    if (this.#stream === undefined) return this.#put(event(text))
    this.#stream.append(text, (id) => id === undefined ? this.#broken() : this.#put(event(text, id)))
  }

  #put(frame: string): void {
    const sink = this.#sink
    if (sink === undefined) return
    this.#open(sink)
    const { keepAlive, tell } = this.#shared
    if (keepAlive !== undefined) this.touched = keepAlive.tick
    if (sink.write(frame)) return
    tell.overflow(this.#about.method)
    this.gone()
    sink.abort()
  }

  #open(sink: Sink): void {
    if (this.#isOpen) return
    this.#isOpen = true
    sink.open({ ...streamHeaders, ...this.#about.headers })
  }

  #finish(text: string | undefined): void {
    const texts = this.#answers.splice(0)
    if (text !== undefined) texts.push(text)
    if (this.#state === "waiting") {
      if (this.#replied(texts)) return this.#release()
      this.#begin()
    }
    const last = texts.pop()
    for (const text of texts) this.#write(text)
    this.#state = "ended"
    const stream = this.#stream
    if (stream === undefined) return this.#close(last === undefined ? "" : event(last))
    let frame = ""
    if (last !== undefined) {
      stream.append(last, (id) => {
        if (id === undefined) this.#broken()
        else frame = event(last, id)
      })
    }
    stream.end(() => this.#close(frame))
  }

  /** Sends the answer as one body, if it can be. */
  #replied(texts: ReadonlyArray<string>): boolean {
    const sink = this.#sink
    // Nobody has an id to come back with.
    if (sink === undefined) return true
    const { accepts, batch, headers } = this.#about
    const [text] = texts
    if (text === undefined) {
      // CAN-5: a request that its client has cancelled has no answer.
      sink.reply((this.#shared.closing.now ? gaveUp : accepted).with(headers))
      return true
    }
    if (!accepts.json) return false
    // A status other than 200 would tell a client of something else: 404, that its session is gone.
    sink.reply(new Reply(200, batch === undefined ? text : `[${texts.join(",")}]`, headers))
    return true
  }

  #close(frame: string): void {
    const sink = this.#sink
    this.#sink = undefined
    if (sink !== undefined) {
      this.#open(sink)
      sink.end(frame)
    }
    this.#release()
  }

  /** What is not kept is not sent either. */
  #broken(): void {
    const sink = this.#sink
    this.gone()
    if (sink === undefined) return
    if (this.#isOpen) return sink.end("")
    this.#isOpen = true
    sink.reply(logUnavailable.with(this.#about.headers))
  }

  #release(): void {
    this.#state = "ended"
    this.#sink = undefined
    this.#unwatch()
    if (this.#stream !== undefined) this.#streams?.left(this.#stream.ref, this)
    const { closing } = this.#shared
    for (const question of this.#questions) closing.deleteEndless(question)
    closing.delete(this)
  }
}
