/** Requests to the client's model, and what the client gets of them. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Tool from "@effect-mcp/core/Tool"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { open, revisions as legacyRevisions } from "../legacy/support.ts"
import { type Json, start } from "../support.ts"
import { asking, errorOf, playTool, revisions, textOf } from "./support.ts"

const json = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(effect, (value) => JSON.stringify(value))

const newer = ["2025-11-25", "2026-07-28"] as const

const text = (text: string) => ({ type: "text", text }) as const
const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: {} }) as const
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [text("sunny")] }) as const

describe("Sampling.createMessage", () => {
  for (const revision of revisions) {
    it.effect(`SAMP-3, SAMP-11: what is asked arrives as it is under ${revision}`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(asking(json(Sampling.createMessage({
          messages: [{ role: "user", content: text("Hi") }, { role: "assistant", content: text("Hello") }],
          maxTokens: 100,
          modelPreferences: { hints: [{ name: "small" }, { name: "fast" }], costPriority: 0.5, speedPriority: 1 },
          systemPrompt: "Be brief",
          temperature: 0,
          stopSequences: ["\n"],
          metadata: { a: { b: [1] } },
          includeContext: undefined
        }))))
        const played = yield* playTool(endpoint, revision, "ask")
        const [asked] = played.asked
        assert.deepStrictEqual(asked?.params, {
          messages: [{ role: "user", content: text("Hi") }, { role: "assistant", content: text("Hello") }],
          maxTokens: 100,
          modelPreferences: { hints: [{ name: "small" }, { name: "fast" }], costPriority: 0.5, speedPriority: 1 },
          systemPrompt: "Be brief",
          temperature: 0,
          stopSequences: ["\n"],
          metadata: { a: { b: [1] } }
        })
        assert.strictEqual(JSON.parse(textOf(played)).model, "test")
      }))
  }

  for (const revision of newer) {
    it.effect(`SAMP-7, SAMP-10: tools by contract and as they stand on the wire, under ${revision}`, () =>
      Effect.gen(function*() {
        const weather = Tool.make("weather", { description: "The weather", input: { city: Schema.String } })
        const wire = { name: "wire", inputSchema: { type: "object" } } as const
        const { endpoint } = yield* start(asking(json(Sampling.createMessage({
          messages: "?",
          maxTokens: 10,
          tools: [weather, wire],
          toolChoice: "required"
        }))))
        const played = yield* playTool(endpoint, revision, "ask", {
          answer: () => ({
            role: "assistant",
            content: [text("I look"), use("u1")],
            model: "m",
            stopReason: "toolUse"
          })
        })
        const { toolChoice, tools } = played.asked[0]!.params
        assert.deepStrictEqual(toolChoice, { mode: "required" })
        assert.deepStrictEqual(tools, [JSON.parse(JSON.stringify(weather.definition)), wire])
        // SAMP-5, SAMP-6.
        assert.deepStrictEqual(JSON.parse(textOf(played)), {
          role: "assistant",
          content: [text("I look"), use("u1")],
          model: "m",
          stopReason: "toolUse"
        })
      }))

    it.effect(`SAMP-8, SAMP-9: a conversation that no client may take is refused before it is sent, under ${revision}`, () =>
      Effect.gen(function*() {
        const wrong: Record<string, ReadonlyArray<Json>> = {
          "a use without a result": [{ role: "assistant", content: [use("1")] }],
          "something between": [
            { role: "assistant", content: [use("1")] },
            { role: "user", content: text("wait") },
            { role: "user", content: [result("1")] }
          ],
          "another id": [{ role: "assistant", content: [use("1")] }, { role: "user", content: [result("2")] }],
          "something beside": [
            { role: "assistant", content: [use("1")] },
            { role: "user", content: [result("1"), text("and")] }
          ],
          "not a number of tokens": []
        }
        for (const [what, messages] of Object.entries(wrong)) {
          const { endpoint } = yield* start(asking(json(Sampling.createMessage({
            messages,
            maxTokens: messages.length === 0 ? 0.5 : 10
          }))))
          const played = yield* playTool(endpoint, revision, "ask")
          assert.deepStrictEqual([errorOf(played).code, played.asked], [-32602, []], what)
        }
      }))
  }

  it.effect("SAMP-6: the text of an answer is that of its blocks", () =>
    Effect.sync(() => {
      assert.strictEqual(Sampling.textOf({ content: text("one") }), "one")
      assert.strictEqual(Sampling.textOf({ content: [text("one"), use("1"), text("two")] }), "one\ntwo")
      assert.strictEqual(Sampling.textOf({ content: [] }), "")
    }))

  it.effect("ERR-13, SAMP-13: a person who refuses is UserRejected where the revision can tell it", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(
        json(Sampling.createMessage({ messages: "?", maxTokens: 10 })).pipe(
          Effect.catchTag("UserRejected", ({ message }) => Effect.succeed(message))
        )
      ))
      for (const revision of legacyRevisions) {
        const peer = yield* open(endpoint, revision, { capabilities: { sampling: {} } })
        const response = yield* peer.request("tools/call", { name: "ask" }, {
          onMessage: (message) =>
            message._tag === "Request"
              ? peer.reply(JsonRpc.failure(message.id, { code: -1, message: "No, thanks" }))
              : Effect.void
        })
        assert.strictEqual(textOf({ response }), "No, thanks")
      }
    }))

  it.effect("ERR-14: an error of the client is no error of its own request, and tells what it was", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(json(Sampling.createMessage({ messages: "?", maxTokens: 10 }))))
      for (const revision of legacyRevisions) {
        const peer = yield* open(endpoint, revision, { capabilities: { sampling: {} } })
        const error = yield* peer.error("tools/call", { name: "ask" }, {
          onMessage: (message) =>
            message._tag === "Request"
              ? peer.reply(JsonRpc.failure(message.id, { code: -32601, message: "Method not found" }))
              : Effect.void
        })
        assert.deepStrictEqual(error, {
          code: -32603,
          message: "The client has answered sampling/createMessage with an error: Method not found (-32601)"
        })
      }
    }))
})
