/**
 * HTTP by hand, so that nothing between the test and the socket is clever.
 */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import { headers, type HeaderRecord, type Json } from "./message.ts"

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface SendOptions {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Parts are sent as chunks, one after the other. */
  readonly body?: string | Uint8Array | ReadonlyArray<string | Uint8Array>
}

/** A response that is arriving. */
export class Incoming {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  body = ""
  ended: "no" | "complete" | "broken" = "no"
  #watchers = new Set<() => void>()
  readonly response: http.IncomingMessage

  constructor(response: http.IncomingMessage) {
    this.response = response
    this.status = response.statusCode!
    this.headers = response.headers
    response.setEncoding("utf8")
    response.on("data", (text: string) => {
      this.body += text
      this.#changed()
    })
    response.on("error", () => {})
    response.on("close", () => {
      this.ended = response.complete ? "complete" : "broken"
      this.#changed()
    })
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  /** Waits until something holds; fails after five seconds of real time. */
  until(holds: (incoming: Incoming) => boolean): Effect.Effect<void, string> {
    return Effect.callback((resume) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(check)
        resume(Effect.fail(`never came; what did: ${this.ended} ${JSON.stringify(this.body.slice(0, 2000))}`))
      }, 5000)
      const check = () => {
        if (!holds(this)) return
        clearTimeout(timer)
        this.#watchers.delete(check)
        resume(Effect.void)
      }
      this.#watchers.add(check)
      check()
    })
  }

  get end(): Effect.Effect<void, string> {
    return this.until(({ ended }) => ended !== "no")
  }

  get events(): ReadonlyArray<Json> {
    return this.body.split("\n\n").flatMap((event) => {
      const data = event.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n")
      return data === "" ? [] : [JSON.parse(data) as Json]
    })
  }

  /** The events with their fields, those without data too. Comments are none. */
  get frames(): ReadonlyArray<Frame> {
    return this.body.split("\n\n").slice(0, -1).filter((frame) => !frame.startsWith(":")).map((frame) => {
      const fields = new Map(
        frame.split("\n").map((line) => {
          const colon = line.indexOf(": ")
          return [line.slice(0, colon), line.slice(colon + 2)] as const
        })
      )
      const data = fields.get("data") ?? ""
      const retry = fields.get("retry")
      return {
        id: fields.get("id"),
        ...(retry === undefined ? undefined : { retry }),
        data: data === "" ? undefined : JSON.parse(data) as Json
      }
    })
  }

  /** The last id, which a client comes back with. */
  get lastId(): string {
    return this.frames.findLast(({ id }) => id !== undefined)?.id ?? ""
  }

  close(): void {
    this.response.destroy()
  }
}

/** One event of a stream. */
export interface Frame {
  readonly id: string | undefined
  readonly retry?: string
  readonly data: Json | undefined
}

/** Sends a request and waits for the head of the response. */
export const open = (port: number, options: SendOptions): Effect.Effect<Incoming, Error> =>
  Effect.callback((resume) => {
    const request = http.request({
      host: "127.0.0.1",
      port,
      path: options.path ?? "/mcp",
      method: options.method ?? "POST",
      headers: options.headers ?? {},
      agent: false
    })
    request.on("response", (response) => resume(Effect.succeed(new Incoming(response))))
    request.on("error", (error) => resume(Effect.fail(error)))
    const { body } = options
    if (Array.isArray(body)) {
      let rest = Promise.resolve()
      for (const part of body as ReadonlyArray<string | Uint8Array>) {
        rest = rest.then(() =>
          new Promise((next) => {
            request.write(part)
            setTimeout(next, 5)
          })
        )
      }
      void rest.then(() => request.end())
    } else request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** Sends a request and waits for the whole response. */
export const send = Effect.fnUntraced(function*(port: number, options: SendOptions) {
  const incoming = yield* open(port, options)
  yield* incoming.end
  return { status: incoming.status, headers: incoming.headers, body: incoming.body } satisfies Answer
})

/** Posts a message with the headers that belong to it. */
export const post = (port: number, message: Json, overrides?: HeaderRecord) =>
  send(port, { headers: headers(message, overrides), body: JSON.stringify(message) })

/** The same, up to the head of the response. */
export const openPost = (port: number, message: Json, overrides?: HeaderRecord) =>
  open(port, { headers: headers(message, overrides), body: JSON.stringify(message) })

/** The error of a JSON-RPC error response. */
export const errorOf = (answer: Answer): { readonly id?: unknown; readonly code: number; readonly message: string } => {
  const { error, id } = JSON.parse(answer.body)
  return { ...(id === undefined ? undefined : { id }), code: error.code, message: error.message }
}
