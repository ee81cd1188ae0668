import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect, engines, outgoing } from "./support/client.ts"
import { progress } from "./support/endpoint.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

const numbers = [1, 2, 3, 4, 5]

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  for (const engine of Object.keys(engines) as ReadonlyArray<keyof typeof engines>) {
    describe(`${engine} → ${entry}`, () => {
      it.live("HTTP-5: a JSON answer and an event stream, on one connection", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, {
            handlers: {
              count: (_, exchange) =>
                Effect.sync(() => {
                  for (const n of numbers) exchange.emit(progress(n))
                  return { resultType: "complete" }
                })
            }
          })
          const transport = yield* connect(port, { engine })
          const seen: Array<JsonRpc.Notification | JsonRpc.Request> = []
          const onMessage = (message: JsonRpc.Notification | JsonRpc.Request) =>
            Effect.sync(() => void seen.push(message))
          for (let i = 0; i < 3; i++) {
            const echo = yield* transport.send(outgoing("tools/call", { name: "echo", arguments: { i } }))
            assert.deepStrictEqual(echo, {
              _tag: "Success",
              id: 1,
              result: { resultType: "complete", echo: { i } }
            })
            const count = yield* transport.send(outgoing("tools/call", { name: "count" }, { id: "s", onMessage }))
            assert.deepStrictEqual(count, { _tag: "Success", id: "s", result: { resultType: "complete" } })
          }
          assert.deepStrictEqual(seen, [1, 2, 3].flatMap(() => numbers.map(progress)))
        }))

      it.live("HDR-4, case 52: a name outside ASCII reaches the server encoded, and is compared decoded", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, {
            handlers: { "Zürich": () => Effect.succeed({ resultType: "complete" }) }
          })
          const transport = yield* connect(port, { engine })
          const answer = yield* transport.send(outgoing("tools/call", { name: "Zürich" }))
          assert.strictEqual(answer._tag, "Success")
        }))
    })
  }
}
