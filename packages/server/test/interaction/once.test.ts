/** Effects that later rounds do not run again. */
import { assert, describe, it } from "@effect/vitest"
import * as NonceStore from "@effect-mcp/core/NonceStore"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { start } from "../support.ts"
import { answersTo, asking, errorOf, inputRequired, playTool, revisions, round, say, textOf } from "./support.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

class Other extends Schema.TaggedError<Other>()("Other", {}) {}

const isModern = (revision: string) => revision === "2026-07-28"

const params = { name: "ask", arguments: {} }

describe("Interaction.once", () => {
  for (const revision of revisions) {
    it.effect(`runs an effect once in all rounds, under ${revision}`, () =>
      Effect.gen(function*() {
        const ran = { remembered: 0, plain: 0 }
        const seen = new Set<string>()
        const handler = Effect.gen(function*() {
          ran.plain++
          const at = yield* Interaction.once("at", { success: Schema.DateFromString }, (key) =>
            Effect.sync(() => {
              ran.remembered++
              seen.add(key)
              return new Date(86_400_000)
            }))
          assert.instanceOf(at, Date)
          const again = yield* Interaction.once("nothing", { success: Schema.Void }, Effect.void)
          assert.isUndefined(again)
          yield* say("one")
          yield* say("two")
          return at.toISOString()
        })
        const { endpoint } = yield* start(asking(handler))
        const played = yield* playTool(endpoint, revision, "ask")
        assert.strictEqual(textOf(played), "1970-01-02T00:00:00.000Z")
        assert.deepStrictEqual(ran, { remembered: 1, plain: isModern(revision) ? 3 : 1 })
        assert.strictEqual(seen.size, 1)
      }))

    it.effect(`remembers a failure that has a schema, and no other, under ${revision}`, () =>
      Effect.gen(function*() {
        const ran = { refused: 0, other: 0, plain: 0 }
        const failing = <E>(name: keyof typeof ran, error: E) =>
          Effect.suspend(() => {
            ran[name]++
            return Effect.fail(error)
          })
        const handler = Effect.gen(function*() {
          const refused = yield* Effect.flip(
            Interaction.once(
              "a",
              { success: Schema.Never, failure: Refused },
              failing("refused", new Refused({ why: "x" }))
            )
          )
          const other = yield* Effect.flip(
            Interaction.once("b", { success: Schema.Never, failure: Refused }, failing("other", new Other()))
          )
          const plain = yield* Effect.flip(
            Interaction.once("c", { success: Schema.Never }, failing("plain", new Other()))
          )
          yield* say("one")
          assert(refused instanceof Refused && other instanceof Other && plain instanceof Other)
          return refused.why
        })
        const { endpoint } = yield* start(asking(handler))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "x")
        const rounds = isModern(revision) ? 2 : 1
        assert.deepStrictEqual(ran, { refused: 1, other: rounds, plain: rounds })
      }))

    it.effect(`a key stands for one effect, under ${revision}`, () =>
      Effect.gen(function*() {
        const once = Interaction.once("k", { success: Schema.Int }, Effect.succeed(1))
        const { endpoint } = yield* start(asking(
          Effect.as(Effect.andThen(once, once), "twice").pipe(
            Effect.catchReason("InteractionError", "KeyInUse", ({ key }) => Effect.succeed(`in use: ${key}`))
          )
        ))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "in use: k")
      }))

    it.effect(`an outcome that its schema cannot write down is a typed error, under ${revision}`, () =>
      Effect.gen(function*() {
        const once = Interaction.once("k", { success: Schema.Int }, Effect.succeed(0.5))
        const { endpoint } = yield* start(asking(
          Effect.as(once, "done").pipe(
            Effect.catchReason("InteractionError", "InvalidOutcome", ({ key }) => Effect.succeed(`invalid: ${key}`))
          )
        ))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "invalid: k")
      }))
  }

  it.effect("in Interaction.all the same key is another effect in each branch", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const helper = (text: string) =>
        Effect.gen(function*() {
          const first = yield* Interaction.once("k", { success: Schema.String }, (key) =>
            Effect.sync(() => {
              ran.push(key)
              return text
            }))
          return yield* say(first)
        })
      for (const revision of revisions) {
        ran.length = 0
        const { endpoint } = yield* start(
          asking(Effect.map(Interaction.all({ a: helper("1"), b: helper("2") }), ({ a, b }) => `${a},${b}`))
        )
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "re: 1,re: 2")
        assert.strictEqual(new Set(ran).size, 2)
        assert.strictEqual(ran.length, 2)
      }
    }))

  it.effect("what an effect asks inside is remembered with it, and it runs again until it has its answers", () =>
    Effect.gen(function*() {
      let ran = 0
      const inner = Effect.suspend(() => {
        ran++
        return say("inner")
      })
      const handler = Effect.gen(function*() {
        const text = yield* Interaction.once("inner", { success: Schema.String }, inner)
        return yield* say(text)
      })
      const { endpoint } = yield* start(asking(handler))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: re: inner")
      assert.strictEqual(ran, 2)
    }))

  it.effect("an effect that is done when another branch asks is remembered; one that is interrupted is not", () =>
    Effect.gen(function*() {
      const ran = { done: 0, slow: 0 }
      const isDone = yield* Deferred.make<void>()
      const handler = Effect.all([
        Interaction.once("done", { success: Schema.Int }, Effect.sync(() => ++ran.done)),
        Interaction.once(
          "slow",
          { success: Schema.Int },
          Effect.suspend(() => ++ran.slow === 1 ? Effect.never : Effect.succeed(2))
        ),
        Effect.andThen(Deferred.succeed(isDone, undefined), say("question"))
      ], { concurrency: "unbounded" })
      const { endpoint } = yield* start(asking(Effect.map(handler, String)))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "1,2,re: question")
      assert.deepStrictEqual(ran, { done: 1, slow: 2 })
    }))

  it.effect("defects are not remembered", () =>
    Effect.gen(function*() {
      let ran = 0
      const once = Interaction.once(
        "k",
        { success: Schema.Int, failure: Refused },
        Effect.suspend(() => ++ran === 1 ? Effect.die(new Error("once")) : Effect.succeed(ran))
      )
      const handler = Effect.gen(function*() {
        const exit = yield* Effect.exit(once)
        yield* say("question")
        return Exit.isSuccess(exit) ? `${exit.value}` : "died"
      })
      const { endpoint } = yield* start(asking(handler))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "2")
    }))

  it.effect("MRTR-17: a round that is sent again repeats what it does, unless there is a NonceStore", () =>
    Effect.gen(function*() {
      const play = Effect.fnUntraced(function*(ran: Array<string>) {
        const handler = Effect.gen(function*() {
          yield* say("one")
          yield* Interaction.once("effect", { success: Schema.Void }, (key) => Effect.sync(() => ran.push(key)))
          return yield* say("two")
        })
        const { endpoint } = yield* start(asking(handler))
        const first = inputRequired(yield* round(endpoint, "tools/call", params))
        const answered = { ...params, ...answersTo(first) }
        const second = inputRequired(yield* round(endpoint, "tools/call", answered))
        const replayed = yield* round(endpoint, "tools/call", answered)
        const done = yield* round(endpoint, "tools/call", { ...params, ...answersTo(second) })
        assert.strictEqual(textOf({ response: done }), "re: two")
        return replayed
      })
      const twice: Array<string> = []
      inputRequired(yield* play(twice))
      // The idempotency key is what tells that it is the same.
      assert.strictEqual(twice.length, 2)
      assert.strictEqual(twice[0], twice[1])
      const single: Array<string> = []
      const refused = yield* play(single).pipe(Effect.provide(NonceStore.layerMemory))
      assert.deepStrictEqual(errorOf({ response: refused }), {
        code: -32602,
        message: "The requestState is not valid for this request"
      })
      assert.strictEqual(single.length, 1)
    }))
})
