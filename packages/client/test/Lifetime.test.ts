import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Limits from "@effect-mcp/core/Limits"
import * as TestClock from "effect/testing/TestClock"
import * as Scripted from "./support/scripted.ts"

const never = Scripted.client(() => Effect.never)

/** A call that reports progress `times` times, one second apart, and then answers. */
const reporting = (times: number): Scripted.Script => (request) =>
  Effect.gen(function*() {
    for (let i = 1; i <= times; i++) {
      yield* Effect.sleep("1 second")
      yield* request.onMessage(Scripted.progress(request.message.id, i))
    }
    yield* Effect.sleep("1 second")
    return { content: [] }
  })

const deadline = (exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof McpClientError.McpClientError && error.reason._tag === "DeadlineExceeded"
    ? error.reason
    : undefined
}

describe("deadlines", () => {
  it.effect("CAN-8: a silent server fails the request after the default deadline, which cancels it", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* never
      const fiber = yield* Effect.forkChild(client.callTool("slow"))
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(
        deadline(yield* Fiber.await(fiber))?.message,
        "No answer to tools/call and no progress for 60000 ms"
      )
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("CAN-8: a deadline can be set for a client and for a request", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => Effect.never, { deadline: "10 seconds" })
      const usual = yield* Effect.forkChild(client.callTool("slow"))
      const short = yield* Effect.forkChild(client.callTool("slow", {}, { deadline: "2 seconds" }))
      const long = yield* Effect.forkChild(client.callTool("slow", {}, { deadline: "20 minutes" }))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(deadline(yield* Fiber.await(short))?.deadline, 2_000)
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual(deadline(yield* Fiber.await(usual))?.deadline, 10_000)
      yield* TestClock.adjust("19 minutes")
      assert.strictEqual(long.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(deadline(yield* Fiber.await(long))?.deadline, 1_200_000)
      assert.deepStrictEqual(transport.cancelled, [3, 2, 4])
    }))

  it.effect("CAN-8: progress extends the deadline", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(reporting(100), { deadline: "2 seconds" })
      const fiber = yield* Effect.forkChild(client.callTool("slow"))
      yield* TestClock.adjust("101 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
    }))

  it.effect("CAN-8: progress does not extend the deadline where it is told not to", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(reporting(100), { deadline: "2 seconds" })
      const fiber = yield* Effect.forkChild(client.callTool("slow", {}, { extendOnProgress: false }))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(deadline(yield* Fiber.await(fiber))?.kind, "idle")
    }))

  it.effect("CAN-8: no progress extends the absolute deadline", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(reporting(1_000))
      const fiber = yield* Effect.forkChild(client.callTool("slow"))
      yield* TestClock.adjust("600 seconds")
      const error = deadline(yield* Fiber.await(fiber))
      assert.strictEqual(error?.message, "No answer to tools/call within 600000 ms in all")
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("a deadline may be infinite", () =>
    Effect.gen(function*() {
      const { client } = yield* never
      const fiber = yield* Effect.forkChild(
        client.callTool("slow", {}, { deadline: Duration.infinity, deadlineMax: Duration.infinity })
      )
      yield* TestClock.adjust("100 days")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
    }))

  it.effect("a deadline is kept where interruption is not allowed, and though the transport does not stop", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => Effect.uninterruptible(Effect.never), { deadline: "1 second" })
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(client.callTool("slow")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(deadline(yield* Fiber.await(fiber))?.kind, "idle")
    }))

  it.effect("an answer within the deadline leaves nothing behind that could end a later request", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => Effect.delay(Effect.succeed({ content: [] }), "1 second"))
      for (let i = 0; i < 200; i++) {
        const fiber = yield* Effect.forkChild(client.callTool("a"))
        yield* TestClock.adjust("1 second")
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
      }
    }))
})

