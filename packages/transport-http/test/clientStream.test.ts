import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as http from "node:http"
import { connect, type ConnectOptions, outgoing, rawServer } from "./support/client.ts"

const answer = { jsonrpc: "2.0", id: 1, result: { ok: "grüezi 😀" } }
const answerText = JSON.stringify(answer)
const progress = (n: number) => JSON.stringify({ jsonrpc: "2.0", method: "n", params: { n } })

interface Chunking {
  readonly size?: number
  /** How the stream ends: by itself, not at all, or broken. */
  readonly end?: "end" | "open" | "reset"
  readonly type?: string
}

/** Asks a server that answers with this text as a stream. */
const ask = Effect.fnUntraced(function*(text: string, chunking: Chunking = {}, options?: ConnectOptions) {
  const bytes = new TextEncoder().encode(text)
  const port = yield* rawServer((_, response) => {
    response.writeHead(200, { "content-type": chunking.type ?? "text/event-stream" })
    const size = chunking.size ?? bytes.length
    const write = (at: number): void => {
      if (at < bytes.length) {
        response.write(bytes.subarray(at, at + size))
        setImmediate(write, at + size)
      } else if (chunking.end === "reset") response.destroy()
      else if (chunking.end !== "open") response.end()
    }
    if (bytes.length === 0) response.flushHeaders()
    write(0)
  })
  const transport = yield* connect(port, options)
  const seen: Array<unknown> = []
  const response = yield* Effect.result(transport.send(outgoing("tools/call", { name: "t" }, {
    onMessage: (message) => Effect.sync(() => void seen.push(message.params?.n))
  })))
  return { seen, response }
})

const ok = (id: JsonRpc.Id = 1) => ({ _tag: "Success", id, result: answer.result })

const failureOf = (response: Effect.Success<ReturnType<typeof ask>>["response"]) =>
  response._tag === "Failure" ? response.failure.reason : assert.fail("it was answered")

const valueOf = (response: Effect.Success<ReturnType<typeof ask>>["response"]) =>
  response._tag === "Success" ? response.success : assert.fail(response.failure.message)

const streams: Readonly<Record<string, readonly [text: string, seen: ReadonlyArray<number>]>> = {
  "an answer alone": [`data: ${answerText}\n\n`, []],
  "messages before it": [`data: ${progress(1)}\n\ndata: ${progress(2)}\n\ndata: ${answerText}\n\n`, [1, 2]],
  "comments": [`: hello\n\n:\n\ndata: ${progress(1)}\n: inside\n\n:\n:\ndata: ${answerText}\n\n`, [1]],
  "a priming event with empty data": [`id: 0\ndata:\n\ndata: ${answerText}\n\n`, []],
  "retry only": [`retry: 3000\n\ndata: ${answerText}\n\n`, []],
  "ids and unknown fields": [`id: 5\nevent: message\nx: y\ndata: ${answerText}\n\n`, []],
  "data on many lines": [`${JSON.stringify(answer, null, 2).replace(/^/gm, "data: ")}\n\n`, []],
  "no space after the colon": [`data:${answerText}\n\n`, []],
  "CRLF": [`data: ${progress(1)}\r\n\r\ndata: ${answerText}\r\n\r\n`, [1]],
  "lone CR": [`data: ${progress(1)}\r\rdata: ${answerText}\r\r`, [1]],
  "mixed ends of lines": [`data: ${progress(1)}\r\n\rdata: ${answerText}\n\r\n`, [1]],
  "a byte order mark": [`\uFEFFdata: ${answerText}\n\n`, []],
  "events of other kinds": [`event: endpoint\ndata: /x\n\nevent: ping\ndata: {}\n\ndata: ${answerText}\n\n`, []],
  "an answer to another request": [`data: {"jsonrpc":"2.0","id":2,"result":{}}\n\ndata: ${answerText}\n\n`, []],
  "an id of another type": [`data: {"jsonrpc":"2.0","id":"1","result":{}}\n\ndata: ${answerText}\n\n`, []]
}

