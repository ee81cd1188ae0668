/** Arrays of messages, which revision 2025-03-26 has and no other. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  call,
  cancel,
  initialize,
  legacy,
  legacyCall,
  type Message,
  notification,
  type Peer,
  start
} from "./support/peer.ts"

const textOf = ({ result }: Message) => result?.content?.[0]?.text

const both = (env: Record<string, string> = {}) => start({ script: "legacy.ts", env })

const opened = (peer: Peer, revision = "2025-03-26") =>
  Effect.andThen(peer.write(`${initialize("init", revision)}\n`), peer.answer("init"))

const batch = (...items: ReadonlyArray<string>) => `[${items.join(",")}]\n`

/** What came after the session was opened. */
const lines = (peer: Peer) => peer.lines().slice(1)

const idsOf = (line: Message | ReadonlyArray<Message> | undefined) =>
  Array.isArray(line) ? line.map(({ id }: Message) => id) : line

describe.concurrent("McpStdio.run under 2025-03-26", () => {
  it.live("RPC-16: answers all requests of a batch with one array, when the last of them has ended", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(batch(
        legacyCall(1, "slow", { millis: 200 }),
        notification("notifications/initialized"),
        legacyCall("2", "revision"),
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        legacy(3, "no/such/method"),
        "7",
        "[]",
        "{\"jsonrpc\":\"2.0\",\"id\":98,\"result\":{},\"error\":{}}"
      ))
      yield* peer.write(`${call(4, "echo", { text: "meanwhile" })}\n`)
      yield* peer.until(() => lines(peer).length === 2)
      const [first, second] = lines(peer)
      assert.deepInclude(first, { id: 4 })
      assert.deepStrictEqual(idsOf(second), ["2", 3, undefined, undefined, 1])
      assert.deepStrictEqual(peer.messages().slice(2).map(({ error }) => error?.code), [
        undefined,
        -32601,
        -32600,
        -32600,
        undefined
      ])
      assert.match(peer.stderr(), /notified notifications\/initialized/)
    }))

  it.live("RPC-16: says nothing to a batch in which nothing is asked", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(
        batch(notification("notifications/initialized"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")
      )
      yield* peer.write(`${legacy(2, "ping")}\n`)
      yield* peer.answer(2)
      assert.strictEqual(lines(peer).length, 1)
    }))

  it.live("RPC-16: takes the answers to its own questions from a batch", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${legacyCall("a", "ask")}\n`)
      yield* peer.until(() => lines(peer).length === 1)
      yield* peer.write(batch("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}", legacy("b", "ping")))
      assert.strictEqual(textOf(yield* peer.answer("a")), "{\"roots\":[]}")
      yield* peer.answer("b")
    }))

  it.live("RPC-17: refuses an initialize in a batch, before and after there is a session", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(batch(initialize(1, "2025-03-26")))
      yield* opened(peer)
      yield* peer.write(batch(initialize(2, "2024-11-05"), legacyCall(3, "revision")))
      yield* peer.answer(3)
      assert.deepStrictEqual(peer.messages().map(({ error, id }) => [id, error?.code]), [
        [undefined, -32600],
        ["init", undefined],
        [2, -32600],
        [3, undefined]
      ])
      assert.strictEqual(textOf(yield* peer.answer(3)), "2025-03-26")
    }))

  it.live("CAN-5, case 35: a request of a batch that is cancelled has no answer, and the others have", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(batch(legacyCall(1, "never"), legacy(2, "ping"), legacyCall(3, "never"), cancel(3)))
      yield* peer.write(`${legacy(4, "ping")}\n`)
      yield* peer.answer(4)
      assert.strictEqual(lines(peer).length, 1)
      yield* peer.write(`${cancel(1)}\n`)
      yield* peer.until(() => lines(peer).length === 2)
      assert.deepStrictEqual(idsOf(lines(peer)[1]), [2])
      // All of it cancelled: no array at all.
      yield* peer.write(batch(legacyCall(5, "never"), cancel(5)))
      yield* peer.write(`${legacy(6, "ping")}\n`)
      yield* peer.answer(6)
      assert.strictEqual(lines(peer).length, 3)
    }))

  it.live("case 26, B15: refuses an id a second time in one batch, and the first completes", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(batch(legacyCall(1, "slow", { millis: 50 }), legacyCall(1, "revision")))
      yield* peer.until(() => lines(peer).length === 1)
      assert.deepStrictEqual(peer.messages().slice(1).map(({ error, id }) => [id, error?.code]), [
        [1, -32600],
        [1, undefined]
      ])
    }))

  it.live("B5: an empty batch, one with too many messages (batchMessages) and one of 10,000 have one answer each", () =>
    Effect.gen(function*() {
      const peer = yield* both({ BATCH: "3" })
      yield* opened(peer)
      const pings = (count: number) => Array.from({ length: count }, (_, i) => legacy(i, "ping"))
      yield* peer.write("[]\n" + batch(...pings(4)) + batch(...pings(10_000)) + batch(...pings(3)))
      yield* peer.answer(2)
      assert.deepStrictEqual(peer.messages().slice(1).map(({ error, id }) => [id, error?.code]), [
        [undefined, -32600],
        [undefined, -32600],
        [undefined, -32600],
        [0, undefined],
        [1, undefined],
        [2, undefined]
      ])
      assert.match(peer.messages()[2]?.error?.message ?? "", /batchMessages/)
    }))

  it.live("inFlightRequests: what is too much of a batch is refused in its array", () =>
    Effect.gen(function*() {
      const peer = yield* both({ IN_FLIGHT: "2" })
      yield* opened(peer)
      yield* peer.write(batch(...[1, 2, 3].map((id) => legacyCall(id, "slow", { millis: 50 }))))
      yield* peer.until(() => lines(peer).length === 1)
      assert.match((yield* peer.answer(3)).error?.message ?? "", /inFlightRequests/)
      assert.sameMembers([...idsOf(lines(peer)[0]) as ReadonlyArray<unknown>], [1, 2, 3])
    }))

  it.live("messageBytes: an array that would be too long for a message is continued in another", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(batch(...[1, 2, 3].map((id) => legacyCall(id, "big", { size: 2_000_000 }))))
      yield* peer.until(() => lines(peer).length === 2)
      assert.deepStrictEqual(lines(peer).map(idsOf), [[1, 2], [3]])
    }))

  it.live("case 2: a batch that does not end before the process has the answers that are there", () =>
    Effect.gen(function*() {
      const peer = yield* both({ DRAIN: "200" })
      yield* opened(peer)
      yield* peer.write(batch(legacyCall(1, "never"), legacy(2, "ping")))
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
      assert.deepStrictEqual(lines(peer).map(idsOf), [[2]])
    }))
})

describe.concurrent("McpStdio.run under another revision", () => {
  for (const revision of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    it.live(`RPC-18, B5: answers a batch with one -32600 (${revision})`, () =>
      Effect.gen(function*() {
        const peer = yield* both()
        yield* opened(peer, revision)
        yield* peer.write(batch(legacy(1, "ping"), legacy(2, "ping")) + legacy(3, "ping") + "\n")
        yield* peer.answer(3)
        assert.deepStrictEqual(peer.messages().slice(1).map(({ error, id }) => [id, error?.code]), [
          [undefined, -32600],
          [3, undefined]
        ])
        assert.match(peer.messages()[1]?.error?.message ?? "", new RegExp(revision))
      }))
  }
})
