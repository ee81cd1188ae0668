/**
 * What is read from a request of Effect's HTTP server, whatever platform it came over.
 */
import * as Context from "effect/Context"
import type * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Tracer from "effect/Tracer"

/** What the request was sent to. A web `Request` may carry its host in the URL only. */
export const hostOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.headers.host ?? /^https?:\/\/([^/?#]*)/i.exec(request.originalUrl)?.[1]

/**
 * The services of the request: the span of the HTTP request, so that the call is below it. The native tracer keeps no
 * spans, so there it would only cost.
 */
export const contextOf = (fiber: Fiber.Fiber<unknown, unknown>): Context.Context<never> => {
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  // An exchange has services that its type does not list (`Exchange.context`).
  return span === undefined || fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
    ? empty
    : Context.make(Tracer.ParentSpan, span) as Context.Context<never>
}

const empty = Context.empty()
