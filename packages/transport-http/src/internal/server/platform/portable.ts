/**
 * Answers by what every platform of Effect can send: a response whose body is a text or a stream.
 */
import * as ByteSize from "effect/ByteSize"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { Peer } from "../peer.ts"
import type { Platform, Receiver, Served, Take } from "./platform.ts"
import { type ExtraHeaders, refused, Reply } from "../reply.ts"
import { contextOf } from "../request.ts"
import type { Sink } from "./sink.ts"
import { StreamSink } from "./streamSink.ts"
import * as utf8 from "../../utf8.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>

/** The handler of a POST. */
const post =
  <Admitted extends { readonly cors: ExtraHeaders }>(server: Receiver<Admitted>) =>
  (request: HttpServerRequest.HttpServerRequest): Answer => {
    const admitted = server.admit(request)
    if (admitted instanceof Reply) return Effect.succeed(admitted.response)
    return Effect.flatMap(
      body(server, request, admitted.cors),
      (body) =>
        body instanceof Reply
          ? Effect.succeed(body.response)
          : answer(server, (context, sink) => server.receive(admitted, utf8.decode(body), context, sink))
    )
  }

/** The handler of another verb, which has no body to read. */
const other = (server: Served, take: Take) => (request: HttpServerRequest.HttpServerRequest): Answer =>
  answer(server, (context, sink) => take(request, context, sink))

/** Answers on any platform. */
export const platform: Platform = { post, other }

/** Reads a body up to the limit, whether its length was told or not. */
export const body = (
  server: Served,
  request: HttpServerRequest.HttpServerRequest,
  cors: ExtraHeaders
): Effect.Effect<ArrayBuffer | Reply> =>
  request.arrayBuffer.pipe(
    Effect.catch(({ reason }) =>
      Effect.succeed(
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? server.tooLarge(cors)
          : refused(400, "The body could not be read").with(cors)
      )
    ),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(server.limits.messageBytes))
  )

const answer = (
  server: Served,
  start: (context: Context.Context<never>, sink: Sink) => Peer | undefined
): Answer =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    // The call is made here and not before, so that nothing can come between it and the way to cancel it.
    Effect.callback((resume) => {
      const sink = new StreamSink(server.limits, server.shared.closing, fiber, resume)
      const peer = start(contextOf(fiber, server.services), sink)
      sink.gone = () => peer?.gone()
      return Effect.sync(sink.gone)
    })
  )
