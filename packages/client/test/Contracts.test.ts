import * as McpError from "@effect-mcp/core/McpError"
import * as Tool from "@effect-mcp/core/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Scripted from "./support/scripted.ts"

class Full extends Schema.TaggedError<Full>()("Full", { until: Schema.DateFromString }) {}

const Book = Tool.make("book", {
  input: { day: Schema.DateFromString, seats: Schema.Finite, note: Schema.optionalKey(Schema.String) },
  output: { at: Schema.DateFromString },
  failure: Full
})

const args = { day: new Date(0), seats: 2 }

describe("call", () => {
  it.effect("TOOL-11, TOOL-16: arguments are encoded and the output is decoded by the contract", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({
        content: [],
        structuredContent: { at: "2020-01-01T00:00:00.000Z" }
      }))
      const { at } = yield* client.call(Book, args)
      assert.deepStrictEqual(at, new Date("2020-01-01"))
      const { _meta, ...params } = transport.sent[1]?.message.params ?? {}
      assert.deepStrictEqual(params, { name: "book", arguments: { day: "1970-01-01T00:00:00.000Z", seats: 2 } })
    }))

  it.effect("TOOL-11: arguments that do not fit their schema are not sent", () =>
    Effect.gen(function*() {
      const Positive = Tool.make("positive", { input: { n: Schema.Finite.check(Schema.isGreaterThan(0)) } })
      const { client, transport } = yield* Scripted.client(() => ({ content: [] }))
      const error = yield* Effect.flip(client.call(Positive, { n: -1 }))
      assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "InvalidCall")
      assert.include(error.message, "tools/call was not sent: the arguments of positive:")
      assert.strictEqual(transport.sent.length, 1)
    }))

  it.effect("TOOL-16: an output that is missing or does not fit is an invalid answer, which is kept", () =>
    Effect.gen(function*() {
      for (const raw of [{ content: [] }, { content: [], structuredContent: { at: 1 } }]) {
        const { client } = yield* Scripted.client(() => raw)
        const error = yield* Effect.flip(client.call(Book, args))
        assert.isTrue(error._tag === "McpClientError" && error.reason._tag === "InvalidAnswer")
        if (error._tag === "McpClientError" && error.reason._tag === "InvalidAnswer") {
          assert.deepStrictEqual(error.reason.raw, raw)
        }
      }
    }))

  it.effect("trap 19: null, 0 and the empty string are outputs", () =>
    Effect.gen(function*() {
      const Any = Tool.make("any", { output: Schema.Union([Schema.Null, Schema.Finite, Schema.String]) })
      for (const structuredContent of [null, 0, ""]) {
        const { client } = yield* Scripted.client(() => ({ content: [], structuredContent }))
        assert.strictEqual(yield* client.call(Any, {}), structuredContent)
      }
    }))

  it.effect("a tool without an output gives its content", () =>
    Effect.gen(function*() {
      const Say = Tool.make("say", {})
      const { client } = yield* Scripted.client(() => ({ content: [{ type: "text", text: "hi" }] }))
      assert.deepStrictEqual(yield* client.call(Say, {}), [{ type: "text", text: "hi" }])
    }))

  it.effect("TOOL-19: a declared failure comes back as the same class", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => ({
        isError: true,
        content: [{ type: "text", text: "full" }],
        _meta: { [Tool.failureKey]: { _tag: "Full", until: "2020-01-01T00:00:00.000Z" } }
      }))
      const caught = yield* client.call(Book, args).pipe(
        Effect.catchTag("Full", (error) => Effect.succeed(error))
      )
      assert.isTrue(caught instanceof Full)
      assert.deepStrictEqual((caught as Full).until, new Date("2020-01-01"))
    }))

  it.effect("TOOL-19: any other failure comes back as its words", () =>
    Effect.gen(function*() {
      const content = [{ type: "text", text: "a" }, { type: "hologram" }, { type: "text", text: "b" }]
      const results = [
        { isError: true, content },
        { isError: true, content, _meta: { [Tool.failureKey]: { _tag: "Other" } } },
        { isError: true, content, structuredContent: { at: "2020-01-01T00:00:00.000Z" } }
      ]
      for (const result of results) {
        const { client } = yield* Scripted.client(() => result)
        const error = yield* Effect.flip(client.call(Book, args))
        assert.isTrue(error instanceof Tool.ToolFailure)
        assert.strictEqual(error.message, "a\nb")
        assert.deepStrictEqual((error as Tool.ToolFailure).content as unknown, content)
      }
    }))

  it.effect("TOOL-20, TOOL-21: by name a failure is a result, and an error of the protocol is an error", () =>
    Effect.gen(function*() {
      const result = { isError: true, content: [] }
      const { client } = yield* Scripted.client((_, params) =>
        params.name === "a" ? result : new McpError.InvalidParams({ message: "Unknown tool" })
      )
      assert.deepStrictEqual(yield* client.callTool("a"), result)
      assert.strictEqual((yield* Effect.flip(client.callTool("b")))._tag, "InvalidParams")
    }))
})

describe("callWithProgress", () => {
  const answer = { content: [], structuredContent: { at: "2020-01-01T00:00:00.000Z" } }
  const reporting: Scripted.Script = (request) =>
    Effect.gen(function*() {
      for (let i = 1; i <= 50; i++) yield* request.onMessage(Scripted.progress(request.message.id, i))
      return answer
    })

  it.effect("PROG-3: progress in order, then exactly one result", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(reporting)
      const events = yield* Stream.runCollect(client.callWithProgress(Book, args))
      assert.deepStrictEqual(
        events.map((event) => event._tag === "Progress" ? event.progress.progress : event.result.at.getFullYear()),
        [...Array.from({ length: 50 }, (_, i) => i + 1), 2020]
      )
    }))

  it.effect("F12: a slow reader slows the server's stream, and loses nothing", () =>
    Effect.gen(function*() {
      let ahead = 0
      let most = 0
      const { client } = yield* Scripted.client((request) =>
        Effect.gen(function*() {
          for (let i = 1; i <= 200; i++) {
            yield* request.onMessage(Scripted.progress(request.message.id, i))
            most = Math.max(most, ++ahead)
          }
          return answer
        })
      )
      const fiber = yield* client.callWithProgress(Book, args).pipe(
        Stream.tap(() => Effect.andThen(Effect.sync(() => ahead--), Effect.sleep("10 millis"))),
        Stream.runCount,
        Effect.forkChild
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), 201)
      assert.isBelow(most, 40)
    }))

  it.effect("CAN-2: leaving the stream cancels the call", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client((request) =>
        Effect.andThen(request.onMessage(Scripted.progress(request.message.id, 1)), Effect.never)
      )
      const events = yield* Stream.runCollect(Stream.take(client.callWithProgress(Book, args), 1))
      assert.strictEqual(events.length, 1)
      assert.deepStrictEqual(transport.cancelled, [2])
    }))

  it.effect("a failure ends the stream", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(() => new McpError.InvalidParams({ message: "no" }))
      const exit = yield* Effect.exit(Stream.runDrain(client.callWithProgress(Book, args)))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof McpError.InvalidParams)
    }))
})
