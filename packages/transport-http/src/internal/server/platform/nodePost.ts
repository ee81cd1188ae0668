/**
 * Answers on Node's own request and response.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Buffer } from "node:buffer"
import type * as Http from "node:http"
import { NodeSink } from "./nodeSink.ts"
import type { Peer } from "../peer.ts"
import type { Platform, Receiver, Served, Take } from "./platform.ts"
import * as portable from "./portable.ts"
import { type ExtraHeaders, Reply } from "../reply.ts"
import { contextOf } from "../request.ts"
import type { Sink } from "./sink.ts"
import * as utf8 from "../../utf8.ts"

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** The handler of a POST. */
const post =
  <Admitted extends { readonly cors: ExtraHeaders }>(server: Receiver<Admitted>) =>
  (request: HttpServerRequest.HttpServerRequest): Answer => {
    const admitted = server.admit(request)
    if (admitted instanceof Reply) return Effect.succeed(admitted.response)
    // HTTP/2 has the same members, with types of their own.
    const source = NodeHttpServerRequest.toIncomingMessage(request) as Http.IncomingMessage
    const receive = (bytes: Uint8Array): Start => (context, sink) =>
      server.receive(admitted, utf8.decode(bytes), context, sink)
    // A body that a middleware has read is found where it left it, and one that is waited for with `Expect: 100-continue`
    // is asked for by Effect's server, which has to know.
    return source.readableDidRead || source.headers.expect !== undefined
      ? Effect.flatMap(
        portable.body(server, request, admitted.cors),
        (body) =>
          body instanceof Reply
            ? Effect.succeed(body.response)
            : answer(server, request, (start) => start(receive(new Uint8Array(body))))
      )
      : answer(server, request, (start, refuse) =>
        read(
          source,
          server.limits.messageBytes,
          (bytes) => start(receive(bytes)),
          () => refuse(server.tooLarge(admitted.cors))
        ))
  }

/** The handler of another verb, which has no body to read. */
const other = (server: Served, take: Take) => (request: HttpServerRequest.HttpServerRequest): Answer =>
  answer(server, request, (start) => start((context, sink) => take(request, context, sink)))

/** Answers on Node. */
export const platform: Platform = { post, other }

type Start = (context: Context.Context<never>, sink: Sink) => Peer | undefined

/** Starts the answer when everything has come that is needed for it. What it gives back stops the waiting. */
type Ready = (start: (start: Start) => void, refuse: (reply: Reply) => void) => (() => void) | void

const answer = (server: Served, request: HttpServerRequest.HttpServerRequest, ready: Ready): Answer =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    Effect.callback((resume) => {
      let peer: Peer | undefined
      const sink = new NodeSink(
        server.limits,
        server.shared.closing,
        NodeHttpServerRequest.toServerResponse(request) as Http.ServerResponse,
        (status) => resume(written[status] ?? writtenWith(status))
      )
      const stop = ready(
        (start) => {
          // An event of Node calls this: what is thrown here would end the process and not the request.
          try {
            peer = start(contextOf(fiber, server.services), sink)
          } catch (defect) {
            resume(Effect.die(defect))
          }
        },
        (reply) => resume(Effect.succeed(reply.response))
      )
      return Effect.sync(() => {
        stop?.()
        peer?.gone()
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
