import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type * as http from "node:http"
import { connect } from "./support/client.ts"
import {
  answerTo,
  event,
  initialize,
  legacyOutgoing,
  legacyServer,
  note,
  reasonOf,
  type Seen,
  sendJson,
  session,
  stream,
  until
} from "./support/legacyServer.ts"

const call = legacyOutgoing("tools/call")
const answered = (response: http.ServerResponse, seen: Seen) =>
  seen.message.method === undefined ? void response.writeHead(202).end() : sendJson(response, 200, answerTo(seen))
const ok = { _tag: "Success", id: 1, result: { ok: true } } as const
const expired = new McpClientError.SessionExpired({ method: "tools/call" })

const said = ({ headers, verb }: Seen) => [verb, headers["mcp-session-id"], headers["mcp-protocol-version"]]

describe("what is sent", () => {
  it.effect("LHTTP-2, LHTTP-20, LHTTP-24, LHTTP-25, INIT-14: the session and the version, from initialize to DELETE", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { seen, transport } = yield* session({
        sessions: ["s-1"],
        post: answered,
        connect: { headers: { authorization: "Bearer t", "Mcp-Session-Id": "spoofed", "mcp-method": "spoofed" } }
      }).pipe(Scope.provide(scope))
      assert.deepStrictEqual(yield* transport.send(call), ok)
      yield* transport.reply(JsonRpc.success(7, {}))
      yield* until(() => seen.some(({ verb }) => verb === "GET"), "the stream to be asked for")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(seen.filter(({ verb }) => verb !== "GET").map(said), [
        ["POST", undefined, undefined],
        ["POST", "s-1", "2025-11-25"],
        ["POST", "s-1", "2025-11-25"],
        ["POST", "s-1", "2025-11-25"],
        ["DELETE", "s-1", "2025-11-25"]
      ])
      assert.deepStrictEqual(seen.filter(({ verb }) => verb === "GET").map(said), [["GET", "s-1", "2025-11-25"]])
      for (const { headers, verb } of seen) {
        assert.strictEqual(headers.authorization, "Bearer t")
        assert.notProperty(headers, "mcp-method")
        assert.notProperty(headers, "mcp-name")
        if (verb === "POST") assert.strictEqual(headers.accept, "application/json, text/event-stream")
        if (verb === "GET") assert.strictEqual(headers.accept, "text/event-stream")
      }
      assert.deepStrictEqual(
        seen.flatMap(({ message }) => Object.hasOwn(message, "result") ? [message] : []),
        [{ jsonrpc: "2.0", id: 7, result: {} }]
      )
    }))

  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
    const version = revision === "2025-06-18" ? revision : undefined
    it.effect(`LHTTP-25, LHTTP-26: under ${revision} the version header is ${version ?? "not sent"}`, () =>
      Effect.gen(function*() {
        const { seen, transport } = yield* session({ revision, sessions: ["s"], post: answered })
        yield* transport.send(call)
        assert.deepStrictEqual(seen.filter(({ verb }) => verb === "POST").slice(1).map(said), [
          ["POST", "s", version],
          ["POST", "s", version]
        ])
      }))
  }

  it.effect("LHTTP-19: without a session nothing is named, and nothing is deleted", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { seen, transport } = yield* session({ post: answered }).pipe(Scope.provide(scope))
      yield* transport.send(call)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(seen.every(({ headers }) => headers["mcp-session-id"] === undefined))
      assert.isFalse(seen.some(({ verb }) => verb === "DELETE"))
    }))

  for (
    const [what, id, kept] of [
      ["a long token", "x".repeat(1000), true],
      ["one with a space", "a b", false],
      ["one outside of ASCII", "s\u00e9", false],
      ["an empty one", "", false],
      ["one beyond headerBytes", "x".repeat(3000), false]
    ] as const
  ) {
    it.effect(`LHTTP-19: an id of a session: ${what} is ${kept ? "kept" : "ignored"}`, () =>
      Effect.gen(function*() {
        const { seen, transport } = yield* session({
          sessions: [id],
          post: answered,
          connect: { limits: { headerBytes: 2000 } }
        })
        yield* transport.send(call)
        assert.strictEqual(seen.at(-1)?.headers["mcp-session-id"], kept ? id : undefined)
      }))
  }

  it.live("LHTTP-24: a server that does not answer DELETE keeps nobody waiting, and 405 is fine", () =>
    Effect.gen(function*() {
      for (const respond of [() => {}, (response: http.ServerResponse) => void response.writeHead(405).end()]) {
        const started = performance.now()
        const { seen } = yield* Effect.scoped(session({ sessions: ["s"], delete: respond }))
        assert.strictEqual(seen.at(-1)?.verb, "DELETE")
        assert.isBelow(performance.now() - started, 5_000)
      }
    }))

  it.effect("peer: the origin and the path of the server, and what HTTP says of its era", () =>
    Effect.gen(function*() {
      const { legacy, peer } = yield* connect(81, { path: "/a/mcp?key=secret#x" })
      assert.strictEqual(peer, "http://127.0.0.1:81/a/mcp")
      assert.isFalse(legacy.silenceIsLegacy)
      yield* legacy.reconnect
    }))
})

