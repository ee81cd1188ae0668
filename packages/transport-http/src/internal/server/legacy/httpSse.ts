/**
 * HTTP+SSE, the transport of 2024-11-05: one stream from the server, and an address to post to. The stream is the
 * connection, and the session ends with it.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { LegacyEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { accepts } from "../../negotiate.ts"
import type { Peer } from "../peer.ts"
import { settled } from "../peer.ts"
import type { Receiver } from "../platform/platform.ts"
import { defect, type ExtraHeaders, failure, later, refused, Reply } from "../reply.ts"
import type { Admitted, HttpServer } from "../server.ts"
import type { Sink } from "../platform/sink.ts"
import { SseConnection } from "./sseConnection.ts"

/** The paths of both endpoints. */
export interface Paths {
  readonly path: HttpRouter.PathInput
  readonly messages: HttpRouter.PathInput
}

/** A message that was posted for a connection. */
interface Posted extends Admitted {
  readonly id: string | undefined
}

/** Nobody guesses 256 bits. */
const idBytes = 32

const idParameter = /[?&]sessionId=([^&#]*)/

export class HttpSse implements Receiver<Posted> {
  readonly #server: HttpServer
  readonly #endpoint: LegacyEndpoint
  readonly #random: SecureRandom.SecureRandom["Service"]
  readonly #paths: Paths
  readonly #connections = new Map<string, SseConnection>()

  constructor(
    server: HttpServer,
    endpoint: LegacyEndpoint,
    random: SecureRandom.SecureRandom["Service"],
    paths: Paths
  ) {
    this.#server = server
    this.#endpoint = endpoint
    this.#random = random
    this.#paths = paths
  }

  get limits() {
    return this.#server.limits
  }

  get services() {
    return this.#server.services
  }

  get shared() {
    return this.#server.shared
  }

  tooLarge(cors: ExtraHeaders): Reply {
    return this.#server.tooLarge(cors)
  }

  admit(request: HttpServerRequest.HttpServerRequest): Posted | Reply {
    const admitted = this.#server.admit(request)
    return admitted instanceof Reply
      ? admitted
      : { ...admitted, id: idParameter.exec(request.originalUrl)?.[1] }
  }

  /** SSE-1, SSE-2: opens a connection, and tells where to post. */
  open(request: HttpServerRequest.HttpServerRequest, context: Context.Context<never>, sink: Sink): Peer | undefined {
    const cors = this.#server.enter(request)
    if (cors instanceof Reply) return reply(sink, cors)
    // The router takes HEAD for GET, and a stream that nobody reads would be a connection all the same.
    if (request.method !== "GET") return reply(sink, notAllowed.with(cors))
    if (!accepts(request.headers.accept).stream) {
      return reply(
        sink,
        refused(406, "The answer to GET is text/event-stream, and Accept does not allow it").with(cors)
      )
    }
    const { run, tell } = this.shared
    const { sessions } = this.limits
    if (this.#connections.size >= sessions) {
      return reply(sink, later(`There are ${sessions} connections already (the limit sessions)`).with(cors))
    }
    return settled(run(this.#random.randomBytes(idBytes)), (exit) => {
      if (Exit.isFailure(exit)) {
        tell.defect(exit.cause)
        return reply(sink, defect.with(cors))
      }
      const id = Base64Url.encode(exit.value)
      const connection = new SseConnection(this.shared, this.#endpoint, {
        principal: this.#server.principalOf(context),
        headers: cors,
        onEnd: () => this.#connections.delete(id)
      }, sink)
      this.#connections.set(id, connection)
      connection.start(`${addressOf(request.originalUrl, this.#paths)}?sessionId=${id}`)
      return connection
    })
  }

  /** SSE-3, SSE-4: what is posted is answered on the stream. */
  receive(posted: Posted, text: string | undefined, context: Context.Context<never>, sink: Sink): undefined {
    const { cors, id } = posted
    const principal = this.#server.principalOf(context)
    const connection = id === undefined ? undefined : this.#connections.get(id)
    // LHTTP-28: what is somebody else's does not exist.
    if (connection === undefined || connection.principal !== principal) return reply(sink, unknown.with(cors))
    if (text === undefined) return reply(sink, notUtf8.with(cors))
    const message = JsonRpc.parse(text, this.limits)
    const tooLate = this.#server.tooLate(message)
    if (tooLate !== undefined) return reply(sink, tooLate.with(cors))
    const answer = message._tag === "Malformed"
      ? failure(400, message.error, message.answer ? message.id : undefined, "legacy")
      : connection.take(message, this.#server.endpoint.classify(message), { context, principal })
    return reply(sink, answer.with(cors))
  }
}

/**
 * Where to post, seen from where the stream was asked for: whatever the application has put before its routes is before
 * this one too, and a parameter of the path is what it was there. The router does not mind more slashes than one, but at
 * the beginning they would name another server.
 */
const addressOf = (originalUrl: string, { messages, path }: Paths): string => {
  const asked = segments(/^(?:https?:\/\/[^/]*)?([^?#]*)/i.exec(originalUrl)?.[1] ?? "")
  const own = segments(path)
  const before = asked.slice(0, Math.max(0, asked.length - own.length))
  const valueOf = (segment: string): string =>
    segment.startsWith(":") && own.includes(segment) ? asked[before.length + own.indexOf(segment)] ?? segment : segment
  return `/${[...before, ...segments(messages).map(valueOf)].join("/")}`
}

const segments = (path: string): ReadonlyArray<string> => path.split("/").filter((segment) => segment !== "")

const reply = (sink: Sink, reply: Reply): undefined => {
  sink.reply(reply)
  return undefined
}

const notAllowed = refused(405, "The event stream is opened with GET").with({ allow: "GET" })

const unknown = refused(404, "There is no such connection, or it has ended: open the event stream again")

const notUtf8 = refused(400, "The message is not UTF-8")
