/**
 * The client's side: each message is a POST, and its answer is a JSON body or a stream of events.
 */
import type { ClientTransport, Mirror, Outgoing } from "@effect-mcp/core/ClientTransport"
import { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as HeaderValue from "@effect-mcp/core/HeaderValue"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Meta from "@effect-mcp/core/Meta"
import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { RequestInit } from "effect/http/FetchHttpClient"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as clientBody from "./clientBody.ts"
import * as clientError from "./clientError.ts"
import * as clientStream from "./clientStream.ts"
import { traceHeaders, withoutSpan } from "./clientTrace.ts"
import { eventStream, json, mediaType } from "./negotiate.ts"

/** The options of a client. */
export interface Options {
  readonly url: string | URL
  readonly headers?: Headers.Input | undefined
  readonly httpSpans?: boolean | undefined
}

/** A connection to a server at a URL. */
export const layer = (options: Options): Layer.Layer<McpTransport, never, HttpClient.HttpClient> =>
  Layer.effect(McpTransport, make(options))

const make = Effect.fnUntraced(function*(options: Options) {
  const client = yield* HttpClient.HttpClient
  const limits = yield* Limits.Limits
  const scope = yield* Effect.scope
  const closed = yield* Deferred.make<void>()
  yield* Scope.addFinalizer(scope, Deferred.succeed(closed, undefined))
  // A redirect would take arguments and headers to whoever it names, and bring back their answer.
  const init = { redirect: "manual" as const, ...Context.getOrUndefined(yield* Effect.context<never>(), RequestInit) }
  return new HttpTransport(HttpClient.transformResponse(client, Effect.provideService(RequestInit, init)), options, {
    limits,
    scope,
    closed: Deferred.await(closed)
  })
})

class HttpTransport implements ClientTransport {
  readonly kind = "http"
  readonly mirrors = true
  readonly unrelated: ClientTransport["unrelated"]
  readonly #client: HttpClient.HttpClient
  readonly #limits: Limits.Values
  readonly #scope: Scope.Scope
  readonly #request: HttpClientRequest.HttpClientRequest
  readonly #httpSpans: boolean
  /** The version last spoken, for messages that do not say theirs (HTTP-16). */
  #protocolVersion: string | undefined

  constructor(
    client: HttpClient.HttpClient,
    options: Options,
    { closed, limits, scope }: {
      readonly limits: Limits.Values
      readonly scope: Scope.Scope
      readonly closed: Effect.Effect<void>
    }
  ) {
    this.#client = client
    this.#limits = limits
    this.#scope = scope
    this.#httpSpans = options.httpSpans ?? false
    this.#request = HttpClientRequest.post(options.url, {
      ...(options.headers === undefined ? undefined : { headers: options.headers })
    })
    // Over HTTP a server has no way to say something that belongs to no request, but for its answer to one (HTTP-9).
    this.unrelated = Stream.interruptWhen(Stream.never, closed)
  }

  readonly send = Effect.fnUntraced({ self: this }, function*(this: HttpTransport, outgoing: Outgoing) {
    const { message, mirror } = outgoing
    this.#protocolVersion = mirror.protocolVersion ?? this.#protocolVersion
    const text = yield* Effect.fromResult(printed(message))
    const headers = yield* Effect.fromResult(mirrorHeaders(mirror, this.#limits.headerBytes))
    const response = yield* this.#post(text, headers)
    if (response.status < 200 || response.status > 299) return yield* refusal(response, message)
    switch (mediaType(response.headers["content-type"])) {
      case json:
        return yield* clientBody.answer(response, message, this.#limits)
      case eventStream:
        return yield* clientStream.answer(response, outgoing, this.#limits, this.#scope)
      default:
        return yield* clientBody.unreadable(response, message)
    }
  })

  readonly notify = (notification: JsonRpc.Notification) =>
    this.#tell(notification, notification.method, claimedVersion(notification))

  readonly reply = (response: JsonRpc.Response) => this.#tell(response, undefined, undefined)

  /** Sends what has no answer. Whatever says that it was taken is good. */
  readonly #tell = Effect.fnUntraced({ self: this }, function*(
    this: HttpTransport,
    message: JsonRpc.Notification | JsonRpc.Response,
    method: string | undefined,
    version: string | undefined
  ) {
    const text = yield* Effect.fromResult(printed(message))
    const response = yield* this.#post(text, {
      "mcp-protocol-version": version ?? this.#protocolVersion,
      "mcp-method": method
    })
    if (response.status < 200 || response.status > 299) return yield* clientBody.unexpectedStatus(response)
    // A body that nobody reads would hold the connection, and one that does not end would hold the caller.
    yield* Effect.timeoutOption(clientBody.beginning(response), clientStream.patience)
  })

  #post(
    text: string,
    headers: Readonly<Record<string, string | undefined>>
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, McpClientError.McpClientError> {
    return Effect.withFiber((fiber) => {
      const request = this.#request.pipe(
        HttpClientRequest.bodyText(text, json),
        HttpClientRequest.setHeaders({
          ...headers,
          ...(this.#httpSpans ? undefined : traceHeaders(fiber)),
          accept: `${json}, ${eventStream}`
        })
      )
      const sent = Effect.mapError(this.#client.execute(request), clientError.fromHttp)
      return this.#httpSpans ? sent : withoutSpan(sent)
    })
  }
}

const printed = (message: JsonRpc.Message): Result.Result<string, McpClientError.McpClientError> =>
  Result.mapError(JsonRpc.print(message), ({ cause }) =>
    McpClientError.make(
      new McpClientError.InvalidCall({
        method: "method" in message ? message.method : "an answer",
        problem: `it cannot be written as JSON: ${McpError.messageOf(cause)}`
      })
    ))

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

/** A status that refuses: a body that is an error of the protocol says more than the status does. */
const refusal = Effect.fnUntraced(function*(
  response: HttpClientResponse.HttpClientResponse,
  request: JsonRpc.Request
) {
  const text = yield* clientBody.beginning(response)
  const parsed = JsonRpc.parse(text)
  if (parsed._tag === "Failure") {
    // An error without an id answers what the server could not read, and this is all that was sent (HTTP-2, RPC-5).
    const isOurs = parsed.id === request.id || (parsed.id === undefined && response.status < 500)
    if (isOurs) return JsonRpc.failure(request.id, parsed.error)
  }
  return yield* clientBody.statusError(response, text)
})