describe("a session that is lost", () => {
  const failure = (id: unknown, code: number, message = "Session not found") => ({
    jsonrpc: "2.0",
    id,
    error: { code, message }
  })

  for (
    const [what, body] of [
      ["nothing", ""],
      ["text", "session not found"],
      ["an error without an id (TypeScript)", failure(null, -32001)],
      ["an error with an id of the server's own (Python)", failure("server-error", -32600)],
      ["an error with an empty id (C#)", failure("", -32001)],
      ["an error with our id, about the session", failure(1, -32001)],
      ["an invalid request with our id", failure(1, -32600)]
    ] as const
  ) {
    it.effect(`LHTTP-23, F18: 404 with ${what}`, () =>
      Effect.gen(function*() {
        const { transport } = yield* session({ sessions: ["s"], post: (response) => sendJson(response, 404, body) })
        assert.deepStrictEqual(yield* reasonOf(transport.send(call)), expired)
      }))
  }

  it.effect("trap 7: 404 with an error of a method, and our id, is the answer", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        sessions: ["s"],
        post: (response) => sendJson(response, 404, failure(1, -32601, "no"))
      })
      const answer = yield* transport.send(call)
      assert.deepStrictEqual(answer, { _tag: "Failure", id: 1, error: { code: -32601, message: "no" } })
    }))

  it.effect("LHTTP-23: a notification and an answer tell it too", () =>
    Effect.gen(function*() {
      let lost = false
      const respond = (response: http.ServerResponse) => void response.writeHead(lost ? 404 : 202).end()
      const { transport } = yield* session({ sessions: ["s"], post: respond, notify: respond })
      lost = true
      assert.deepStrictEqual(
        yield* reasonOf(transport.reply(JsonRpc.success(1, {}))),
        new McpClientError.SessionExpired({ method: "an answer" })
      )
      assert.deepStrictEqual(
        yield* reasonOf(transport.notify(JsonRpc.notification("notifications/x"))),
        new McpClientError.SessionExpired({ method: "notifications/x" })
      )
    }))

  it.effect("without a session 404 is a status like others", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({ post: (response) => sendJson(response, 404, "no such page") })
      assert.deepStrictEqual(
        yield* reasonOf(transport.send(call)),
        new McpClientError.UnexpectedStatus({ status: 404, body: "no such page" })
      )
    }))

  it.effect("case 49, LHTTP-23: it is forgotten, and the next initialize names none", () =>
    Effect.gen(function*() {
      const { seen, transport } = yield* session({
        sessions: ["s1", "s2"],
        post: (response, seen) =>
          seen.headers["mcp-session-id"] === "s1" ? response.writeHead(404).end() : answered(response, seen)
      })
      assert.deepStrictEqual(yield* reasonOf(transport.send(call)), expired)
      yield* transport.legacy.forget
      const from = seen.length
      yield* initialize(transport)
      assert.deepStrictEqual(yield* transport.send(call), ok)
      assert.deepStrictEqual(seen.slice(from).filter(({ verb }) => verb === "POST").map(said), [
        ["POST", undefined, undefined],
        ["POST", "s2", "2025-11-25"],
        ["POST", "s2", "2025-11-25"]
      ])
    }))

  it.effect("a refused initialize opens no session", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { port, seen } = yield* legacyServer({
        sessions: ["s"],
        initialize: (response) => sendJson(response, 200, failure(1, -32602, "no"))
      })
      const transport = yield* connect(port).pipe(Scope.provide(scope))
      assert.strictEqual((yield* transport.send(legacyOutgoing("initialize")))._tag, "Failure")
      yield* Scope.close(scope, Exit.void)
      assert.lengthOf(seen, 1)
    }))
})

