/** How many requests a server has in hand at once. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { errorOf, post } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serveLayer } from "./support/serve.ts"

const Wait = Tool.make("wait")
const Quick = Tool.make("quick")

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: the limit inFlightRequests`, () => {
    it.live("more requests are refused with 503 and -32603, those in flight go on, and then there is room again", () =>
      Effect.gen(function*() {
        const release = yield* Deferred.make<void>()
        const features = Layer.mergeAll(
          McpServer.tool(Wait, () => Effect.as(Deferred.await(release), "waited")),
          McpServer.tool(Quick, () => Effect.succeed("quick"))
        )
        const server = McpServer.layer({ name: "test", version: "1.0.0" }, features).pipe(Layer.orDie)
        const port = yield* serveLayer(entry, server, { limits: { inFlightRequests: 2 } })
        const call = (name: string, id: number) => post(port, Message.call(name, {}, id))
        const waiting = yield* Effect.forEach([1, 2], (id) => Effect.forkChild(call("wait", id)))
        yield* Effect.sleep(200)
        const refused = yield* call("quick", 3)
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers["retry-after"], "1")
        assert.strictEqual(errorOf(refused).code, -32603)
        assert.include(errorOf(refused).message, "the limit inFlightRequests")
        yield* Deferred.succeed(release, undefined)
        for (const fiber of waiting) assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
        assert.strictEqual((yield* call("quick", 4)).status, 200)
      }))
  })
}
