/** How the handlers of a client answer what is asked in a result. */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type { Root } from "@effect-mcp/core/schema/Roots"
import * as Tool from "@effect-mcp/core/Tool"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as Handlers from "../../src/Handlers.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Rounds from "../support/rounds.ts"
import * as Scripted from "../support/scripted.ts"

const { answer, everything, form, inTurn, required, roots, sampling, url } = Rounds

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

/** What a client answers to the questions of one round. */
const answers = Effect.fnUntraced(function*<const O extends McpClient.Options<unknown>>(
  options: O,
  ...questions: ReadonlyArray<JsonObject>
) {
  const { client, transport } = yield* Scripted.client(inTurn(required({ ...questions })), options)
  yield* client.callTool("a")
  return Object.values(Object(Rounds.params(transport)[1]?.inputResponses))
})

describe("answers", () => {
  it.effect("ELI-10, ELI-11: a form is sent with the defaults of the fields that were left out", () =>
    Effect.gen(function*() {
      const fields = { name: { type: "string", default: "John" }, age: { type: "integer", default: 30 } }
      assert.deepStrictEqual(
        yield* answers({ elicitation: { form: () => Effect.succeed(Handlers.accept({ age: 0 })) } }, form("?", fields)),
        [{ action: "accept", content: { name: "John", age: 0 } }]
      )
    }))

  it.effect("ELI-11, MRTR-13: declining and looking away are answers, which are sent", () =>
    Effect.gen(function*() {
      for (const refused of [Handlers.decline, Handlers.cancel]) {
        const elicitation = { form: () => Effect.succeed(refused), url: () => Effect.succeed(refused) }
        assert.deepStrictEqual(yield* answers({ elicitation }, form(), url), [refused, refused])
      }
    }))

  it.effect("ELI-16: that an address may be opened is all that is said", () =>
    Effect.gen(function*() {
      const open = () => Effect.succeed({ action: "accept", content: { secret: 1 } } as const)
      assert.deepStrictEqual(yield* answers({ elicitation: { url: open } }, url), [{ action: "accept" }])
    }))

  it.effect("ROOT-2: roots from a list, a reference or an effect", () =>
    Effect.gen(function*() {
      const list: ReadonlyArray<Root> = [{ uri: "file:///a", name: "A" }]
      const ref = yield* SubscriptionRef.make(list)
      for (const given of [list, ref, { list: Effect.succeed(list) }]) {
        assert.deepStrictEqual(yield* answers({ roots: given }, roots), [{ roots: list }])
      }
    }))

  it.effect("ELI-14, SAMP-2: a handler is told what is asked, and who asks under which revision", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const createMessage: Handlers.Sampling["createMessage"] = (params, asker) => {
        asked.push(params, asker)
        return Effect.succeed(Rounds.message)
      }
      const question = sampling({ tools: [], toolChoice: { mode: "none" } })
      assert.deepStrictEqual(yield* answers({ sampling: { createMessage, tools: true } }, question), [Rounds.message])
      assert.deepStrictEqual(asked, [
        question.params,
        { server: { name: "scripted", version: "1" }, revision: "2026-07-28" }
      ])
    }))

  it.effect("META-14, ELI-14: where the server was not asked who it is, the result says who asks", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const createMessage: Handlers.Sampling["createMessage"] = (_, asker) =>
        Effect.as(Effect.sync(() => asked.push(asker.server)), Rounds.message)
      const info = { name: "scripted", version: "1" }
      const says = (serverInfo: unknown) =>
        required({ what: sampling() }, { _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } })
      const { client } = yield* Scripted.client(
        inTurn(says(info), says({ name: 1 }), required({ what: sampling() })),
        { discover: false, sampling: { createMessage } }
      )
      yield* client.callTool("a")
      assert.deepStrictEqual(asked, [info, undefined, undefined])
    }))

  it.effect("handlers have the services their client was made with", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const { client, transport } = yield* Effect.provideService(
        Scripted.client(inTurn(required({ who: form() })), {
          elicitation: { form: () => Effect.map(Name, (name) => Handlers.accept({ a: name })) }
        }),
        Name,
        "Ada"
      )
      yield* Effect.provideService(client.callTool("a"), Name, "Bob")
      assert.deepStrictEqual(Rounds.params(transport)[1]?.inputResponses, {
        who: { action: "accept", content: { a: "Ada" } }
      })
    }))

  it.effect("RPC-14: nothing is answered that is asked in any other way", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        (request) => Effect.as(request.onMessage(Scripted.ask(1, "roots/list")), answer),
        everything
      )
      transport.say(Scripted.ask(2, "roots/list"))
      yield* client.callTool("a")
      yield* settle
      assert.deepStrictEqual(transport.replied, [])
    }))
})

