import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type * as http from "node:http"
import {
  answerTo,
  event,
  type LegacyOptions,
  legacyOutgoing,
  note,
  pass,
  reasonOf,
  type Seen,
  sendJson,
  session,
  stream,
  until
} from "./support/legacyServer.ts"

const call = legacyOutgoing("tools/call")
const ok = (id: JsonRpc.Id = 1) => ({ _tag: "Success", id, result: { ok: true } }) as const
const streamEnded = new McpClientError.StreamEnded({ method: "tools/call" })

const resumed = (seen: ReadonlyArray<Seen>) =>
  seen.flatMap(({ headers, verb }) => verb === "GET" && headers["last-event-id"] !== undefined ? [headers] : [])

type Answer = (response: http.ServerResponse, seen: Seen) => void

/** A server whose POST has this stream, and whose GETs with an id these, one after the other. */
const resuming = (post: Answer, ...gets: ReadonlyArray<Answer>) => {
  let asked: Seen | undefined
  let n = 0
  const options: LegacyOptions = {
    sessions: ["s"],
    post: (response, seen) => {
      asked = seen
      post(response, seen)
    },
    get: (response, seen) => {
      if (seen.headers["last-event-id"] === undefined || asked === undefined) return response.writeHead(405).end()
      gets[Math.min(n++, gets.length - 1)]?.(response, asked)
    }
  }
  return options
}

const primed = `id: p-0\nretry: 700\ndata: \n\n`
const ended = (...texts: ReadonlyArray<string>): Answer => (response) => void stream(response, ...texts).end()
const reset = (...texts: ReadonlyArray<string>): Answer => (response) => {
  stream(response, ...texts)
  setTimeout(() => response.destroy(), 20)
}
const answering: Answer = (response, asked) => void stream(response, event(answerTo(asked), "last")).end()
const status = (code: number): Answer => (response) => void response.writeHead(code).end()

/** The call's outcome, with the test's clock going on. */
const outcome = Effect.fnUntraced(function*(options: LegacyOptions & Parameters<typeof session>[0]) {
  const { seen, transport } = yield* session(options)
  const notes: Array<unknown> = []
  const running = yield* Effect.forkChild(Effect.result(transport.send(legacyOutgoing("tools/call", {
    onMessage: (message) => Effect.sync(() => void notes.push(message.params?.n ?? message.method))
  }))))
  const waited = yield* pass(() => running.pollUnsafe() !== undefined, "the outcome")
  const result = yield* Fiber.join(running)
  return { seen, notes, waited, value: result._tag === "Success" ? result.success : result.failure.reason }
})

