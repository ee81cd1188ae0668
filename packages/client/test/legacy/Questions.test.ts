/** What a client answers when a server of the legacy era asks. */
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import type { Root } from "@effect-mcp/core/schema/Roots"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import * as Handlers from "../../src/Handlers.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Scripted from "../support/scripted.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const form = (properties: object = { a: { type: "string" } }, more?: object) => ({
  message: "Who?",
  requestedSchema: { type: "object", properties, ...more }
})

const sampling = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 }
const message = { role: "assistant", content: { type: "text", text: "Ho" }, model: "m" } as const

/** A client that has answered some requests of its server. */
const answers = Effect.fnUntraced(function*<const O extends McpClient.Options<unknown>>(
  options: O,
  ...questions: ReadonlyArray<readonly [method: string, params?: object]>
) {
  const { transport } = yield* Scripted.legacyClient(() => ({}), options)
  questions.forEach(([method, params], id) => transport.say(Scripted.ask(id, method, { ...params })))
  yield* settle
  return transport.replied.map((reply) => reply._tag === "Success" ? reply.result : reply.error)
})

const code = (answer: unknown) => (answer as { readonly code?: number } | undefined)?.code

const capabilities = <const O extends McpClient.Options<unknown>>(options: O) =>
  Effect.map(
    Scripted.legacyClient(() => ({}), options),
    ({ transport }) => transport.sent[0]?.message.params?.capabilities
  )

const everything = {
  elicitation: {
    form: () => Effect.succeed(Handlers.accept({ a: "b" })),
    url: () => Effect.succeed(Handlers.decline)
  },
  sampling: { createMessage: () => Effect.succeed(message), tools: true, context: true },
  roots: { list: Effect.succeed([]), changes: Stream.never }
} satisfies McpClient.Options

describe("what is declared", () => {
  it.effect("INIT-11, ELI-1, ROOT-1, SAMP-1: follows from the handlers, as far as the revision has it", () =>
    Effect.gen(function*() {
      const declared = (prefer: McpClient.Options["prefer"]) => capabilities({ ...everything, prefer })
      assert.deepStrictEqual(yield* declared("2025-11-25"), {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {}, context: {} },
        roots: { listChanged: true }
      })
      assert.deepStrictEqual(yield* declared("2025-06-18"), {
        elicitation: {},
        sampling: {},
        roots: { listChanged: true }
      })
      for (const prefer of ["2025-03-26", "2024-11-05"] as const) {
        assert.deepStrictEqual(yield* declared(prefer), { sampling: {}, roots: { listChanged: true } })
      }
      assert.deepStrictEqual(yield* capabilities({}), {})
      assert.deepStrictEqual(yield* capabilities({ roots: [] }), { roots: {} })
      const { url } = everything.elicitation
      assert.deepStrictEqual(yield* capabilities({ elicitation: { url } }), { elicitation: { url: {} } })
      assert.deepStrictEqual(yield* capabilities({ elicitation: { url }, prefer: "2025-06-18" }), {})
    }))
})

