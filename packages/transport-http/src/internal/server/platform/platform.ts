/**
 * What a platform does for the rest: it reads a request, and gives a way back to its peer.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Peer } from "../peer.ts"
import type { ExtraHeaders, Reply } from "../reply.ts"
import type { HttpServer } from "../server.ts"
import type { Sink } from "./sink.ts"

/** A handler of the router. */
export type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>

/** Answers a request without a body, now or later. Whoever has to know that the peer is gone is given back. */
export type Take = (
  request: HttpServerRequest.HttpServerRequest,
  context: Context.Context<never>,
  sink: Sink
) => Peer | undefined

/** What a platform has to know of a server. */
export type Served = Pick<HttpServer, "limits" | "services" | "shared" | "tooLarge">

/** What takes messages that are posted. */
export interface Receiver<Admitted extends { readonly cors: ExtraHeaders }> extends Served {
  /** Looks at the headers. */
  readonly admit: (request: HttpServerRequest.HttpServerRequest) => Admitted | Reply
  /** Takes the body; without text it was not UTF-8. Whoever has to know that the peer is gone is given back. */
  readonly receive: (
    admitted: Admitted,
    text: string | undefined,
    context: Context.Context<never>,
    sink: Sink
  ) => Peer | undefined
}

/** How a platform answers. */
export interface Platform {
  /** The handler of messages that are posted. */
  readonly post: <Admitted extends { readonly cors: ExtraHeaders }>(receiver: Receiver<Admitted>) => Handler
  /** The handler of another verb. */
  readonly other: (server: Served, take: Take) => Handler
}
