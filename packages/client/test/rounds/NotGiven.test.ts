/** Questions that get no answer: the server cannot be told, and the call fails. */
import * as Extension from "@effect-mcp/core/Extension"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Handlers from "../../src/Handlers.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Rounds from "../support/rounds.ts"
import * as Scripted from "../support/scripted.ts"

const { everything, form, inTurn, required, roots, sampling, url } = Rounds

/** What a call fails with whose questions have no answer. */
const notGiven = Effect.fnUntraced(function*<const O extends McpClient.Options<unknown>>(
  options: O,
  questions: JsonObject
) {
  const { client, transport } = yield* Scripted.client(inTurn(required(questions, { requestState: "s" })), options)
  const found = Rounds.reason(yield* Effect.flip(client.callTool("a")))
  assert.strictEqual(Rounds.requests(transport).length, 1)
  assert.deepStrictEqual(transport.replied, [])
  return found?._tag === "InputNotGiven" ? found : assert.fail(`unexpected: ${found?.message}`)
})

describe("what was not declared", () => {
  const { elicitation, sampling: { createMessage } } = everything
  const formOnly = { elicitation: { form: elicitation.form } }
  const urlOnly = { elicitation: { url: elicitation.url } }
  const rows = [
    ["roots", {}, roots],
    ["sampling", {}, sampling()],
    ["elicitation", {}, form()],
    ["elicitation", { elicitation: {} }, form()],
    ["elicitation.form", urlOnly, form()],
    ["elicitation.url", formOnly, url],
    ["sampling.tools", { sampling: { createMessage } }, sampling({ tools: [] })],
    ["sampling.tools", { sampling: { createMessage } }, sampling({ toolChoice: { mode: "auto" } })]
  ] satisfies ReadonlyArray<readonly [string, McpClient.Options, JsonObject]>

  for (const [capability, options, question] of rows) {
    it.effect(`MRTR-5, MRTR-13, B16, trap 13: ${capability}`, () =>
      Effect.gen(function*() {
        const found = yield* notGiven(options, { odd: question })
        assert.deepStrictEqual(
          { method: found.method, key: found.key, request: found.request, cause: found.cause },
          { method: "tools/call", key: "odd", request: String(question.method), cause: undefined }
        )
        assert.strictEqual(
          found.message,
          `tools/call was given up, because the server asked for ${question.method} ("odd"), which was not answered: ` +
            `the request has not declared ${capability}, which by default follows from the handlers given to McpClient.layer`
        )
      }))
  }

  it.effect("MRTR-5: nobody is asked the other questions of the round", () =>
    Effect.gen(function*() {
      let asked = false
      const elicitation = { form: () => Effect.as(Effect.sync(() => asked = true), Handlers.decline) }
      const found = yield* notGiven({ elicitation }, { fine: form(), odd: roots })
      assert.strictEqual(found.key, "odd")
      assert.isFalse(asked)
    }))

  it.effect("EXT-1: an extension that is on is declared, and no kind of question", () =>
    Effect.gen(function*() {
      const clock = Extension.forClient(Extension.make("com.example/clock", {}), {})
      assert.strictEqual((yield* notGiven({ extensions: [clock] }, { a: roots })).request, "roots/list")
    }))
})

