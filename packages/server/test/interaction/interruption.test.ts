/** A question ends the round by interrupting the handler, whatever the handler does around it. */
import { assert, describe, it } from "@effect/vitest"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Interaction from "@effect-mcp/server/Interaction"
import { isInteractionError } from "@effect-mcp/server/InteractionError"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Roots from "@effect-mcp/server/Roots"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { until } from "../legacy/support.ts"
import { start } from "../support.ts"
import {
  asking,
  captureLogs,
  errorOf,
  type Handling,
  inputRequired,
  playTool,
  revisions,
  round,
  textOf
} from "./support.ts"

const uri = Effect.map(Roots.list, (roots) => `${roots[0]?.uri}`)

type Swallow = (question: typeof uri) => Effect.Effect<string, Effect.Error<typeof uri>, Handling>

/** Everything a handler may do around a question, and go on as if it had not been interrupted. */
const swallowing: Record<string, Swallow> = {
  "catchCause": (question) => Effect.catchCause(question, () => Effect.succeed("swallowed")),
  "catchDefect": (question) => Effect.catchDefect(question, () => Effect.succeed("swallowed")),
  "catch": (question) => question.pipe(Effect.catch(() => Effect.succeed("swallowed"))),
  "exit": (question) => Effect.map(Effect.exit(question), (exit) => Exit.isSuccess(exit) ? exit.value : "swallowed"),
  "sandbox": (question) => Effect.sandbox(question).pipe(Effect.catch(() => Effect.succeed("swallowed"))),
  "matchCause": (question) => Effect.matchCause(question, { onFailure: () => "swallowed", onSuccess: (uri) => uri }),
  "orElseSucceed": (question) => Effect.orElseSucceed(question, () => "swallowed"),
  "retry": (question) => Effect.retry(question, Schedule.recurs(3)),
  "timeout": (question) => Effect.timeoutOrElse(question, { duration: "1 hour", orElse: () => Effect.succeed("late") }),
  "timeoutOption": (question) =>
    Effect.map(Effect.timeoutOption(question, "1 hour"), (option) => option._tag === "Some" ? option.value : "late"),
  "race": (question) => Effect.race(question, Effect.never),
  "race that recovers": (question) =>
    Effect.race(question, Effect.never).pipe(Effect.catchCause(() => Effect.succeed("swallowed"))),
  "race whose branch recovers": (question) =>
    Effect.race(Effect.catchCause(question, () => Effect.succeed("swallowed")), Effect.never),
  "raceFirst": (question) => Effect.raceFirst(Effect.exit(question), Effect.never).pipe(Effect.flatten),
  "all, concurrently": (question) =>
    Effect.map(
      Effect.all([Effect.exit(question), Effect.succeed(1)], { concurrency: "unbounded" }),
      ([exit]) => Exit.isSuccess(exit) ? exit.value : "swallowed"
    ),
  "a child fiber": (question) => Effect.flatMap(Effect.forkChild(question), Fiber.join),
  "a child fiber that is awaited": (question) =>
    Effect.map(
      Effect.flatMap(Effect.forkChild(question), Fiber.await),
      (exit) => Exit.isSuccess(exit) ? exit.value : "swallowed"
    ),
  "a child fiber that recovers": (question) =>
    Effect.flatMap(Effect.forkChild(Effect.catchCause(question, () => Effect.succeed("swallowed"))), Fiber.join),
  "a child fiber started at once": (question) =>
    Effect.flatMap(Effect.forkChild(question, { startImmediately: true }), Fiber.join),
  "a fiber in the scope of the request": (question) => Effect.flatMap(Effect.forkScoped(question), Fiber.join),
  "a FiberSet": (question) =>
    Effect.gen(function*() {
      const set = yield* FiberSet.make<string, Effect.Error<typeof uri>>()
      return yield* Fiber.join(yield* FiberSet.run(set, question))
    }),
  "a detached fiber": (question) => Effect.flatMap(Effect.forkDetach(question), Fiber.join),
  "a stream": (question) => Effect.map(Stream.runCollect(Stream.fromEffect(question)), (uris) => uris.join()),
  "a stream that recovers": (question) =>
    Stream.fromEffect(question).pipe(
      Stream.catchCause(() => Stream.succeed("swallowed")),
      Stream.runCollect,
      Effect.map((uris) => uris.join())
    ),
  "a concurrent stream": (question) =>
    Stream.make(1).pipe(
      Stream.mapEffect(() => question, { concurrency: 4 }),
      Stream.merge(Stream.empty),
      Stream.runCollect,
      Effect.map((uris) => uris.join())
    ),
  "restore in an uninterruptible region": (question) =>
    Effect.uninterruptibleMask((restore) => Effect.catchCause(restore(question), () => Effect.succeed("swallowed"))),
  "use of what was acquired": (question) =>
    Effect.acquireUseRelease(Effect.void, () => question, () => Effect.void).pipe(
      Effect.catchCause(() => Effect.succeed("swallowed"))
    ),
  "a scope of its own": (question) =>
    Effect.scoped(Effect.andThen(Effect.acquireRelease(Effect.void, () => Effect.yieldNow), question)).pipe(
      Effect.exit,
      Effect.map((exit) => Exit.isSuccess(exit) ? exit.value : "swallowed")
    ),
  "a span": (question) => Effect.catchCause(Effect.withSpan(question, "asking"), () => Effect.succeed("swallowed")),
  "onInterrupt": (question) => Effect.onInterrupt(question, () => Effect.yieldNow),
  "cached": (question) => Effect.flatten(Effect.cached(question))
}

