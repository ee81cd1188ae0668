import { assert, describe, it } from "@effect/vitest"
import * as Content from "@effect-mcp/core/Content"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { start } from "./support.ts"

const Review = Prompt.make("review", {
  title: "Review",
  description: "Review some code",
  arguments: {
    code: Schema.String.annotate({ title: "Code", description: "What to review" }),
    depth: Schema.optional(Schema.FiniteFromString)
  },
  icons: [{ src: "https://example.com/i.png" }],
  meta: { "a/b": 1 }
})
const ReviewLive = McpServer.prompt(Review, ({ code, depth = 1 }) => Effect.succeed(`${code} ${depth + 1}`))
const Plain = Prompt.make("plain", {})

const messagesOf = (success: Prompt.Success) =>
  Effect.gen(function*() {
    const peer = yield* start(McpServer.prompt(Plain, () => Effect.succeed(success)), { sendServerInfo: false })
    return yield* peer.result("prompts/get", { name: "plain" })
  })

describe("prompts", () => {
  it.effect("PROMPT-1, ICON-1, META-19: are listed with every member of a definition", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.merge(ReviewLive, McpServer.prompt(Plain, () => Effect.succeed("p"))))
      assert.deepStrictEqual((yield* peer.result("prompts/list")).prompts, [
        {
          name: "review",
          title: "Review",
          description: "Review some code",
          arguments: [
            { name: "code", title: "Code", description: "What to review", required: true },
            { name: "depth", required: false }
          ],
          icons: [{ src: "https://example.com/i.png" }],
          _meta: { "a/b": 1 }
        },
        { name: "plain" }
      ])
    }))

  it.effect("PROMPT-3, PROMPT-5, CACHE-2: text, a message, messages, and a description", () =>
    Effect.gen(function*() {
      const user = { role: "user", content: { type: "text", text: "Hi" } }
      const assistant = { role: "assistant", content: { type: "image", data: "AQI=", mimeType: "image/png" } }
      const image = Prompt.assistant(Content.image(new Uint8Array([1, 2]), "image/png"))
      assert.deepStrictEqual(yield* messagesOf("Hi"), { resultType: "complete", messages: [user] })
      assert.deepStrictEqual(yield* messagesOf(image), { resultType: "complete", messages: [assistant] })
      assert.deepStrictEqual(yield* messagesOf([Prompt.user("Hi"), image]), {
        resultType: "complete",
        messages: [user, assistant]
      })
      assert.deepStrictEqual(yield* messagesOf({ description: "d", messages: [image] }), {
        resultType: "complete",
        description: "d",
        messages: [assistant]
      })
      assert.deepStrictEqual(yield* messagesOf({ messages: [] }), { resultType: "complete", messages: [] })
    }))

  it.effect("PROMPT-2, PROMPT-4, PROMPT-8: arguments are decoded by their schemas before the handler runs", () =>
    Effect.gen(function*() {
      const peer = yield* start(ReviewLive)
      const get = (args: unknown) => peer.result("prompts/get", { name: "review", arguments: args })
      const text = (args: unknown) => Effect.map(get(args), (result) => result.messages[0].content.text)
      assert.strictEqual(yield* text({ code: "let a" }), "let a 2")
      assert.strictEqual(yield* text({ code: "let a", depth: "2" }), "let a 3")
      assert.strictEqual(yield* text({ code: "", extra: "ignored" }), " 2")
      for (const args of [{}, null, undefined, { depth: "1" }, { code: "a", depth: "deep" }]) {
        const error = yield* peer.error("prompts/get", { name: "review", arguments: args })
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, "review")
      }
      for (const args of [{ code: 1 }, [], "code", { code: null }]) {
        const error = yield* peer.error("prompts/get", { name: "review", arguments: args })
        assert.strictEqual(error.code, -32602)
      }
    }))

  it.effect("PROMPT-4: an unknown prompt is -32602", () =>
    Effect.gen(function*() {
      const peer = yield* start(ReviewLive)
      assert.deepStrictEqual(yield* peer.error("prompts/get", { name: "nope" }), {
        code: -32602,
        message: "Unknown prompt: nope"
      })
      assert.strictEqual((yield* peer.error("prompts/get", {})).code, -32602)
    }))

  it.effect("ERR-9: an error of a handler keeps its code, message and data", () =>
    Effect.gen(function*() {
      const peer = yield* start(
        McpServer.prompt(Plain, () => Effect.fail(new McpError.Application({ code: 7, message: "Locked", data: [1] })))
      )
      assert.deepStrictEqual(yield* peer.error("prompts/get", { name: "plain" }), {
        code: 7,
        message: "Locked",
        data: [1]
      })
    }))
})
