/** Sessions of a real server. */
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { errorOf } from "./support/http.ts"
import { call, Client, connect, initialize, notification } from "./support/legacy.ts"
import { entries, type Entry, serveLayer, type ServeOptions } from "./support/serve.ts"

const Add = Tool.make("add", { input: { a: Schema.Finite, b: Schema.Finite }, output: { sum: Schema.Finite } })

const server = Effect.fnUntraced(function*(entry: Entry, options: ServeOptions = {}) {
  const [begun, go, interrupted] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const features = Layer.mergeAll(
    McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b })),
    McpServer.tool(Tool.make("wait"), () =>
      Effect.gen(function*() {
        yield* Deferred.succeed(begun, undefined)
        yield* Progress.report({ progress: 1 })
        yield* Deferred.await(go)
        yield* Progress.report({ progress: 2 })
        return "waited"
      }).pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))))
  )
  const layer = McpServer.layer({ name: "test", version: "1.0.0" }, features).pipe(Layer.orDie)
  const port = yield* serveLayer(entry, layer, options)
  return {
    port,
    begun: Deferred.await(begun),
    go: Deferred.succeed(go, undefined),
    interrupted: Deferred.await(interrupted)
  }
})

const wait = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "wait", arguments: {}, _meta: { progressToken: "t" } }
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: sessions of McpServer`, () => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      it.live(`${revision}: a call, progress on its stream, resumption, cancellation and the end of the session`, () =>
        Effect.gen(function*() {
          const { begun, go, port } = yield* server(entry)
          const client = yield* connect(port, revision)
          assert.match(String(client.headers["mcp-session-id"]), /^[\x21-\x7e]{22,128}$/)
          const added = yield* client.post(call("add", 1, { a: 1, b: 2 }))
          assert.strictEqual(JSON.parse(added.body).result.content[0].text, "{\"sum\":3}")
          const stream = yield* client.openPost(wait(2))
          yield* begun
          yield* stream.until(({ events }) => events.length === 1)
          stream.close()
          yield* go
          const resumed = yield* client.get({ "last-event-id": stream.lastId })
          yield* resumed.end
          assert.deepStrictEqual(resumed.events.map(({ id, method }) => method ?? id), ["notifications/progress", 2])
          assert.strictEqual((yield* client.delete()).status, 204)
          assert.strictEqual((yield* client.post(call("add", 3, { a: 1, b: 2 }))).status, 404)
        }))
    }

    it.live("case 38, CAN-4: cancelled on another POST", () =>
      Effect.gen(function*() {
        const { begun, interrupted, port } = yield* server(entry)
        const client = yield* connect(port)
        const posted = yield* Effect.forkChild(client.openPost(wait(1)))
        yield* begun
        yield* client.post(notification("notifications/cancelled", { requestId: 1 }))
        yield* Effect.timeout(interrupted, "1 second")
        yield* (yield* Fiber.join(posted)).end
      }))

    it.live("L5: no more sessions than the limit allows, whoever asks", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry, { limits: { sessions: 3 } })
        const client = yield* connect(port)
        const answers = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, n) => n),
          () => new Client(port).post(initialize()),
          { concurrency: 20 }
        )
        const refused = answers.filter(({ status }) => status === 503)
        assert.strictEqual(refused.length, 198)
        for (const answer of refused) {
          assert.strictEqual(answer.headers["retry-after"], "1")
          assert.include(errorOf(answer).message, "the limit sessions")
        }
        assert.strictEqual((yield* client.post(call("add", 1, { a: 1, b: 2 }))).status, 200)
        yield* client.delete()
        assert.strictEqual((yield* new Client(port).post(initialize())).status, 200)
      }))

    it.effect("B9, LHTTP-22: a session that has expired is 404, and its streams end", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry, { limits: { sessionLifetime: 60_000 }, options: { keepAlive: false } })
        const client = yield* connect(port)
        const get = yield* client.get()
        yield* TestClock.adjust("61 seconds")
        assert.strictEqual((yield* client.post(call("add", 1, { a: 1, b: 2 }))).status, 404)
        yield* get.end
        assert.strictEqual(get.ended, "complete")
      }))
  })
}
