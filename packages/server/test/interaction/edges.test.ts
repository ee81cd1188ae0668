/** What is left out where it would go unseen: each of these fails when a check is taken out. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Meta from "@effect-mcp/core/Meta"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import * as Roots from "@effect-mcp/server/Roots"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { exchange, open, until } from "../legacy/support.ts"
import { type Params, requestMeta, start } from "../support.ts"
import {
  answersTo,
  asking,
  captureLogs,
  errorOf,
  everything,
  inputRequired,
  play,
  playTool,
  revisions,
  round,
  say,
  textOf
} from "./support.ts"

const params = { name: "ask", arguments: {} }

const answer = (text: string) => ({ role: "assistant", content: { type: "text", text }, model: "m" })

const keysOf = (result: { readonly inputRequests: object }) => Object.keys(result.inputRequests)

describe("a method that cannot ask", () => {
  for (const revision of revisions) {
    it.effect(`MRTR-2: is a typed, logged error, and nothing is sent, under ${revision}`, () =>
      Effect.gen(function*() {
        const reasons: Array<string> = []
        const asks = McpServer.middleware()((next, { method }) =>
          method === "tools/list"
            ? say("a").pipe(
              Effect.catchTag("InteractionError", ({ reason }) => Effect.sync(() => reasons.push(reason._tag))),
              Effect.andThen(next)
            )
            : next
        )
        const { layer, logged } = captureLogs()
        const { endpoint } = yield* start(Layer.merge(asks, asking(say("a")))).pipe(Effect.provide(layer))
        const played = yield* play(endpoint, revision, "tools/list", {})
        assert.deepStrictEqual([played.response._tag, played.asked, reasons], ["Success", [], ["NotInteractive"]])
        assert.include(JSON.stringify(logged), "tools/list")
      }))
  }
})

describe("capabilities", () => {
  it.effect("META-13: all that is missing of one capability is told", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.succeed("run"), { needs: ["elicitation", "elicitation.url"] }))
      const played = yield* playTool(endpoint, "2026-07-28", "ask", { capabilities: {} })
      assert.deepStrictEqual(errorOf(played).data, { requiredCapabilities: { elicitation: { form: {}, url: {} } } })
    }))

  it.effect("ELI-1: under 2025-06-18 elicitation is forms, whatever else is declared with it", () =>
    Effect.gen(function*() {
      const form = Elicitation.form({ message: "Who?", schema: { name: Schema.String } })
      const { endpoint } = yield* start(asking(Effect.map(form, ({ _tag }) => _tag)))
      const peer = yield* open(endpoint, "2025-06-18", { capabilities: { elicitation: { url: {} } } })
      const response = yield* peer.request("tools/call", params, {
        onMessage: (message) =>
          message._tag === "Request"
            ? peer.reply(JsonRpc.success(message.id, { action: "decline" }))
            : Effect.void
      })
      assert.strictEqual(textOf({ response }), "Decline")
    }))
})

describe("answers", () => {
  it.effect("MRTR-19: those that came are kept, and only what is missing is asked for again", () =>
    Effect.gen(function*() {
      const both = Interaction.all({ a: say("one"), b: say("two") })
      const { endpoint } = yield* start(asking(Effect.map(both, ({ a, b }) => `${a},${b}`)))
      const first = inputRequired(yield* round(endpoint, "tools/call", params))
      const some = { inputResponses: { a: answer("A") }, requestState: first.requestState }
      const second = inputRequired(yield* round(endpoint, "tools/call", { ...params, ...some }))
      assert.deepStrictEqual(keysOf(second), ["b"])
      const others = { inputResponses: { b: answer("B") }, requestState: second.requestState }
      const response = yield* round(endpoint, "tools/call", { ...params, ...others })
      assert.strictEqual(textOf({ response }), "A,B")
    }))

  it.effect("MRTR-14: one that a state has is not replaced by what a later round brings", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(
        asking(Effect.gen(function*() {
          return [yield* say("one", "k"), yield* say("two", "j")].join()
        }))
      )
      const first = inputRequired(yield* round(endpoint, "tools/call", params))
      const second = inputRequired(
        yield* round(endpoint, "tools/call", {
          ...params,
          inputResponses: { k: answer("A") },
          requestState: first.requestState
        })
      )
      const response = yield* round(endpoint, "tools/call", {
        ...params,
        inputResponses: { k: answer("other"), j: answer("B") },
        requestState: second.requestState
      })
      assert.strictEqual(textOf({ response }), "A,B")
    }))

  it.effect("MRTR-19: one that came before it was asked for is kept for the rounds to come", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(
        asking(Effect.gen(function*() {
          return [yield* say("one", "k"), yield* say("two", "j")].join()
        }))
      )
      const first = inputRequired(
        yield* round(endpoint, "tools/call", { ...params, inputResponses: { k: answer("early") } })
      )
      assert.deepStrictEqual(keysOf(first), ["j"])
      const response = yield* round(endpoint, "tools/call", { ...params, ...answersTo(first) })
      assert.strictEqual(textOf({ response }), "early,re: two")
    }))

  it.effect("MRTR-19: one that came before it was asked for, and is none, is not kept", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        const first = yield* say("one", "k").pipe(Effect.catchTag("InvalidParams", () => Effect.succeed("none")))
        return [first, yield* say("two", "j")].join()
      })
      const { endpoint } = yield* start(asking(handler))
      const first = inputRequired(yield* round(endpoint, "tools/call", { ...params, inputResponses: { k: {} } }))
      assert.deepStrictEqual(keysOf(first), ["j"])
      const second = inputRequired(yield* round(endpoint, "tools/call", { ...params, ...answersTo(first) }))
      assert.deepStrictEqual(keysOf(second), ["k"])
    }))

  it.effect("are in a state once, however many rounds have read them", () =>
    Effect.gen(function*() {
      const handler = Effect.forEach(["1", "2", "3", "4", "5"], (text) => say(text, `k${text}`), { discard: true })
      const { endpoint } = yield* start(asking(Effect.as(handler, "done")))
      const { rounds } = yield* playTool(endpoint, "2026-07-28", "ask")
      const sizes = rounds.map(({ requestState }) => requestState.length)
      const growth = sizes.slice(1).map((size, index) => size - sizes[index])
      // Base64 rounds up.
      assert.isAtMost(Math.max(...growth) - Math.min(...growth), 2, `${sizes}`)
    }))

  for (const key of ["__proto__", "constructor", "toString"]) {
    it.effect(`B10: a question may be called ${key}, and what every object has is no answer to it`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(asking(Effect.andThen(Roots.listWith({ key: "roots" }), say("a", key))))
        const early = { inputResponses: { roots: { roots: [] } } }
        const first = inputRequired(yield* round(endpoint, "tools/call", { ...params, ...early }))
        assert.deepStrictEqual(keysOf(first), [key])
        const { inputResponses, requestState } = answersTo(first)
        const response = yield* round(endpoint, "tools/call", { ...params, inputResponses, requestState })
        assert.strictEqual(textOf({ response }), "re: a")
      }))
  }
})

describe("keys", () => {
  it.effect("that are given do not count", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.andThen(say("a", "mine"), say("b"))))
      const { asked } = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual(asked.map(({ key }) => key), ["mine", "input-1"])
    }))
})

describe("Interaction.once", () => {
  it.effect("does not remember a failure that came with a defect", () =>
    Effect.gen(function*() {
      let ran = 0
      const effect = Effect.suspend(() => {
        ran++
        return Effect.ensuring(Effect.fail("no"), Effect.die(new Error("inside")))
      })
      const once = Interaction.once("k", { success: Schema.Void, failure: Schema.String }, effect)
      const { endpoint } = yield* start(asking(Effect.andThen(Effect.exit(once), say("a"))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: a")
      assert.strictEqual(ran, 2)
    }))

  it.effect("MRTR-17: has the same idempotency key in every round, from the first one on, and one for each effect", () =>
    Effect.gen(function*() {
      const keys: Array<string> = []
      const failing = (name: string) =>
        Interaction.once(name, { success: Schema.Void }, (key) =>
          Effect.suspend(() => {
            keys.push(key)
            return Effect.fail("not remembered")
          })).pipe(Effect.catch(() => Effect.void))
      const { endpoint } = yield* start(asking(Effect.andThen(failing("a"), Effect.andThen(failing("b"), say("a")))))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "re: a")
      const [a, b, ...again] = keys
      assert.deepStrictEqual(again, [a, b])
      assert.notStrictEqual(a, b)
      keys.length = 0
      yield* playTool(endpoint, "2026-07-28", "ask")
      assert.notInclude(keys, a)
    }))
})

describe("what a state is bound to", () => {
  it.effect("MRTR-16: is the method, the name, the rest of the params, who asks, and the server, and no more", () =>
    Effect.gen(function*() {
      const bindings: Array<RequestStateCodec.Binding> = []
      const codec = Layer.succeed(RequestStateCodec.RequestStateCodec, {
        seal: (payload, binding) =>
          Effect.sync(() => {
            bindings.push(binding)
            return payload
          }),
        open: (state, binding) =>
          Effect.sync(() => {
            bindings.push(binding)
            return state
          }),
        sealedSize: (payload) => payload.length
      })
      const { endpoint } = yield* start(
        Layer.mergeAll(
          asking(say("a")),
          McpServer.prompt(Prompt.make("ask", {}), () => say("a")),
          McpServer.resource(Resource.make("ask://one"), say("a"))
        ),
        { name: "here" }
      ).pipe(Effect.provide(codec))
      const bindingsOf = Effect.fnUntraced(function*(method: string, params: Params) {
        bindings.length = 0
        const first = inputRequired(yield* round(endpoint, method, params))
        const last = yield* round(endpoint, method, { ...params, ...answersTo(first) })
        assert.strictEqual(last._tag, "Success")
        assert.deepStrictEqual(bindings[1], bindings[0])
        return bindings[0]
      })
      const tool = yield* bindingsOf("tools/call", { name: "ask" })
      const prompt = yield* bindingsOf("prompts/get", { name: "ask" })
      const resource = yield* bindingsOf("resources/read", { uri: "ask://one" })
      assert(tool !== undefined)
      const { argumentsDigest, ...others } = tool
      assert.match(argumentsDigest, /^[\w-]{43}$/)
      assert.deepStrictEqual(others, { method: "tools/call", name: "ask", principal: undefined, audience: "here" })
      assert.deepStrictEqual(prompt, { ...tool, method: "prompts/get" })
      assert.deepStrictEqual([resource?.method, resource?.name], ["resources/read", "ask://one"])
    }))
})

describe("a state of another version", () => {
  it.effect("MRTR-14: is refused like any other, though it is ours", () =>
    Effect.gen(function*() {
      const codec = Layer.succeed(RequestStateCodec.RequestStateCodec, {
        seal: (payload) => Effect.succeed(payload),
        open: () => Effect.succeed(`{"version":2}`),
        sealedSize: (payload) => payload.length
      })
      const { endpoint } = yield* start(asking(say("a"))).pipe(Effect.provide(codec))
      const response = yield* round(endpoint, "tools/call", { ...params, requestState: "any" })
      assert.deepStrictEqual(errorOf({ response }), {
        code: -32602,
        message: "The requestState is not valid for this request"
      })
    }))
})

describe("a state that is too large", () => {
  it.effect("names the three largest of what was answered and of what is remembered, largest first", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        for (const [name, size] of [["s", 10], ["m", 2_000], ["l", 3_000], ["xl", 4_000]] as const) {
          yield* Interaction.once(name, { success: Schema.String }, Effect.succeed("x".repeat(size)))
        }
        yield* say("x", "answer")
        return yield* say("y", "more")
      }).pipe(
        Effect.catchReason(
          "InteractionError",
          "StateTooLarge",
          ({ largest }) => Effect.succeed(largest.map(({ key }) => key).join())
        )
      )
      const { endpoint } = yield* start(asking(handler)).pipe(
        Effect.provide(Limits.layer({ requestStateSize: 16_000 }))
      )
      const played = yield* playTool(endpoint, "2026-07-28", "ask", { answer: () => answer("y".repeat(3_500)) })
      assert.strictEqual(textOf(played), "xl,answer,l")
    }))
})

describe("the end of a round", () => {
  it.effect("is seen as a question in the fiber that has asked", () =>
    Effect.gen(function*() {
      const seen: Array<boolean> = []
      const watched = Effect.onExit(say("a"), (exit) =>
        Effect.sync(() => {
          seen.push(Exit.isFailure(exit) && Interaction.isInputRequired(exit.cause))
        }))
      const { endpoint } = yield* start(asking(Effect.as(Effect.timeoutOption(watched, "1 hour"), "done")))
      inputRequired(yield* round(endpoint, "tools/call", params))
      assert.deepStrictEqual(seen, [true])
    }))

  it.effect("asks all that was open, whatever fibers have asked it", () =>
    Effect.gen(function*() {
      const handler = Effect.gen(function*() {
        const a = yield* Effect.forkDetach(say("one", "a"))
        const b = yield* Effect.forkDetach(say("two", "b"))
        return [yield* Fiber.join(a), yield* Fiber.join(b)].join()
      })
      const { endpoint } = yield* start(asking(handler))
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual([played.rounds.map(keysOf), textOf(played)], [[["a", "b"]], "re: one,re: two"])
    }))

  it.effect("F4, CAN-3: a call that is given up while its finalizers run is answered with nothing", () =>
    Effect.gen(function*() {
      let go = yield* Deferred.make<void>()
      const ran: Array<string> = []
      const handler = Effect.onExit(
        say("a"),
        (exit) => Effect.andThen(Effect.suspend(() => Deferred.await(go)), Effect.sync(() => ran.push(exit._tag)))
      )
      for (const others of [Layer.empty, McpServer.middleware()((next) => next)]) {
        ran.length = 0
        go = yield* Deferred.make<void>()
        const { endpoint } = yield* start(Layer.merge(others, asking(handler)))
        const outcome = endpoint.classify(
          JsonRpc.request(1, "tools/call", {
            ...params,
            _meta: requestMeta({ [Meta.key.clientCapabilities]: everything })
          })
        )
        assert(outcome._tag === "Request")
        const call = endpoint.call(outcome, exchange())
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        const answers: Array<unknown> = []
        call.onEnd((response) => answers.push(response))
        call.cancel()
        yield* Deferred.succeed(go, undefined)
        yield* until(() => answers.length > 0)
        assert.deepStrictEqual([answers, ran], [[undefined], ["Failure"]])
      }
    }))

  it.effect("CAN-3: a call that is given up interrupts its handler, also behind a middleware", () =>
    Effect.gen(function*() {
      let ran = 0
      const handler = Effect.onInterrupt(Effect.as(Effect.never, "done"), () => Effect.sync(() => ran++))
      const { endpoint } = yield* start(Layer.merge(McpServer.middleware()((next) => next), asking(handler)))
      const call = yield* Effect.forkChild(round(endpoint, "tools/call", params), { startImmediately: true })
      yield* Effect.repeat(Effect.yieldNow, { times: 10 })
      yield* Fiber.interrupt(call)
      yield* until(() => ran > 0)
    }))

  it.effect("a question that was asked where it may not be is told with the line it stands on", () =>
    Effect.gen(function*() {
      const { layer, logged } = captureLogs()
      const { endpoint } = yield* start(asking(Effect.uninterruptible(say("a")))).pipe(Effect.provide(layer))
      yield* round(endpoint, "tools/call", params)
      assert.match(
        logged.map(({ cause }) => Cause.pretty(cause)).join(),
        /tools\/call ask, at .*interaction\/\w+\.ts:\d+/
      )
    }))

  it.effect("is a defect where a finalizer dies, and the client is asked nothing", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.ensuring(say("a"), Effect.die(new Error("inside")))))
      const response = yield* round(endpoint, "tools/call", params)
      assert.deepStrictEqual(errorOf({ response }), { code: -32603, message: "Internal error" })
    }))

  it.effect("Limits: a state of exactly requestStateSize characters is sent, and taken again", () =>
    Effect.gen(function*() {
      const sizeOf = Effect.fnUntraced(function*(requestStateSize: number) {
        const { endpoint } = yield* start(asking(say("a"))).pipe(Effect.provide(Limits.layer({ requestStateSize })))
        return yield* playTool(endpoint, "2026-07-28", "ask")
      })
      const size = (yield* sizeOf(65_536)).rounds[0].requestState.length
      assert.strictEqual(textOf(yield* sizeOf(size)), "re: a")
      assert.strictEqual(errorOf(yield* sizeOf(size - 1)).code, -32603)
    }))
})