describe("what is answered", () => {
  it.effect("PING-1: a ping, always, and with an empty result", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answers({}, ["ping"]), [{}])
      // INIT-8: also before the handshake is over.
      const transport = Scripted.make((request, params) => {
        transport.say(Scripted.ask("x", "ping"))
        return Effect.as(
          Effect.andThen(request.onMessage(Scripted.ask("y", "ping")), settle),
          Scripted.initialized(params.protocolVersion)
        )
      })
      yield* Scripted.connect(transport, { prefer: "legacy" })
      assert.deepStrictEqual(transport.replied.map(({ id }) => id).toSorted(), ["x", "y"])
    }))

  it.effect("ELI-11: several values are a list where one was asked for, and one text where a text was", () =>
    Effect.gen(function*() {
      const of = (prefer: McpClient.Options["prefer"], properties: object) =>
        answers(
          { elicitation: { form: () => Effect.succeed(Handlers.accept({ a: ["x", "y"] })) }, prefer },
          ["elicitation/create", form(properties)]
        )
      const list = { a: { type: "array", items: { type: "string", enum: ["x", "y"] } } }
      const text = { a: { type: "string" } }
      // A server that asks for what its revision does not have takes what it has asked for.
      assert.deepStrictEqual(yield* of("2025-06-18", list), [{ action: "accept", content: { a: ["x", "y"] } }])
      assert.deepStrictEqual(yield* of("2025-06-18", text), [{ action: "accept", content: { a: "x, y" } }])
      assert.deepStrictEqual(yield* of("2025-11-25", list), [{ action: "accept", content: { a: ["x", "y"] } }])
      assert.deepStrictEqual((yield* of("2025-11-25", text)).map(code), [-32603])
    }))

  it.effect("B1: an answer that is too long to be read is told to be, and not sent", () =>
    Effect.gen(function*() {
      const limited = Limits.layer({ messageBytes: 1_000 })
      const of = (a: string) =>
        answers(
          { elicitation: { form: () => Effect.succeed(Handlers.accept({ a })) } },
          ["elicitation/create", form()]
        ).pipe(Effect.provide(limited))
      assert.deepStrictEqual((yield* of("x".repeat(900))).map(code), [undefined])
      const [long] = yield* of("x".repeat(1_000))
      assert.deepStrictEqual(long, {
        code: -32603,
        message: "The answer is longer than 1000 bytes (the limit messageBytes)"
      })
      // Bytes, and not characters.
      assert.deepStrictEqual((yield* of("€".repeat(400))).map(code), [-32603])
    }))

  it.effect("ELI-20: no person is sent to a script, or to a file", () =>
    Effect.gen(function*() {
      const url = (url: string) =>
        ["elicitation/create", { mode: "url", message: "Go", url, elicitationId: "1" }] as const
      const answered = yield* answers(
        everything,
        url("javascript:alert(1)"),
        url("file:///etc/passwd"),
        url("https://a.example")
      )
      assert.deepStrictEqual(answered.map(code), [-32602, -32602, undefined])
    }))

  it.effect("ERR-14, B16: what was not declared is -32601, and so is what nobody knows", () =>
    Effect.gen(function*() {
      const refused = yield* answers(
        {},
        ["roots/list"],
        ["sampling/createMessage", sampling],
        ["elicitation/create", form()],
        ["tools/list"],
        ["com.example/what"]
      )
      assert.deepStrictEqual(refused.map(code), [-32601, -32601, -32601, -32601, -32601])
      const older = yield* answers({ ...everything, prefer: "2025-03-26" }, ["elicitation/create", form()])
      assert.deepStrictEqual(older.map(code), [-32601])
    }))

  it.effect("ERR-15, ELI-2: a mode of elicitation that was not declared is -32602", () =>
    Effect.gen(function*() {
      const url = { mode: "url", message: "Look", url: "https://example.com", elicitationId: "1" }
      const { elicitation } = everything
      const forms = yield* answers(
        { elicitation: { form: elicitation.form } },
        ["elicitation/create", url],
        ["elicitation/create", { ...form(), mode: "voice" }],
        ["elicitation/create", form()]
      )
      assert.deepStrictEqual(forms.map(code), [-32602, -32602, undefined])
      const urls = yield* answers(
        { elicitation: { url: elicitation.url } },
        ["elicitation/create", form()],
        ["elicitation/create", url]
      )
      assert.deepStrictEqual([code(urls[0]), urls[1]], [-32602, { action: "decline" }])
      const older = yield* answers({ elicitation, prefer: "2025-06-18" }, ["elicitation/create", url])
      assert.deepStrictEqual(older.map(code), [-32602])
    }))

  it.effect("ROOT-2, ROOT-4: roots from a list, a reference or an effect, which have to be of files", () =>
    Effect.gen(function*() {
      const roots: ReadonlyArray<Root> = [{ uri: "file:///a", name: "A" }]
      const ref = yield* SubscriptionRef.make(roots)
      for (const given of [roots, ref, { list: Effect.succeed(roots) }]) {
        assert.deepStrictEqual(yield* answers({ roots: given }, ["roots/list"]), [{ roots }])
      }
      const [wrong] = yield* answers({ roots: [{ uri: "https://a" }] }, ["roots/list"])
      assert.strictEqual(code(wrong), -32603)
      const [failed] = yield* answers(
        { roots: { list: Effect.fail(new McpError.InternalError({ message: "no disk" })) } },
        ["roots/list"]
      )
      assert.deepStrictEqual(failed, { code: -32603, message: "no disk" })
    }))

  it.effect("ROOT-3: a change of the roots is told, under the legacy era only", () =>
    Effect.gen(function*() {
      const ref = yield* SubscriptionRef.make<ReadonlyArray<Root>>([])
      const told = (transport: Scripted.Scripted) =>
        transport.notified.filter(({ method }) => method === "notifications/roots/list_changed").length
      const { transport } = yield* Scripted.legacyClient(() => ({}), { roots: ref })
      const modern = yield* Scripted.client(() => ({}), { roots: ref })
      yield* settle
      assert.strictEqual(told(transport), 0)
      yield* SubscriptionRef.set(ref, [{ uri: "file:///a" }])
      yield* settle
      assert.strictEqual(told(transport), 1)
      assert.strictEqual(told(modern.transport), 0)

      const changes = yield* PubSub.unbounded<void>()
      const other = yield* Scripted.legacyClient(() => ({}), {
        roots: { list: Effect.succeed([]), changes: Stream.fromPubSub(changes) }
      })
      yield* settle
      yield* PubSub.publish(changes, undefined)
      yield* settle
      assert.strictEqual(told(other.transport), 1)
    }))

  it.effect("SAMP-2, SAMP-5: sampling, by its handler, who is told who asks", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const createMessage: Handlers.Sampling["createMessage"] = (params, asker) => {
        asked.push(params, asker)
        return Effect.succeed(message)
      }
      assert.deepStrictEqual(
        yield* answers({ sampling: { createMessage } }, ["sampling/createMessage", sampling]),
        [message]
      )
      assert.deepStrictEqual(asked, [sampling, { server: { name: "old", version: "0" }, revision: "2025-11-25" }])
    }))

  it.effect("SAMP-6: an answer is given in the form of the revision", () =>
    Effect.gen(function*() {
      const many = { ...message, content: [message.content, { type: "text", text: "Hum" }] } as const
      const ask = (prefer: McpClient.Options["prefer"]) =>
        answers(
          { sampling: { createMessage: () => Effect.succeed(many) }, prefer },
          ["sampling/createMessage", sampling]
        )
      assert.deepStrictEqual(yield* ask("2025-11-25"), [many])
      const [older] = yield* ask("2025-06-18")
      assert.isFalse(Array.isArray((older as { readonly content: unknown }).content))
    }))

  it.effect("ERR-13: a person who refuses sampling is -1", () =>
    Effect.gen(function*() {
      const [refused] = yield* answers(
        { sampling: { createMessage: () => Effect.fail(new McpError.UserRejected({ message: "User rejected" })) } },
        ["sampling/createMessage", sampling]
      )
      assert.deepStrictEqual(refused, { code: -1, message: "User rejected" })
    }))

  it.effect("ERR-13, SAMP-7..9: what a request for sampling must not say is -32602", () =>
    Effect.gen(function*() {
      const use = { type: "tool_use", id: "1", name: "a", input: {} }
      const result = { type: "tool_result", toolUseId: "1", content: [] }
      const text = { type: "text", text: "x" }
      const turns = (...messages: ReadonlyArray<readonly [role: string, content: unknown]>) =>
        [
          "sampling/createMessage",
          { maxTokens: 1, messages: messages.map(([role, content]) => ({ role, content })) }
        ] as const
      const codes = yield* answers(
        { sampling: { createMessage: () => Effect.succeed(message) } },
        ["sampling/createMessage", { ...sampling, tools: [] }],
        ["sampling/createMessage", { ...sampling, toolChoice: {} }],
        ["sampling/createMessage", { messages: [] }],
        turns(["assistant", [use]]),
        turns(["assistant", use], ["user", text]),
        turns(["assistant", use], ["user", [result, text]]),
        turns(["user", result]),
        turns(["assistant", use], ["user", { ...result, toolUseId: "2" }]),
        turns(["assistant", [use, text]], ["user", [result]], ["assistant", text])
      )
      assert.deepStrictEqual(codes.map(code), [...Array.from({ length: 8 }, () => -32602), undefined])
      const allowed = yield* answers(
        { sampling: { createMessage: () => Effect.succeed(message), tools: true } },
        ["sampling/createMessage", { ...sampling, tools: [], toolChoice: { mode: "auto" } }]
      )
      assert.deepStrictEqual(allowed, [message])
    }))

  it.effect("ERR-14: a handler that dies is -32603, and its inside is not told but logged", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(message))
      const [died, odd] = yield* answers(
        { sampling: { createMessage: () => Effect.die(new Error("secret")) }, roots: [{ uri: "http://x" }] },
        ["sampling/createMessage", sampling],
        ["roots/list"]
      ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      assert.deepStrictEqual([died, odd], [
        { code: -32603, message: "Internal error" },
        { code: -32603, message: "Internal error" }
      ])
      assert.strictEqual(logged.length, 2)
    }))
})

