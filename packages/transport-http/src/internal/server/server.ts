/**
 * What happens to a request, whatever platform it came over: may it pass, what is it, who answers.
 */
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import type { ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import type * as Headers from "effect/http/Headers"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Access, type AccessOptions } from "./access.ts"
import { corsHeaders, preflightHeaders } from "./cors.ts"
import { NotificationExchange, RequestExchange } from "./exchange.ts"
import type { Legacy } from "./legacy/sessions.ts"
import { type Accepts, accepts, isJson } from "../negotiate.ts"
import type { Peer } from "./peer.ts"
import { accepted, closed, type ExtraHeaders, failure, noHeaders, overLimit, refused, Reply } from "./reply.ts"
import { hostOf, type PrincipalOf, type Services } from "./request.ts"
import type { Shared } from "./shared.ts"
import type { Sink } from "./platform/sink.ts"

/** A POST that may be read: its headers have nothing against it. */
export interface Admitted {
  readonly headers: Headers.Headers
  readonly accepts: Accepts
  readonly cors: Readonly<Record<string, string>>
}

/** The options that the HTTP side reads itself. */
export interface Options extends AccessOptions {
  readonly services?: Services | undefined
  readonly principal?: PrincipalOf | undefined
}

/** The HTTP side of one server. */
export class HttpServer {
  readonly endpoint: ServerEndpoint
  readonly limits: Limits.Values
  /** What is read from the router's context of a request, for the handlers. */
  readonly services: Services
  readonly shared: Shared
  readonly #access: Access
  readonly #legacy: Legacy | undefined
  readonly #principal: PrincipalOf | undefined

  constructor(endpoint: ServerEndpoint, shared: Shared, legacy: Legacy | undefined, options: Options) {
    this.endpoint = endpoint
    this.shared = shared
    this.limits = shared.limits
    this.services = options.services ?? []
    this.#access = new Access(options)
    this.#legacy = legacy
    this.#principal = options.principal
  }

  /** Whether browsers are served across origins. */
  get cors(): boolean {
    return this.#access.cors
  }

  /** Whether sessions are served, and with them GET and DELETE. */
  get hasSessions(): boolean {
    return this.#legacy?.hasSessions === true
  }

  /** Who is asking, by the services of a request. */
  principalOf(context: Context.Context<never>): string | undefined {
    return this.#principal?.(context)
  }

  /**
   * Looks at what counts for every verb. Gives the headers of every answer, or the refusal. What may belong to something
   * that is in flight is let in to a server that is closing.
   */
  enter(request: HttpServerRequest.HttpServerRequest, mayGoOn = false): ExtraHeaders | Reply {
    const { origin } = request.headers
    const refusal = this.#access.refusal(hostOf(request), origin)
    if (refusal !== undefined) return refused(403, refusal)
    const cors = origin === undefined ? noHeaders : corsHeaders(this.#access, origin)
    return this.shared.closing.refuses(request.source) && !mayGoOn ? closed.with(cors) : cors
  }

  /** The refusal of a message that would begin something while the server is closing. */
  tooLate(message: JsonRpc.Parsed): Reply | undefined {
    if (!this.shared.closing.now) return undefined
    // An answer that a call in flight waits for, or its cancellation.
    const begins = message._tag === "Batch"
      ? message.items.some((item) => beginsSomething(JsonRpc.fromItem(item)))
      : beginsSomething(message)
    return begins ? closed : undefined
  }

  /** Looks at the headers of a POST. */
  admit(request: HttpServerRequest.HttpServerRequest): Admitted | Reply {
    const { headers } = request
    const cors = this.enter(request, true)
    if (cors instanceof Reply) return cors
    const contentType = headers["content-type"]
    if (!isJson(contentType)) {
      return refused(
        415,
        `A message is sent as "Content-Type: application/json" in UTF-8${
          contentType === undefined ? "" : `, not as ${JSON.stringify(contentType.slice(0, 200))}`
        }`
      ).with(cors)
    }
    const accepted = accepts(headers.accept)
    if (!accepted.json && !accepted.stream) {
      return refused(406, "Answers are application/json or text/event-stream, and Accept allows neither").with(cors)
    }
    return Number(headers["content-length"]) > this.limits.messageBytes
      ? this.tooLarge(cors)
      : { headers, accepts: accepted, cors }
  }

  /** The answer to a body beyond the limit. */
  tooLarge(cors: Readonly<Record<string, string>>): Reply {
    return refused(413, `A message has at most ${this.limits.messageBytes} bytes here (the limit messageBytes)`)
      .with(cors)
  }

  /** Answers GET: with a stream of a session, where there are any. */
  get(request: HttpServerRequest.HttpServerRequest, context: Context.Context<never>, sink: Sink): Peer | undefined {
    const cors = this.#sessionsOnly(request, sink)
    if (cors === undefined) return undefined
    // The router takes HEAD for GET, and a stream that nobody reads would take the messages of the session.
    if (request.method !== "GET") {
      sink.reply(notAllowed.with(cors))
      return undefined
    }
    const { headers } = request
    if (!accepts(headers.accept).stream) {
      sink.reply(refused(406, "The answer to GET is text/event-stream, and Accept does not allow it").with(cors))
      return undefined
    }
    return this.#legacy?.get({ headers, cors, context, principal: this.#principal?.(context) }, sink)
  }

  /** Answers DELETE: ends a session, where there are any. */
  delete(request: HttpServerRequest.HttpServerRequest, context: Context.Context<never>, sink: Sink): Peer | undefined {
    const cors = this.#sessionsOnly(request, sink)
    if (cors === undefined) return undefined
    const { headers } = request
    return this.#legacy?.delete({ headers, cors, context, principal: this.#principal?.(context) }, sink)
  }

  #sessionsOnly(request: HttpServerRequest.HttpServerRequest, sink: Sink): ExtraHeaders | undefined {
    const cors = this.enter(request)
    if (!(cors instanceof Reply) && this.hasSessions) return cors
    // HTTP-21, LHTTP-13, LHTTP-24.
    sink.reply(cors instanceof Reply ? cors : notAllowed.with(cors))
    return undefined
  }

