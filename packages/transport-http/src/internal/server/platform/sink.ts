/**
 * The way back to the peer, which is all the rest knows of how an answer leaves.
 */
import type * as Limits from "@effect-mcp/core/Limits"
import type * as Effect from "effect/Effect"
import type { ExtraHeaders, Reply } from "../reply.ts"

/** Where one answer goes: `reply` once, or `open`, any number of `write`, and `end` or `abort`. */
export interface Sink {
  /** Sends the whole answer. */
  readonly reply: (reply: Reply) => void
  /** Begins a stream of events. One that is `long` has its connection to itself, which ends with it. */
  readonly open: (headers: ExtraHeaders, long?: boolean) => void
  /** Sends a part. `false`: the peer does not read, and the buffer is full. */
  readonly write: (frame: string) => boolean
  /** Sends the last part and ends the stream. */
  readonly end: (frame: string) => void
  /** Ends the stream and drops what has not left yet. */
  readonly abort: () => void
  /** Nobody is there any more: who waits for what was sent to leave goes on. */
  readonly release: () => void
  /** Whether something has not left yet. */
  readonly pending: boolean
  /** Waits until everything has left. */
  readonly drained: Effect.Effect<void>
}

/** Whether so much waits for a peer that no more may: events, or the text of one message as large as may be. */
export const isFull = (frames: number, size: number, limits: Limits.Values): boolean =>
  frames >= limits.streamBuffer || size >= limits.messageBytes

/** The headers of a stream. `X-Accel-Buffering` tells proxies to pass events on as they come (HTTP-12). */
export const streamHeaders: ExtraHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no"
}

/** One event. Without an id its stream cannot be resumed: the modern era has none (HTTP-14). */
export const event = (text: string, id?: string): string =>
  id === undefined ? `event: message\ndata: ${text}\n\n` : `id: ${id}\nevent: message\ndata: ${text}\n\n`

/** The event that gives a client an id to come back with, before anything has been said (LHTTP-9). */
export const primer = (id: string, retry: number | undefined): string =>
  retry === undefined ? `id: ${id}\ndata: \n\n` : `id: ${id}\nretry: ${retry}\ndata: \n\n`

/** A line that is skipped by the reader (HTTP-13). */
export const comment = ":\n\n"