describe("cancellation", () => {
  it.effect("CAN-2: interrupting a request interrupts its send, and waits for that", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* never
      const fiber = yield* Effect.forkChild(client.callTool("slow"))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("CAN-1: an answered request is not cancelled", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({ content: [] }))
      yield* client.callTool("a")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(transport.cancelled, [])
    }))

  it.effect("CAN-2: an interruption while the send starts leaves nothing running", () =>
    Effect.gen(function*() {
      const self = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
      const { client, transport } = yield* Scripted.client(() =>
        Effect.flatMap(Deferred.await(self), (fiber) => {
          fiber.interruptUnsafe()
          return Effect.never
        })
      )
      const fiber = yield* Effect.forkChild(client.callTool("slow"))
      yield* Deferred.succeed(self, fiber)
      yield* Fiber.await(fiber)
      assert.deepStrictEqual(transport.cancelled, [2])
    }))
})

describe("progress and logs", () => {
  it.effect("PROG-2, PROG-3: progress of other tokens, backwards or late is dropped", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      let late: Effect.Effect<void> = Effect.void
      const { client } = yield* Scripted.client((request) =>
        Effect.gen(function*() {
          const { id } = request.message
          late = request.onMessage(Scripted.progress(id, 9))
          yield* request.onMessage(Scripted.progress(id, 1))
          yield* request.onMessage(Scripted.progress(String(id), 2))
          yield* request.onMessage(Scripted.progress(id, 1))
          yield* request.onMessage(Scripted.progress(id, 0.5))
          yield* request.onMessage(Scripted.progress(id, Number.NaN))
          yield* request.onMessage(Scripted.progress(id, 1.5, { total: 3, message: "half" }))
          return { content: [] }
        })
      )
      yield* client.callTool("a", {}, { onProgress: (p) => Effect.sync(() => seen.push(p.progress)) })
      yield* late
      assert.deepStrictEqual(seen, [1, 1.5])
    }))

  it.effect("the transport waits for the callback, which runs in the context of the request", () =>
    Effect.gen(function*() {
      class Sink extends Context.Service<Sink, Array<string>>()("test/Sink") {}
      const { client } = yield* Scripted.client((request) =>
        Effect.gen(function*() {
          for (let i = 1; i <= 3; i++) yield* request.onMessage(Scripted.progress(request.message.id, i))
          return { content: [] }
        })
      )
      const sink: Array<string> = []
      const fiber = yield* client.callTool("a", {}, {
        onProgress: ({ progress }) =>
          Effect.gen(function*() {
            const sink = yield* Sink
            sink.push(`start ${progress}`)
            yield* Effect.sleep("1 second")
            sink.push(`end ${progress}`)
          })
      }).pipe(Effect.provideService(Sink, sink), Effect.forkChild)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(sink, ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
    }))

  it.effect("a callback that dies ends its request, which is cancelled, and not the connection", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client((request) =>
        Effect.andThen(request.onMessage(Scripted.progress(request.message.id, 1)), Effect.never)
      )
      const exit = yield* Effect.exit(client.callTool("a", {}, { onProgress: () => Effect.die("boom") }))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === "boom")
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("a callback that hangs is let go with its request", () =>
    Effect.gen(function*() {
      let interrupted = false
      const { client } = yield* Scripted.client((request) =>
        Effect.uninterruptible(
          Effect.as(request.onMessage(Scripted.progress(request.message.id, 1)), { content: [] })
        )
      )
      const fiber = yield* Effect.forkChild(client.callTool("a", {}, {
        onProgress: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted = true))
      }))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(deadline(yield* Fiber.await(fiber))?.kind, "absolute")
      assert.isTrue(interrupted)
    }))

  it.effect("CAN-8: the time a callback takes is not the server's silence", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client((request) =>
        Effect.gen(function*() {
          for (let progress = 1; progress <= 4; progress++) {
            yield* request.onMessage(Scripted.progress(request.message.id, progress))
          }
          return { content: [] }
        })
      )
      const call = { deadline: "3 seconds", onProgress: () => Effect.sleep("2 seconds") } as const
      const patient = yield* Effect.forkChild(client.callTool("a", {}, call))
      const strict = yield* Effect.forkChild(client.callTool("a", {}, { ...call, extendOnProgress: false }))
      yield* TestClock.adjust("8 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(patient)))
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(strict)))
    }))

  it.effect("CAN-8: after a callback the server has what was left of its time", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client((request) =>
        Effect.andThen(request.onMessage(Scripted.progress(request.message.id, 1)), Effect.never)
      )
      const fiber = yield* Effect.forkChild(client.callTool("a", {}, {
        deadline: "3 seconds",
        onProgress: () => Effect.sleep("10 seconds")
      }))
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(deadline(yield* Fiber.await(fiber))?.kind, "idle")
    }))

  it.effect("META-16: logs are asked for by level, for one request, and handed over", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client((request) =>
        Effect.as(
          request.onMessage({
            _tag: "Notification",
            method: "notifications/message",
            params: { level: "warning", logger: "db", data: null }
          }),
          { content: [] }
        )
      )
      const seen: Array<unknown> = []
      const onLog = (message: unknown) => Effect.sync(() => seen.push(message))
      yield* client.callTool("a", {}, { logLevel: "debug", onLog })
      yield* client.callTool("a", {}, { onLog })
      yield* client.callTool("a")
      assert.deepStrictEqual(seen, Array.from({ length: 2 }, () => ({ level: "warning", logger: "db", data: null })))
      const levels = transport.sent.slice(1).map((sent) => Scripted.metaOf(sent)["io.modelcontextprotocol/logLevel"])
      assert.deepStrictEqual(levels, ["debug", "info", undefined])
    }))
})