describe("case 47: a stream that does not bring the answer", () => {
  for (const [what, cut] of [["ends", ended], ["is cut (F13)", reset]] as const) {
    it.effect(`LHTTP-11, LHTTP-17, LHTTP-20: it ${what} after an id: it is gone on with`, () =>
      Effect.gen(function*() {
        const { notes, seen, value, waited } = yield* outcome(resuming(
          cut(primed, event(note(1), "p-1")),
          (response, asked) => {
            const question = { jsonrpc: "2.0", id: 3, method: "roots/list" }
            stream(response, event(note(2), "p-2"), event(question), event(answerTo(asked), "p-3"))
          }
        ))
        assert.deepStrictEqual(value, ok())
        assert.deepStrictEqual(notes, [1, 2, "roots/list"])
        assert.isAtLeast(waited, 700)
        assert.lengthOf(resumed(seen), 1)
        assert.deepInclude(resumed(seen)[0], {
          "last-event-id": "p-1",
          "mcp-session-id": "s",
          "mcp-protocol-version": "2025-11-25",
          accept: "text/event-stream"
        })
      }))

    it.effect(`it ${what} without any id: it fails at once`, () =>
      Effect.gen(function*() {
        const { transport } = yield* session(resuming(cut(":\n\n", event(note(1)))))
        const reason = yield* reasonOf(transport.send(call))
        assert.strictEqual(reason._tag, cut === ended ? "StreamEnded" : "TransportClosed")
      }))
  }

  it.live("LHTTP-11: the time the server wants is kept to the millisecond", () =>
    Effect.gen(function*() {
      let closed = 0
      const { seen, transport } = yield* session(resuming((response) => {
        stream(response, "id: 1\nretry: 150\ndata:\n\n").end()
        closed = performance.now()
      }, answering))
      assert.deepStrictEqual(yield* transport.send(call), ok())
      const [get] = seen.filter(({ headers }) => headers["last-event-id"] !== undefined)
      assert.isAtLeast((get?.at ?? 0) - closed, 149)
    }))

  it.effect("without a time it is a second", () =>
    Effect.gen(function*() {
      const { value, waited } = yield* outcome(resuming(ended("id: 1\n\n"), answering))
      assert.deepStrictEqual(value, ok())
      assert.isAtLeast(waited, 1000)
    }))

  it.effect("LHTTP-10: a server that closes every stream after a while is asked again and again", () =>
    Effect.gen(function*() {
      const { notes, seen, value } = yield* outcome({
        ...resuming(
          ended(primed),
          ended(event(note(1), "a")),
          ended("id: b\ndata:\n\n"),
          reset(event(note(2), "c")),
          answering
        ),
        connect: { limits: { reconnectAttempts: 1 } }
      })
      assert.deepStrictEqual(value, ok())
      assert.deepStrictEqual(notes, [1, 2])
      assert.deepStrictEqual(resumed(seen).map((headers) => headers["last-event-id"]), ["p-0", "a", "b", "c"])
    }))

  it.effect("F13: a server that is away for a moment is asked again", () =>
    Effect.gen(function*() {
      const { seen, value } = yield* outcome(resuming(
        ended(primed),
        (response) => response.destroy(),
        status(503),
        status(409),
        answering
      ))
      assert.deepStrictEqual(value, ok())
      assert.lengthOf(resumed(seen), 4)
    }))

  it.effect("reconnectAttempts: a server that brings nothing any more is given up", () =>
    Effect.gen(function*() {
      for (const nothing of [ended(), status(500)]) {
        const { seen, value } = yield* outcome({
          ...resuming(ended(primed), nothing),
          connect: { limits: { reconnectAttempts: 2 } }
        })
        assert.deepStrictEqual(value, streamEnded)
        assert.isAtLeast(resumed(seen).length, 3)
        assert.isAtMost(resumed(seen).length, 4)
      }
    }))

  it.effect("F3: a server that was killed during a call is told as such within half a minute", () =>
    Effect.gen(function*() {
      // A refused connection and a server that is not there for anybody look the same from here: nothing comes.
      const { value, waited } = yield* outcome(resuming(ended(primed), (response) => void response.destroy()))
      assert.deepStrictEqual(value, streamEnded)
      assert.isAtMost(waited, 30_000)
    }))

  for (const code of [400, 404, 405, 410]) {
    it.effect(`case 50, F6: a refusal to go on (${code}) is the end of it`, () =>
      Effect.gen(function*() {
        const { seen, value } = yield* outcome(resuming(ended(primed), status(code)))
        assert.deepStrictEqual(value, streamEnded)
        assert.lengthOf(resumed(seen), 1)
      }))
  }

  it.effect("F17: 401 while going on is told as such", () =>
    Effect.gen(function*() {
      const { value } = yield* outcome(resuming(ended(primed), status(401)))
      assert.deepStrictEqual(value, new McpClientError.UnexpectedStatus({ status: 401, body: "" }))
    }))

  it.effect("an event that is no message is an invalid answer, on whichever stream", () =>
    Effect.gen(function*() {
      const { value } = yield* outcome(resuming(ended(primed), ended("data: {\n\n")))
      assert.strictEqual("_tag" in value && value._tag, "InvalidAnswer")
    }))

  it.effect("initialize is gone on with too, in the session that it has begun", () =>
    Effect.gen(function*() {
      let asked: Seen | undefined
      const options: LegacyOptions = {
        sessions: ["s"],
        initialize: (response, seen) => {
          asked = seen
          stream(response, "id: i\nretry: 1\ndata:\n\n").end()
        },
        get: (response) => asked === undefined ? response.writeHead(405).end() : answering(response, asked)
      }
      const running = yield* Effect.forkChild(session(options))
      yield* pass(() => running.pollUnsafe() !== undefined, "the session")
      const { seen } = yield* Fiber.join(running)
      const get = seen.find(({ verb }) => verb === "GET")
      assert.deepInclude(get?.headers, { "last-event-id": "i", "mcp-session-id": "s" })
      assert.notProperty(get?.headers ?? {}, "mcp-protocol-version")
    }))
})

