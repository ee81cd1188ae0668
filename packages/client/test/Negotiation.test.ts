import * as McpError from "@effect-mcp/core/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Fiber from "effect/Fiber"
import type * as McpClient from "../src/McpClient.ts"
import * as Scripted from "./support/scripted.ts"

const connect = (script: Scripted.Script, options?: McpClient.Options) => {
  const transport = Scripted.make(script)
  return { transport, made: Scripted.connect(transport, options) }
}

const modernOnly: McpClient.Options = { revisions: ["2026-07-28"] }

const unsupported = (supported: ReadonlyArray<string>) =>
  new McpError.UnsupportedProtocolVersion({ message: "no", supported, requested: "2026-07-28" })

describe("Negotiation", () => {
  it.effect("DISC-5, ERA-7: the server is asked first, and what it says is on the client", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.client(() => ({}))
      assert.deepStrictEqual(transport.sent.map(({ message }) => message.method), ["server/discover"])
      assert.strictEqual(client.server.revision, "2026-07-28")
      assert.deepStrictEqual(client.server.supportedVersions, ["2026-07-28"])
      assert.deepStrictEqual(client.server.capabilities as unknown, { tools: {}, "x-new": { a: 1 } })
      assert.deepStrictEqual(client.server.info, { name: "scripted", version: "1" })
      assert.strictEqual(client.server.instructions, "Be nice")
    }))

  it.effect("ERA-3: after -32022 a common revision is taken and the request is sent once more", () =>
    Effect.gen(function*() {
      let first = true
      const { made, transport } = connect(() => {
        if (!first) return Scripted.discovered
        first = false
        return unsupported(["2026-07-28"])
      })
      const client = yield* made
      assert.strictEqual(client.server.revision, "2026-07-28")
      assert.strictEqual(transport.sent.length, 2)
      assert.notStrictEqual(transport.sent[0]?.message.id, transport.sent[1]?.message.id)
      assert.strictEqual(Scripted.metaOf(transport.sent[1])["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
    }))

  it.effect("ERA-3: a server that refuses the revision it names is not asked a third time", () =>
    Effect.gen(function*() {
      const { made, transport } = connect(() => unsupported(["2026-07-28"]))
      const error = yield* Effect.flip(made)
      assert.strictEqual(error._tag, "UnsupportedProtocolVersion")
      assert.strictEqual(transport.sent.length, 2)
    }))

  it.effect("ERA-3: without a common revision the error names those of both sides", () =>
    Effect.gen(function*() {
      for (
        const script of [
          () => unsupported(["2031-01-01"]),
          () => ({ ...Scripted.discovered, supportedVersions: ["2031-01-01"] })
        ]
      ) {
        const error = yield* Effect.flip(connect(script, modernOnly).made)
        assert.strictEqual(
          error.message,
          "No common protocol revision: this client speaks 2026-07-28, the server 2031-01-01"
        )
      }
    }))

  it.effect("ERA-17: a server without server/discover is one of an earlier era", () =>
    Effect.gen(function*() {
      const { made } = connect(() => new McpError.MethodNotFound({ message: "what?" }), modernOnly)
      const error = yield* Effect.flip(made)
      assert.strictEqual(
        error.message,
        "No common protocol revision: this client speaks 2026-07-28, the server an older one"
      )
    }))

  it.effect("CAN-8: a server that is silent about discovery fails the layer after discoverTimeout", () =>
    Effect.gen(function*() {
      const { made, transport } = connect(() => Effect.never, modernOnly)
      const fiber = yield* Effect.forkChild(Effect.flip(made))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.message, "No answer to server/discover and no progress for 10000 ms")
      assert.deepStrictEqual(transport.cancelled, [1])
    }))

  it.effect("ERA-4: discovery can be left out", () =>
    Effect.gen(function*() {
      const { made, transport } = connect(() => ({ tools: [] }), { discover: false })
      const client = yield* made
      assert.deepStrictEqual(transport.sent, [])
      assert.strictEqual(client.server.revision, "2026-07-28")
      yield* client.listTools()
    }))

  it.effect("ERA-3: without discovery the first request finds out", () =>
    Effect.gen(function*() {
      let first = true
      const { made, transport } = connect(() => {
        if (!first) return { tools: [] }
        first = false
        return unsupported(["2026-07-28", "2025-11-25"])
      }, { discover: false })
      const client = yield* made
      yield* client.listTools()
      assert.strictEqual(transport.sent.length, 2)
    }))

  it.effect("an allow-list that cannot be used fails before anything is sent", () =>
    Effect.gen(function*() {
      for (
        const options of [
          { revisions: [] },
          { revisions: ["2026-07-28", "2026-07-28"] },
          { revisions: ["2026-07-28"], prefer: "2025-11-25" }
        ] as const
      ) {
        const { made, transport } = connect(() => Scripted.discovered, options)
        const error = yield* Effect.flip(made)
        assert.strictEqual(error._tag === "McpClientError" ? error.reason._tag : error._tag, "InvalidCall")
        assert.deepStrictEqual(transport.sent, [])
      }
    }))

  it.effect("META-15: an identity that is none is ignored", () =>
    Effect.gen(function*() {
      const { made } = connect(() => ({
        ...Scripted.discovered,
        _meta: { "io.modelcontextprotocol/serverInfo": { name: 1 } }
      }))
      assert.strictEqual((yield* made).server.info, undefined)
    }))
})
