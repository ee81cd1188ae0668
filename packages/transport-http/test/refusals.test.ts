import type { ServerOptions } from "@effect-mcp/transport-http/McpHttp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { errorOf, open, post, send, type SendOptions } from "./support/http.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry, serve } from "./support/serve.ts"

const message = Message.call("echo")

const access: ReadonlyArray<{
  readonly options?: ServerOptions
  readonly host?: string
  readonly origin?: string
  readonly status: 200 | 403
}> = [
  { status: 200 },
  { host: "localhost", status: 200 },
  { host: "localhost:9999", status: 200 },
  { host: "LOCALHOST", status: 200 },
  { host: "127.0.0.1:1", status: 200 },
  { host: "[::1]:6274", status: 200 },
  { host: "[::1]", status: 200 },
  { host: "evil.example", status: 403 },
  { host: "localhost.evil.example", status: 403 },
  { host: "localhost.", status: 403 },
  { host: "::1", status: 403 },
  { host: "[::1", status: 403 },
  { host: "[::ffff:127.0.0.1]", status: 403 },
  { host: "127.1", status: 403 },
  { host: "2130706433", status: 403 },
  { host: "user@localhost", status: 403 },
  { host: "localhost:evil", status: 403 },
  { host: "localhost/evil.example", status: 403 },
  { origin: "http://localhost", status: 200 },
  { origin: "http://LOCALHOST:1", status: 200 },
  { origin: "https://127.0.0.1:8443", status: 200 },
  { origin: "http://[::1]:6274", status: 200 },
  { origin: "null", status: 403 },
  { origin: "", status: 403 },
  { origin: "https://evil.example", status: 403 },
  { origin: "http://localhost.evil.example", status: 403 },
  { origin: "http://localhost@evil.example", status: 403 },
  { origin: "http://localhost:80@evil.example", status: 403 },
  { origin: "http://evil.example#localhost", status: 403 },
  { origin: "http://localhost/", status: 403 },
  { origin: "http://localhost.", status: 403 },
  { origin: "file://localhost", status: 403 },
  { origin: "http://localhost http://evil.example", status: 403 },
  { options: { allowedHosts: ["mcp.example.com"] }, host: "mcp.example.com:8443", status: 200 },
  { options: { allowedHosts: ["mcp.example.com"] }, host: "localhost", status: 403 },
  { options: { allowedHosts: ["MCP.example.com:8443"] }, host: "mcp.example.com:8443", status: 200 },
  { options: { allowedHosts: ["mcp.example.com:8443"] }, host: "mcp.example.com", status: 403 },
  {
    options: { allowedHosts: ["mcp.example.com"] },
    host: "mcp.example.com",
    origin: "https://mcp.example.com",
    status: 200
  },
  {
    options: { allowedHosts: ["mcp.example.com"] },
    host: "mcp.example.com",
    origin: "http://localhost",
    status: 403
  },
  { options: { allowedOrigins: ["https://app.example.com/"] }, origin: "https://app.example.com", status: 200 },
  { options: { allowedOrigins: ["https://app.example.com"] }, origin: "http://app.example.com", status: 403 },
  { options: { allowedOrigins: ["https://app.example.com"] }, origin: "https://app.example.com:444", status: 403 },
  { options: { allowedOrigins: ["https://app.example.com"] }, origin: "http://localhost", status: 403 },
  { options: { allowedHosts: "any" }, host: "evil.example", status: 200 },
  { options: { allowedHosts: "any" }, host: "evil.example", origin: "http://evil.example", status: 403 },
  { options: { allowedHosts: "any", allowedOrigins: "any" }, host: "evil.example", origin: "null", status: 200 },
  { options: { cors: { allowedOrigins: ["https://app.example.com"] } }, origin: "https://app.example.com", status: 200 }
]

