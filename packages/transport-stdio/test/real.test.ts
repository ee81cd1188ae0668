/** The real server and the real client, through two processes. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as McpStdio from "../src/McpStdio.ts"
import { Add, Count, Sleep } from "./fixtures/contracts.ts"
import { call, cancel, fixture, initialize, legacy, legacyCall, notification, start } from "./support/peer.ts"

describe("McpServer and McpClient over McpStdio", () => {
  it.live("call, progress and cancellation", () =>
    Effect.gen(function*() {
      let said = ""
      const transport = McpStdio.layerClient({
        command: process.execPath,
        args: [fixture("real.ts")],
        onStderr: (text) =>
          Effect.sync(() => {
            said += text
          })
      }).pipe(Layer.provide(NodeServices.layer))
      yield* Effect.gen(function*() {
        const client = yield* McpClient.McpClient
        assert.deepStrictEqual(yield* client.call(Add, { a: 1, b: 2 }), { sum: 3 })
        const progress: Array<number> = []
        yield* client.call(Count, { to: 2_000 }, {
          onProgress: (event) => Effect.sync(() => void progress.push(event.progress))
        })
        assert.deepStrictEqual(progress, Array.from({ length: 2_000 }, (_, i) => i + 1))
        yield* Effect.timeoutOption(client.call(Sleep, {}), 200)
        assert.deepStrictEqual(yield* client.call(Add, { a: 2, b: 2 }), { sum: 4 })
        for (let i = 0; i < 100 && !said.includes("interrupted"); i++) yield* Effect.sleep(20)
      }).pipe(Effect.provide(McpClient.layer({ name: "test", version: "1.0.0" }).pipe(Layer.provide(transport))))
      assert.match(said, /adding/)
      assert.match(said, /interrupted/)
    }))
})

describe.concurrent("McpServer over McpStdio in the legacy era", () => {
  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it.live(`INIT-3, INIT-5, PING-1, CAN-5, ERA-5: call, progress, cancellation, and the modern era beside it (${revision})`, () =>
      Effect.gen(function*() {
        const peer = yield* start({ script: "real.ts" })
        yield* peer.write(
          [
            notification("notifications/initialized"),
            initialize(1, revision),
            notification("notifications/initialized"),
            legacy(2, "ping"),
            legacyCall(3, "add", { a: 1, b: 2 }),
            legacy(4, "tools/call", { name: "count", arguments: { to: 2 }, _meta: { progressToken: 0 } }),
            legacyCall(5, "sleep"),
            call(6, "add", { a: 2, b: 2 })
          ].join("\n") + "\n"
        )
        const { result } = yield* peer.answer(1)
        assert.deepInclude(result, { protocolVersion: revision, serverInfo: { name: "real", version: "1.0.0" } })
        assert.deepStrictEqual<unknown>((yield* peer.answer(2)).result, {})
        assert.strictEqual((yield* peer.answer(3)).result?.content?.[0]?.text, "{\"sum\":3}")
        yield* peer.answer(4)
        yield* peer.answer(6)
        const progress = peer.messages().filter(({ method }) => method === "notifications/progress")
        assert.deepStrictEqual(progress.map(({ params }) => params?.progress), [1, 2])
        yield* peer.write(cancel(5) + "\n")
        yield* peer.until(() => /interrupted/.test(peer.stderr()))
        yield* peer.end
        assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
        assert.isUndefined(peer.messages().find(({ id }) => id === 5))
      }))
  }
})
