import * as McpError from "@effect-mcp/core/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as Endpoint from "./support/endpoint.ts"
import { errorOf, post, send } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: one body`, () => {
    it.live("HTTP-1, HTTP-6: a request is answered with one JSON body of known length", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const answer = yield* post(port, Message.call("echo", { text: "grüezi" }, "a"))
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.strictEqual(answer.headers["content-length"], String(Buffer.byteLength(answer.body)))
        assert.deepStrictEqual(JSON.parse(answer.body), {
          jsonrpc: "2.0",
          id: "a",
          result: { resultType: "complete", echo: { text: "grüezi" } }
        })
      }))

    it.live("HTTP-6: an answer that takes a while is one JSON body too", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: { slow: () => Effect.as(Effect.sleep(20), { resultType: "complete" }) }
        })
        const answer = yield* post(port, Message.call("slow"))
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.deepStrictEqual(JSON.parse(answer.body).result, { resultType: "complete" })
      }))

    it.live("ERR-17, trap 7: the error of a handler is answered with the status of its code", () =>
      Effect.gen(function*() {
        const capability = new McpError.MissingClientCapability({
          message: "Needs sampling",
          requiredCapabilities: { sampling: {} }
        })
        const port = yield* serve(entry, {
          handlers: {
            bad: () => Effect.fail(new McpError.InvalidParams({ message: "No" })),
            capable: () => Effect.fail(capability)
          }
        })
        const bad = yield* post(port, Message.call("bad", {}, 7))
        assert.strictEqual(bad.status, 200)
        assert.deepStrictEqual(errorOf(bad), { id: 7, code: -32602, message: "No" })
        const capable = yield* post(port, Message.call("capable"))
        assert.strictEqual(capable.status, 400)
        assert.strictEqual(errorOf(capable).code, -32021)
      }))

    it.live("F11: an answer that has no JSON form is an internal error, and the next call is served", () =>
      Effect.gen(function*() {
        const logs: Array<string> = []
        const port = yield* serve(entry, {
          handlers: { bigint: () => Effect.succeed({ resultType: "complete", n: 1n }) },
          logs
        })
        assert.deepStrictEqual(errorOf(yield* post(port, Message.call("bigint", {}, 3))), {
          id: 3,
          code: -32603,
          message: "The result could not be written"
        })
        assert.deepStrictEqual(logs, ["Error A part of the answer to tools/call cannot be written as JSON"])
        assert.strictEqual((yield* post(port, Message.call("echo"))).status, 200)
      }))

    it.live("HTTP-7: a notification is taken with 202 and no body", () =>
      Effect.gen(function*() {
        const taken: Array<unknown> = []
        const port = yield* serve(entry, {
          notify: (notification, exchange) => taken.push([notification.method, exchange.transport])
        })
        const notification = { jsonrpc: "2.0", method: "notifications/whatever" }
        const answer = yield* post(port, notification)
        assert.deepInclude(answer, { status: 202, body: "" })
        assert.strictEqual(answer.headers["content-length"], "0")
        assert.deepStrictEqual(taken, [["notifications/whatever", "http"]])
      }))

    it.live("CAN-2, B15: a cancellation by notification is taken and does nothing", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: { slow: () => Effect.as(Effect.sleep(50), { resultType: "complete" }) }
        })
        const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
        const [slow, cancel] = yield* Effect.all([post(port, Message.call("slow")), post(port, cancelled)], {
          concurrency: 2
        })
        assert.strictEqual(cancel.status, 202)
        assert.deepStrictEqual(JSON.parse(slow.body).result, { resultType: "complete" })
      }))

    it.live("HTTP-7, RPC-14: a response that is posted is refused without an id", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const answer = yield* post(port, { jsonrpc: "2.0", id: 9, result: {} })
        assert.strictEqual(answer.status, 400)
        assert.deepStrictEqual(errorOf(answer), {
          code: -32600,
          message: "A client sends no responses in this revision"
        })
      }))

    it.live("HTTP-19: an unknown method is 404 with the id", () =>
      Effect.gen(function*() {
        const answer = yield* post(yield* serve(entry), Message.request("no/such"))
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(errorOf(answer), { id: 1, code: -32601, message: "Method not found: no/such" })
      }))

    it.live("HTTP-21: GET and DELETE are 405 and name POST", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* send(port, { method })
          assert.strictEqual(answer.status, 405)
          assert.strictEqual(answer.headers.allow, "POST")
        }
      }))

    it.live("ERR-1, RPC-9, B4: text that is no JSON, no UTF-8, or marked is -32700", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const valid = JSON.stringify(Message.call("echo"))
        const bodies = ["", "{", Uint8Array.of(0x22, 0xff, 0x22), `\uFEFF${valid}`]
        for (const body of bodies) {
          const answer = yield* send(port, { headers: Message.headers(Message.call("echo")), body })
          assert.strictEqual(answer.status, 400)
          assert.strictEqual(errorOf(answer).code, -32700)
        }
      }))

    it.live("RPC-9, case 10: characters that are cut across chunks arrive whole", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const message = Message.call("echo", { text: "a😀é" })
        const body = [...new TextEncoder().encode(JSON.stringify(message))].map((byte) => Uint8Array.of(byte))
        const answer = yield* send(port, { headers: Message.headers(message), body })
        assert.deepStrictEqual(JSON.parse(answer.body).result.echo, { text: "a😀é" })
      }))

    it.live("F11: a server that throws is a 500, and the process lives", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            throws: () => {
              throw new Error("inside")
            }
          }
        })
        const answer = yield* post(port, Message.call("throws"))
        assert.strictEqual(answer.status, 500)
        assert.notInclude(answer.body, "inside")
        assert.strictEqual((yield* post(port, Message.call("echo"))).status, 200)
      }))

    it.live("B15, RPC-3: exchanges do not share their ids", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          handlers: {
            slow: (request, exchange) => Effect.delay(Endpoint.echo(request, exchange), 20)
          }
        })
        const answers = yield* Effect.all(
          [1, 2, 3].map((n) => post(port, Message.call("slow", { n }, "same"))),
          { concurrency: 3 }
        )
        assert.deepStrictEqual(answers.map(({ body }) => JSON.parse(body).result.echo.n), [1, 2, 3])
      }))

    it.live("a message for the legacy era is refused while it is not served here", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { revisions: ["2026-07-28", "2025-11-25"] })
        const answer = yield* post(port, { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, {
          "mcp-protocol-version": undefined
        })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(errorOf(answer).code, -32600)
      }))

    it.live("the span of the HTTP request is the parent of the call's", () =>
      Effect.gen(function*() {
        const spans: Array<Tracer.Span> = []
        const tracer = Tracer.make({
          span: (options) => {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          }
        })
        const parents: Array<string | undefined> = []
        const port = yield* serve(entry, {
          handlers: {
            tool: (_, exchange) => {
              parents.push(Context.getOrUndefined(exchange.context, Tracer.ParentSpan)?.spanId)
              return Effect.succeed({ resultType: "complete" })
            }
          }
        }).pipe(Effect.provideService(Tracer.Tracer, tracer))
        yield* post(port, Message.call("tool"))
        assert.deepStrictEqual(parents, spans.map(({ spanId }) => spanId))
        assert.lengthOf(parents, 1)
      }))

    it.live("an application's own path, beside its other routes", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { options: { path: "/a/b" } })
        const message = Message.call("echo")
        const options = { headers: Message.headers(message), body: JSON.stringify(message) }
        assert.strictEqual((yield* send(port, { ...options, path: "/a/b" })).status, 200)
        assert.strictEqual((yield* send(port, options)).status, 404)
      }))
  })
}
