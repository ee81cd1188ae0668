/**
 * Tracing of the client's requests: there is one span for a call, and it is the caller's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { constTrue } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Tracer from "effect/Tracer"

/** The headers that continue the current span on the server. */
export const traceHeaders = (fiber: Fiber.Fiber<unknown, unknown>): Readonly<Record<string, string>> | undefined => {
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  return span?._tag === "Span" && fiber.getRef(HttpClient.TracerPropagationEnabled) &&
      !fiber.getRef(Tracer.DisablePropagation)
    ? HttpTraceContext.toHeaders(span)
    : undefined
}

/** Sends a request without a span of its own. */
export const withoutSpan: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  HttpClient.TracerDisabledWhen,
  constTrue
)
