/**
 * One span per call, and the trace context that goes with the request. With no tracer that records, a call has no span
 * of its own: making one costs more than the call's own work.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** Runs a call in its span; `use` is given the `traceparent` to send (META-8). */
export const traced = <A, E, R>(
  method: string,
  params: JsonObject,
  use: (traceparent: string | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const { span, tracer, tracerEnabled } = fiber.cache
    if (!tracerEnabled || tracer === undefined || tracer === Tracer.nativeTracer) {
      // The native tracer's own spans are recorded nowhere; a span from outside is, and the server's belongs under it.
      return use(span?._tag === "ExternalSpan" ? traceparent(span) : undefined)
    }
    const { name } = params
    return Effect.useSpan(
      // A name is low in cardinality; a URI is not.
      typeof name === "string" ? `${method} ${name}` : method,
      { kind: "client", attributes: { "mcp.method.name": method } },
      (span) => Effect.withParentSpan(use(traceparent(span)), span, { captureStackTrace: false })
    )
  })

const traceparent = (span: Tracer.AnySpan): string =>
  `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
