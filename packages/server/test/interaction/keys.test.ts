/** The keys that answers are kept under between rounds. */
import { assert, describe, it } from "@effect/vitest"
import * as Interaction from "@effect-mcp/server/Interaction"
import type { InteractionError } from "@effect-mcp/server/InteractionError"
import * as Roots from "@effect-mcp/server/Roots"
import * as Effect from "effect/Effect"
import { start } from "../support.ts"
import {
  answersTo,
  asking,
  captureLogs,
  errorOf,
  inputRequired,
  playTool,
  revisions,
  round,
  say,
  textOf
} from "./support.ts"

/** Runs an effect, and tells how it failed if it did. */
const reasonOf = <A, R>(effect: Effect.Effect<A, InteractionError | { readonly _tag: string }, R>) =>
  Effect.match(effect, {
    onFailure: (error) => "reason" in error ? error.reason._tag : error._tag,
    onSuccess: (value) => JSON.stringify(value)
  })

const keysOf = (result: { readonly inputRequests: object }) => Object.keys(result.inputRequests)

describe("keys", () => {
  it.effect("follow from the order of the questions", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        yield* Roots.list
        yield* say("a")
        yield* Effect.timeout(say("b"), "1 hour")
        return yield* say("c", "mine")
      }).pipe(Effect.catchTag("TimeoutError", Effect.die))
      const { endpoint } = yield* start(asking(handler))
      const { asked, rounds } = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual(asked.map(({ key }) => key), ["input-1", "input-2", "input-3", "mine"])
      assert.strictEqual(rounds.length, 4)
    }))

  it.effect("are the names in Interaction.all, which is one round", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        const { a, b, roots } = yield* Interaction.all({
          roots: Roots.list,
          a: say("one"),
          b: Effect.flatMap(say("two"), (text) => say(text))
        })
        return [roots[0]?.uri, a, b].join()
      })
      for (const revision of revisions) {
        const { endpoint } = yield* start(asking(handler))
        const played = yield* playTool(endpoint, revision, "ask")
        assert.strictEqual(textOf(played), "file:///work,re: one,re: re: two")
        assert.deepStrictEqual(
          played.rounds.map(keysOf),
          revision === "2026-07-28" ? [["roots", "a", "b"], ["b/input-2"]] : []
        )
      }
    }))

  it.effect("of Interaction.all in Interaction.all are paths", () =>
    Effect.gen(function*() {
      const handler = Effect.map(
        Interaction.all({ x: Interaction.all({ y: say("1"), z: say("2") }), y: say("3") }),
        ({ x, y }) => [x.y, x.z, y].join()
      )
      const { endpoint } = yield* start(asking(handler))
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual(played.rounds.map(keysOf), [["x/y", "x/z", "y"]])
      assert.strictEqual(textOf(played), "re: 1,re: 2,re: 3")
    }))

  it.effect("a question is not sent before those that are asked with it are known to be good", () =>
    Effect.gen(function*() {
      const handler = Interaction.all({ roots: Roots.list, text: say("a") }).pipe(
        Effect.as("both"),
        Effect.catchTag("MissingClientCapability", () => Effect.succeed("neither"))
      )
      for (const revision of revisions) {
        const { endpoint } = yield* start(asking(handler))
        const played = yield* playTool(endpoint, revision, "ask", { capabilities: { roots: {} } })
        assert.deepStrictEqual([textOf(played), played.asked], ["neither", []])
      }
    }))

  for (const revision of revisions) {
    it.effect(`two questions at the same time need them, under ${revision}`, () =>
      Effect.gen(function*() {
        const both = (first: string | undefined, second: string | undefined) =>
          reasonOf(Effect.all([say("a", first), say("b", second)], { concurrency: "unbounded" }))
        const { logged, layer } = captureLogs()
        const play = Effect.fnUntraced(function*(first: string | undefined, second: string | undefined) {
          const { endpoint } = yield* start(asking(both(first, second))).pipe(Effect.provide(layer))
          return textOf(yield* playTool(endpoint, revision, "ask"))
        })
        assert.strictEqual(yield* play(undefined, undefined), "KeyNeeded")
        assert.strictEqual(yield* play("x", undefined), "KeyNeeded")
        assert.strictEqual(yield* play(undefined, "y"), "KeyNeeded")
        const errors = logged.filter(({ level }) => level === "Error")
        assert.strictEqual(errors.length, 3)
        assert.strictEqual(yield* play("x", "y"), "[\"re: a\",\"re: b\"]")
      }))

    it.effect(`a key stands for one question, under ${revision}`, () =>
      Effect.gen(function*() {
        const twice = reasonOf(Effect.andThen(say("a", "k"), say("b", "k")))
        const { endpoint } = yield* start(asking(twice))
        assert.strictEqual(textOf(yield* playTool(endpoint, revision, "ask")), "KeyInUse")
      }))
  }

  it.effect("case: a question with a key beside one in Interaction.all is another one", () =>
    Effect.gen(function*() {
      const handler = Effect.map(
        Effect.all([say("a", "mine"), Interaction.all({ b: say("b") })], { concurrency: "unbounded" }),
        ([a, { b }]) => `${a},${b}`
      )
      const { endpoint } = yield* start(asking(handler))
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual([textOf(played), played.rounds.length], ["re: a,re: b", 1])
    }))
})