describe("time", () => {
  const slow = (duration: "1 hour" | "1 second") => ({
    elicitation: { form: () => Effect.delay(Effect.succeed(Handlers.accept({ a: "b" })), duration) }
  })

  it.effect("MRTR-6: the questions of a round are answered at the same time", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(required({ a: form("a"), b: form("b"), c: form("c") })),
        slow("1 second")
      )
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.strictEqual(Rounds.requests(transport).length, 2)
    }))

  it.effect("CAN-8, MRTR-20: while a handler answers no deadline runs, and each round has its own", () =>
    Effect.gen(function*() {
      const late = (reply: JsonObject) => Effect.delay(Effect.succeed(reply), "59 seconds")
      const ask = required({ who: form() })
      const { client } = yield* Scripted.client(inTurn(late(ask), late(ask), late(answer)), slow("1 hour"))
      const fiber = yield* Effect.forkChild(client.callTool("a", {}, { deadlineMax: "60 seconds" }))
      yield* TestClock.adjust("2 hours")
      yield* TestClock.adjust("177 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), answer)
    }))

  it.effect("CAN-8: after that the server has to answer in time", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(
        inTurn(required({ who: form() }), Effect.never),
        slow("1 hour")
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.callTool("a")))
      yield* TestClock.adjust("1 hour")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(Rounds.reason(yield* Fiber.join(fiber))?._tag, "DeadlineExceeded")
      assert.deepStrictEqual(transport.cancelled, [3])
    }))
})

describe("interruption", () => {
  /** A handler that never answers, and tells that it was interrupted. */
  const waiting = () => {
    const interrupted: Array<string> = []
    const options = {
      elicitation: {
        form: ({ message }: { readonly message: string }) =>
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(message)))
      }
    }
    return { interrupted, options }
  }

  it.effect("CAN-2: interrupting the call interrupts its handlers, and nothing more is sent", () =>
    Effect.gen(function*() {
      const { interrupted, options } = waiting()
      const { client, transport } = yield* Scripted.client(inTurn(required({ a: form("a"), b: form("b") })), options)
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* settle
      assert.deepStrictEqual(interrupted, [])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(interrupted, ["a", "b"])
      yield* settle
      assert.strictEqual(Rounds.requests(transport).length, 1)
      assert.deepStrictEqual(transport.cancelled, [])
    }))

  it.effect("CAN-2: in a later round it is that round which is cancelled", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(required({ a: roots }), Effect.never), everything)
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* settle
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(transport.cancelled, [3])
    }))

  it.effect("when the client closes, handlers are interrupted and the call ends", () =>
    Effect.gen(function*() {
      const { interrupted, options } = waiting()
      const scope = yield* Scope.make()
      const { client, transport } = yield* Scope.provide(
        Scripted.client(inTurn(required({ a: form("a") })), options),
        scope
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.callTool("a")))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(Rounds.reason(yield* Fiber.join(fiber))?._tag, "InputNotGiven")
      assert.deepStrictEqual(interrupted, ["a"])
      assert.strictEqual(Rounds.requests(transport).length, 1)
    }))
})

