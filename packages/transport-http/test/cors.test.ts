import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { progress } from "./support/endpoint.ts"
import { post, send } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

const page = "https://app.example.com"
const options = { cors: { allowedOrigins: [page] } }
const asked = "authorization, content-type, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name"

const preflight = (origin: string, headers = asked) => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": headers
  }
})

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: case 41, trap 20`, () => {
    it.live("a preflight of an allowed origin allows every header of the protocol", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { options })
        const answer = yield* send(
          port,
          preflight(page, `${asked}, Mcp-Param-Region, mcp-param-X-1, x-other, mcp-param-(`)
        )
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.headers["access-control-allow-origin"], page)
        assert.strictEqual(answer.headers["access-control-allow-methods"], "POST")
        assert.strictEqual(
          answer.headers["access-control-allow-headers"],
          `${asked}, mcp-param-region, mcp-param-x-1`
        )
        assert.strictEqual(answer.headers.vary, "Origin, Access-Control-Request-Headers")
      }))

    it.live("a preflight of another origin is refused, also of one that may call", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { options })
        for (const origin of ["https://evil.example", "http://localhost:3000", "null"]) {
          const answer = yield* send(port, preflight(origin))
          assert.strictEqual(answer.status, 403)
          assert.notProperty(answer.headers, "access-control-allow-origin")
        }
      }))

    it.live("answers expose what a page must read, streams and errors too", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, {
          options,
          handlers: {
            stream: (_, exchange) => Effect.sync(() => (exchange.emit(progress(1)), { resultType: "complete" }))
          }
        })
        const message = Message.call("echo")
        const answers = [
          yield* post(port, message, { origin: page }),
          yield* post(port, Message.call("stream"), { origin: page }),
          yield* post(port, { jsonrpc: "2.0", method: "n" }, { origin: page }),
          yield* post(port, message, { origin: page, "mcp-name": "other" }),
          yield* post(port, message, { origin: page, "content-type": "text/plain" }),
          yield* post(port, message, { origin: page, accept: "text/html" }),
          yield* send(port, { method: "GET", headers: { origin: page } })
        ]
        assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 202, 400, 415, 406, 405])
        for (const { headers } of answers) {
          assert.deepInclude(headers, {
            "access-control-allow-origin": page,
            "access-control-expose-headers": "mcp-session-id, www-authenticate",
            vary: "Origin"
          })
        }
      }))

    it.live("a page that may call but not read gets no such header", () =>
      Effect.gen(function*() {
        const answer = yield* post(yield* serve(entry, { options }), Message.call("echo"), {
          origin: "http://localhost"
        })
        assert.strictEqual(answer.status, 200)
        assert.notProperty(answer.headers, "access-control-allow-origin")
        assert.strictEqual(answer.headers.vary, "Origin")
      }))

    it.live("\"any\" lets every page read", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry, { options: { cors: { allowedOrigins: "any" } } })
        const answer = yield* post(port, Message.call("echo"), { origin: "https://anywhere.example" })
        assert.strictEqual(answer.headers["access-control-allow-origin"], "https://anywhere.example")
      }))

    it.live("without the option nothing is said about other origins, and OPTIONS is not served", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const answer = yield* post(port, Message.call("echo"), { origin: "http://localhost" })
        assert.notProperty(answer.headers, "access-control-allow-origin")
        assert.notProperty(answer.headers, "vary")
        assert.strictEqual((yield* send(port, preflight("http://localhost"))).status, 404)
      }))
  })
}
