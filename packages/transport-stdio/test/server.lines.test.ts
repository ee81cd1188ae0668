/** What a server on stdio does with lines, well-formed and otherwise. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, cancel, memory, type Peer, ready, start } from "./support/peer.ts"

const textOf = (message: { readonly result?: { readonly content?: ReadonlyArray<{ readonly text: string }> } }) =>
  message.result?.content?.[0]?.text

const codes = (peer: Peer) => peer.messages().flatMap(({ error }) => error === undefined ? [] : [error.code])

describe.concurrent("McpStdio.run", () => {
  it.live("cases 13, 14 and 20: empty lines, CRLF, and an id of the same type", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(`\n\r\n${call("7", "echo", { text: "a" })}\r\n\n${call(7, "echo", { text: "b" })}\n`)
      assert.strictEqual(textOf(yield* peer.answer("7")), "a")
      assert.strictEqual(textOf(yield* peer.answer(7)), "b")
      assert.strictEqual(peer.messages().length, 2)
    }))

  it.live("case 10: UTF-8 byte by byte, and an emoji in two writes", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* ready(peer)
      const text = "grüße € 😀"
      const slow = Buffer.from(call(1, "echo", { text }) + "\n")
      for (const byte of slow) {
        yield* peer.write(Uint8Array.of(byte))
        if (byte > 127) yield* Effect.sleep(5)
      }
      assert.strictEqual(textOf(yield* peer.answer(1)), text)
      const cut = Buffer.from(call(2, "echo", { text }) + "\n")
      const middle = cut.indexOf(Buffer.from("😀")) + 2
      yield* peer.write(cut.subarray(0, middle))
      yield* Effect.sleep(100)
      yield* peer.write(cut.subarray(middle))
      assert.strictEqual(textOf(yield* peer.answer(2)), text)
    }))

  it.live("case 11: invalid UTF-8 is answered once, and the next line is served", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(Uint8Array.of(0xff, 0xfe, 0x0a))
      yield* ready(peer)
      assert.deepStrictEqual(codes(peer), [-32700])
      assert.strictEqual(peer.messages().length, 2)
    }))

  it.live("case 29, B5: a malformed line is answered once, and nothing else is lost", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(
        `${call(1, "echo")}\n{"jsonrpc":\n42\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n${call(2, "echo")}\n`
      )
      yield* peer.answer(2)
      yield* peer.answer(1)
      assert.deepStrictEqual(codes(peer), [-32700, -32600, -32600])
      assert.strictEqual(peer.messages().length, 5)
    }))

  it.live("case 8, B2: a line of 12 MB is answered once with the limit's name, and the process lives", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* ready(peer)
      yield* peer.write(call(1, "echo", { text: "x".repeat(12_000_000) }) + "\n")
      const { error } = yield* peer.answer(1)
      assert.strictEqual(error?.code, -32600)
      assert.match(error?.message ?? "", /messageBytes/)
      yield* peer.write("y".repeat(12_000_000) + "\n" + call(2, "echo") + "\n")
      yield* peer.answer(2)
      assert.deepStrictEqual(codes(peer), [-32600, -32600])
      assert.isBelow(memory(peer.child.pid!), 300)
    }))

  it.live("case 16, STDIO-2: whatever user code logs is on stderr", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(call(1, "log") + "\n")
      yield* peer.answer(1)
      yield* peer.end
      yield* peer.exit
      assert.strictEqual(peer.messages().length, 1)
      for (
        const way of [
          "Effect.log",
          "Console",
          "console.log",
          "console.info",
          "console.debug",
          "console.dir",
          "console.table",
          "console.group",
          "console.time",
          "console.count"
        ]
      ) {
        assert.include(peer.stderr(), way)
      }
    }))

  it.live("case 26, B15, RPC-3: an id in flight is refused a second time, and free again afterwards", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(`${call(9, "slow", { millis: 300 })}\n${call(9, "echo", { text: "fast" })}\n`)
      yield* peer.until(() => peer.messages().length === 2)
      assert.deepStrictEqual(codes(peer), [-32600])
      assert.strictEqual(textOf(peer.messages()[1]!), "slow")
      yield* peer.write(call(9, "echo", { text: "again" }) + "\n")
      yield* peer.until(() => peer.messages().length === 3)
      assert.strictEqual(textOf(peer.messages()[2]!), "again")
    }))

  it.live("STDIO-11, CAN-5: a cancelled call is interrupted and not answered; other ids are ignored", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(`${call(1, "never")}\n${call(2, "cancelled")}\n${cancel(3)}\n${cancel("1")}\n`)
      yield* ready(peer)
      assert.notMatch(peer.stderr(), /interrupted/)
      yield* peer.write(`${cancel(1)}\n${cancel(2)}\n${cancel(1)}\n`)
      yield* peer.until(() => /interrupted/.test(peer.stderr()))
      // The id of a cancelled call is free at once, even though its handler is still busy.
      yield* peer.write(call(2, "echo", { text: "free" }) + "\n")
      assert.strictEqual(textOf(yield* peer.answer(2)), "free")
      yield* Effect.sleep(2_000)
      assert.deepStrictEqual(peer.messages().map(({ id }) => id), ["ready", 2])
    }))

  it.live("progress comes before its answer, in order", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(call(1, "progress", { count: 5_000 }, { progressToken: 0 }) + "\n")
      yield* peer.answer(1)
      const progress = peer.messages().slice(0, -1).map(({ params }) => params?.progress)
      assert.deepStrictEqual(progress, Array.from({ length: 5_000 }, (_, i) => i + 1))
    }))

  it.live("a result without a JSON form is answered with -32603", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.write(call(1, "unprintable") + "\n")
      assert.strictEqual((yield* peer.answer(1)).error?.code, -32603)
      assert.match(peer.stderr(), /no JSON form/)
    }))

  it.live("inFlightRequests: requests wait for room, and are refused when none comes, while cancellation works", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { IN_FLIGHT: "3" } })
      const slow = Array.from({ length: 9 }, (_, i) => call(i, "slow", { millis: 100 }) + "\n")
      yield* peer.write(slow.join(""))
      yield* peer.until(() => peer.messages().length === 9)
      assert.deepStrictEqual(codes(peer), [])
      const never = Array.from({ length: 5 }, (_, i) => call(`never ${i}`, "never") + "\n")
      yield* peer.write(never.join("") + cancel("never 0") + "\n")
      yield* peer.until(() => codes(peer).length === 2)
      assert.match((yield* peer.answer("never 4")).error?.message ?? "", /inFlightRequests/)
      yield* peer.until(() => /interrupted/.test(peer.stderr()))
      yield* peer.write(call("there is room", "echo") + "\n")
      yield* peer.answer("there is room")
    }))
})

describe("McpStdio.run, case 7: a peer that does not read", () => {
  for (const tool of ["big", "bigLater"]) {
    it.live(`memory stays flat with 400 answers of 512 KB: ${tool}`, () =>
      Effect.gen(function*() {
        const peer = yield* start({ ignoreOutput: true })
        peer.child.stdout?.pause()
        yield* peer.until(() => /up/.test(peer.stderr()))
        const before = memory(peer.child.pid!)
        for (let i = 0; i < 400; i++) peer.child.stdin?.write(call(i, tool, { size: 512_000 }) + "\n")
        yield* Effect.sleep(2_000)
        assert.isBelow(memory(peer.child.pid!) - before, 80)
        // And nothing is lost once it does.
        let bytes = 0
        peer.child.stdout?.on("data", (chunk: Buffer) => {
          bytes += chunk.length
        }).resume()
        yield* peer.until(() => bytes > 400 * 512_000, "all answers")
      }), 90_000)
  }

  it.live("F12: a handler that floods it is ended alone", () =>
    Effect.gen(function*() {
      const peer = yield* start({ ignoreOutput: true })
      peer.child.stdout?.pause()
      yield* peer.write(call(1, "flood", { count: 200_000 }, { progressToken: 1 }) + "\n")
      yield* peer.until(() => /flood ended/.test(peer.stderr()))
      yield* peer.write(call(2, "echo", { text: "still here" }) + "\n")
      let text = ""
      peer.child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString()
      }).resume()
      yield* peer.until(() => text.includes("still here"), "the other answer")
      assert.match(text, /"id":1,"error":\{"code":-32603,"message":"[^"]*streamBuffer/)
    }))
})
