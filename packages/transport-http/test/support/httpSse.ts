/**
 * A client of HTTP+SSE, by hand.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Incoming, open, send, type SendOptions } from "./http.ts"
import * as Legacy from "./legacy.ts"
import type * as LegacyEndpoint from "./legacyEndpoint.ts"
import type { Json } from "./message.ts"
import type { Entry, ServeOptions } from "./serve.ts"

/** Serves a server that is written by hand, over HTTP+SSE too. */
export const serve = (
  entry: Entry,
  options: LegacyEndpoint.Options & Omit<ServeOptions, keyof LegacyEndpoint.Options> = {}
) => Legacy.serve(entry, { ...options, options: { httpSse: true, ...options.options } })

export interface OpenOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks for the stream, whatever comes. */
export const get = (port: number, { headers = {}, path = "/sse" }: OpenOptions = {}) =>
  open(port, { method: "GET", path, headers: { accept: "text/event-stream", ...headers } })

/** Posts, whatever comes. */
export const post = (
  port: number,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
) => send(port, { path, headers: { "content-type": "application/json", ...headers }, body: bodyOf(body) })

const bodyOf = (body: unknown): string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)

/** A connection whose stream has begun. */
export class Connection {
  readonly port: number
  readonly stream: Incoming
  /** Where the stream says to post. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>

  constructor(port: number, stream: Incoming, headers: Readonly<Record<string, string>>) {
    this.port = port
    this.stream = stream
    this.headers = headers
    this.address = this.frames[0]?.[1] ?? ""
  }

  /** What has come, without comments: the type of each event, and its text. */
  get frames(): ReadonlyArray<readonly [event: string, data: string]> {
    return framesOf(this.stream)
  }

  get messages(): ReadonlyArray<Json> {
    return this.frames.slice(1).map(([event, data]) => {
      assert.strictEqual(event, "message")
      return JSON.parse(data) as Json
    })
  }

  /** Posts without a look at the answer. */
  post(body: unknown, headers: SendOptions["headers"] = {}) {
    return post(this.port, this.address, body, { ...this.headers, ...headers })
  }

  /** Posts what is accepted: that is all the answer to a POST says. */
  tell(body: unknown) {
    return Effect.map(this.post(body), ({ body, headers, status }) => {
      assert.deepStrictEqual([status, body, headers["content-length"]], [202, "", "0"])
    })
  }

  /** Waits for a message. */
  readonly message = Effect.fnUntraced({ self: this }, function*(this: Connection, is: (message: Json) => boolean) {
    yield* this.stream.until(() => this.messages.some(is))
    return this.messages.find(is)!
  })

  /** Waits until so many messages have come. */
  count(count: number) {
    return Effect.map(this.stream.until(() => this.messages.length >= count), () => this.messages)
  }

  /** Waits for the answer to a request. */
  answer(id: string | number) {
    return this.message((message) => message.id === id && !("method" in message))
  }

  /** Posts a request and waits for its answer. */
  ask(request: Json) {
    return Effect.andThen(this.tell(request), this.answer(request.id as string | number))
  }
}

const framesOf = ({ body }: Incoming) =>
  body.split("\n\n").slice(0, -1).filter((frame) => !frame.startsWith(":")).map((frame) => {
    const match = /^event: (.*)\ndata: (.*)$/.exec(frame)
    assert(match !== null, JSON.stringify(frame))
    return [match[1]!, match[2]!] as const
  })

/** Opens a connection. */
export const connect = Effect.fnUntraced(function*(port: number, options: OpenOptions = {}) {
  const stream = yield* get(port, options)
  assert.strictEqual(stream.status, 200)
  yield* stream.until(({ body }) => body.includes("\n\n"))
  return new Connection(port, stream, options.headers ?? {})
})

/** Opens a connection with a session. */
export const openSession = Effect.fnUntraced(function*(port: number, revision = "2024-11-05", options?: OpenOptions) {
  const connection = yield* connect(port, options)
  yield* connection.ask(Legacy.initialize(revision))
  yield* connection.tell(Legacy.notification("notifications/initialized"))
  return connection
})
