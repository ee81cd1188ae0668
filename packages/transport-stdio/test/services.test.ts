/** The services that a server on stdio has for every request. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, start } from "./support/peer.ts"

describe.concurrent("McpStdio.run with services", () => {
  for (const subject of ["alice", "root"]) {
    it.live(`every request of ${subject} has its principal`, () =>
      Effect.gen(function*() {
        const peer = yield* start({ script: "services.ts", env: { SUBJECT: subject } })
        yield* peer.write(`${call(1, "who-am-i")}\n${call(2, "who-am-i")}\n${call(3, "restart")}\n`)
        for (const id of [1, 2]) {
          assert.strictEqual((yield* peer.answer(id)).result?.content?.[0]?.text, subject)
        }
        const restart = yield* peer.answer(3)
        if (subject === "root") assert.strictEqual(restart.result?.content?.[0]?.text, "Restarted")
        else assert.strictEqual(restart.error?.code, -32602)
      }))
  }

  it.live("ERR-1: without the service a request is an internal error, and standard error says what is missing", () =>
    Effect.gen(function*() {
      const peer = yield* start({ script: "services.ts" })
      yield* peer.write(`${call(1, "who-am-i")}\n`)
      assert.deepStrictEqual((yield* peer.answer(1)).error, { code: -32603, message: "Internal error" })
      yield* peer.until(() => peer.stderr().includes("The stdio transport did not provide test/Principal"))
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
    }))
})
