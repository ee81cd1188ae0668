/** A server of the legacy era that says more at once than any buffer holds. */
import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Scripted from "../support/scripted.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("what a server says unasked", () => {
  it.effect("streamBuffer: a burst reaches a reader that keeps up, and the ping after it is answered", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(() => ({}))
      const fiber = yield* Effect.forkChild(
        Stream.runCollect(Stream.take(Stream.tap(client.notifications, () => Effect.yieldNow), 5_000))
      )
      yield* settle
      for (let i = 0; i < 5_000; i++) transport.say(Scripted.notification("notifications/tools/list_changed"))
      transport.say(Scripted.ask("p", "ping"))
      assert.lengthOf(yield* Fiber.join(fiber), 5_000)
      yield* settle
      assert.deepStrictEqual(transport.replied.map(({ id }) => id), ["p"])
    }))

  it.effect("LOG-3, streamBuffer: a burst of log messages reaches a callback that keeps up", () =>
    Effect.gen(function*() {
      const { client, transport } = yield* Scripted.legacyClient(
        ({ message }) =>
          message.method === "tools/call"
            ? Effect.gen(function*() {
              for (let i = 0; i < 3_000; i++) transport.say(Scripted.log("info", i))
              for (let i = 0; i < 1_000 && seen.length < 3_000; i++) yield* settle
              return { content: [] }
            })
            : {},
        { capabilities: { tools: {}, logging: {} } }
      )
      const seen: Array<unknown> = []
      yield* client.callTool("a", {}, {
        onLog: ({ data }) => Effect.andThen(Effect.yieldNow, Effect.sync(() => seen.push(data)))
      })
      assert.deepStrictEqual(seen, Array.from({ length: 3_000 }, (_, n) => n))
    }))

  it.effect("streamBuffer: a transport that had to let go of messages is listened to further, with one warning", () => {
    const logs: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function*() {
      const full = McpClientError.make(new McpClientError.LimitExceeded({ limit: "streamBuffer", max: 1 }))
      const scripted = Scripted.make(Scripted.withInitialize(() => ({})))
      let failures = 2
      // It fails after a message, twice.
      const unrelated = Stream.suspend(() =>
        failures-- > 0 ? Stream.concat(Stream.take(scripted.unrelated, 1), Stream.fail(full)) : scripted.unrelated
      )
      const client = yield* Scripted.connect({ ...scripted, unrelated }, { revisions: ["2025-11-25"] })
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.notifications, 3)))
      yield* settle
      for (let i = 0; i < 3; i++) {
        scripted.say(Scripted.notification("notifications/tools/list_changed"))
        yield* settle
      }
      scripted.say(Scripted.ask("p", "ping"))
      assert.lengthOf(yield* Fiber.join(fiber), 3)
      yield* settle
      assert.deepStrictEqual(scripted.replied.map(({ id }) => id), ["p"])
      assert.lengthOf(logs.filter((log) => log.startsWith("Warn")), 1)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
