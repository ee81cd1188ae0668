import type { ClientTransport } from "@effect-mcp/core/ClientTransport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type * as http from "node:http"
import {
  answerTo,
  event,
  type LegacyOptions,
  legacyOutgoing,
  note,
  pass,
  type Seen,
  sendJson,
  session,
  stream,
  until
} from "./support/legacyServer.ts"

const gets = (seen: ReadonlyArray<Seen>) => seen.filter(({ verb }) => verb === "GET")
const lastIds = (seen: ReadonlyArray<Seen>) => gets(seen).map(({ headers }) => headers["last-event-id"])

/** What belongs to no request, as it comes. */
const collect = Effect.fnUntraced(function*(transport: ClientTransport) {
  const all: Array<unknown> = []
  yield* Effect.forkScoped(Stream.runForEach(transport.unrelated, (message) =>
    Effect.sync(() => {
      all.push(message._tag === "Notification" ? message.params?.n : message)
    })))
  return all
})

/** Answers the first GET, the second, and so on; the last for ever. */
const inTurn = (...answers: ReadonlyArray<(response: http.ServerResponse) => void>) => {
  let n = 0
  return (response: http.ServerResponse) => answers[Math.min(n++, answers.length - 1)]?.(response)
}

const status = (code: number) => (response: http.ServerResponse) => void response.writeHead(code).end()
const open = (...texts: ReadonlyArray<string>) => (response: http.ServerResponse) => void stream(response, ...texts)
const ended = (...texts: ReadonlyArray<string>) => (response: http.ServerResponse) =>
  void stream(response, ...texts).end()
const broken = (...texts: ReadonlyArray<string>) => (response: http.ServerResponse) => {
  stream(response, ...texts)
  setTimeout(() => response.destroy(), 20)
}