const contentTypes: ReadonlyArray<readonly [value: string | undefined, status: number]> = [
  ["application/json", 200],
  ["Application/JSON; Charset=\"UTF-8\"", 200],
  ["application/json;charset=utf8", 200],
  [" application/json ; charset=utf-8", 200],
  ["application/json; profile=\"a;b,c\"", 200],
  ["application/json; charset=iso-8859-1", 415],
  ["application/json, text/plain", 415],
  ["application/jsonp", 415],
  ["application/vnd.api+json", 415],
  ["text/plain", 415],
  ["text/plain; x=application/json", 415],
  [undefined, 415]
]

const accept: ReadonlyArray<readonly [value: string | undefined, status: number, type: string]> = [
  ["application/json, text/event-stream", 200, "application/json"],
  ["text/event-stream,application/json", 200, "application/json"],
  ["APPLICATION/JSON;q=0.5 , Text/Event-Stream; q=1", 200, "application/json"],
  ["application/json; charset=utf-8, text/event-stream", 200, "application/json"],
  [undefined, 200, "application/json"],
  ["", 200, "application/json"],
  ["*/*", 200, "application/json"],
  ["application/*, text/*", 200, "application/json"],
  ["application/json", 200, "application/json"],
  ["text/event-stream", 200, "text/event-stream"],
  ["*/*, application/json;q=0", 200, "text/event-stream"],
  ["text/html;x=\", application/json\"", 406, "application/json"],
  ["text/html", 406, "application/json"],
  ["application/json;q=0, text/event-stream;q=0.0", 406, "application/json"],
  ["*/*;q=0", 406, "application/json"]
]

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(entry, () => {
    describe("case 43, B8, HTTP-2, SEC-4: Host and Origin", () => {
      for (const { host, options, origin, status } of access) {
        it.live(`${JSON.stringify(options ?? {})} Host ${host} Origin ${origin}: ${status}`, () =>
          Effect.gen(function*() {
            const port = yield* serve(entry, options === undefined ? {} : { options })
            const answer = yield* post(port, message, { host, origin })
            assert.strictEqual(answer.status, status)
            if (status === 403) {
              assert.match(errorOf(answer).message, /the option (allowedHosts|allowedOrigins) /)
              assert.notProperty(errorOf(answer), "id")
            }
          }))
      }
    })

    it.live("case 43: the check comes before everything else, and 403 tells what was refused", () =>
      Effect.gen(function*() {
        const port = yield* serve(entry)
        const options: SendOptions = { method: "GET", headers: { origin: "https://evil.example" } }
        const answer = yield* send(port, options)
        assert.strictEqual(answer.status, 403)
        assert.deepStrictEqual(errorOf(answer), {
          code: -32600,
          message: "Origin \"https://evil.example\" is not allowed here; the option allowedOrigins lists those that are"
        })
      }))

    describe("case 40, B8: Content-Type", () => {
      for (const [value, status] of contentTypes) {
        it.live(`${value}: ${status}`, () =>
          Effect.gen(function*() {
            const answer = yield* post(yield* serve(entry), message, { "content-type": value })
            assert.strictEqual(answer.status, status)
            if (status === 415) assert.include(errorOf(answer).message, "Content-Type: application/json")
          }))
      }
    })

    describe("B8, HTTP-5: Accept", () => {
      for (const [value, status, type] of accept) {
        it.live(`${value}: ${status} ${type}`, () =>
          Effect.gen(function*() {
            const answer = yield* post(yield* serve(entry), message, { accept: value })
            assert.strictEqual(answer.status, status)
            assert.strictEqual(answer.headers["content-type"], type)
          }))
      }

      it.live("without the stream, the one answer that is a stream by its nature is 406", () =>
        Effect.gen(function*() {
          const listen = Message.request("subscriptions/listen", { notifications: {} })
          const answer = yield* post(yield* serve(entry), listen, { accept: "application/json" })
          assert.strictEqual(answer.status, 406)
        }))
    })

    describe("B1: the size of a body", () => {
      const limits = { messageBytes: 1000 }
      const big = JSON.stringify(Message.call("echo", { text: "x".repeat(2000) }))
      const headers = Message.headers(message)

      it.live("413 from Content-Length, before a byte of the body is there", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, { limits })
          // The body never comes: an answer shows that nobody waits for it.
          const answer = yield* open(port, {
            headers: { ...headers, "content-length": "1001" },
            body: ["{"]
          })
          yield* answer.until(({ body }) => body.endsWith("}"))
          answer.close()
          assert.strictEqual(answer.status, 413)
          assert.include(answer.body, "at most 1000 bytes here (the limit messageBytes)")
        }))

      it.live("413 for a body without a length, as soon as it is too long", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, { limits })
          const body = Array.from({ length: 21 }, (_, i) => big.slice(i * 100, i * 100 + 100))
          const answer = yield* send(port, { headers: { ...headers, "transfer-encoding": "chunked" }, body })
          assert.strictEqual(answer.status, 413)
        }))

      it.live("a body of exactly the limit is served, and the server goes on", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, { limits })
          assert.strictEqual((yield* send(port, { headers, body: big })).status, 413)
          const empty = JSON.stringify(Message.call("echo", { text: "" }))
          const full = JSON.stringify(Message.call("echo", { text: "x".repeat(1000 - empty.length) }))
          assert.lengthOf(full, 1000)
          assert.strictEqual((yield* send(port, { headers, body: full })).status, 200)
        }))
    })

    describe("HDR-1 to HDR-8, trap 5, B7: mirrored headers", () => {
      const table: ReadonlyArray<
        readonly [what: string, overrides: Message.HeaderRecord, status: number, code: number | undefined]
      > = [
        ["as they are", {}, 200, undefined],
        ["names in another case", { "Mcp-Name": "echo", "mcp-name": undefined }, 200, undefined],
        ["white space around", { "mcp-name": " \techo \t" }, 200, undefined],
        ["an encoded name", { "mcp-name": "=?base64?ZWNobw==?=" }, 200, undefined],
        ["bad base64", { "mcp-name": "=?base64?ZWNobw?=" }, 400, -32020],
        ["another name", { "mcp-name": "other" }, 400, -32020],
        ["no name", { "mcp-name": undefined }, 400, -32020],
        ["no method", { "mcp-method": undefined }, 400, -32020],
        ["another case of the method", { "mcp-method": "TOOLS/CALL" }, 400, -32020],
        ["no version", { "mcp-protocol-version": undefined }, 400, -32020],
        ["another version", { "mcp-protocol-version": "2025-06-18" }, 400, -32020],
        ["a long name", { "mcp-name": "x".repeat(9000) }, 400, -32020],
        ["a long parameter", { "mcp-param-a": "x".repeat(9000) }, 400, -32020]
      ]
      for (const [what, overrides, status, code] of table) {
        it.live(`${what}: ${status} ${code ?? ""}`, () =>
          Effect.gen(function*() {
            const answer = yield* post(yield* serve(entry), message, overrides)
            assert.strictEqual(answer.status, status)
            if (code !== undefined) assert.deepInclude(errorOf(answer), { id: 1, code })
          }))
      }

      it.live("HDR-10, HDR-16: the server is told what was mirrored of the parameters", () =>
        Effect.gen(function*() {
          const port = yield* serve(entry, {
            handlers: {
              region: (_, exchange) =>
                Effect.succeed({ resultType: "complete", region: exchange.mirrored?.("param:Region") })
            }
          })
          const answer = yield* post(port, Message.call("region"), { "MCP-PARAM-REGION": "us-west1" })
          assert.strictEqual(JSON.parse(answer.body).result.region, "us-west1")
        }))

      it.live("ERR-4, HTTP-18: a version that is not served", () =>
        Effect.gen(function*() {
          const meta = { ...Message.meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
          const answer = yield* post(
            yield* serve(entry),
            Message.request("tools/list", { _meta: meta }),
            { "mcp-protocol-version": "2099-01-01" }
          )
          assert.strictEqual(answer.status, 400)
          assert.deepStrictEqual(JSON.parse(answer.body).error.data, {
            supported: ["2026-07-28"],
            requested: "2099-01-01"
          })
        }))
    })
  })
}
