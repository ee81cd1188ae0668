import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { connect, outgoing } from "./support/client.ts"
import { errorOf, post } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serveLayer } from "./support/serve.ts"

const Add = Tool.make("add", { input: { a: Schema.Finite, b: Schema.Finite }, output: { sum: Schema.Finite } })
const Count = Tool.make("count", { input: { to: Schema.Int } })
const Hang = Tool.make("hang", {})

const server = Effect.fnUntraced(function*(entry: Entry, revisions?: ReadonlyArray<Revision.Revision>) {
  const started = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const features = Layer.mergeAll(
    McpServer.tool(Add, ({ a, b }) => Effect.succeed({ sum: a + b })),
    McpServer.tool(Count, ({ to }) =>
      Effect.as(
        Effect.forEach(Array.from({ length: to }, (_, n) => n + 1), (progress) => Progress.report({ progress })),
        "done"
      )),
    McpServer.tool(Hang, () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      ))
  )
  const port = yield* serveLayer(
    entry,
    McpServer.layer({ name: "test", version: "1.0.0", revisions }, features).pipe(Layer.orDie)
  )
  return { port, started: Deferred.await(started), interrupted: Deferred.await(interrupted) }
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry} with McpServer`, () => {
    it.live("a call, progress on its stream, and an error", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry)
        const transport = yield* connect(port)
        const add = yield* transport.send(outgoing("tools/call", { name: "add", arguments: { a: 1, b: 2 } }))
        assert.deepNestedInclude(add, { _tag: "Success", "result.structuredContent": { sum: 3 } })
        const seen: Array<JsonRpc.Notification | JsonRpc.Request> = []
        const count = yield* transport.send(outgoing("tools/call", {
          name: "count",
          arguments: { to: 3 },
          _meta: { ...Message.meta, progressToken: "t" }
        }, { onMessage: (message) => Effect.sync(() => void seen.push(message)) }))
        assert.strictEqual(count._tag, "Success")
        assert.deepStrictEqual(seen.map(({ params }) => params?.progress), [1, 2, 3])
        const unknown = yield* transport.send(outgoing("tools/call", { name: "no" }))
        assert.strictEqual(unknown._tag, "Failure")
      }))

    it.live("F1, HTTP-15: an interrupted call interrupts its handler", () =>
      Effect.gen(function*() {
        const { interrupted, port, started } = yield* server(entry)
        const transport = yield* connect(port)
        const call = yield* Effect.forkChild(transport.send(outgoing("tools/call", { name: "hang" })))
        yield* started
        yield* Fiber.interrupt(call)
        yield* Effect.timeout(interrupted, "100 millis")
      }))

    it.live("ERA-18: initialize is told which versions are served", () =>
      Effect.gen(function*() {
        const { port } = yield* server(entry, ["2026-07-28"])
        const initialize = {
          jsonrpc: "2.0",
          id: 0,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }
        }
        const answer = yield* post(port, initialize, { "mcp-protocol-version": undefined, "mcp-method": undefined })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(errorOf(answer).code, -32022)
      }))
  })
}
