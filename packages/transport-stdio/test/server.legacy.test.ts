/** Both eras on one standard input (ERA-5): sessions, the ids of all requests, and questions to the client. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  call,
  cancel,
  initialize,
  legacy,
  legacyCall,
  memory,
  type Message,
  notification,
  type Peer,
  start
} from "./support/peer.ts"

const both = (env: Record<string, string> = {}) => start({ script: "legacy.ts", env })

const textOf = ({ result }: Message) => result?.content?.[0]?.text

const ids = (peer: Peer) => peer.messages().map(({ id }) => id)

/** Opens a session, and waits for it. */
const opened = (peer: Peer, revision?: string, id = "init") =>
  peer.write(`${initialize(id, revision)}\n${notification("notifications/initialized")}\n`).pipe(
    Effect.andThen(peer.answer(id))
  )

describe.concurrent("McpStdio.run, both eras on one connection", () => {
  it.live("ERA-5, ERA-6, STDIO-18: they interleave, and each message is of the era it says it is of", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      // One chunk: the session is there when the next line is read.
      yield* peer.write(
        [
          call(1, "echo", { text: "before" }),
          initialize(2, "2025-06-18"),
          legacyCall(3, "revision"),
          call(4, "echo", { text: "modern" }),
          legacy(5, "ping"),
          legacyCall(6, "revision"),
          call(7, "revision")
        ].join("\n") + "\n"
      )
      assert.strictEqual((yield* peer.answer(2)).result?.protocolVersion, "2025-06-18")
      // The tool exists in the legacy era only.
      assert.strictEqual((yield* peer.answer(7)).error?.code, -32602)
      assert.deepStrictEqual(ids(peer), [1, 2, 3, 4, 5, 6, 7])
      assert.deepStrictEqual(peer.messages().map(textOf), [
        "before",
        undefined,
        "2025-06-18",
        "modern",
        undefined,
        "2025-06-18",
        undefined
      ])
    }))

  it.live("INIT-7: a ping may come before initialize", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(`${legacy(1, "ping")}\n`)
      assert.deepStrictEqual((yield* peer.answer(1)).result, {})
    }))

  it.live("ERA-6: an initialize that says it is modern is an unknown method of that era", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      const meta = JSON.parse(call(0, "")).params._meta
      yield* peer.write(`${legacy(1, "initialize", { _meta: meta })}\n${legacy(2, "tools/list")}\n`)
      assert.strictEqual((yield* peer.answer(1)).error?.code, -32601)
      assert.strictEqual((yield* peer.answer(2)).error?.code, -32600)
    }))

  it.live("without a session a request is refused, and an answer or an array harms nothing", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(`${legacyCall(1, "revision")}\n{"jsonrpc":"2.0","id":9,"result":{}}\n[${legacy(2, "ping")}]\n`)
      const { error } = yield* peer.answer(1)
      assert.strictEqual(error?.code, -32600)
      assert.match(error?.message ?? "", /initialize/)
      yield* opened(peer)
      assert.deepStrictEqual(ids(peer), [1, undefined, "init"])
    }))

  it.live("case 31: initialized before initialize is ignored", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(`${notification("notifications/initialized")}\n`)
      yield* opened(peer)
      yield* peer.write(`${legacyCall(1, "revision")}\n`)
      assert.strictEqual(textOf(yield* peer.answer(1)), "2025-11-25")
      assert.match(peer.stderr(), /ignored notifications\/initialized\nnotified notifications\/initialized/)
    }))

  it.live("case 32, B9: a second initialize is refused, with another version too, and changes nothing", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer, "2025-06-18")
      yield* peer.write(
        `${initialize(1, "2025-06-18")}\n${initialize(2, "2024-11-05")}\n${legacyCall(3, "revision")}\n`
      )
      assert.strictEqual(textOf(yield* peer.answer(3)), "2025-06-18")
      assert.strictEqual((yield* peer.answer(1)).error?.code, -32600)
      assert.strictEqual((yield* peer.answer(2)).error?.code, -32600)
    }))

  it.live("an initialize that is refused, that fails or that dies opens nothing, and another one may follow", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(
        [
          initialize(1, "1999-01-01"),
          initialize(2, "2025-11-25", { fail: true }),
          initialize(3, "2025-11-25", { die: true }),
          legacy(4, "tools/list")
        ].join("\n") + "\n"
      )
      assert.strictEqual((yield* peer.answer(4)).error?.code, -32600)
      assert.deepStrictEqual(peer.messages().map(({ error }) => error), [
        { code: -32602, message: "No such version" },
        { code: -32603, message: "No session for now" },
        { code: -32603, message: "Internal error" },
        (yield* peer.answer(4)).error
      ])
      assert.match(peer.stderr(), /the inside of it/)
      yield* opened(peer)
    }))

  it.live("what follows an initialize that takes a while waits behind it, in order", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* peer.write(
        [
          initialize(1, "2025-06-18", { delay: 300, change: true }),
          // INIT-10: it cannot be cancelled.
          cancel(1),
          notification("notifications/initialized"),
          legacyCall(2, "revision"),
          call(3, "echo", { text: "modern" })
        ].join("\n") + "\n"
      )
      yield* peer.answer(3)
      assert.deepStrictEqual(peer.messages().map(({ id, method }) => id ?? method), [
        1,
        // It comes after the answer that opened the session.
        "notifications/tools/list_changed",
        2,
        3
      ])
      assert.match(peer.stderr(), /notified notifications\/initialized/)
    }))

  it.live("F10: an initialize without an answer keeps neither others nor the process", () =>
    Effect.gen(function*() {
      const peer = yield* both({ DRAIN: "300" })
      yield* peer.write(
        `${initialize(1, "2025-06-18", { delay: 1e8 })}\n${call(2, "echo")}\n${initialize(3)}\n${
          legacy(4, "tools/list")
        }\n`
      )
      yield* peer.answer(2)
      assert.strictEqual((yield* peer.answer(3)).error?.code, -32603)
      assert.strictEqual((yield* peer.answer(4)).error?.code, -32603)
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
    }))

  it.live("a session that the server ends is gone, and another one may be opened", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${legacyCall(1, "end")}\n${legacy(2, "tools/list")}\n`)
      assert.strictEqual((yield* peer.answer(2)).error?.code, -32600)
      yield* opened(peer, "2025-11-25", "again")
      yield* peer.write(`${legacyCall(3, "revision")}\n`)
      assert.strictEqual(textOf(yield* peer.answer(3)), "2025-11-25")
    }))

  it.live("ERA-18: a server of the newest revision alone says so to initialize", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(`${initialize(1)}\n[${legacy(2, "ping")}]\n${legacy(3, "ping")}\n`)
      const { error } = yield* peer.answer(1)
      assert.deepInclude(error, {
        code: -32022,
        data: { supported: ["2026-07-28"], requested: "2025-11-25" }
      })
      yield* peer.answer(3)
      assert.deepStrictEqual(peer.messages().map(({ error }) => error?.code), [-32022, -32600, -32602])
    }))
})

describe.concurrent("McpStdio.run in the legacy era, ids", () => {
  it.live("RPC-5, cases 20, 22, 23 and 25, B5: an id comes back as it was, and what is no id is refused", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      const long = "x".repeat(10_000)
      yield* peer.write(
        [
          legacy("7", "ping"),
          legacy(7, "ping"),
          legacy("", "ping"),
          legacy(long, "ping"),
          legacy(null, "ping"),
          legacy(1.5, "ping"),
          "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}",
          "{\"id\":8,\"method\":\"ping\"}",
          "{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}",
          legacy("last", "ping")
        ].join("\n") + "\n"
      )
      yield* peer.answer("last")
      assert.deepStrictEqual(peer.messages().slice(1).map(({ error, id }) => [id, error?.code]), [
        ["7", undefined],
        [7, undefined],
        ["", undefined],
        [long, undefined],
        [undefined, -32600],
        [undefined, -32600],
        [undefined, -32600],
        [8, -32600],
        [9, -32600],
        ["last", undefined]
      ])
    }))

  it.live("case 26, B15: both eras have one space of ids, and one that is in flight is refused a second time", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(
        [
          legacyCall(1, "slow", { millis: 300 }),
          call(1, "echo"),
          legacyCall(1, "revision"),
          call(2, "slow", { millis: 300 }),
          legacyCall(2, "revision"),
          // Ids of the server are apart from it.
          legacyCall(3, "ask"),
          cancel("unknown")
        ].join("\n") + "\n"
      )
      yield* peer.until(() => peer.messages().length === 7)
      assert.deepStrictEqual(
        peer.messages().slice(1).map(({ error, id, method }) => [id, error?.code ?? method]),
        [[1, -32600], [1, -32600], [2, -32600], [1, "roots/list"], [1, undefined], [2, undefined]]
      )
      yield* peer.write(`${legacyCall(1, "revision")}\n`)
      yield* peer.until(() => peer.messages().length === 8)
    }))

  it.live("CAN-4, CAN-5, cases 35 and 38: a call of the session is cancelled, interrupted and not answered", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      // In one chunk, and after its start.
      yield* peer.write(`${legacyCall(1, "never")}\n${cancel(1)}\n${legacyCall(2, "never")}\n`)
      yield* peer.write(`${legacyCall(3, "ask")}\n`)
      yield* peer.until(() => peer.messages().length === 2)
      yield* peer.write(`${cancel("2")}\n${cancel(2)}\n${cancel(2)}\n${cancel(3)}\n${legacy(4, "ping")}\n`)
      yield* peer.answer(4)
      yield* peer.until(() => peer.stderr().match(/interrupted/g)?.length === 2)
      // CAN-4: what it has asked is withdrawn.
      yield* peer.until(() => peer.messages().some(({ method }) => method === "notifications/cancelled"))
      assert.sameDeepMembers(peer.messages().map(({ id, method }) => method ?? id), [
        "init",
        "roots/list",
        4,
        "notifications/cancelled"
      ])
    }))
})

describe.concurrent("McpStdio.run in the legacy era asks the client", () => {
  it.live("RPC-15: on standard output, during a call and outside of one, and takes the answers", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${legacyCall("a", "ask")}\n${legacyCall("b", "askUnasked")}\n`)
      yield* peer.until(() => peer.messages().length === 3)
      assert.deepStrictEqual(peer.messages().slice(1).map(({ id, method }) => [id, method]), [
        [1, "roots/list"],
        [2, "roots/list"]
      ])
      yield* peer.write(
        [
          "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"roots\":[2]}}",
          // Nobody waits for these.
          "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
          "{\"jsonrpc\":\"2.0\",\"id\":17,\"error\":{\"code\":1,\"message\":\"no\"}}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"refused\"}}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}"
        ].join("\n") + "\n"
      )
      assert.strictEqual(textOf(yield* peer.answer("b")), "{\"roots\":[2]}")
      assert.strictEqual(textOf(yield* peer.answer("a")), "refused")
      assert.strictEqual(peer.messages().length, 5)
    }))

  it.live("RPC-14, STDIO-7: never in the modern era", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${call(1, "mayAsk")}\n`)
      assert.strictEqual(textOf(yield* peer.answer(1)), "false")
    }))

  it.live("a question without a JSON form fails in the server", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${legacyCall(1, "askUnprintable")}\n`)
      assert.match(textOf(yield* peer.answer(1)) ?? "", /cannot be asked/)
      assert.match(peer.stderr(), /no JSON form/)
    }))

  it.live("RPC-15: what a notification causes may be sent too", () =>
    Effect.gen(function*() {
      const peer = yield* both()
      yield* opened(peer)
      yield* peer.write(`${notification("notifications/roots/list_changed")}\n`)
      yield* peer.until(() => peer.messages().length === 3)
      assert.deepStrictEqual(peer.messages().slice(1).map(({ method }) => method), [
        "notifications/heard",
        "roots/list"
      ])
    }))

  it.live("STDIO-13: the end of the input is an answer too, so that nobody waits for a client that is gone", () =>
    Effect.gen(function*() {
      // A drainTimeout that the test would not survive.
      const peer = yield* both({ DRAIN: "600000" })
      yield* opened(peer)
      yield* peer.write(`${legacyCall("a", "askTwice")}\n${legacyCall("b", "askUnasked")}\n`)
      yield* peer.until(() => peer.messages().length === 3)
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
      for (const id of ["a", "b"]) assert.match(textOf(yield* peer.answer(id)) ?? "", /cannot be asked/)
      assert.match(peer.stderr(), /session closed/)
    }))

  it.live("a call in the session that does not end is interrupted with the session", () =>
    Effect.gen(function*() {
      const peer = yield* both({ DRAIN: "200" })
      yield* opened(peer)
      yield* peer.write(`${legacyCall(1, "never")}\n`)
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, { code: 0, signal: null })
      assert.match(peer.stderr(), /interrupted/)
      assert.match(peer.stderr(), /session closed/)
      assert.deepStrictEqual(ids(peer), ["init"])
    }))
})

describe("McpStdio.run in the legacy era, case 7: a peer that does not read", () => {
  it.live("streamBuffer, messageBytes: changes wait in the session, one of a kind, and are told when it reads", () =>
    Effect.gen(function*() {
      const peer = yield* start({ script: "legacy.ts", ignoreOutput: true })
      peer.child.stdout?.pause()
      yield* peer.write(`${initialize(1)}\n`)
      yield* peer.until(() => /up/.test(peer.stderr()))
      const before = memory(peer.child.pid!)
      // 200 MB of changes, of 1,000 resources; the reader is stopped, so that one answer is all that gets in.
      yield* peer.write(`${legacyCall(2, "change", { count: 50_000, size: 4_000 })}\n`)
      yield* Effect.sleep(2_000)
      assert.isBelow(memory(peer.child.pid!) - before, 150)
      let text = ""
      peer.child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString()
      }).resume()
      yield* peer.until(() => text.includes("list_changed") && text.includes("\"id\":2"), "the last change")
      assert.isBelow(text.length, 20_000_000)
      yield* peer.write(`${legacyCall(3, "change", { count: 1 })}\n`)
      yield* peer.until(() => /"id":3/.test(text), "what is told later")
    }))
})
