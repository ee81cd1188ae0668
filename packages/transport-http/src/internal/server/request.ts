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

/** Services that are read from requests. */
export type Services = ReadonlyArray<Context.Key<unknown, unknown>>

/** Who asks, by the services of a request. */
export type PrincipalOf = (services: Context.Context<never>) => string | undefined

/**
 * The services of the request: those that are listed, and the span of the HTTP request, so that the call is below it. The
 * native tracer keeps no spans, so there it would only cost.
 */
export const contextOf = (fiber: Fiber.Fiber<unknown, unknown>, services: Services): Context.Context<never> => {
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  // An exchange has services that its type does not list (`Exchange.context`).
  const base = span === undefined || fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer
    ? empty
    : Context.make(Tracer.ParentSpan, span) as Context.Context<never>
  return services.length === 0 ? base : withServices(base, fiber.context, services)
}

const withServices = (
  base: Context.Context<never>,
  { mapUnsafe }: Context.Context<never>,
  services: Services
): Context.Context<never> => {
  const found = new Map(base.mapUnsafe)
  for (const { key } of services) {
    // What is missing is for the server to miss: it may have another middleware for it.
    if (mapUnsafe.has(key)) found.set(key, mapUnsafe.get(key))
  }
  return Context.makeUnsafe(found)
}

const empty = Context.empty()
