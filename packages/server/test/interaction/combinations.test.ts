/** Questions and effects that run once, among the other things a handler does. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Roots from "@effect-mcp/server/Roots"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { open, until } from "../legacy/support.ts"
import { start } from "../support.ts"
import {
  type Asked,
  asking,
  captureLogs,
  errorOf,
  everything,
  inputRequired,
  playTool,
  round,
  say,
  textOf,
  usual
} from "./support.ts"

const both = ["2025-11-25", "2026-07-28"] as const

const ticks = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

describe("questions", () => {
  for (const revision of both) {
    it.effect(`ELI-18: an address that was visited does not shift the keys of what is asked after it, under ${revision}`, () =>
      Effect.gen(function*() {
        let isLinked = false
        const handler = Effect.gen(function*() {
          if (!isLinked) yield* Elicitation.urlRequired({ message: "Link it", url: "https://example.com/" })
          const { name } = yield* Elicitation.formOrFail({ message: "Who?", schema: { name: Schema.String } })
          return name
        }).pipe(Effect.catchTags({ Declined: Effect.die, Cancelled: Effect.die }))
        const { endpoint } = yield* start(asking(handler))
        const play = playTool(endpoint, revision, "ask", {
          answer: ({ params }) => {
            if (params.mode !== "url") return { action: "accept", content: { name: "me" } }
            isLinked = true
            return { action: "accept" }
          }
        })
        if (revision === "2025-11-25") {
          assert.strictEqual(errorOf(yield* play).code, -32042)
          isLinked = true
        }
        assert.strictEqual(textOf(yield* play), "me")
      }))

    it.live(`a handler that becomes uninterruptible after a question was asked does not hang, under ${revision}`, () =>
      Effect.gen(function*() {
        const handler = Effect.gen(function*() {
          const text = yield* Deferred.make<string>()
          const asks = Effect.flatMap(say("a"), (it) => Deferred.succeed(text, it))
          yield* Effect.forkChild(asks, { startImmediately: true })
          return yield* Effect.uninterruptible(Deferred.await(text))
        })
        const { endpoint } = yield* start(asking(handler))
        // A call that hangs must not keep the test from ending.
        const scope = yield* Scope.make()
        let isAnswered = false
        yield* Effect.forkDetach(
          Effect.ensuring(
            Effect.provideService(playTool(endpoint, revision, "ask"), Scope.Scope, scope),
            Effect.sync(() => {
              isAnswered = true
            })
          )
        )
        yield* Effect.sleep(200)
        assert.isTrue(isAnswered)
      }))

    it.live(`one that is asked while another is open needs a key, under ${revision}`, () =>
      Effect.gen(function*() {
        const handler = Effect.all([say("a"), Effect.delay(say("b"), 50)], { concurrency: "unbounded" }).pipe(
          Effect.map(String),
          Effect.catchReason("InteractionError", "KeyNeeded", () => Effect.succeed("KeyNeeded"))
        )
        const { endpoint } = yield* start(asking(handler))
        // The first one has ended the round by then, so that none is open.
        if (revision === "2026-07-28") {
          return assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "re: a,re: b")
        }
        const peer = yield* open(endpoint, revision, { capabilities: everything })
        const response = yield* peer.request("tools/call", { name: "ask" }, {
          onMessage: (message) =>
            message._tag === "Request"
              ? Effect.delay(
                peer.reply(JsonRpc.success(message.id, usual({ ...message, key: undefined } as Asked))),
                150
              )
              : Effect.void
        })
        assert.strictEqual(textOf({ response }), "KeyNeeded")
      }))
  }

  it.effect("a handler that asks for another kind of thing in the same place is told so", () =>
    Effect.gen(function*() {
      let run = 0
      const handler = Effect.suspend(() => ++run === 1 ? Effect.as(Roots.list, "roots") : say("a")).pipe(
        Effect.catchReason("InteractionError", "AskedDifferently", () => Effect.succeed("AskedDifferently"))
      )
      const { endpoint } = yield* start(asking(handler))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "AskedDifferently")
    }))

  it.effect("finalizers of every fiber of the handler can tell a question from a cancellation", () =>
    Effect.gen(function*() {
      const seen: Array<readonly [string, boolean]> = []
      const watched = (name: string) =>
        Effect.onInterrupt(
          Effect.never,
          () => Effect.map(Interaction.isEnding, (isEnding) => seen.push([name, isEnding]))
        )
      const asks = yield* Ref.make(true)
      const question = Effect.flatMap(Ref.getAndSet(asks, false), (asks) => asks ? say("a") : Effect.never)
      const handler = Effect.gen(function*() {
        yield* Effect.forkChild(watched("child"), { startImmediately: true })
        return yield* Interaction.all({ question, sibling: watched("sibling") })
      })
      const { endpoint } = yield* start(asking(Effect.as(handler, "done")))
      inputRequired(yield* round(endpoint, "tools/call", { name: "ask" }))
      yield* until(() => seen.length >= 2)
      assert.sameDeepMembers(seen, [["child", true], ["sibling", true]])
      seen.length = 0
      const call = yield* Effect.forkChild(round(endpoint, "tools/call", { name: "ask" }), { startImmediately: true })
      yield* ticks(20)
      yield* Fiber.interrupt(call)
      yield* until(() => seen.length >= 2)
      assert.sameDeepMembers(seen, [["child", false], ["sibling", false]])
    }))

  it.effect("one that was written down nowhere, as Roots.list, is told with its handler", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const handler = Effect.yieldNow.pipe(Effect.andThen(Effect.uninterruptible(Roots.list)), Effect.as("done"))
      const { endpoint } = yield* start(asking(handler)).pipe(Effect.provide(layer))
      yield* round(endpoint, "tools/call", { name: "ask" })
      assert.match(logged.map(({ cause }) => Cause.pretty(cause)).join(), /in the handler of tools\/call ask\. Asking/)
    }))

  it.effect("an empty name in Interaction.all is a name", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(
        asking(Effect.map(Effect.andThen(say("a"), Interaction.all({ "": say("b") })), (it) => it[""]))
      )
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: b")
    }))
})

describe("Interaction.once", () => {
  it.effect("MRTR-14: what is remembered after the round has ended counts too: no state is sent that is not taken again", () =>
    Effect.gen(function*() {
      const once = Interaction.once("big", { success: Schema.String }, Effect.as(ticks(20), "x".repeat(60_000)))
      const handler = Effect.all([Effect.uninterruptible(once), say("a")], { concurrency: "unbounded" })
      const { layer, logged } = captureLogs()
      const { endpoint } = yield* start(asking(Effect.map(handler, ([, text]) => text))).pipe(Effect.provide(layer))
      const response = yield* round(endpoint, "tools/call", { name: "ask" })
      assert.strictEqual(errorOf({ response }).code, -32603)
      assert.deepStrictEqual(logged.map(({ cause }) => cause.reasons[0]?.error.reason._tag), ["StateTooLarge"])
    }))

  it.effect("an effect that could not be interrupted, and was done, does not run again", () =>
    Effect.gen(function*() {
      let ran = 0
      const effect = Effect.andThen(ticks(20), Effect.sync(() => ++ran))
      const once = Effect.uninterruptible(Interaction.once("k", { success: Schema.Int }, effect))
      const handler = Effect.all([once, say("a")], {
        concurrency: "unbounded"
      })
      const { endpoint } = yield* start(asking(Effect.map(handler, String)))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "1,re: a")
    }))

  for (const revision of both) {
    it.effect(`that fails and is not remembered can be tried again, under ${revision}`, () =>
      Effect.gen(function*() {
        let ran = 0
        const flaky = Effect.suspend(() =>
          ++ran < 3 ? Effect.fail(new McpError.InternalError({ message: "transient" })) : Effect.succeed(ran)
        )
        const once = Interaction.once("k", { success: Schema.Int }, flaky)
        const { endpoint } = yield* start(asking(Effect.map(Effect.retry(once, { times: 5 }), String)))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "3")
      }))
  }

  it.effect("a failure with a defect beside it is no outcome", () =>
    Effect.gen(function*() {
      class Refused extends Schema.TaggedError<Refused>()("Refused", {}) {}
      let ran = 0
      const effect = Effect.suspend(() => {
        ran++
        return Effect.ensuring(Effect.fail(new Refused()), Effect.die(new Error("inside")))
      })
      const once = Interaction.once("k", { success: Schema.Never, failure: Refused }, effect)
      const { endpoint } = yield* start(asking(Effect.andThen(Effect.exit(once), say("a"))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: a")
      assert.strictEqual(ran, 2)
    }))

  it.effect("an outcome that its schema cannot write down is in the log, like any other InteractionError", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const once = Interaction.once("k", { success: Schema.Int }, Effect.succeed(0.5))
      const { endpoint } = yield* start(asking(Effect.as(once, "done"))).pipe(Effect.provide(layer))
      assert.strictEqual(errorOf(yield* playTool(endpoint, "2026-07-28", "ask")).code, -32603)
      assert.deepStrictEqual(logged.map(({ cause }) => cause.reasons[0]?.error.reason._tag), ["InvalidOutcome"])
    }))

  it.effect("nothing is an outcome too", () =>
    Effect.gen(function*() {
      const once = Interaction.once("k", { success: Schema.Any }, Effect.void)
      const { endpoint } = yield* start(asking(Effect.andThen(once, say("a"))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: a")
    }))
})

describe("middleware", () => {
  it.effect("may run the handler again after a defect: what the run before has asked is no longer asked", () =>
    Effect.gen(function*() {
      let runs = 0
      const handler = Effect.suspend(() =>
        ++runs === 1
          ? Effect.ensuring(say("a"), Effect.die(new Error("inside")))
          : Effect.fail(new McpError.InvalidRequest({ message: "the second run" }))
      )
      const again = McpServer.middleware()((next) => Effect.catchDefect(next, () => next))
      const { endpoint } = yield* start(Layer.merge(again, asking(handler)))
      const response = yield* round(endpoint, "tools/call", { name: "ask" })
      assert.deepStrictEqual([runs, errorOf({ response }).message], [2, "the second run"])
    }))

  it.effect("may refuse a question: the client gets its error, and no question", () =>
    Effect.gen(function*() {
      const refuses = McpServer.middleware()((next) =>
        Effect.filterOrFail(
          next,
          (result) => McpServer.resultOf(result).resultType !== "input_required",
          () => new McpError.InvalidRequest({ message: "No questions here" })
        )
      )
      const { endpoint } = yield* start(Layer.merge(refuses, asking(say("a"))))
      const response = yield* round(endpoint, "tools/call", { name: "ask" })
      assert.strictEqual(errorOf({ response }).message, "No questions here")
    }))
})
