/** The real server and the real client, through two processes. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as McpStdio from "../src/McpStdio.ts"
import { Add, Count, Sleep } from "./fixtures/contracts.ts"
import { fixture } from "./support/peer.ts"

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
