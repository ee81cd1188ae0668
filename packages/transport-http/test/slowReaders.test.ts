/** Clients that read slowly and then go away: nothing may be left waiting for them. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call, Client, connect } from "./support/legacy.ts"
import { entries, type Entry, serveLayer, type ServeOptions } from "./support/serve.ts"

/** More than the buffers of both sides hold together. */
const reports = 4_000
const message = "x".repeat(4_000)

const flooding = Effect.fnUntraced(function*(entry: Entry, options: ServeOptions = {}) {
  const done = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const features = McpServer.tool(Tool.make("flood"), () =>
    Effect.gen(function*() {
      for (let progress = 1; progress <= reports; progress++) yield* Progress.report({ progress, message })
      yield* Deferred.succeed(done, undefined)
      return "flooded"
    }).pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))))
  const layer = McpServer.layer({ name: "test", version: "1.0.0" }, features).pipe(Layer.orDie)
  const port = yield* serveLayer(entry, layer, options)
  return { port, done: Deferred.await(done), interrupted: Deferred.await(interrupted) }
})

const flood = {
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "flood", arguments: {}, _meta: { progressToken: "t" } }
}

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: a reader that does not read`, () => {
    it.live("F1, LHTTP-12: and goes away: its call goes on to its end", () =>
      Effect.gen(function*() {
        const { done, port } = yield* flooding(entry)
        const client = yield* connect(port)
        const stream = yield* client.openPost(flood)
        yield* stream.until(({ body }) => body !== "")
        stream.response.pause()
        yield* Effect.sleep("50 millis")
        stream.close()
        yield* Effect.timeout(done, "10 seconds")
      }))

    it.live("F1: and goes away: without a session its call is interrupted, since nobody could come back or cancel it", () =>
      Effect.gen(function*() {
        const { interrupted, port } = yield* flooding(entry, { options: { sessions: false } })
        const stream = yield* new Client(port, { "mcp-protocol-version": "2025-11-25" }).openPost(flood)
        yield* stream.until(({ body }) => body !== "")
        stream.response.pause()
        stream.close()
        yield* Effect.timeout(interrupted, "10 seconds")
      }))

    it.live("F1, LHTTP-17: and comes back on another connection: it gets the answer there", () =>
      Effect.gen(function*() {
        const { done, port } = yield* flooding(entry, {
          limits: { eventLogEvents: 10_000, eventLogBytes: 100_000_000 }
        })
        const client = yield* connect(port)
        const stream = yield* client.openPost(flood)
        yield* stream.until(({ lastId }) => lastId !== "")
        stream.response.pause()
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* Effect.timeout(done, "10 seconds")
        yield* resumed.end
        assert.deepInclude(resumed.events.at(-1), { id: 7 })
        stream.close()
        assert.strictEqual((yield* client.post(call("none", 8))).status, 200)
      }))
  })
}