describe("forms", () => {
  const fill = (answer: Handlers.FormAnswer, schema: object) =>
    Effect.map(
      answers({ elicitation: { form: () => Effect.succeed(answer) } }, ["elicitation/create", schema]),
      ([a]) => a
    )

  const fields = {
    name: { type: "string", default: "John", minLength: 2 },
    age: { type: "integer", default: 30, minimum: 0 },
    score: { type: "number", default: 9.5 },
    verified: { type: "boolean", default: false },
    status: { type: "string", enum: ["a", "b"], default: "a" },
    tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, default: ["x"], maxItems: 1 }
  }

  it.effect("ELI-10: a field that is left out has the default of its schema, whatever that is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fill(Handlers.accept(), form(fields)), {
        action: "accept",
        content: { name: "John", age: 30, score: 9.5, verified: false, status: "a", tags: ["x"] }
      })
      assert.deepStrictEqual(yield* fill(Handlers.accept({ age: 0, verified: true }), form(fields)), {
        action: "accept",
        content: { name: "John", age: 0, score: 9.5, verified: true, status: "a", tags: ["x"] }
      })
    }))

  it.effect("ELI-11, ELI-16: declining and looking away have no content", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fill(Handlers.decline, form(fields)), { action: "decline" })
      assert.deepStrictEqual(yield* fill(Handlers.cancel, form(fields)), { action: "cancel" })
    }))

  it.effect("ELI-12: what does not fit the form is not sent, and the error names the field, not the value", () =>
    Effect.gen(function*() {
      const answer = yield* fill(
        Handlers.accept({ name: "J", age: 1.5, status: "secret", tags: ["x", "y"] }),
        form({ ...fields, city: { type: "string" } }, { required: ["city", "name"] })
      )
      assert.deepStrictEqual(answer, {
        code: -32603,
        message: "The form was not filled in: city is missing, name is shorter than 2 characters, age is not an " +
          "integer, status is not one of the options, tags has more than 1 values"
      })
    }))

  it.effect("ELI-5: a form that is not flat is -32602", () =>
    Effect.gen(function*() {
      for (
        const field of [{ type: "object" }, { type: "array", items: { type: "object" } }, { type: "null" }, {}]
      ) assert.strictEqual(code(yield* fill(Handlers.accept({}), form({ field }))), -32602)
    }))

  it.effect("ELI-6..9: each kind of field is checked as its schema says", () =>
    Effect.gen(function*() {
      const options = [{ const: "a", title: "A" }, { const: "b", title: "B" }]
      const table: ReadonlyArray<
        readonly [schema: object, right: Handlers.FormValues[string], wrong: Handlers.FormValues[string]]
      > = [
        [{ type: "string", maxLength: 2 }, "👍👍", "abc"],
        [{ type: "string", format: "email" }, "a@b", "a"],
        [{ type: "string", format: "uri" }, "a:b", "b"],
        [{ type: "string", format: "date" }, "2024-02-29", "2023-02-29"],
        [{ type: "string", format: "date-time" }, "2024-02-29T23:59:60Z", "2024-02-29 23:59"],
        [{ type: "string", format: "date-time" }, "2024-02-29T23:59:59.5+05:30", "2023-02-29T23:59:59Z"],
        [{ type: "string" }, "", 1],
        [{ type: "number", minimum: 1, maximum: 2 }, 1.5, 3],
        [{ type: "number", minimum: 1 }, 1, 0.5],
        [{ type: "number" }, 1, "1"],
        [{ type: "boolean" }, false, "false"],
        [{ type: "string", oneOf: options }, "a", "A"],
        [{ type: "string", enum: ["a", "b"], enumNames: ["A", "B"] }, "b", "B"],
        [{ type: "array", items: { anyOf: options }, minItems: 1 }, ["a", "b"], []],
        [{ type: "array", items: { anyOf: options } }, [], ["c"]],
        [{ type: "array", items: { type: "string", enum: ["a"] } }, ["a"], "a"]
      ]
      for (const [schema, right, wrong] of table) {
        const good = yield* fill(Handlers.accept({ field: right }), form({ field: schema }))
        assert.deepStrictEqual(good, { action: "accept", content: { field: right } })
        const bad = yield* fill(Handlers.accept({ field: wrong }), form({ field: schema }))
        assert.strictEqual(code(bad), -32603, JSON.stringify([schema, wrong]))
      }
    }))

  it.effect("trap 19: a field may be called anything", () =>
    Effect.gen(function*() {
      const schema = JSON.parse(
        `{"message":"?","requestedSchema":{"type":"object","required":["toString"],"properties":{"toString":{"type":"string"}}}}`
      )
      assert.strictEqual(code(yield* fill(Handlers.accept({}), schema)), -32603)
    }))
})