describe("calls", () => {
  class Full extends Schema.TaggedError<Full>()("Full", { until: Schema.DateFromString }) {}

  const Book = Tool.make("book", {
    input: {
      day: Schema.DateFromString,
      region: Schema.String.annotate(JsonSchema.mcpHeader("Region"))
    },
    output: { at: Schema.DateFromString },
    failure: Full
  })
  const args = { day: new Date(0), region: "eu" }
  const booked = { content: [], structuredContent: { at: "2020-01-01T00:00:00.000Z" } }

  it.effect("MRTR-6, TOOL-16: a call by contract has its typed result after the last round", () =>
    Effect.gen(function*() {
      const ask = required({ who: form() }, { requestState: "s" })
      const { client, transport } = yield* Scripted.client(inTurn(ask, ask, booked), everything)
      assert.deepStrictEqual(yield* client.call(Book, args), { at: new Date("2020-01-01") })
      const sent = { day: "1970-01-01T00:00:00.000Z", region: "eu" }
      assert.deepStrictEqual(Rounds.params(transport).map((params) => params.arguments), [sent, sent, sent])
    }))

  it.effect("TOOL-19: and its typed failure", () =>
    Effect.gen(function*() {
      const full = {
        isError: true,
        content: [],
        _meta: { [Tool.failureKey]: { _tag: "Full", until: "2020-01-01T00:00:00.000Z" } }
      }
      const { client } = yield* Scripted.client(inTurn(required({ who: form() }), full), everything)
      assert.isTrue((yield* Effect.flip(client.call(Book, args))) instanceof Full)
    }))

  it.effect("MRTR-6: prompts and templates by contract have rounds too", () =>
    Effect.gen(function*() {
      const Review = Prompt.make("review", { arguments: { level: Schema.FiniteFromString } })
      const File = ResourceTemplate.make("docs://{page}", { name: "f", parameters: { page: Schema.FiniteFromString } })
      const ask = required({ where: roots })
      const { client, transport } = yield* Scripted.client(inTurn(ask, answer, ask, answer), everything)
      yield* client.get(Review, { level: 3 })
      yield* client.read(File, { page: 3 })
      const inputResponses = { where: { roots: everything.roots } }
      const get = { name: "review", arguments: { level: "3" } }
      const read = { uri: "docs://3" }
      assert.deepStrictEqual(Rounds.params(transport), [
        get,
        { ...get, inputResponses },
        read,
        { ...read, inputResponses }
      ])
    }))

  it.effect("PROG-3: the progress of every round, then exactly one result", () =>
    Effect.gen(function*() {
      const reporting = (reply: JsonObject): Scripted.Script => (request) =>
        Effect.as(
          request.onMessage(Scripted.progress(request.message.id, 1, { message: String(reply.resultType) })),
          reply
        )
      const replies = [reporting(required({ who: form() })), reporting({ ...booked, resultType: "complete" })]
      const { client } = yield* Scripted.client(
        (request, params) => replies.shift()?.(request, params) ?? {},
        everything
      )
      const events = yield* Stream.runCollect(client.callWithProgress(Book, args))
      assert.deepStrictEqual(
        events.map((event) => event._tag === "Progress" ? event.progress.message : event.result.at.getFullYear()),
        ["input_required", "complete", 2020]
      )
    }))

  it.effect("HDR-10, MRTR-20: what HTTP mirrors, it mirrors in every round", () =>
    Effect.gen(function*() {
      const ask = required({ who: form() })
      const tool = { name: "book", inputSchema: Book.definition.inputSchema }
      const { client, transport } = yield* Scripted.client(
        inTurn({ tools: [tool] }, ask, ask, answer, ask, booked),
        { ...everything, kind: "http" }
      )
      yield* client.listTools()
      yield* client.callTool("book", { region: "eu" })
      yield* client.call(Book, args)
      const calls = Rounds.requests(transport).slice(1)
      assert.strictEqual(calls.length, 5)
      for (const { mirror } of calls) {
        assert.deepStrictEqual(mirror, {
          protocolVersion: "2026-07-28",
          method: "tools/call",
          name: "book",
          params: [["Region", "eu"]]
        })
      }
    }))

  it.effect("META-8: all rounds belong to the same trace", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(inTurn(required({ where: roots })), everything)
      const span = Tracer.externalSpan({ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" })
      yield* Effect.withParentSpan(client.callTool("a"), span)
      const traces = Rounds.requests(transport).map((request) => Scripted.metaOf(request).traceparent)
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      assert.deepStrictEqual(traces, [traceparent, traceparent])
    }))

  it.effect("an error of the server in a later round is the error of the call", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.client(
        inTurn(required({ where: roots }), new McpError.InvalidParams({ message: "expired" })),
        everything
      )
      assert.deepStrictEqual(
        yield* Effect.flip(client.callTool("a")),
        new McpError.InvalidParams({ message: "expired" })
      )
    }))
})