describe("a handler that asks something else when it is run again", () => {
  const variants: Record<string, (run: number) => ReturnType<typeof say>> = {
    "other words": (run) => say(`${run}`),
    "another kind": (run) => run === 1 ? say("a", "k") : Effect.as(Roots.listWith({ key: "k" }), "roots"),
    "one question less": (run) => run === 1 ? Effect.andThen(say("first"), say("second")) : say("second")
  }
  for (const [name, handler] of Object.entries(variants)) {
    it.effect(`${name}: is told so, and gets no wrong answer`, () =>
      Effect.gen(function*() {
        let run = 0
        const { layer, logged } = captureLogs()
        const asks = asking(Effect.suspend(() => reasonOf(handler(++run))))
        const { endpoint } = yield* start(asks).pipe(Effect.provide(layer))
        assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "AskedDifferently")
        const [error] = logged.filter(({ level }) => level === "Error")
        assert.include(error?.cause.reasons[0].error.message, "is not what was asked")
      }))
  }

  it.effect("unhandled, it is -32603 and tells nothing of the inside", () =>
    Effect.gen(function*() {
      let run = 0
      const { endpoint } = yield* start(asking(Effect.suspend(() => say(`${++run}`))))
      const error = errorOf(yield* playTool(endpoint, "2026-07-28", "ask"))
      assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
    }))
})

describe("answers", () => {
  const params = { name: "ask", arguments: {} }

  it.effect("MRTR-19: an answer under another key is ignored, and what was asked is asked again", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(say("a", "k")))
      const first = inputRequired(yield* round(endpoint, "tools/call", params))
      for (
        const more of [{}, { inputResponses: {} }, { inputResponses: JSON.parse("{\"wrong\":{},\"__proto__\":{}}") }]
      ) {
        const again = inputRequired(
          yield* round(endpoint, "tools/call", { ...params, ...more, requestState: first.requestState })
        )
        assert.deepStrictEqual(again.inputRequests, first.inputRequests)
      }
      const { inputResponses, requestState } = answersTo(first)
      const extra = { ...(inputResponses as object), one: { a: 1 }, "two more": {} }
      const response = yield* round(endpoint, "tools/call", { ...params, inputResponses: extra, requestState })
      assert.strictEqual(textOf({ response }), "re: a")
    }))

  it.effect("MRTR-19: one that is there before it was asked for is taken", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(say("a", "k")))
      const inputResponses = {
        k: { role: "assistant", content: { type: "text", text: "early" }, model: "m" },
        other: {}
      }
      const response = yield* round(endpoint, "tools/call", { ...params, inputResponses })
      assert.strictEqual(textOf({ response }), "early")
    }))

  it.effect("MRTR-19: malformed ones are errors", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(say("a", "k")))
      for (
        const inputResponses of [
          { k: 12345 },
          { k: null },
          { k: {} },
          { k: { action: "accept" } },
          { k: { role: "assistant", content: "text", model: "m" } },
          null,
          [],
          "x"
        ]
      ) {
        const response = yield* round(endpoint, "tools/call", { ...params, inputResponses })
        assert.strictEqual(errorOf({ response }).code, -32602, JSON.stringify(inputResponses))
      }
    }))

  it.effect("trap 10: an answer that nobody has read yet is not lost", () =>
    Effect.gen(function*() {
      // What is asked first depends on the run; both have keys.
      let run = 0
      const handler = Effect.suspend(() =>
        ++run === 1
          ? Effect.map(Effect.all([say("a", "a"), say("b", "b")], { concurrency: "unbounded" }), String)
          : Effect.gen(function*() {
            const c = yield* say("c", "c")
            return [yield* say("b", "b"), yield* say("a", "a"), c].join()
          })
      )
      const { endpoint } = yield* start(asking(handler))
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual(played.rounds.map(keysOf), [["a", "b"], ["c"]])
      assert.strictEqual(textOf(played), "re: b,re: a,re: c")
    }))
})