describe("how it is answered", () => {
  it.effect("a question on a request's own stream does not stop the stream, and stops the clock of the request", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        (request) =>
          Effect.gen(function*() {
            yield* request.onMessage(Scripted.ask("q", "elicitation/create", form()))
            yield* request.onMessage(Scripted.progress(request.message.id, 1))
            while (transport.replied.length === 0) yield* Effect.sleep("1 second")
            yield* Effect.sleep("50 seconds")
            return { content: [] }
          }),
        { elicitation: { form: () => Effect.delay(Effect.succeed(Handlers.accept({ a: "b" })), "1 hour") } }
      )
      const seen: Array<number> = []
      const fiber = yield* Effect.forkChild(
        client.callTool("a", {}, { onProgress: ({ progress }) => Effect.sync(() => seen.push(progress)) })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [1])
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { content: [] })
      assert.deepStrictEqual(transport.replied.map(({ id }) => id), ["q"])
    }))

  it.effect("after that the deadline runs on", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.legacyClient(
        (request) =>
          Effect.andThen(
            Effect.delay(request.onMessage(Scripted.ask("q", "elicitation/create", form())), "30 seconds"),
            Effect.never
          ),
        { elicitation: { form: () => Effect.delay(Effect.succeed(Handlers.decline), "1 hour") } }
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.callTool("a")))
      yield* TestClock.adjust("1 hour")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      assert.match((yield* Fiber.join(fiber)).message, /^No answer to tools\/call/)
    }))

  it.effect("a question outside of any request stops the clocks of those in flight, for one of them may wait for it", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        () => Effect.delay(Effect.succeed({ content: [] }), "30 minutes"),
        {
          kind: "stdio",
          elicitation: { form: () => Effect.delay(Effect.succeed(Handlers.decline), "1 hour") }
        }
      )
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* settle
      transport.say(Scripted.ask(1, "elicitation/create", form()))
      yield* TestClock.adjust("30 minutes")
      yield* Fiber.join(fiber)
    }))

  it.effect("CAN-4, CAN-5: a question that is taken back is interrupted, and not answered", () =>
    Effect.gen(function*() {
      const interrupted: Array<string> = []
      const { transport } = yield* Scripted.legacyClient(() => ({}), {
        elicitation: {
          form: ({ message }) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(message)))
        }
      })
      transport.say(Scripted.ask(1, "elicitation/create", { ...form(), message: "number" }))
      transport.say(Scripted.ask("1", "elicitation/create", { ...form(), message: "string" }))
      yield* settle
      for (const requestId of [7, undefined, "1"]) {
        transport.say(Scripted.notification("notifications/cancelled", { requestId }))
      }
      yield* settle
      assert.deepStrictEqual(interrupted, ["string"])
      assert.deepStrictEqual(transport.replied, [])
      transport.say(Scripted.notification("notifications/cancelled", { requestId: 1 }))
      yield* settle
      assert.deepStrictEqual(interrupted, ["string", "number"])
      assert.deepStrictEqual(transport.replied, [])
    }))

  it.effect("CAN-4: it may be taken back on the stream of the request", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient((request) =>
        Effect.gen(function*() {
          yield* request.onMessage(Scripted.ask(1, "elicitation/create", form()))
          yield* request.onMessage(Scripted.notification("notifications/cancelled", { requestId: 1 }))
          return { content: [] }
        }), { elicitation: { form: () => Effect.never } })
      yield* client.callTool("a")
      yield* settle
      assert.deepStrictEqual(transport.replied, [])
    }))

  it.effect("a request that is given up takes what was asked for its sake with it, and the server is told", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        (request) => Effect.andThen(request.onMessage(Scripted.ask(1, "elicitation/create", form())), Effect.never),
        { elicitation: { form: () => Effect.never } }
      )
      const fiber = yield* Effect.forkChild(client.callTool("a"))
      yield* settle
      transport.say(Scripted.ask(2, "elicitation/create", form()))
      yield* settle
      yield* Fiber.interrupt(fiber)
      yield* settle
      assert.deepStrictEqual(transport.replied.map((reply) => [reply.id, reply._tag]), [[1, "Failure"]])
    }))

  it.effect("trap 22: the ids of the server are its own, and one in use is refused", () =>
    Effect.gen(function*() {
      const { transport } = yield* Scripted.legacyClient(() => ({}), {
        elicitation: { form: () => Effect.never },
        roots: []
      })
      // The ids 1 and 2 are ours too.
      transport.say(Scripted.ask(1, "elicitation/create", form()))
      transport.say(Scripted.ask(1, "roots/list"))
      transport.say(Scripted.ask(2, "roots/list"))
      transport.say(Scripted.ask(2, "roots/list"))
      yield* settle
      assert.deepStrictEqual(
        transport.replied.map((reply) => [reply.id, reply._tag === "Success" ? "ok" : reply.error.code]),
        [[1, -32600], [2, "ok"], [2, "ok"]]
      )
    }))

  it.effect("inFlightRequests: a server that asks without end is refused, and then not listened to", () =>
    Effect.gen(function*() {
      const { transport } = yield* Scripted.legacyClient(() => ({}), { elicitation: { form: () => Effect.never } })
      for (let i = 0; i < 5_000; i++) transport.say(Scripted.ask(i, "elicitation/create", form()))
      yield* settle
      const refused = transport.replied.filter((reply) => reply._tag === "Failure")
      assert.strictEqual(refused.length, transport.replied.length)
      assert.isAtLeast(refused.length, 1)
      assert.isAtMost(refused.length, 5_000 - 1_024)
    }))

  it.effect("when the client closes, handlers are interrupted, and nothing more is sent", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const interrupted = yield* Deferred.make<void>()
      const { transport } = yield* Scope.provide(
        Scripted.legacyClient(() => ({}), {
          elicitation: {
            form: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
          }
        }),
        scope
      )
      transport.say(Scripted.ask(1, "elicitation/create", form()))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(transport.replied, [])
    }))

  it.effect("handlers have the services their client was made with", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const { transport } = yield* Effect.provideService(
        Scripted.legacyClient(() => ({}), {
          elicitation: { form: () => Effect.map(Name, (name) => Handlers.accept({ a: name })) }
        }),
        Name,
        "Ada"
      )
      transport.say(Scripted.ask(1, "elicitation/create", form()))
      yield* settle
      assert.deepStrictEqual(transport.replied.map((reply) => reply._tag === "Success" && reply.result), [
        { action: "accept", content: { a: "Ada" } }
      ])
    }))
})