  /** The answer to a browser that asks before it sends. */
  preflight(request: HttpServerRequest.HttpServerRequest): Reply {
    const { headers } = request
    const { origin } = headers
    const refusal = this.#access.refusal(hostOf(request), origin)
    if (refusal !== undefined) return refused(403, refusal)
    if (origin === undefined || !this.#access.isCorsOrigin(origin)) {
      return refused(403, "This origin is not served; the option cors.allowedOrigins lists those that are")
    }
    return new Reply(
      204,
      undefined,
      preflightHeaders(origin, headers["access-control-request-headers"], this.hasSessions)
    )
  }

  /**
   * Takes the body of an admitted POST; without text it was not UTF-8. What is to be sent goes to the sink, now or
   * later. Whoever has to know that the peer is gone is given back.
   */
  receive(
    admitted: Admitted,
    text: string | undefined,
    context: Context.Context<never>,
    sink: Sink
  ): Peer | undefined {
    const { cors, headers } = admitted
    const principal = this.#principal?.(context)
    const message = text === undefined ? notUtf8 : JsonRpc.parse(text, this.limits)
    const tooLate = this.tooLate(message)
    if (tooLate !== undefined) {
      sink.reply(tooLate.with(cors))
      return undefined
    }
    const mirrored = mirroredBy(headers)
    const outcome = tooLong(message, headers, this.limits.headerBytes) ?? this.endpoint.classify(message, mirrored)
    switch (outcome._tag) {
      case "Request": {
        const method = outcome.definition.name
        // This one is a stream by its nature; any other answer is one body for who does not take a stream.
        if (!admitted.accepts.stream && outcome.definition.streams) {
          sink.reply(
            refused(406, `The answer to ${method} is text/event-stream, and Accept does not allow it`).with(cors)
          )
          return undefined
        }
        const counts = !outcome.definition.streams
        if (counts && this.shared.inFlight.count >= this.limits.inFlightRequests) {
          sink.reply(overLimit(this.limits, outcome.id).with(cors))
          return undefined
        }
        const { accepts } = admitted
        const exchange = new RequestExchange(
          this.shared,
          { method, context, principal, mirrored, accepts, cors },
          sink
        )
        exchange.start(this.endpoint.call(outcome, exchange), counts)
        return exchange
      }
      case "Notification":
      case "Cancel": {
        const posted = { ...admitted, context, principal }
        // It does not say its era itself.
        if (isMessage(message) && this.#legacy?.claims(posted) === true) return this.#legacy.post(message, posted, sink)
        // A modern request is cancelled by closing its stream; ids of other exchanges mean nothing here (CAN-2).
        if (outcome._tag === "Notification") {
          this.endpoint.notify(outcome.notification, new NotificationExchange(context, mirrored, principal))
        }
        sink.reply(accepted.with(cors))
        return undefined
      }
      case "Rejected":
        // A notification or a response that is refused has no id to answer to, but a status (HTTP-7).
        sink.reply(
          failure(Inbound.httpStatus(outcome), outcome.error, outcome.answer ? outcome.id : undefined).with(cors)
        )
        return undefined
      case "Legacy":
        if (this.#legacy !== undefined) {
          return this.#legacy.post(outcome.message, { ...admitted, context, principal }, sink)
        }
        sink.reply(refused(400, "Only protocol revisions without sessions are served here").with(cors))
        return undefined
    }
  }
}

const beginsSomething = (message: JsonRpc.Parsed): boolean =>
  message._tag !== "Notification" && !JsonRpc.isResponse(message)

const notAllowed = refused(405, "Messages are sent with POST").with({ allow: "POST" })

const isMessage = (message: JsonRpc.Parsed): message is JsonRpc.Notification => message._tag === "Notification"

const notUtf8: JsonRpc.Malformed = {
  _tag: "Malformed",
  id: undefined,
  error: new McpError.ParseError({ message: "The message is not UTF-8" }),
  answer: true
}

/** Reads what the client mirrored. Header names have no case, and the platform has trimmed the values (HDR-6, HDR-7). */
const mirroredBy = (headers: Headers.Headers): Inbound.Mirrored => (field) => {
  switch (field) {
    case "protocolVersion":
      return headers["mcp-protocol-version"]
    case "method":
      return headers["mcp-method"]
    case "name":
      return headers["mcp-name"]
    default:
      return headers[`mcp-param-${field.slice("param:".length).toLowerCase()}`]
  }
}

const nameHeaders = /^mcp-(method$|name$|param-)/

/** A mirrored header beyond the limit, whatever it says. */
const tooLong = (
  message: JsonRpc.Parsed,
  headers: Headers.Headers,
  max: number
): Inbound.Rejected | undefined => {
  if (message._tag !== "Request") return undefined
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || value.length <= max || !nameHeaders.test(name)) continue
    return {
      _tag: "Rejected",
      id: message.id,
      error: new McpError.HeaderMismatch({
        message: `The ${name} header has ${value.length} bytes, more than ${max} (the limit headerBytes)`
      }),
      answer: true
    }
  }
  return undefined
}