/** Runs a test with what the operator is told. */
const logged = <A, E, R>(test: (logs: Array<string>) => Effect.Effect<A, E, R>) => {
  const logs: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${[message].flat()[0]}`))
  return Effect.provide(test(logs), Logger.layer([logger]))
}

const withStream = (get: LegacyOptions["get"], options: LegacyOptions & Parameters<typeof session>[0] = {}) =>
  session({ sessions: ["s"], ...(get === undefined ? undefined : { get }), ...options })

describe("a server without the stream", () => {
  for (
    const [what, respond] of [
      ["400", status(400)],
      ["404", status(404)],
      ["405", status(405)],
      ["501", status(501)],
      ["a page", (response: http.ServerResponse) => sendJson(response, 200, {})]
    ] as const
  ) {
    it.effect(`LHTTP-13: ${what}: it is asked once, and nobody is bothered`, () =>
      logged((logs) =>
        Effect.gen(function*() {
          const { seen, transport } = yield* withStream(respond, {
            post: (response, seen) => sendJson(response, 200, answerTo(seen))
          })
          yield* until(() => gets(seen).length === 1, "the stream to be asked for")
          yield* transport.send(legacyOutgoing("tools/list"))
          yield* TestClock.adjust("10 minutes")
          yield* transport.send(legacyOutgoing("tools/list"))
          assert.lengthOf(gets(seen), 1)
          assert.deepStrictEqual(logs, [])
        })
      ))
  }

  it.effect("F17: 401 is told to the operator", () =>
    logged((logs) =>
      Effect.gen(function*() {
        yield* withStream(status(401))
        yield* until(() => logs.length > 0, "a log message")
        assert.deepStrictEqual(logs, [
          "Warn The stream on which the MCP server tells of changes is given up: status 401"
        ])
      })
    ))
})

describe("what comes on it", () => {
  it.effect("LHTTP-13, LHTTP-14, case 46: notifications and requests belong to no request of ours", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const question = { jsonrpc: "2.0", id: 5, method: "roots/list" }
        const { transport } = yield* withStream(
          open("\uFEFFid: 0\r\ndata:\r\n\r\n", ": alive\r\r", event(note(1), "1"), "data: {\n\n", event(question))
        )
        const all = yield* collect(transport)
        yield* until(() => all.length === 2, "both messages")
        assert.deepStrictEqual(all, [1, { _tag: "Request", id: 5, method: "roots/list", params: undefined }])
        assert.deepStrictEqual(logs, ["Warn The MCP server sent what is no message: Not valid JSON"])
      })
    ))

  it.effect("RPC-16, RPC-18: a batch, under 2025-03-26 only", () =>
    logged(() =>
      Effect.gen(function*() {
        for (const revision of ["2025-03-26", "2025-06-18"]) {
          const { transport } = yield* withStream(open(event([note(1), note(2)]), event(note(3))), { revision })
          const all = yield* collect(transport)
          yield* until(() => all.includes(3), "the last message")
          assert.deepStrictEqual(all, revision === "2025-03-26" ? [1, 2, 3] : [3])
        }
      })
    ))

  it.effect("an answer that comes on it is given to the request that waits for it", () =>
    Effect.gen(function*() {
      let standalone: http.ServerResponse | undefined
      const { seen, transport } = yield* withStream((response) => (standalone = stream(response)), {
        post: (response, seen) => {
          stream(response, `id: 1\nretry: 500\ndata:\n\n`).end()
          standalone?.write(event({ jsonrpc: "2.0", id: 99, result: {} }))
          standalone?.write(event(answerTo(seen)))
        }
      })
      yield* until(() => standalone !== undefined, "the stream")
      assert.deepInclude(yield* transport.send(legacyOutgoing("tools/call")), { result: { ok: true } })
      assert.lengthOf(gets(seen), 1)
    }))

  it.effect("B5: a hundred events that are no messages give one warning", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const { transport } = yield* withStream(open("data: {\n\n".repeat(100), event(note(1))))
        const all = yield* collect(transport)
        yield* until(() => all.length === 1, "the message")
        assert.deepStrictEqual(logs, ["Warn The MCP server sent what is no message: Not valid JSON"])
      })
    ))

  it.effect("B3: an event beyond the limit ends it, since it would come again", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const { seen } = yield* withStream(open(`id: 1\ndata: ${"x".repeat(5000)}`), {
          connect: { limits: { sseEventBytes: 1000 } }
        })
        yield* until(() => logs.length > 0, "a log message")
        assert.include(logs[0], "is given up: more than 1000 bytes")
        yield* TestClock.adjust("10 minutes")
        assert.lengthOf(gets(seen), 1)
      })
    ))

  it.effect("streamBuffer: who does not take what comes slows the stream down", () =>
    Effect.gen(function*() {
      let written = 0
      const text = "x".repeat(64 * 1024)
      const { transport } = yield* withStream((response) => {
        stream(response)
        const write = (): void => {
          while (written < 400) {
            written++
            const message = { jsonrpc: "2.0", method: "n", params: { n: written, text } }
            if (!response.write(event(message))) return void response.once("drain", write)
          }
        }
        write()
      }, { connect: { limits: { streamBuffer: 2 } } })
      yield* until(() => written > 10, "some messages")
      yield* TestClock.withLive(Effect.sleep(100))
      assert.isBelow(written, 400)
      const all = yield* collect(transport)
      yield* until(() => all.length === 400, "all messages")
    }))
})

describe("a stream that does not last", () => {
  for (const [what, cut] of [["ends", ended], ["is cut (F13, case 44)", broken]] as const) {
    it.effect(`LHTTP-11, LHTTP-17: it ${what}: it is gone on with after the time the server wants, where it was`, () =>
      Effect.gen(function*() {
        const { seen, transport } = yield* withStream(
          inTurn(cut("retry: 2500\n\n", event(note(1), "a"), event(note(2), "b")), open(event(note(3), "c")))
        )
        const all = yield* collect(transport)
        yield* until(() => all.length === 2, "the first messages")
        yield* TestClock.withLive(Effect.sleep(50))
        const waited = yield* pass(() => gets(seen).length === 2, "the second stream")
        assert.isAtLeast(waited, 2500)
        assert.deepStrictEqual(lastIds(seen), [undefined, "b"])
        yield* until(() => all.length === 3, "the last message")
        assert.deepStrictEqual(all, [1, 2, 3])
      }))
  }

  it.effect("LHTTP-9: an event with an id and no data at all counts, and one that was cut off does not", () =>
    Effect.gen(function*() {
      const { seen } = yield* withStream(
        inTurn(ended("id: first\n\n", "id: second\r\nretry: 10\r\n\r\n", "id: third\ndata: {"), open())
      )
      yield* pass(() => gets(seen).length === 2, "the second stream")
      assert.deepStrictEqual(lastIds(seen), [undefined, "second"])
    }))

  for (
    const [what, id, sent] of [
      ["one that is empty takes back those before it", "", undefined],
      ["one outside of ASCII is sent in UTF-8", "ü", "Ã¼"],
      ["one that no header can carry is not sent", "a\u0001b", undefined],
      ["one beyond headerBytes is not sent", "x".repeat(3000), undefined]
    ] as const
  ) {
    it.effect(`an id of an event: ${what}`, () =>
      Effect.gen(function*() {
        const { seen } = yield* withStream(inTurn(ended(event(note(1), "before"), event(note(2), id)), open()), {
          connect: { limits: { headerBytes: 2000 } }
        })
        yield* pass(() => gets(seen).length === 2, "the second stream")
        assert.deepStrictEqual(lastIds(seen), [undefined, sent])
      }))
  }

  for (
    const [what, respond] of [
      ["ends at once", ended()],
      ["is refused for now (409)", status(409)],
      ["is in trouble (503)", status(503)],
      ["is broken", (response: http.ServerResponse) => void response.destroy()]
    ] as const
  ) {
    it.effect(`reconnectAttempts: a stream that ${what} every time is asked for more and more seldom, and given up`, () =>
      logged((logs) =>
        Effect.gen(function*() {
          const { seen } = yield* withStream(respond, { connect: { limits: { reconnectAttempts: 2 } } })
          const waited = yield* pass(() => logs.length > 0, "a log message")
          assert.deepStrictEqual(logs, [
            "Warn The stream on which the MCP server tells of changes is given up: it brings nothing"
          ])
          assert.lengthOf(gets(seen), 3)
          assert.isAtLeast(waited, 750 + 1500)
          yield* TestClock.adjust("10 minutes")
          assert.lengthOf(gets(seen), 3)
        })
      ))
  }

  it.effect("LHTTP-23: a stream that was there and is 404 tells that the session is lost; one that never was tells nothing", () =>
    Effect.gen(function*() {
      const { transport } = yield* withStream(inTurn(ended(event(note(1))), status(404)))
      const read = yield* Effect.forkChild(Effect.flip(Stream.runDrain(transport.unrelated)), {
        startImmediately: true
      })
      yield* pass(() => read.pollUnsafe() !== undefined, "the end of the stream")
      const { reason } = yield* Fiber.join(read)
      assert.strictEqual(reason._tag, "SessionExpired")

      const never = yield* withStream(status(404))
      const quiet = yield* Effect.forkChild(Stream.runDrain(never.transport.unrelated), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(quiet.pollUnsafe())
    }))

  it.effect("trap 23: a server that wants no wait and says nothing new is not hammered", () =>
    Effect.gen(function*() {
      let n = 0
      const { seen } = yield* withStream((response) => void stream(response, `id: ${n++}\nretry: 0\ndata:\n\n`).end())
      const waited = yield* pass(() => gets(seen).length === 12, "twelve streams")
      assert.isAtLeast(waited, 1000)
    }))

  it.effect("trap 23: nor is one that wants no wait and has one message each time", () =>
    Effect.gen(function*() {
      let n = 0
      const { seen } = yield* withStream((response) => void stream(response, "retry: 0\n\n", event(note(n++))).end())
      const waited = yield* pass(() => gets(seen).length === 12, "twelve streams")
      assert.isAtLeast(waited, 1000)
    }))

  it.effect("trap 23, F6: nor is one that cannot go on from there each time, nor does it fill the log", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const { seen } = yield* withStream((response, { headers }) =>
          headers["last-event-id"] === undefined
            ? void stream(response, "retry: 0\n\n", event(note(1), "gone")).end()
            : void response.writeHead(404).end()
        )
        const waited = yield* pass(() => gets(seen).length === 12, "twelve streams")
        assert.isAtLeast(waited, 1000)
        assert.deepStrictEqual(logs, ["Warn The MCP server cannot tell what it has sent meanwhile: status 404"])
      })
    ))

  it.effect("case 44: one that was silent for long, and is cut by something between, is not held against the server", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const opened: Array<http.ServerResponse> = []
        const { seen } = yield* withStream((response) => void opened.push(stream(response)), {
          connect: { limits: { reconnectAttempts: 3 } }
        })
        for (let n = 1; n <= 6; n++) {
          yield* pass(() => opened.length === n, "a stream")
          // Its head has to have arrived, so that the time counts as that of the stream.
          yield* TestClock.withLive(Effect.sleep(30))
          yield* TestClock.adjust("1 minute")
          opened.at(-1)?.destroy()
        }
        yield* pass(() => opened.length === 7, "a stream")
        assert.deepStrictEqual(logs, [])
        assert.lengthOf(gets(seen), 7)
      })
    ))

  it.effect("F6, case 50: a server that cannot go on from there is asked for what comes from now on", () =>
    logged((logs) =>
      Effect.gen(function*() {
        const { seen, transport } = yield* withStream(
          inTurn(ended(event(note(1), "gone")), status(404), open(event(note(2), "new")))
        )
        const all = yield* collect(transport)
        yield* pass(() => all.length === 2, "what came later")
        assert.deepStrictEqual(lastIds(seen), [undefined, "gone", undefined])
        assert.deepStrictEqual(logs, ["Warn The MCP server cannot tell what it has sent meanwhile: status 404"])
      })
    ))
})

describe("its end", () => {
  it.effect("it ends with the connection, and with the session", () =>
    Effect.gen(function*() {
      let closed = 0
      const scope = yield* Scope.make()
      const { seen, transport } = yield* withStream((response) => {
        response.on("close", () => closed++)
        stream(response)
      }).pipe(Scope.provide(scope))
      const unrelated = yield* Effect.forkChild(Stream.runCollect(transport.unrelated))
      yield* until(() => gets(seen).length === 1, "the stream")
      yield* transport.legacy.forget
      yield* until(() => closed === 1, "its end")
      yield* transport.legacy.initialized
      yield* until(() => gets(seen).length === 2, "another one")
      assert.notProperty(gets(seen)[1]?.headers ?? {}, "mcp-session-id")
      yield* Scope.close(scope, Exit.void)
      yield* until(() => closed === 2, "its end")
      assert.deepStrictEqual(yield* Fiber.join(unrelated), [])
    }))
})