describe("case 46, F13: reading streams", () => {
  for (const [what, [text, seen]] of Object.entries(streams)) {
    for (const size of [undefined, 1, 7]) {
      it.live(`${what}, in chunks of ${size ?? "everything"}`, () =>
        Effect.gen(function*() {
          const result = yield* ask(text, size === undefined ? {} : { size })
          assert.deepStrictEqual(valueOf(result.response), ok() as never)
          assert.deepStrictEqual(result.seen, [...seen])
        }))
    }
  }

  it.live("the type in another case, with a parameter", () =>
    Effect.gen(function*() {
      const { response } = yield* ask(`data: ${answerText}\n\n`, { type: "Text/Event-Stream;charset=utf-8" })
      assert.deepStrictEqual(valueOf(response), ok() as never)
    }))

  it.live("the answer is given when it is there, not when the stream ends", () =>
    Effect.gen(function*() {
      const { response } = yield* Effect.timeout(ask(`data: ${answerText}\n\n`, { end: "open" }), "5 seconds")
      assert.deepStrictEqual(valueOf(response), ok() as never)
    }))

  it.live("an error without an id is this request's", () =>
    Effect.gen(function*() {
      const { response } = yield* ask(`data: {"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}\n\n`)
      assert.deepStrictEqual(valueOf(response), { _tag: "Failure", id: 1, error: { code: -32603, message: "x" } })
    }))
})

describe("case 47, HTTP-14: streams without an answer", () => {
  const ended = new McpClientError.StreamEnded({ method: "tools/call" })

  for (
    const [what, text] of Object.entries({
      nothing: "",
      "a comment": ":\n\n",
      messages: `data: ${progress(1)}\n\n`,
      "an answer without the blank line at its end": `data: ${answerText}\n`,
      "an answer to another request": `data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n`
    })
  ) {
    it.live(`${what}, and the end: fails at once`, () =>
      Effect.gen(function*() {
        const { response } = yield* Effect.timeout(ask(text), "5 seconds")
        assert.deepStrictEqual(failureOf(response), ended)
      }))
  }

  for (const engine of ["undici", "fetch", "node:http"] as const) {
    it.live(`${engine}: a stream that breaks off fails at once`, () =>
      Effect.gen(function*() {
        const { response } = yield* Effect.timeout(ask(":\n\n", { end: "reset" }, { engine }), "5 seconds")
        const reason = failureOf(response)
        assert.strictEqual(reason._tag, "TransportClosed")
        assert.include(reason.message, "the answer broke off")
      }))
  }

  it.live("an event that is no message", () =>
    Effect.gen(function*() {
      const { response } = yield* ask("data: {\n\n", { end: "open" })
      assert.deepStrictEqual(
        failureOf(response),
        new McpClientError.InvalidAnswer({ method: "tools/call", problem: "Not valid JSON", raw: "{" })
      )
    }))

  it.live("B3: an event beyond the limit", () =>
    Effect.gen(function*() {
      const { response } = yield* ask(`data: ${"x".repeat(5000)}`, { end: "open", size: 100 }, {
        limits: { sseEventBytes: 1000 }
      })
      assert.deepStrictEqual(
        failureOf(response),
        new McpClientError.LimitExceeded({ limit: "sseEventBytes", max: 1000 })
      )
    }))
})

describe("connections", () => {
  it.live("a slow consumer slows the stream", () =>
    Effect.gen(function*() {
      const text = "x".repeat(64 * 1024)
      let written = 0
      const port = yield* rawServer((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const write = (): void => {
          while (written < 400) {
            written++
            const more = response.write(
              `data: ${JSON.stringify({ jsonrpc: "2.0", method: "n", params: { text } })}\n\n`
            )
            if (!more) return void response.once("drain", write)
          }
          response.end(`data: ${answerText}\n\n`)
        }
        write()
      })
      const transport = yield* connect(port)
      let consumed = 0
      const response = yield* transport.send(outgoing("tools/call", { name: "t" }, {
        onMessage: () =>
          Effect.suspend(() => {
            consumed++
            if (consumed > 1) return Effect.void
            return Effect.andThen(Effect.sleep(300), Effect.sync(() => assert.isBelow(written, 400)))
          })
      }))
      assert.strictEqual(consumed, 400)
      assert.strictEqual(response._tag, "Success")
    }))

  it.live("the connection of a stream that has ended serves again", () =>
    Effect.gen(function*() {
      const sockets = new Set<unknown>()
      let ended = Deferred.makeUnsafe<void>()
      const port = yield* rawServer((request, response: http.ServerResponse) => {
        sockets.add(request.socket)
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`data: ${progress(1)}\n\n`)
        response.write(`data: ${answerText}\n\n`)
        response.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
        setTimeout(() => response.end(), 5)
      })
      const transport = yield* connect(port)
      for (let i = 0; i < 6; i++) {
        ended = Deferred.makeUnsafe<void>()
        yield* transport.send(outgoing("tools/call", { name: "t" }))
        yield* Deferred.await(ended)
        yield* Effect.sleep(50)
      }
      // On a busy machine the end of one may be read too late for the next.
      assert.isAtMost(sockets.size, 3)
    }))
})