describe("MRTR-1: nothing that is around a question swallows it", () => {
  for (const [name, swallow] of Object.entries(swallowing)) {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      it.effect(`${name}, under ${revision}`, () =>
        Effect.gen(function*() {
          const { endpoint } = yield* start(asking(swallow(uri)))
          const played = yield* playTool(endpoint, revision, "ask")
          assert.strictEqual(textOf(played), "file:///work")
          assert.strictEqual(played.asked.length, 1)
        }))
    }
  }

  it.effect("nor where a middleware stands around the handler, which is not interrupted", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const middleware = McpServer.middleware()((next, { method }) =>
        Effect.onExit(next, (exit) =>
          Effect.sync(() => {
            seen.push([
              method,
              Exit.isSuccess(exit) ? McpServer.resultOf(exit.value).resultType ?? "complete" : exit.cause
            ])
          }))
      )
      const { endpoint } = yield* start(Layer.merge(middleware, asking(swallowing["catchCause"]!(uri))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "file:///work")
      assert.deepStrictEqual(seen, [["tools/call", "input_required"], ["tools/call", "complete"]])
    }))
})

describe("what a handler does before it is interrupted", () => {
  it.effect("finalizers run, in their order, before the client has the question", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const note = (what: string) => Effect.sync(() => ran.push(what))
      const handler = Effect.gen(function*() {
        yield* Effect.addFinalizer(() => Effect.andThen(Effect.yieldNow, note("of the request")))
        yield* Effect.acquireRelease(note("acquired"), () => note("released"))
        return yield* uri
      }).pipe(Effect.ensuring(Effect.andThen(Effect.yieldNow, note("ensured"))))
      const { endpoint } = yield* start(asking(handler))
      inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      assert.deepStrictEqual(ran, ["acquired", "ensured", "released", "of the request"])
    }))

  it.effect("a question is told from a cancellation by its annotation", () =>
    Effect.gen(function*() {
      const seen: Array<Cause.Cause<unknown>> = []
      const waiting = yield* Deferred.make<void>()
      const asks = yield* Ref.make(true)
      const handler = Effect.gen(function*() {
        if (yield* Ref.getAndSet(asks, false)) return yield* uri
        yield* Deferred.succeed(waiting, undefined)
        return yield* Effect.never
      }).pipe(Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) ? seen.push(exit.cause) : 0)))
      const { endpoint } = yield* start(asking(handler))
      inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      const call = yield* Effect.forkChild(round(endpoint, "tools/call", { name: "ask" }))
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(call)
      yield* until(() => seen.length >= 2)
      const [question, cancellation] = seen
      assert(question !== undefined && cancellation !== undefined)
      assert.isTrue(Cause.hasInterruptsOnly(question) && Cause.hasInterruptsOnly(cancellation))
      assert.isTrue(Interaction.isInputRequired(question))
      assert.isFalse(Interaction.isInputRequired(cancellation))
    }))

  it.effect("spans of a handler end with the annotated interruption, and the round is no error", () =>
    Effect.gen(function*() {
      const ended: Array<readonly [string, boolean]> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          const end = span.end.bind(span)
          span.end = (time, exit) => {
            ended.push([span.name, Exit.isFailure(exit) && Interaction.isInputRequired(exit.cause)])
            end(time, exit)
          }
          return span
        }
      })
      const { logged, layer } = captureLogs()
      const { endpoint } = yield* start(asking(Effect.withSpan(uri, "handler"))).pipe(
        Effect.provide([Layer.succeed(Tracer.Tracer, tracer), layer])
      )
      yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual(ended, [["handler", true], ["handler", false]])
      assert.deepStrictEqual(logged.filter(({ level }) => level !== "Warn"), [])
    }))

  it.effect("a finalizer that dies is a defect, and no question", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const handler = Effect.ensuring(uri, Effect.die(new Error("inside")))
      const { endpoint } = yield* start(asking(handler)).pipe(Effect.provide(layer))
      assert.strictEqual(errorOf(yield* playTool(endpoint, "2026-07-28", "ask")).code, -32603)
      assert.include(logged.map(({ cause }) => Cause.pretty(cause)).join(), "inside")
    }))
})