describe("what a handler does not answer", () => {
  const rejected = new McpError.UserRejected({ message: "Not today" })

  it.effect("MRTR-13: a person who refuses sampling", () =>
    Effect.gen(function*() {
      const found = yield* notGiven({ sampling: { createMessage: () => Effect.fail(rejected) } }, { what: sampling() })
      assert.strictEqual(found.cause, rejected)
      assert.strictEqual(found.problem, "Not today")
      assert.deepStrictEqual([found.method, found.key, found.request], ["tools/call", "what", "sampling/createMessage"])
    }))

  it.effect("MRTR-13: any error of a handler is the cause, and the reason can be caught", () =>
    Effect.gen(function*() {
      const error = new McpError.Application({ code: 7, message: "no disk", data: { at: 1 } })
      const options = { roots: { list: Effect.fail(error) } }
      assert.strictEqual((yield* notGiven(options, { where: roots })).cause, error)
      const { client } = yield* Scripted.client(inTurn(required({ where: roots })), options)
      const caught = yield* client.callTool("a").pipe(
        Effect.catchReason("McpClientError", "InputNotGiven", ({ cause }) => Effect.succeed(cause))
      )
      assert.strictEqual(caught, error)
    }))

  it.effect("ELI-12, MRTR-13: what does not fit the form is not sent, and the error names the field, not the value", () =>
    Effect.gen(function*() {
      const fields = { name: { type: "string", maxLength: 1 }, age: { type: "integer" } }
      const found = yield* notGiven(
        { elicitation: { form: () => Effect.succeed(Handlers.accept({ name: "secret", age: 1 })) } },
        { who: form("?", fields) }
      )
      assert.strictEqual(found.problem, "The form was not filled in: name is longer than 1 characters")
      assert.strictEqual(found.cause?._tag, "InternalError")
    }))

  it.effect("SAMP-8, SAMP-9: a conversation that no model may be given does not reach the handler", () =>
    Effect.gen(function*() {
      let asked = false
      const createMessage = () => Effect.as(Effect.sync(() => asked = true), Rounds.message)
      const use = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "a", input: {} }] }
      const result = { type: "tool_result", toolUseId: "1", content: [] }
      for (
        const messages of [
          [use],
          [use, { role: "user", content: { type: "text", text: "?" } }],
          [use, { role: "user", content: [result, { type: "text", text: "?" }] }],
          [{ role: "user", content: result }]
        ]
      ) {
        const found = yield* notGiven({ sampling: { createMessage, tools: true } }, { what: sampling({ messages }) })
        assert.strictEqual(found.cause?._tag, "InvalidParams")
      }
      assert.isFalse(asked)
    }))

  it.effect("MRTR-13, ROOT-4: a handler that dies, or answers with what is no answer; the log has the rest", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(message))
      yield* Effect.gen(function*() {
        const died = yield* notGiven(
          { sampling: { createMessage: () => Effect.die(new Error("secret")) } },
          { what: sampling() }
        )
        const threw = yield* notGiven(
          {
            elicitation: {
              form: () => {
                throw new Error("secret")
              }
            }
          },
          { who: form() }
        )
        const odd = yield* notGiven({ roots: [{ uri: "https://a" }] }, { where: roots })
        for (const { cause, problem } of [died, threw, odd]) {
          assert.deepStrictEqual([problem, cause], ["its handler has died, and the log tells why", undefined])
        }
      }).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      assert.strictEqual(logged.length, 3)
    }))

  it.effect("MRTR-13: a handler that gives up by itself", () =>
    Effect.gen(function*() {
      const found = yield* notGiven({ roots: { list: Effect.interrupt } }, { where: roots })
      assert.strictEqual(found.problem, "its handler was interrupted")
    }))

  it.effect("MRTR-13: when one question gets no answer, the handlers of the others are interrupted", () =>
    Effect.gen(function*() {
      const interrupted: Array<string> = []
      const waiting = ({ message }: { readonly message: string }) =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted.push(message)))
      const options = {
        elicitation: { form: waiting },
        sampling: { createMessage: () => Effect.delay(Effect.fail(rejected), 0) }
      }
      const questions = { a: form("a"), what: sampling(), b: form("b") }
      assert.strictEqual((yield* notGiven(options, questions)).key, "what")
      assert.deepStrictEqual(interrupted, ["a", "b"])
      // Also where the call itself cannot be interrupted.
      const { client } = yield* Scripted.client(inTurn(required(questions)), options)
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(Effect.flip(client.callTool("a"))))
      assert.strictEqual(Rounds.reason(yield* Fiber.join(fiber))?._tag, "InputNotGiven")
    }))
})
