/**
 * The HTTP requests of a client, with what all of them have in common.
 */
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as clientError from "./error.ts"
import { traceHeaders, withoutSpan } from "./trace.ts"
import { eventStream, json } from "../negotiate.ts"

/** The options of a client. */
export interface Options {
  readonly url: string | URL
  readonly headers?: Headers.Input | undefined
  readonly httpSpans?: boolean | undefined
}

/** Headers of one request; one that is `undefined` is left out. */
export type Values = Readonly<Record<string, string | undefined>>

type Sent = Effect.Effect<HttpClientResponse.HttpClientResponse, McpClientError.McpClientError>

/** What is said by the protocol where it has something to say, and by nobody else. */
const reserved = ["last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"]

export class Wire {
  readonly url: string
  readonly #client: HttpClient.HttpClient
  readonly #headers: Headers.Headers
  readonly #post: HttpClientRequest.HttpClientRequest
  readonly #httpSpans: boolean

  constructor(client: HttpClient.HttpClient, { headers, httpSpans = false, url }: Options) {
    this.url = String(url)
    this.#client = client
    this.#headers = Headers.removeMany(Headers.fromInput(headers), reserved)
    this.#httpSpans = httpSpans
    this.#post = this.postTo(this.url)
  }

  /** What is posted to another URL than that of the server begins with this. */
  postTo(url: string | URL): HttpClientRequest.HttpClientRequest {
    return HttpClientRequest.post(url, { headers: this.#headers })
  }

  /** LHTTP-2, HTTP-5. */
  post(text: string, headers: Values, request: HttpClientRequest.HttpClientRequest = this.#post): Sent {
    return this.#send(HttpClientRequest.bodyText(request, text, json), headers, `${json}, ${eventStream}`)
  }

  get(headers: Values): Sent {
    return this.#send(HttpClientRequest.get(this.url, { headers: this.#headers }), headers, eventStream)
  }

  delete(headers: Values): Sent {
    return this.#send(HttpClientRequest.delete(this.url, { headers: this.#headers }), headers, json)
  }

  #send(request: HttpClientRequest.HttpClientRequest, headers: Values, accept: string): Sent {
    return Effect.withFiber((fiber) => {
      const sent = this.#client.execute(HttpClientRequest.setHeaders(request, {
        ...headers,
        ...(this.#httpSpans ? undefined : traceHeaders(fiber)),
        accept
      }))
      return Effect.mapError(this.#httpSpans ? sent : withoutSpan(sent), clientError.fromHttp)
    })
  }
}