describe("a question where the handler cannot be interrupted is a defect, under every revision", () => {
  const places: Record<string, (question: typeof uri) => Effect.Effect<string, Effect.Error<typeof uri>, Handling>> = {
    "an acquire": (question) => Effect.acquireRelease(question, () => Effect.void),
    "a finalizer": (question) => Effect.onExit(Effect.succeed("done"), () => question),
    "a finalizer of the request": (question) =>
      Effect.as(
        Effect.flatMap(Effect.context<Handling>(), (context) =>
          Effect.addFinalizer(() => Effect.orDie(Effect.provideContext(question, context)))),
        "done"
      ),
    "an uninterruptible region": (question) => Effect.uninterruptible(question),
    "a race in an uninterruptible region": (question) =>
      Effect.uninterruptible(Effect.raceFirst(question, Effect.never)),
    "an uninterruptible child": (question) =>
      Effect.flatMap(Effect.forkChild(question, { uninterruptible: true }), Fiber.join),
    "a child of an uninterruptible region": (question) =>
      Effect.uninterruptible(Effect.flatMap(Effect.forkChild(question), Fiber.join))
  }
  for (const [name, where] of Object.entries(places)) {
    for (const revision of revisions) {
      it.effect(`${name}, under ${revision}`, () =>
        Effect.gen(function*() {
          const { layer, logged } = captureLogs()
          const { endpoint } = yield* start(asking(where(uri))).pipe(Effect.provide(layer))
          const played = yield* playTool(endpoint, revision, "ask")
          assert.deepStrictEqual(played.asked, [])
          // What a finalizer of the request comes to is in the log; the handler has had its answer already.
          if (name !== "a finalizer of the request") assert.strictEqual(errorOf(played).code, -32603)
          const defects = logged.flatMap(({ cause }) => cause.reasons.filter(Cause.isDieReason))
            .map(({ defect }) => defect)
          assert.strictEqual(defects.length, 1)
          const [defect] = defects
          assert(isInteractionError(defect) && defect.reason._tag === "Uninterruptible")
          assert.include(defect.message, "Roots.list was asked")
          assert.include(defect.message, "tools/call ask")
        }))
    }
  }

  it.effect("it names the line of code that asks", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const ask = () => Elicitation.form({ message: "Which room?", schema: {} })
      const { endpoint } = yield* start(asking(Effect.uninterruptible(Effect.as(ask(), "never")))).pipe(
        Effect.provide(layer)
      )
      yield* playTool(endpoint, "2026-07-28", "ask")
      const text = Cause.pretty(logged[0].cause)
      assert.include(text, "Elicitation.form \"Which room?\" was asked where it cannot be interrupted")
      assert.match(text, /in the handler of tools\/call ask, at ask .*interruption\.test\.ts:\d+/)
    }))

  it.effect("a question of a fiber that outlives its handler is one too", () =>
    Effect.gen(function*() {
      for (const revision of revisions) {
        const exit = yield* Deferred.make<Exit.Exit<string, unknown>>()
        const go = yield* Deferred.make<void>()
        const handler = Effect.as(
          Effect.forkDetach(Effect.andThen(Deferred.await(go), Effect.onExit(uri, (it) => Deferred.succeed(exit, it)))),
          "done"
        )
        const { endpoint } = yield* start(asking(handler))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "done")
        yield* Deferred.succeed(go, undefined)
        const ended = yield* Deferred.await(exit)
        assert(Exit.isFailure(ended))
        assert.include(Cause.pretty(ended.cause), "after its handler had ended")
      }
    }))

  it.effect("an uninterruptible fiber between the handler and the question does not make it hang", () =>
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const handler = Effect.forkChild(
        Effect.uninterruptible(Effect.flatMap(Effect.forkIn(uri, scope), Fiber.await)),
        { uninterruptible: true }
      ).pipe(Effect.flatMap(Fiber.join), Effect.flatten)
      const { endpoint } = yield* start(asking(handler))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "file:///work")
    }))
})
