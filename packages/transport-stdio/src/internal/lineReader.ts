/**
 * Bytes to lines (STDIO-1): split on `\n` only, `\r\n` and empty lines tolerated, in one pass and without a queue.
 *
 * All complete lines of a chunk are decoded at once. What a chunk leaves over is copied into one buffer that grows, so
 * that a line that comes byte by byte costs its length and not an object for each byte.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Oversize from "./oversize.ts"
import * as Utf8 from "./utf8.ts"

/** A line that is longer than the limit. `id` is that of its message, where it could be found. */
export interface TooLong {
  readonly _tag: "TooLong"
  readonly id: JsonRpc.Id | undefined
  /** The beginning of the line. */
  readonly head: string
}

/** A line that is not UTF-8 (RPC-9). */
export interface NotUtf8 {
  readonly _tag: "NotUtf8"
  readonly text: string
}

export type Line = string | TooLong | NotUtf8

const newline = 10
const noBytes = new Uint8Array(0)
const smallestBuffer = 4096
const largestIdleBuffer = 64 * 1024
/** After so many times the limit without an end of the line, it is reported without its id. */
const patience = 4

export class LineReader {
  readonly #maxBytes: number
  // Lines that came one by one, before those of `#text`.
  readonly #ready: Array<Line> = []
  // The complete lines of a chunk that were decoded at once, and how far they have been read.
  #text = ""
  #position = 0
  // The beginning of the line that has no end yet.
  #buffer = noBytes
  #length = 0
  // What remains to be said about a line that is being discarded.
  #discarding: { head: string; tail: Uint8Array; total: number; reported: boolean } | undefined
  #isFirst = true

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes a chunk. Every line of the one before must have been taken with {@link next}. */
  push(chunk: Uint8Array): void {
    let start = 0
    if (this.#discarding !== undefined || this.#length > 0) {
      const end = chunk.indexOf(newline)
      if (end < 0) return this.#keep(chunk)
      this.#keep(chunk.subarray(0, end))
      this.#endLine()
      start = end + 1
    }
    const end = chunk.lastIndexOf(newline)
    if (end >= start) {
      this.#complete(chunk.subarray(start, end + 1))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** The next line that is no empty one; `undefined` when another chunk is needed. */
  next(): Line | undefined {
    for (;;) {
      const line = this.#ready.length > 0 ? this.#ready.shift() : this.#nextOfText()
      if (typeof line !== "string") return line
      // Only a line that begins with a space or a control character can be blank.
      if (line === "" || (line.charCodeAt(0) <= 32 && line.trim() === "")) continue
      return line
    }
  }

  /** The input has ended: a last line needs no newline. */
  end(): void {
    if (this.#discarding !== undefined || this.#length > 0) this.#endLine()
  }

  #nextOfText(): string | undefined {
    const start = this.#position
    if (start >= this.#text.length) {
      this.#text = ""
      this.#position = 0
      return undefined
    }
    const end = this.#text.indexOf("\n", start)
    this.#position = end + 1
    return this.#text.slice(start, end)
  }

  /** Takes whole lines, the last newline included. */
  #complete(bytes: Uint8Array): void {
    const text = bytes.length > this.#maxBytes ? undefined : Utf8.decodeStrict(bytes)
    if (text !== undefined) {
      this.#text = this.#isFirst ? withoutMark(text) : text
      this.#isFirst = false
      return
    }
    // One of the lines is too long or no UTF-8; the others must not suffer for it.
    let start = 0
    while (start < bytes.length) {
      const end = bytes.indexOf(newline, start)
      this.#keep(bytes.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
  }

  #keep(bytes: Uint8Array): void {
    if (this.#discarding !== undefined) return this.#discard(bytes)
    const length = this.#length + bytes.length
    if (length > this.#maxBytes) return this.#startDiscarding(bytes)
    if (length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length, smallestBuffer))
      grown.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = grown
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = length
  }

  #endLine(): void {
    const discarding = this.#discarding
    if (discarding !== undefined) {
      this.#discarding = undefined
      if (!discarding.reported) {
        this.#report(discarding.head, Oversize.idInTail(Utf8.decodeLenient(discarding.tail)))
      }
      return
    }
    const bytes = this.#buffer.subarray(0, this.#length)
    const text = Utf8.decodeStrict(bytes)
    this.#add(
      text === undefined
        ? { _tag: "NotUtf8", text: Utf8.decodeLenient(bytes) }
        : this.#isFirst
        ? withoutMark(text)
        : text
    )
    this.#isFirst = false
    this.#release()
  }

  #release(): void {
    this.#length = 0
    if (this.#buffer.length > largestIdleBuffer) this.#buffer = noBytes
  }

  /** The line has just become too long. It is reported at once where nothing is gained by waiting for its end. */
  #startDiscarding(bytes: Uint8Array): void {
    const head = new Uint8Array(Math.min(this.#length + bytes.length, Oversize.keptBytes))
    const buffered = this.#buffer.subarray(0, Math.min(this.#length, head.length))
    head.set(buffered)
    head.set(bytes.subarray(0, head.length - buffered.length), buffered.length)
    const text = Utf8.decodeLenient(head)
    const id = Oversize.idInHead(text)
    const reported = id !== undefined || !Oversize.mayHaveId(text)
    if (reported) this.#report(text, id)
    this.#discarding = { head: text, tail: noBytes, total: this.#length, reported }
    this.#release()
    this.#discard(bytes)
  }

  #discard(bytes: Uint8Array): void {
    const discarding = this.#discarding
    if (discarding === undefined || discarding.reported) return
    discarding.total += bytes.length
    if (discarding.total > patience * this.#maxBytes) {
      discarding.reported = true
      return this.#report(discarding.head, undefined)
    }
    discarding.tail = lastBytes(discarding.tail, bytes)
  }

  #report(head: string, id: JsonRpc.Id | undefined): void {
    this.#isFirst = false
    this.#add({ _tag: "TooLong", id, head })
  }

  /** After all the lines before it: a chunk may end with the beginning of a line that is too long already. */
  #add(line: Line): void {
    for (let before = this.#nextOfText(); before !== undefined; before = this.#nextOfText()) this.#ready.push(before)
    this.#ready.push(line)
  }
}

const withoutMark = (text: string): string => text.charCodeAt(0) === 0xfeff ? text.slice(1) : text

/** The last bytes of two pieces, as a copy: a slice would keep the whole chunk alive. */
const lastBytes = (before: Uint8Array, bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  if (bytes.length >= Oversize.keptBytes) return bytes.slice(bytes.length - Oversize.keptBytes)
  const kept = before.subarray(Math.max(0, before.length + bytes.length - Oversize.keptBytes))
  const joined = new Uint8Array(kept.length + bytes.length)
  joined.set(kept)
  joined.set(bytes, kept.length)
  return joined
}
