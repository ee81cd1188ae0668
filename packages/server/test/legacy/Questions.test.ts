/** Requests of the server to its client, from inside of a handler. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import type * as McpError from "@effect-mcp/core/McpError"
import type { Exchange, Session } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { type RequestState, stateOf } from "../../src/internal/requestState.ts"
import { connect as connectModern, start } from "../support.ts"
import {
  initializeParams,
  type Json,
  legacyOf,
  listen,
  methods,
  open,
  openStored,
  over,
  revisions,
  exchange,
  startCall,
  until
} from "./support.ts"

const Ask = Tool.make("ask")

/** A tool that asks, as elicitation, sampling and roots do, and tells what came of it. */
const asking = (ask: (state: RequestState) => Effect.Effect<unknown, McpError.McpError>) =>
  McpServer.tool(Ask, () =>
    Effect.gen(function*() {
      const state = stateOf(yield* McpRequest.McpRequest)
      assert(state !== undefined)
      const answer = yield* Effect.result(ask(state))
      return answer._tag === "Success"
        ? JSON.stringify(answer.success)
        : `${answer.failure.code} ${answer.failure.message}`
    }))

const roots = (state: RequestState) => state.ask("roots/list", {})

const textOf = (response: JsonRpc.Response | undefined): string => {
  assert(response?._tag === "Success", JSON.stringify(response))
  const { content } = JsonRpc.resultValue(response) as Json
  return content[0].text
}

/** Calls the tool on a session, as a transport does: what is asked and told on the way is written down. */
const startAsking = (session: Session, options: Partial<Exchange> & { readonly id?: JsonRpc.Id } = {}) => {
  const asked: Array<JsonRpc.Request> = []
  const emitted: Array<JsonRpc.Notification> = []
  const call = startCall(session, "tools/call", { name: "ask" }, {
    ask: (request) => asked.push(request),
    emit: (notification) => emitted.push(notification),
    ...options
  })
  const ends: Array<JsonRpc.Response | undefined> = []
  call.onEnd((response) => ends.push(response))
  const text = Effect.map(until(() => ends.length > 0), () => textOf(ends[0]))
  return { call, asked, emitted, ends, text }
}

describe("asking", () => {
  for (const revision of revisions) {
    it.effect(`RPC-15: under ${revision} the question goes on the stream of the call, and the answer comes back`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(asking(roots))
        const peer = yield* open(endpoint, revision)
        const result = yield* peer.call("ask", undefined, {
          onMessage: (message) => {
            assert(message._tag === "Request")
            assert.strictEqual(message.method, "roots/list")
            return peer.reply(JsonRpc.success(message.id, { roots: [{ uri: "file:///a" }] }))
          }
        })
        assert.strictEqual(result.content[0].text, "{\"roots\":[{\"uri\":\"file:///a\"}]}")
        assert.deepStrictEqual(peer.unasked, [])
      }))
  }

  it.effect("RPC-15, ERR-13: an error is an answer too", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const session = yield* openStored(endpoint, "2025-11-25")
      for (
        const [error, expected] of [
          [{ code: -1, message: "User rejected sampling request" }, "-1 User rejected sampling request"],
          [{ code: -32601, message: "no roots", data: { reason: "x" } }, "-32601 no roots"]
        ] as const
      ) {
        const { asked, text } = startAsking(session)
        assert.isTrue(session.accept(JsonRpc.failure(asked[0]!.id, error)))
        assert.strictEqual(yield* text, expected)
      }
    }))

  it.effect("INIT-17, ELI-25: a client that never answers is not waited for beyond askDeadline", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots)).pipe(Effect.provide(Limits.layer({ askDeadline: 5_000 })))
      const { asked, emitted, ends, text } = startAsking(yield* openStored(endpoint, "2025-11-25"))
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(ends, [])
      yield* TestClock.adjust(1)
      assert.match(yield* text, /^-32603 .*askDeadline/)
      assert.deepStrictEqual(emitted.map(({ method, params }) => [method, params?.requestId]), [
        ["notifications/cancelled", asked[0]?.id]
      ])
    }))

  it.effect("RPC-4, trap 22: the ids are the server's own, none is used twice, and the client's do not meet them", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking((state) => Effect.all([roots(state), roots(state)])))
      const session = yield* openStored(endpoint, "2025-11-25")
      const seen = new Set<JsonRpc.Id>()
      for (let round = 0; round < 3; round++) {
        const { asked, ends, text } = startAsking(session, { id: 1 })
        for (let n = 0; n < 2; n++) {
          yield* until(() => asked.length > n)
          const { id } = asked[n]!
          assert.isFalse(seen.has(id))
          seen.add(id)
          // The client's own request has an id of its own, be it the same, and its end is no answer.
          assert.deepStrictEqual(ends, [])
          session.cancel(id)
          assert.isTrue(session.accept(JsonRpc.success(id, { n })))
        }
        assert.strictEqual(yield* text, "[{\"n\":0},{\"n\":1}]")
      }
      assert.strictEqual(seen.size, 6)
    }))

  it.effect("CAN-6, case 19: an answer nobody waits for is ignored, also one whose id only looks like ours", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const { session } = yield* legacyOf(endpoint).open(
        JsonRpc.request(1, "initialize", initializeParams("2025-11-25")),
        exchange(),
        "connection"
      )
      assert(session !== undefined)
      assert.isFalse(session.accept(JsonRpc.success(1, {})))
      const { asked, ends, text } = startAsking(session)
      const { id } = asked[0]!
      for (
        const wrong of ["", " ", "0x1", `${id} `, typeof id === "number" ? String(id) : Number(id), 0, 2, 1.0000001]
      ) {
        assert.isFalse(session.accept(JsonRpc.success(wrong, { wrong: true })))
      }
      assert.isFalse(session.accept(JsonRpc.failure(undefined, { code: -32600, message: "which?" })))
      assert.deepStrictEqual(ends, [])
      assert.isTrue(session.accept(JsonRpc.success(id, { right: true })))
      assert.strictEqual(yield* text, "{\"right\":true}")
      assert.isFalse(session.accept(JsonRpc.success(id, { again: true })))
    }))

  it.effect("C1: two sessions ask at once, and each answer is for the one that it was given to", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const one = yield* openStored(endpoint, "2025-11-25")
      const two = yield* openStored(endpoint, "2025-06-18")
      const first = startAsking(one)
      const second = startAsking(two)
      assert.notStrictEqual(first.asked[0]!.id, second.asked[0]!.id)
      assert.isFalse(one.accept(JsonRpc.success(second.asked[0]!.id, { wrong: true })))
      two.accept(JsonRpc.success(second.asked[0]!.id, { of: "two" }))
      one.accept(JsonRpc.success(first.asked[0]!.id, { of: "one" }))
      assert.deepStrictEqual([yield* first.text, yield* second.text], ["{\"of\":\"one\"}", "{\"of\":\"two\"}"])
    }))

  it.effect("a question is projected to the revision of the session", () =>
    Effect.gen(function*() {
      const params = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 1, tools: [] }
      const { endpoint } = yield* start(asking((state) => state.ask("sampling/createMessage", params)))
      const session = yield* openStored(endpoint, "2025-06-18")
      const { asked } = startAsking(session)
      const { tools: _, ...older } = params
      assert.deepStrictEqual(asked[0]!.params, older)
    }))
})

