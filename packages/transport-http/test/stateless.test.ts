/** The legacy era without sessions, and its batches. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { progress } from "./support/endpoint.ts"
import { errorOf, type Incoming } from "./support/http.ts"
import { call, Client, connect, held, initialize, notification, serve } from "./support/legacy.ts"
import type { Json } from "./support/message.ts"
import { entries, type Entry } from "./support/serve.ts"

const options = { sessions: false }

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: without sessions`, () => {
    for (const version of [undefined, "2025-03-26", "2025-06-18", "2025-11-25"]) {
      it.live(`ERA-20, LHTTP-26: a request is answered by itself (MCP-Protocol-Version: ${version})`, () =>
        Effect.gen(function*() {
          const { port } = yield* serve(entry, {
            options,
            handlers: {
              tool: (request, exchange) =>
                Effect.sync(() => {
                  exchange.emit(progress(1))
                  return { revision: request.revision, canAsk: exchange.ask !== undefined }
                })
            }
          })
          const client = new Client(port, { "mcp-protocol-version": version })
          const stream = yield* client.openPost(call("tool"))
          yield* stream.end
          assert.deepStrictEqual(stream.events[1]?.result, { revision: version ?? "2025-03-26", canAsk: false })
          // Nothing could be resumed, and nothing is promised.
          assert.notMatch(stream.body, /^(id|retry):/m)
          assert.strictEqual((yield* client.post(notification("notifications/initialized"))).status, 202)
          assert.strictEqual((yield* client.post({ jsonrpc: "2.0", id: 1, result: {} })).status, 202)
        }))
    }

    it.live("initialize is answered each time, and gives no session", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry, { options })
        for (const headers of [{}, { "mcp-session-id": "s" }]) {
          const answer = yield* new Client(port, headers).post(initialize())
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(JSON.parse(answer.body).result.protocolVersion, "2025-11-25")
          assert.notProperty(answer.headers, "mcp-session-id")
        }
        assert.strictEqual(sessions.size, 0)
      }))

    it.live("ERA-20, LHTTP-27: a version that is not served is 400, also the one that is assumed", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { options, revisions: ["2025-11-25"] })
        const client = new Client(port)
        for (const version of [undefined, "2025-03-26", "nonsense"]) {
          const answer = yield* client.post(call("echo"), { "mcp-protocol-version": version })
          assert.strictEqual(answer.status, 400)
        }
        assert.strictEqual((yield* client.post(call("echo"), { "mcp-protocol-version": "2025-11-25" })).status, 200)
      }))

    it.live("LHTTP-13, LHTTP-24, trap 23: GET and DELETE are 405", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { options })
        const client = new Client(port, { "mcp-session-id": "s" })
        const get = yield* client.get()
        for (const { headers, status } of [get, yield* client.delete()]) {
          assert.deepStrictEqual([status, headers.allow], [405, "POST"])
        }
      }))

    it.live("a lost connection is the one way to cancel a call here, and nobody could come back for its answer", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { options, handlers: { tool: tool.handler } })
        const client = new Client(port, { "mcp-protocol-version": "2025-11-25" })
        const posted = yield* Effect.forkChild(client.openPost(call("tool")))
        const exchange = yield* tool.exchange
        exchange.emit(progress(1))
        const stream = yield* Fiber.join(posted)
        stream.close()
        yield* tool.interrupted
      }))

    it.live("ERA-20: who names no revision speaks one from before the header, also where 2025-03-26 is not served", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { options, revisions: ["2024-11-05"] })
        const answer = yield* new Client(port).post(call("echo"))
        assert.strictEqual(answer.status, 200)
      }))
  })

  describe(`${entry}: batches`, () => {
    const batch: ReadonlyArray<Json> = [
      call("echo", "a"),
      notification("notifications/roots/list_changed"),
      { jsonrpc: "2.0", id: "s1", result: {} },
      initialize("2025-03-26", "b"),
      { jsonrpc: "2.0", id: "c", method: "no/such" },
      { jsonrpc: "1.0", id: "d", method: "ping" }
    ]
    const errors = (answers: ReadonlyArray<Json>) =>
      answers.map(({ error, id }) => [id, (error as { readonly code: number } | undefined)?.code])
    const expected = [["a", undefined], ["b", -32600], ["c", -32601], ["d", -32600]]

    it.live("RPC-16, RPC-17, LHTTP-3, trap 23: under 2025-03-26 all answers are one array", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port, "2025-03-26")
        const answer = yield* client.post(batch)
        assert.deepStrictEqual([answer.status, answer.headers["content-type"]], [200, "application/json"])
        assert.deepStrictEqual(errors(JSON.parse(answer.body)), expected)
        const [session] = sessions.values()
        assert.deepStrictEqual(session?.notified.at(-1), "notifications/roots/list_changed")
        assert.deepStrictEqual(session?.answers.map(({ id }) => id), ["s1"])
      }))

    it.live("LHTTP-7: on a stream each answer is an event, and the stream ends after the last", () =>
      Effect.gen(function*() {
        const [first, second] = [yield* held(), yield* held()]
        const { port } = yield* serve(entry, { handlers: { first: first.handler, second: second.handler } })
        const client = yield* connect(port, "2025-03-26")
        const posted = yield* Effect.forkChild(
          client.openPost([call("echo", 1), call("first", 2), call("second", 3), call("echo", 4)])
        )
        const exchange = yield* second.exchange
        exchange.emit(progress(1))
        const stream: Incoming = yield* Fiber.join(posted)
        yield* stream.until(({ events }) => events.length >= 2)
        yield* second.release
        yield* stream.until(({ events }) => events.length === 4)
        assert.strictEqual(stream.ended, "no")
        yield* first.release
        yield* stream.end
        assert.deepStrictEqual(stream.events.flatMap(({ id }) => id ?? []), [1, 4, 3, 2])
        assert.isTrue(stream.frames.every(({ id }) => id !== undefined))
      }))

    it.live("an array waits for the slowest answer, and a cancelled request has none in it", () =>
      Effect.gen(function*() {
        const [first, second] = [yield* held(), yield* held()]
        const { port } = yield* serve(entry, { handlers: { first: first.handler, second: second.handler } })
        const client = yield* connect(port, "2025-03-26")
        const posted = yield* Effect.forkChild(client.post([call("first", 1), call("second", 2), call("echo", 3)]))
        yield* Effect.all([first.exchange, second.exchange])
        yield* client.post(notification("notifications/cancelled", { requestId: 2 }))
        yield* second.interrupted
        yield* first.release
        const answer = yield* Fiber.join(posted)
        assert.deepStrictEqual(JSON.parse(answer.body).map(({ id }: Json) => id), [3, 1])
      }))

    it.live("RPC-16, CAN-4: a cancellation in the batch of its request finds it", () =>
      Effect.gen(function*() {
        const first = yield* held()
        const { port } = yield* serve(entry, { handlers: { first: first.handler } })
        const client = yield* connect(port, "2025-03-26")
        const cancel = notification("notifications/cancelled", { requestId: 1 })
        const answer = yield* client.post([cancel, call("first", 1), cancel, call("echo", 2)])
        assert.deepStrictEqual(JSON.parse(answer.body).map(({ id }: Json) => id), [2])
        yield* first.interrupted
      }))

    it.live("LHTTP-4: a batch without a request is 202", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry)
        const client = yield* connect(port, "2025-03-26")
        const answer = yield* client.post([notification("n"), { jsonrpc: "2.0", id: 1, result: {} }])
        assert.deepStrictEqual([answer.status, answer.body], [202, ""])
        assert.strictEqual([...sessions.values()][0]?.notified.at(-1), "n")
      }))

    it.live("B5: a batch beyond the limit batchMessages, or an empty one, is one error", () =>
      Effect.gen(function*() {
        const { port, sessions } = yield* serve(entry, { limits: { batchMessages: 2 } })
        const client = yield* connect(port, "2025-03-26")
        for (const body of [[notification("n"), notification("n"), notification("n")], []]) {
          const answer = yield* client.post(body)
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(errorOf(answer).code, -32600)
        }
        assert.notInclude([...sessions.values()][0]?.notified, "n")
      }))

    it.live("the limit inFlightRequests holds for each request of a batch", () =>
      Effect.gen(function*() {
        const tool = yield* held()
        const { port } = yield* serve(entry, { handlers: { tool: tool.handler }, limits: { inFlightRequests: 1 } })
        const client = yield* connect(port, "2025-03-26")
        const posted = yield* Effect.forkChild(client.post([call("tool", 1), call("tool", 2)]))
        yield* tool.exchange
        // The whole batch has been taken when another message is answered.
        yield* client.post(notification("n"))
        yield* tool.release
        assert.deepStrictEqual(errors(JSON.parse((yield* Fiber.join(posted)).body)), [[2, -32603], [1, undefined]])
      }))

    for (const revision of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
      it.live(`RPC-18, trap 23: ${revision} has no batches`, () =>
        Effect.gen(function*() {
          const { port } = yield* serve(entry)
          const client = yield* connect(port, revision)
          const answer = yield* client.post(batch)
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(errorOf(answer).code, -32600)
          assert.strictEqual((yield* client.post(call("echo"))).status, 200)
        }))
    }

    it.live("without sessions a batch is served where no version says otherwise", () =>
      Effect.gen(function*() {
        const { port } = yield* serve(entry, { options })
        const answer = yield* new Client(port).post(batch)
        assert.deepStrictEqual(errors(JSON.parse(answer.body)), expected)
        const newer = yield* new Client(port, { "mcp-protocol-version": "2025-06-18" }).post(batch)
        assert.strictEqual(newer.status, 400)
      }))
  })
}
