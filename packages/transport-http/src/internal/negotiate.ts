/**
 * What the `Content-Type` and `Accept` headers of a request say, read by RFC 9110.
 */
import * as ContentType from "content-type"

/** The two media types of the protocol. */
export const json = "application/json"
/** @see json */
export const eventStream = "text/event-stream"

/** The media type of a header, in lower case and without parameters. */
export const mediaType = (header: string | undefined): string | undefined =>
  header === undefined || header === json
    ? header
    : ContentType.parse(header, { parameters: false }).type

/** Whether a body is JSON in UTF-8, the only encoding the protocol has (RPC-9). */
export const isJson = (header: string | undefined): boolean => {
  if (header === undefined) return false
  if (header === json) return true
  const { parameters, type } = ContentType.parse(header)
  return type === json && (parameters.charset === undefined || /^utf-?8$/i.test(parameters.charset))
}

/** Which forms of an answer a client takes. */
export interface Accepts {
  readonly json: boolean
  readonly stream: boolean
}

const both: Accepts = { json: true, stream: true }

/**
 * Reads an `Accept` header. Of several ranges that match a type the most specific one counts, and `q=0` refuses it.
 * A header that is absent or empty accepts everything.
 */
export const accepts = (header: string | undefined): Accepts => {
  // What nearly every client sends: the protocol asks for both (HTTP-5).
  if (header === undefined || header === "application/json, text/event-stream" || header.trim() === "") return both
  const answer = new Preference(json)
  const stream = new Preference(eventStream)
  let start = 0
  while (start < header.length) {
    const range = ContentType.parse(header, { comma: true, start })
    answer.see(range)
    stream.see(range)
    start = range.index + 1
  }
  return { json: answer.accepted, stream: stream.accepted }
}

/** What the ranges seen so far say about one media type. */
class Preference {
  readonly type: string
  accepted = false
  #specificity = 0

  constructor(type: string) {
    this.type = type
  }

  see({ parameters, type }: ContentType.ContentType): void {
    const specificity = type === this.type
      ? 3
      : type === `${this.type.slice(0, this.type.indexOf("/"))}/*`
      ? 2
      : type === "*/*"
      ? 1
      : 0
    if (specificity === 0 || specificity < this.#specificity) return
    // Among equals one that accepts is enough.
    const accepted = Number(parameters.q ?? 1) !== 0
    this.accepted = specificity === this.#specificity ? this.accepted || accepted : accepted
    this.#specificity = specificity
  }
}