describe("giving up a question", () => {
  it.effect("CAN-4: interrupted, it is withdrawn on the stream it was asked on", () =>
    Effect.gen(function*() {
      const asksFirst = (state: RequestState) =>
        Effect.raceFirst(roots(state), Effect.as(Effect.yieldNow, "something else"))
      const { endpoint } = yield* start(asking(asksFirst))
      const session = yield* openStored(endpoint, "2025-11-25")
      const { heard } = listen(session)
      const { asked, emitted, text } = startAsking(session)
      assert.strictEqual(yield* text, "\"something else\"")
      assert.deepStrictEqual(emitted, [
        JsonRpc.notification("notifications/cancelled", { requestId: asked[0]!.id })
      ])
      assert.deepStrictEqual(heard, [])
      // CAN-6.
      assert.isFalse(session.accept(JsonRpc.success(asked[0]!.id, { late: true })))
    }))

  it.effect("CAN-4, CAN-5: of a call that was given up nothing is sent on its stream, so it is withdrawn unasked", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const session = yield* openStored(endpoint, "2025-11-25")
      const { asked, emitted, ends } = startAsking(session, { id: "c" })
      session.cancel("c")
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual([ends, emitted], [[undefined], []])
      const { heard } = listen(session)
      assert.deepStrictEqual(methods(heard), ["notifications/cancelled"])
      assert.deepStrictEqual(heard[0].params, { requestId: asked[0]!.id })
    }))

  it.effect("F3: the end of the session fails what it has asked", () =>
    Effect.gen(function*() {
      const outcome = yield* Deferred.make<Exit.Exit<unknown, McpError.McpError>>()
      const observed = (state: RequestState) => Effect.onExit(roots(state), (exit) => Deferred.succeed(outcome, exit))
      const { endpoint } = yield* start(asking((state) => Effect.uninterruptible(observed(state))))
      const session = yield* openStored(endpoint, "2025-11-25")
      const { asked, ends } = startAsking(session)
      yield* session.close
      const exit = yield* Deferred.await(outcome)
      assert(Exit.isFailure(exit))
      assert.include(JSON.stringify(exit.cause.reasons), "session ended")
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(ends, [undefined])
      assert.isFalse(session.accept(JsonRpc.success(asked[0]!.id, {})))
    }))

  it.effect("a call that has ended asks nothing more: nobody could answer", () =>
    Effect.gen(function*() {
      const outcome = yield* Deferred.make<Exit.Exit<unknown, McpError.McpError>>()
      const tool = McpServer.tool(Ask, () =>
        Effect.gen(function*() {
          const state = stateOf(yield* McpRequest.McpRequest)!
          return yield* Effect.onInterrupt(
            Effect.never,
            () => Effect.flatMap(Effect.exit(roots(state)), (exit) => Deferred.succeed(outcome, exit))
          )
        }))
      const { endpoint } = yield* start(tool)
      const session = yield* openStored(endpoint, "2025-11-25")
      const { asked, ends } = startAsking(session, { id: 1 })
      session.cancel(1)
      const exit = yield* Deferred.await(outcome)
      assert.isTrue(Exit.isFailure(exit))
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("F16: the end of the server fails what it has asked, and does not wait for the client", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { endpoint } = yield* Scope.provide(start(asking((state) => Effect.uninterruptible(roots(state)))), scope)
      const session = yield* openStored(endpoint, "2025-11-25")
      const { ends } = startAsking(session)
      yield* Scope.close(scope, Exit.void)
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(ends, [undefined])
    }))
})

