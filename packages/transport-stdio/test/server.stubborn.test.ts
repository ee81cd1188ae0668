/** A server made of features ends with 0, whatever in it does not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, start } from "./support/peer.ts"

const zero = { code: 0, signal: null }

for (const stubborn of ["handler", "finalizer", "layer"]) {
  describe.concurrent(`F10, case 1: a ${stubborn} that does not end`, () => {
    const hanging = Effect.gen(function*() {
      const peer = yield* start({ script: "stubborn.ts", env: { STUBBORN: stubborn } })
      yield* peer.write(call(1, "hang") + "\n")
      yield* peer.until(() => peer.stderr().includes("hanging"), "the call")
      return peer
    })

    it.live("does not keep the process when the input ends", () =>
      Effect.gen(function*() {
        const peer = yield* hanging
        yield* peer.end
        assert.deepStrictEqual(yield* peer.exit, zero)
        assert.match(peer.stderr(), /the limit (closeTimeout|drainTimeout)/)
        assert.deepStrictEqual(peer.messages(), [])
      }))

    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      it.live(`does not keep the process at ${signal}`, () =>
        Effect.gen(function*() {
          const peer = yield* hanging
          peer.child.kill(signal)
          assert.deepStrictEqual(yield* peer.exit, zero)
        }))
    }
  })
}