describe("statuses", () => {
  for (const status of [401, 403, 500, 502, 503]) {
    it.effect(`ERA-12, F17, trap 2: ${status} proves nothing, whatever the body is, and the session goes on`, () =>
      Effect.gen(function*() {
        let down = true
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no" } })
        const { transport } = yield* session({
          sessions: ["s"],
          post: (response, seen) => down ? sendJson(response, status, body) : answered(response, seen)
        })
        assert.deepStrictEqual(
          yield* reasonOf(transport.send(call)),
          new McpClientError.UnexpectedStatus({ status, body })
        )
        down = false
        assert.deepStrictEqual(yield* transport.send(call), ok)
      }))
  }

  it.effect("LHTTP-30: 400, 404 and 405 without an error of the protocol are told with their body", () =>
    Effect.gen(function*() {
      for (const status of [400, 404, 405]) {
        const { port } = yield* legacyServer({ post: (response) => sendJson(response, status, "Not here") })
        const transport = yield* connect(port)
        assert.deepStrictEqual(
          yield* reasonOf(transport.send(call)),
          new McpClientError.UnexpectedStatus({ status, body: "Not here" })
        )
      }
    }))

  it.effect("case 40: notifications and answers are taken by any 2xx", () =>
    Effect.gen(function*() {
      const shapes: ReadonlyArray<(response: http.ServerResponse) => void> = [
        (response) => response.writeHead(202).end(),
        (response) => response.writeHead(204).end(),
        (response) => (response.writeHead(200), response.write(""), response.end()),
        (response) => response.writeHead(202, { "content-type": "text/plain" }).end("Accepted"),
        (response) => sendJson(response, 200, "{}"),
        (response) => stream(response).end()
      ]
      let n = 0
      const { transport } = yield* session({ sessions: ["s"], post: (response) => shapes[n++]?.(response) })
      for (const _ of shapes) yield* transport.reply(JsonRpc.success(1, {}))
      assert.strictEqual(n, shapes.length)
    }))
})

describe("cancellation", () => {
  for (const head of ["no head yet", "a stream"] as const) {
    it.effect(`CAN-4, LHTTP-12, trap 8: an interrupted request is cancelled by a notification (${head})`, () =>
      Effect.gen(function*() {
        const arrived = yield* Deferred.make<void>()
        const closed = yield* Deferred.make<void>()
        const { seen, transport } = yield* session({
          sessions: ["s"],
          post: (response) => {
            response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
            if (head === "a stream") stream(response, ":\n\n")
            Deferred.doneUnsafe(arrived, Effect.void)
          }
        })
        const running = yield* Effect.forkChild(transport.send(legacyOutgoing("tools/call", { id: 42 })))
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(running)
        yield* Deferred.await(closed)
        yield* until(() => seen.at(-1)?.message.method === "notifications/cancelled", "the notification")
        assert.deepStrictEqual(seen.at(-1)?.message.params, { requestId: 42 })
        assert.deepStrictEqual(said(seen.at(-1)!), ["POST", "s", "2025-11-25"])
      }))
  }

  it.effect("INIT-10, case 35: initialize is left, and nothing is said", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { port, seen } = yield* legacyServer({
        initialize: (response) => {
          response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
          Deferred.doneUnsafe(arrived, Effect.void)
        },
        post: answered
      })
      const transport = yield* connect(port)
      const running = yield* Effect.forkChild(transport.send(legacyOutgoing("initialize")))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(running)
      yield* Deferred.await(closed)
      yield* transport.send(call)
      assert.deepStrictEqual(seen.map(({ message }) => message.method), ["initialize", "tools/call"])
    }))
})

describe("batches", () => {
  const batch = (seen: Seen) => [note(1), answerTo(seen), note(2)]

  for (const form of ["a body", "an event"] as const) {
    const post = (response: http.ServerResponse, seen: Seen) =>
      form === "a body" ? sendJson(response, 200, batch(seen)) : void stream(response, event(batch(seen))).end()

    it.effect(`RPC-16, LHTTP-7, trap 23: ${form} with a batch is taken apart under 2025-03-26`, () =>
      Effect.gen(function*() {
        const { transport } = yield* session({ revision: "2025-03-26", post })
        const notes: Array<unknown> = []
        const answer = yield* transport.send(legacyOutgoing("tools/call", {
          onMessage: ({ params }) => Effect.sync(() => void notes.push(params?.n))
        }))
        assert.deepStrictEqual(answer, ok)
        assert.deepStrictEqual(notes, [1, 2])
      }))

    it.effect(`RPC-18: ${form} with a batch is no answer under 2025-06-18`, () =>
      Effect.gen(function*() {
        const { transport } = yield* session({ revision: "2025-06-18", post })
        const reason = yield* reasonOf(transport.send(call))
        assert.strictEqual(reason._tag === "InvalidAnswer" && reason.problem, "one message was expected, not an array")
      }))
  }

  it.effect("a batch without the answer, and one with what is no message", () =>
    Effect.gen(function*() {
      for (
        const [body, problem] of [
          [[note(1)], "the body is no answer to this request"],
          [[7], "A message is a JSON object"]
        ] as const
      ) {
        const { transport } = yield* session({
          revision: "2025-03-26",
          post: (response) => sendJson(response, 200, body)
        })
        const reason = yield* reasonOf(transport.send(call))
        assert.strictEqual(reason._tag === "InvalidAnswer" && reason.problem, problem)
      }
    }))
})

it.effect("an id that is in use is not sent again", () =>
  Effect.gen(function*() {
    const { seen, transport } = yield* session({ post: () => {} })
    const running = yield* Effect.forkChild(transport.send(call))
    yield* until(() => seen.some(({ message }) => message.method === "tools/call"), "the call")
    const reason = yield* reasonOf(transport.send(call))
    assert.strictEqual(reason._tag, "InvalidCall")
    yield* Fiber.interrupt(running)
  }))