describe("where nobody can be asked", () => {
  it.effect("case 55: without a session, or where the transport has no way, it fails at once", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const session = yield* openStored(endpoint, "2025-11-25")
      assert.match(yield* startAsking(session, { ask: undefined }).text, /^-32603 This client cannot be asked/)
      const asked: Array<JsonRpc.Request> = []
      for (const revision of revisions) {
        const stateless = legacyOf(endpoint).stateless(revision)
        const result = yield* over(stateless, { ask: (request) => asked.push(request) }).call("ask")
        assert.match(result.content[0].text, /^-32603 This client cannot be asked/)
      }
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("RPC-14: the modern era asks nothing this way, whatever the transport could do", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots))
      const result = yield* connectModern(endpoint).call("ask")
      assert.match(result.content[0].text, /^-32603 The client of this request cannot be asked/)
    }))

  it.effect("inFlightRequests: no more questions are open than may be, and an answer makes room", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(roots)).pipe(Effect.provide(Limits.layer({ inFlightRequests: 2 })))
      const session = yield* openStored(endpoint, "2025-11-25")
      const first = startAsking(session)
      const second = startAsking(session)
      const third = startAsking(session)
      assert.match(yield* third.text, /^-32603 .*inFlightRequests/)
      assert.deepStrictEqual(third.asked, [])
      session.accept(JsonRpc.success(first.asked[0]!.id, {}))
      const fourth = startAsking(session)
      for (const { asked } of [second, fourth]) assert.isTrue(session.accept(JsonRpc.success(asked[0]!.id, {})))
      assert.deepStrictEqual([yield* first.text, yield* second.text, yield* fourth.text], ["{}", "{}", "{}"])
    }))
})

describe("a question outside of any stream", () => {
  const unasked = (state: RequestState) => {
    const { session } = state
    assert(session !== undefined)
    return session.ask("roots/list", {}, undefined)
  }

  it.effect("LHTTP-13: goes to the one that listens, also if he comes later, and its withdrawal too", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(unasked))
      const session = yield* openStored(endpoint, "2025-11-25")
      const waiting = startAsking(session)
      const { heard } = listen(session)
      assert.deepStrictEqual(methods(heard), ["roots/list"])
      assert.isTrue(session.accept(JsonRpc.success(heard[0].id, { roots: [] })))
      assert.strictEqual(yield* waiting.text, "{\"roots\":[]}")
      const given = startAsking(session, { id: "g" })
      session.cancel("g")
      yield* until(() => given.ends.length > 0)
      assert.deepStrictEqual(methods(heard), ["roots/list", "roots/list", "notifications/cancelled"])
      assert.deepStrictEqual(heard[2].params, { requestId: heard[1].id })
      assert.deepStrictEqual(waiting.asked, [])
    }))

  it.effect("CAN-4: one that has not left yet is taken back, and the client never hears of it", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(unasked))
      const session = yield* openStored(endpoint, "2025-11-25")
      const { ends } = startAsking(session, { id: "g" })
      session.cancel("g")
      yield* until(() => ends.length > 0)
      assert.deepStrictEqual(listen(session).heard, [])
    }))

  it.effect("a session that has ended asks nobody", () =>
    Effect.gen(function*() {
      const states: Array<RequestState> = []
      const tool = asking((state) => Effect.sync(() => states.push(state)))
      const { endpoint } = yield* start(tool)
      const session = yield* openStored(endpoint, "2025-11-25")
      startAsking(session)
      yield* session.close
      const error = yield* Effect.flip(unasked(states[0]!))
      assert.include(error.message, "ended")
    }))

  it.effect("streamBuffer: one that is dropped because nobody listens fails, and does not wait for ever", () =>
    Effect.gen(function*() {
      const features = Layer.merge(asking(unasked), Layer.empty)
      const { endpoint } = yield* start(features).pipe(Effect.provide(Limits.layer({ streamBuffer: 1 })))
      const session = yield* openStored(endpoint, "2025-11-25")
      const first = startAsking(session)
      const second = startAsking(session)
      assert.match(yield* first.text, /^-32603 .*streamBuffer/)
      const { heard } = listen(session)
      assert.deepStrictEqual(methods(heard), ["roots/list"])
      session.accept(JsonRpc.success(heard[0].id, { roots: [] }))
      assert.strictEqual(yield* second.text, "{\"roots\":[]}")
    }))
})
