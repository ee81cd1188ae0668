/**
 * The events of a stream, read piece by piece.
 */
import type * as Limits from "@effect-mcp/core/Limits"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Pull from "effect/Pull"
import * as clientError from "./error.ts"

export type Chunks = Pull.Pull<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError>

/** Where a stream is, for those who go on with it on another connection. */
export class Place {
  /** The id of the event that came last; empty if the server took it back. */
  lastEventId: string | undefined
  /** How long the server wants to be left alone, in milliseconds. */
  retry: number | undefined
  /** Whether this connection told anything, and whether that was a message. */
  told: "nothing" | "something" | "message" = "nothing"
}

/** Two ends of lines. A CR and an LF after it are one, and an LF that is left of such an end stands for an empty line. */
const ends = ["\n\n", "\n\r", "\r\r"]

/** How much of a text is events that have ended. */
const endOf = (text: string): number =>
  Math.max(...ends.map((end) => {
    const at = text.lastIndexOf(end)
    return at < 0 ? 0 : at + end.length
  }))

const idProbe = "retry: 0\n"

export class Events {
  readonly #chunks: Chunks
  readonly #limits: Limits.Values
  readonly #place: Place | undefined
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  readonly #parser: Sse.Parser
  readonly #onOther: ((event: Sse.Event) => void) | undefined
  #texts: Array<string> = []
  #last = ""
  #probing = false

  constructor(
    chunks: Chunks,
    limits: Limits.Values,
    place: Place | undefined,
    onOther?: (event: Sse.Event) => void
  ) {
    this.#chunks = chunks
    this.#limits = limits
    this.#place = place
    this.#onOther = onOther
    this.#parser = Sse.makeParser((event) => this.#take(event), { maxEventSize: limits.sseEventBytes })
  }

  /** The messages in the next piece, which may be none; `undefined` at the end of the stream. */
  readonly next: Effect.Effect<ReadonlyArray<string> | undefined, McpClientError.McpClientError> = Effect.suspend(() =>
    Effect.matchEffect(Pull.catchDone(this.#chunks, () => Effect.succeed(undefined)), {
      onFailure: (error) => Effect.fail(clientError.brokenOff(error)),
      onSuccess: (chunks) => chunks === undefined ? Effect.succeed(undefined) : this.#feed(chunks)
    })
  )

  #feed(chunks: ReadonlyArray<Uint8Array>): Effect.Effect<ReadonlyArray<string>, McpClientError.McpClientError> {
    for (const bytes of chunks) {
      const text = this.#decoder.decode(bytes, { stream: true })
      // What came before the event that is too large is lost with the stream, as its answer is.
      if (this.#place === undefined ? !this.#parse(text) : !this.#parseAndAsk(text)) {
        return Effect.fail(clientError.limitExceeded("sseEventBytes", this.#limits.sseEventBytes))
      }
    }
    const texts = this.#texts
    this.#texts = []
    return Effect.succeed(texts)
  }

  #take(event: Sse.AnyEvent): void {
    const place = this.#place
    if (event._tag === "Retry") {
      if (place === undefined) return
      if (this.#probing) {
        this.#see(place, event.lastEventId)
      } else {
        place.retry = Duration.toMillis(event.duration)
        if (place.told === "nothing") place.told = "something"
      }
      return
    }
    if (place !== undefined) {
      this.#see(place, event.id)
      if (event.data !== "") place.told = "message"
    }
    // An event without data has nothing to say, but for its id.
    if (event.event !== "message") this.#onOther?.(event)
    else if (event.data !== "") this.#texts.push(event.data)
  }

  #see(place: Place, id: string | undefined): void {
    if (id === undefined || id === place.lastEventId) return
    place.lastEventId = id
    if (place.told === "nothing") place.told = "something"
  }

  #parse(text: string): boolean {
    return this.#parser.feed(text) === undefined
  }

  /**
   * An event with an id and no line of data counts (LHTTP-9), but the parser keeps it to itself. It tells the id when it is
   * told when to retry, which is asked of it between two events.
   */
  #parseAndAsk(text: string): boolean {
    const end = endOf(this.#last + text) - this.#last.length
    if (text !== "") this.#last = text.slice(-1)
    if (end <= 0) return this.#parse(text)
    if (!this.#parse(text.slice(0, end))) return false
    this.#probing = true
    this.#parse(idProbe)
    this.#probing = false
    return this.#parse(text.slice(end))
  }
}