describe("several streams", () => {
  it.effect("case 50, LHTTP-16, LHTTP-18: each goes on from its own last event", () =>
    Effect.gen(function*() {
      const asked = new Map<string, Seen>()
      const { seen, transport } = yield* session({
        sessions: ["s"],
        post: (response, seen) => {
          const id = String(seen.message.id)
          asked.set(id, seen)
          stream(response, `id: ${id}/0\nretry: 10\ndata:\n\n`, event(note(0), `${id}/1`)).end()
        },
        get: (response, { headers }) => {
          const id = String(headers["last-event-id"] ?? "").split("/")[0]!
          const one = asked.get(id)
          return one === undefined ? response.writeHead(405).end() : answering(response, one)
        }
      })
      const running = yield* Effect.forkChild(Effect.all(
        ["a", "b", "c"].map((id) => transport.send(legacyOutgoing("tools/call", { id }))),
        { concurrency: 3 }
      ))
      yield* pass(() => running.pollUnsafe() !== undefined, "the answers")
      assert.deepStrictEqual(yield* Fiber.join(running), [ok("a"), ok("b"), ok("c")])
      assert.sameMembers(resumed(seen).map((headers) => headers["last-event-id"]), ["a/1", "b/1", "c/1"])
    }))
})

describe("interrupting", () => {
  for (
    const [when, gets] of [["during the wait", []], ["on the stream that goes on", [
      ended("id: q\ndata:\n\n")
    ]]] as const
  ) {
    it.effect(`CAN-4: ${when}: it is cancelled, and not asked for any more`, () =>
      Effect.gen(function*() {
        const hanging: Answer = (response) => void stream(response, ":\n\n")
        const { seen, transport } = yield* session(resuming(ended(primed), ...gets, hanging))
        const running = yield* Effect.forkChild(transport.send(call))
        yield* until(() => seen.some(({ message }) => message.method === "tools/call"), "the call")
        if (gets.length > 0) yield* pass(() => resumed(seen).length === 2, "the stream that goes on")
        yield* TestClock.withLive(Effect.sleep(20))
        const before = resumed(seen).length
        yield* Fiber.interrupt(running)
        yield* until(() => seen.at(-1)?.message.method === "notifications/cancelled", "the notification")
        yield* TestClock.adjust("10 minutes")
        yield* TestClock.withLive(Effect.sleep(20))
        assert.lengthOf(resumed(seen), before)
      }))
  }
})

describe("case 46, F13: a legacy stream in any pieces", () => {
  const texts = (seen: Seen) =>
    [
      `\uFEFFid: 0\rdata:\r\rid: 1\r\n\r\n: x\n\nevent: message\r\ndata: ${JSON.stringify(note(1))}\r\n\r\n`,
      `data: ${JSON.stringify(answerTo(seen, { ok: true }), null, 1).replaceAll("\n", "\ndata: ")}\n\n`
    ].join("")

  for (const size of [1, 2, 7, 1000]) {
    it.live(`of ${size} bytes`, () =>
      Effect.gen(function*() {
        const { transport } = yield* session({
          post: (response, seen) => {
            stream(response)
            const bytes = new TextEncoder().encode(texts(seen))
            const write = (at: number): void => {
              if (at >= bytes.length) return void response.end()
              response.write(bytes.subarray(at, at + size))
              setImmediate(write, at + size)
            }
            write(0)
          }
        })
        assert.deepStrictEqual(yield* transport.send(call), ok())
      }))
  }

  it.effect("trap 23: a server that wants no wait is not hammered, though each stream has a message", () =>
    Effect.gen(function*() {
      let n = 0
      const one: Answer = (response, asked) => {
        const last = n++ === 12
        stream(response, "retry: 0\n\n", event(last ? answerTo(asked) : note(n), String(n))).end()
      }
      const { value, waited } = yield* outcome(resuming(one, one))
      assert.deepStrictEqual(value, ok())
      assert.isAtLeast(waited, 1200)
    }))
})

describe("case 44: silence", () => {
  it.live("undici cuts no stream that is silent, whatever its own limit is", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen) => {
          stream(response, ":\n\n")
          setTimeout(() => response.end(event(answerTo(seen))), 1_500)
        }
      })
      assert.deepStrictEqual(yield* transport.send(call), ok())
    }).pipe(Effect.provideService(NodeHttpClient.UndiciOptions, { bodyTimeout: 100, headersTimeout: 100 })))

  it.live("a plain answer may take its time, too", () =>
    Effect.gen(function*() {
      const { transport } = yield* session({
        post: (response, seen) => void setTimeout(() => sendJson(response, 200, answerTo(seen)), 300)
      })
      assert.deepStrictEqual(yield* transport.send(call), ok())
    }))
})
