/**
 * Answers by what every platform of Effect can send: a response whose body is a text or a stream.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import { type ExtraHeaders, refused, Reply } from "./reply.ts"
import { contextOf, hostOf } from "./request.ts"
import type { Admitted, HttpServer } from "./server.ts"
import { StreamSink } from "./streamSink.ts"
import * as utf8 from "./utf8.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope>

/** The handler of a POST. */
export const post = (server: HttpServer) => (request: HttpServerRequest.HttpServerRequest): Answer => {
  const admitted = server.admit(request.headers, hostOf(request))
  if (admitted instanceof Reply) return Effect.succeed(admitted.response)
  return Effect.flatMap(
    body(server, request, admitted.cors),
    (body) => body instanceof Reply ? Effect.succeed(body.response) : answer(server, admitted, body)
  )
}

/** Reads a body up to the limit, whether its length was told or not. */
export const body = (
  server: HttpServer,
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

const answer = (server: HttpServer, admitted: Admitted, body: ArrayBuffer): Answer =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    // The call is made here and not before, so that nothing can come between it and the way to cancel it.
    Effect.callback((resume) => {
      const sink = new StreamSink(server.limits, fiber, resume)
      const exchange = server.receive(admitted, utf8.decode(body), contextOf(fiber, server.services), sink)
      sink.gone = () => exchange?.cancel()
      return Effect.sync(sink.gone)
    })
  )
