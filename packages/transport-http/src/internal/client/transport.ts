/**
 * The client's side: each message is a POST, and its answer is a JSON body or a stream of events.
 */
import type { ClientTransport, LegacyTransport, Mirror, Outgoing } from "@effect-mcp/core/ClientTransport"
import { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as HeaderValue from "@effect-mcp/core/HeaderValue"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as clientBody from "./body.ts"
import * as clientError from "./error.ts"
import { LegacyConnection } from "./legacyConnection.ts"
import { type Incoming, receiverFor } from "./messages.ts"
import * as clientStatus from "./status.ts"
import * as clientStream from "./stream.ts"
import { type Options, Wire } from "./wire.ts"
import { eventStream, json, mediaType } from "../negotiate.ts"

export type { Options } from "./wire.ts"

/** A connection to a server at a URL. */
export const layer = (options: Options): Layer.Layer<McpTransport, never, HttpClient.HttpClient> =>
  Layer.effect(McpTransport, make(options))

const make = Effect.fnUntraced(function*(options: Options) {
  const client = yield* HttpClient.HttpClient
  const limits = yield* Limits.Limits
  const connection = yield* Effect.scope
  const unrelated = yield* Queue.bounded<Incoming, McpClientError.McpClientError | Cause.Done>(limits.streamBuffer)
  // A redirect would take arguments and headers to whoever it names, and bring back their answer.
  const init = { redirect: "manual" as const, ...Context.getOrUndefined(yield* Effect.context<never>(), RequestInit) }
  const wire = new Wire(HttpClient.transformResponse(client, Effect.provideService(RequestInit, init)), options)
  const legacy = new LegacyConnection({ wire, limits, connection, unrelated })
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(unrelated), legacy.close))
  return new HttpTransport(wire, legacy, { limits, connection }, legacy.unrelated)
})

class HttpTransport implements ClientTransport {
  readonly kind = "http"
  readonly mirrors = true
  readonly peer: string
  /** In the modern era a server cannot say what belongs to no request, but in its answer to one (HTTP-9). */
  readonly unrelated: ClientTransport["unrelated"]
  readonly legacy: LegacyTransport
  readonly #wire: Wire
  readonly #legacy: LegacyConnection
  readonly #reading: clientStream.Reading
  readonly #limits: Limits.Values
  /** The version last spoken, for messages that do not say theirs (HTTP-16). */
  #protocolVersion: string | undefined

  constructor(
    wire: Wire,
    legacy: LegacyConnection,
    reading: { readonly limits: Limits.Values; readonly connection: Scope.Scope },
    unrelated: ClientTransport["unrelated"]
  ) {
    this.#wire = wire
    this.#legacy = legacy
    this.#reading = reading
    this.#limits = reading.limits
    this.unrelated = unrelated
    this.peer = peerOf(wire.url)
    this.legacy = {
      silenceIsLegacy: false,
      reconnect: Effect.void,
      opened: (revision) => legacy.opened(revision),
      initialized: legacy.initialized,
      forget: legacy.forget,
      older: legacy.older
    }
  }

  readonly send = (outgoing: Outgoing): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError> =>
    outgoing.mirror.method === undefined ? this.#legacy.send(outgoing) : this.#send(outgoing)

  readonly #send = Effect.fnUntraced({ self: this }, function*(this: HttpTransport, outgoing: Outgoing) {
    const { message, mirror } = outgoing
    this.#protocolVersion = mirror.protocolVersion ?? this.#protocolVersion
    const text = yield* Effect.fromResult(clientError.printed(message))
    const headers = yield* Effect.fromResult(mirrorHeaders(mirror, this.#limits.headerBytes))
    const response = yield* this.#wire.post(text, headers)
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.refusal(response, message, false)
    switch (mediaType(response.headers["content-type"])) {
      case json:
        return yield* clientBody.answer(response, message, this.#limits)
      case eventStream: {
        // The answer to another request is not taken for this one.
        const receiver = receiverFor(outgoing, false, ignored)
        const answer = yield* clientStream.read(response, receiver, this.#reading)
        // HTTP-14: ids mean nothing here, and nothing goes on with this stream.
        return answer ?? (yield* McpClientError.make(new McpClientError.StreamEnded({ method: message.method })))
      }
      default:
        return yield* clientBody.unreadable(response, message)
    }
  })

  /** In the modern era a notification says its version, as a request does. */
  readonly notify = (notification: JsonRpc.Notification) => {
    const version = claimedVersion(notification)
    return version === undefined && this.#legacy.isUsed
      ? this.#legacy.notify(notification)
      : this.#notify(notification, version)
  }

  /** Sends what has no answer. Whatever says that it was taken is good. */
  readonly #notify = Effect.fnUntraced({ self: this }, function*(
    this: HttpTransport,
    notification: JsonRpc.Notification,
    version: string | undefined
  ) {
    const text = yield* Effect.fromResult(clientError.printed(notification))
    const response = yield* this.#wire.post(text, {
      "mcp-protocol-version": version ?? this.#protocolVersion,
      "mcp-method": notification.method
    })
    if (!clientStatus.isSuccess(response)) return yield* clientStatus.unexpected(response)
    yield* clientBody.drain(response)
  })

  /** The modern era has no answers of a client (HTTP-4). */
  readonly reply = (response: JsonRpc.Response) => this.#legacy.reply(response)
}

const ignored = () => {}

/** The origin and the path (ERA-16): one origin may have several servers. */
const peerOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** HDR-1, HDR-2, HDR-4, HDR-10. */
const mirrorHeaders = (
  mirror: Mirror,
  max: number
): Result.Result<Record<string, string | undefined>, McpClientError.McpClientError> => {
  const headers: Record<string, string | undefined> = {
    "mcp-protocol-version": mirror.protocolVersion,
    "mcp-method": mirror.method,
    "mcp-name": mirror.name === undefined ? undefined : HeaderValue.encode(mirror.name)
  }
  for (const [header, value] of mirror.params) headers[ParameterHeader.prefix + header] = HeaderValue.encode(value)
  return Object.values(headers).some((value) => value !== undefined && value.length > max)
    ? Result.fail(McpClientError.make(new McpClientError.LimitExceeded({ limit: "headerBytes", max })))
    : Result.succeed(headers)
}

const claimedVersion = (notification: JsonRpc.Notification): string | undefined => {
  const meta = notification.params?._meta
  const version = JsonRpc.isJsonObject(meta) ? meta[Meta.key.protocolVersion] : undefined
  return typeof version === "string" ? version : undefined
}
