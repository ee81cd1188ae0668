import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as Scripted from "./support/scripted.ts"

/** A tracer that is not the native one, and the spans it made. */
const recording = () => {
  const spans: Array<Tracer.Span> = []
  return {
    spans,
    tracer: Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  }
}

const call = Effect.gen(function*() {
  const { client, transport } = yield* Scripted.client(() => ({ content: [], contents: [] }))
  return {
    transport,
    run: Effect.andThen(client.callTool("add"), client.readResource("a:b"))
  }
})

describe("tracing", () => {
  it.effect("META-8: a call has one span, whose context goes with the request", () =>
    Effect.gen(function*() {
      const { run, transport } = yield* call
      const { spans, tracer } = recording()
      yield* Effect.withTracer(Effect.withSpan(run, "outer"), tracer)
      assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [
        ["outer", "internal"],
        ["tools/call add", "client"],
        ["resources/read", "client"]
      ])
      const span = spans[1]
      assert.strictEqual(
        Scripted.metaOf(transport.sent[1]).traceparent,
        `00-${span?.traceId}-${span?.spanId}-01`
      )
      assert.strictEqual(span?.status._tag, "Ended")
    }))

  it.effect("META-8: with the native tracer, or none, a call has no span and nothing is sent", () =>
    Effect.gen(function*() {
      const { run, transport } = yield* call
      const { spans, tracer } = recording()
      yield* Effect.withSpan(run, "outer")
      yield* run.pipe(Effect.withTracerEnabled(false), Effect.withTracer(tracer))
      assert.deepStrictEqual(spans, [])
      for (const sent of transport.sent) assert.isFalse("traceparent" in Scripted.metaOf(sent))
    }))

  it.effect("META-8: a trace from outside is passed on, unless the request says otherwise", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ content: [] }))
      const outside = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true })
      yield* Effect.withParentSpan(client.callTool("add"), outside)
      yield* Effect.withParentSpan(client.callTool("add", {}, { meta: { traceparent: "own" } }), outside)
      assert.deepStrictEqual(transport.sent.slice(1).map((sent) => Scripted.metaOf(sent).traceparent), [
        `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
        "own"
      ])
    }))
})