it.effect("Limits: deadlines come from the limits in force", () =>
  Effect.gen(function*() {
    const { client } = yield* Scripted.client(() => Effect.never)
    const fiber = yield* Effect.forkChild(client.listTools())
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(deadline(yield* Fiber.await(fiber))?.deadline, 5_000)
  }).pipe(Effect.provide(Limits.layer({ requestDeadline: 5_000 }))))

it.effect("Limits: requestDeadlineMax ends a request whatever progress it reports", () =>
  Effect.gen(function*() {
    const { client } = yield* Scripted.client((request) =>
      Effect.gen(function*() {
        for (let progress = 1; true; progress++) {
          yield* Effect.sleep("1 second")
          yield* request.onMessage(Scripted.progress(request.message.id, progress))
        }
      })
    )
    const fiber = yield* Effect.forkChild(client.callTool("a"))
    yield* TestClock.adjust("9 seconds")
    assert.strictEqual(fiber.pollUnsafe(), undefined)
    yield* TestClock.adjust("1 second")
    const expired = deadline(yield* Fiber.await(fiber))
    assert.deepStrictEqual([expired?.kind, expired?.deadline], ["absolute", 10_000])
  }).pipe(Effect.provide(Limits.layer({ requestDeadline: 5_000, requestDeadlineMax: 10_000 }))))

it.effect("Limits: more requests than inFlightRequests are refused, the others go on", () =>
  Effect.gen(function*() {
    const { client, transport } = yield* Scripted.client(() =>
      Effect.delay(Effect.succeed({ content: [] }), "1 second")
    )
    const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(client.callTool("a")))
    yield* Effect.yieldNow
    const error = yield* Effect.flip(client.callTool("a"))
    assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "LimitExceeded")
    yield* Fiber.interrupt(fibers[0]!)
    yield* TestClock.adjust("1 second")
    yield* Fiber.joinAll(fibers.slice(1))
    for (let i = 0; i < 10; i++) {
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
    }
    assert.strictEqual(transport.sent.length, 14)
  }).pipe(Effect.provide(Limits.layer({ inFlightRequests: 3 }))))
