/**
 * Answers on Node's own request and response.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Buffer } from "node:buffer"
import type * as Http from "node:http"
import type { RequestExchange } from "./exchange.ts"
import { NodeSink } from "./nodeSink.ts"
import * as portable from "./portable.ts"
import { Reply } from "./reply.ts"
import { contextOf, hostOf } from "./request.ts"
import type { Admitted, HttpServer } from "./server.ts"
import * as utf8 from "./utf8.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** The handler of a POST. */
export const post = (server: HttpServer) => (request: HttpServerRequest.HttpServerRequest): Answer => {
  const admitted = server.admit(request.headers, hostOf(request))
  if (admitted instanceof Reply) return Effect.succeed(admitted.response)
  // HTTP/2 has the same members, with types of their own.
  const source = NodeHttpServerRequest.toIncomingMessage(request) as Http.IncomingMessage
  const response = NodeHttpServerRequest.toServerResponse(request) as Http.ServerResponse
  // A body that a middleware has read is found where it left it, and one that is waited for with `Expect: 100-continue`
  // is asked for by Effect's server, which has to know.
  return source.readableDidRead || source.headers.expect !== undefined
    ? Effect.flatMap(
      portable.body(server, request, admitted.cors),
      (body) =>
        body instanceof Reply
          ? Effect.succeed(body.response)
          : answer(server, admitted, response, (receive) => receive(new Uint8Array(body)))
    )
    : answer(server, admitted, response, (receive, refuse) => read(source, server.limits.messageBytes, receive, refuse))
}

type Read = (receive: (bytes: Uint8Array) => void, tooLarge: () => void) => (() => void) | void

const answer = (server: HttpServer, admitted: Admitted, response: Http.ServerResponse, read: Read): Answer =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    Effect.callback((resume) => {
      let exchange: RequestExchange | undefined
      const sink = new NodeSink(
        server.limits,
        response,
        (status) => resume(written[status] ?? writtenWith(status))
      )
      const stop = read(
        (bytes) => {
          // An event of Node calls this: what is thrown here would end the process and not the request.
          try {
            exchange = server.receive(admitted, utf8.decode(bytes), contextOf(fiber, server.services), sink)
          } catch (defect) {
            resume(Effect.die(defect))
          }
        },
        () => resume(Effect.succeed(server.tooLarge(admitted.cors).response))
      )
      return Effect.sync(() => {
        stop?.()
        exchange?.cancel()
      })
    })
  )

/**
 * Reads a body in place: through the request's effects it takes a fiber to go to sleep and to wake up. Nothing has to be
 * done when the peer goes away, since Effect's server interrupts the request.
 */
const read = (
  source: Http.IncomingMessage,
  max: number,
  receive: (bytes: Uint8Array) => void,
  tooLarge: () => void
): () => void => {
  let first: Uint8Array | undefined
  let rest: Array<Uint8Array> | undefined
  let length = 0
  const stop = () => {
    source.off("data", onData)
    source.off("end", onEnd)
  }
  const onData = (chunk: Uint8Array) => {
    length += chunk.length
    if (length > max) {
      stop()
      // What is still to come is read and dropped by Effect's server, or the connection is closed.
      source.pause()
      return tooLarge()
    }
    if (first === undefined) first = chunk
    else (rest ??= [first]).push(chunk)
  }
  const onEnd = () => receive(rest === undefined ? first ?? noBytes : Buffer.concat(rest))
  source.on("data", onData)
  source.on("end", onEnd)
  return stop
}

const noBytes = new Uint8Array()

/** What the route answers when all has been written: it is not sent, but loggers and tracers read its status. */
const writtenWith = (status: number): Answer => Effect.succeed(HttpServerResponse.empty({ status }))

const written: Readonly<Record<number, Answer>> = { 200: writtenWith(200), 202: writtenWith(202) }
