/** How a server on stdio ends: always, soon, and with 0 (F10, cases 1 and 2). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { call, fixture, isAlive, ready, start } from "./support/peer.ts"

const zero = { code: 0, signal: null }

describe.concurrent("McpStdio.run ends with 0", () => {
  it.live("F10, case 1: the input ends while nothing runs", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* ready(peer)
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("F10: the input ends before it has begun", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
      assert.deepStrictEqual(peer.messages(), [])
    }))

  it.live("case 1: user code holds a timer and a socket", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { HOLD: "1" } })
      yield* ready(peer)
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("case 2: the input ends during a call, whose answer is written", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { HOLD: "1" } })
      yield* ready(peer)
      yield* peer.write(call(1, "slow", { millis: 700 }) + "\n")
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
      assert.strictEqual(peer.messages().find(({ id }) => id === 1)?.result?.content?.[0]?.text, "slow")
    }))

  it.live("case 2: a call that takes longer than drainTimeout is interrupted and not answered", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { DRAIN: "300" } })
      yield* ready(peer)
      yield* peer.write(call(1, "never") + "\n")
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
      assert.match(peer.stderr(), /interrupted/)
      assert.deepStrictEqual(peer.messages().map(({ id }) => id), ["ready"])
    }))

  it.live("case 1: a call that cannot be interrupted does not keep the process", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { DRAIN: "300" } })
      yield* ready(peer)
      yield* peer.write(call(1, "stubborn") + "\n")
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("a host that closes standard error still has its answers", () =>
    Effect.gen(function*() {
      const peer = yield* start()
      yield* ready(peer)
      peer.child.stderr?.destroy()
      for (let id = 1; id <= 20; id++) {
        yield* peer.write(call(id, "log") + "\n")
        yield* peer.answer(id)
      }
      yield* peer.end
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("F10: one request through printf, without a newline at its end", () =>
    Effect.gen(function*() {
      const { status, stdout } = yield* Effect.sync(() =>
        childProcess.spawnSync("sh", [
          "-c",
          "printf '%s' \"$1\" | \"$2\" \"$3\"",
          "sh",
          call(1, "echo", { text: "hi" }),
          process.execPath,
          fixture("server.ts")
        ], { encoding: "utf8" })
      )
      assert.strictEqual(status, 0)
      assert.strictEqual(JSON.parse(stdout).result.content[0].text, "hi")
    }))

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`F10: ${signal} lets the call in flight finish`, () =>
      Effect.gen(function*() {
        const peer = yield* start({ env: { HOLD: "1" } })
        yield* ready(peer)
        yield* peer.write(call(1, "slow", { millis: 500 }) + "\n")
        yield* Effect.sleep(100)
        peer.child.kill(signal)
        assert.deepStrictEqual(yield* peer.exit, zero)
        assert.strictEqual(peer.messages().find(({ id }) => id === 1)?.result?.content?.[0]?.text, "slow")
      }))
  }

  it.live("F10: SIGTERM while the input has ended and a call is being drained", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { DRAIN: "800" } })
      yield* ready(peer)
      yield* peer.write(call(1, "never") + "\n")
      yield* peer.end
      yield* Effect.sleep(100)
      peer.child.kill("SIGTERM")
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("F10: a slow reader gets all that was answered, even with a drainTimeout of nothing", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { DRAIN: "0", HOLD: "1" }, ignoreOutput: true })
      peer.child.stdout?.pause()
      const sizes = Array.from({ length: 8 }, (_, i) => call(i, "big", { size: 500_000 }) + "\n")
      yield* peer.write(sizes.join(""))
      yield* peer.end
      let bytes = 0
      peer.child.stdout?.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        // A pause after each chunk: all of it takes longer than one wait for the reader.
        peer.child.stdout?.pause()
        setTimeout(() => peer.child.stdout?.resume(), 20)
      }).resume()
      assert.deepStrictEqual(yield* peer.exit, zero)
      assert.isAbove(bytes, 8 * 500_000)
    }))

  it.live("case 1: the input is a socket whose peer is killed", () =>
    Effect.gen(function*() {
      const file = path.join(os.tmpdir(), `mcp-stdio-${process.pid}.sock`)
      const server = net.createServer()
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(file, resolve))),
        () => Effect.sync(() => void server.close())
      )
      const accepted = new Promise<net.Socket>((resolve) => server.once("connection", resolve))
      const other = childProcess.spawn(process.execPath, [
        "-e",
        "require('net').connect(process.argv[1]).on('data', () => {}); setInterval(() => {}, 1000)",
        file
      ])
      yield* Effect.addFinalizer(() => Effect.sync(() => void other.kill("SIGKILL")))
      const stdin = yield* Effect.promise(() => accepted)
      const peer = yield* start({ stdin, env: { HOLD: "1" } })
      // This process keeps no end of the connection.
      stdin.destroy()
      yield* Effect.sleep(1_000)
      other.kill("SIGKILL")
      assert.deepStrictEqual(yield* peer.exit, zero)
    }))

  it.live("case 1: the peer is killed while an answer is on its way", () =>
    Effect.gen(function*() {
      const script =
        "const c = require('child_process').spawn(process.execPath, [process.argv[1]], { stdio: ['pipe', 'pipe', 'ignore'] });" +
        "console.log(c.pid); c.stdin.write(process.argv[2] + '\\n')"
      const host = childProcess.spawn(process.execPath, [
        "-e",
        script,
        fixture("server.ts"),
        call(1, "big", { size: 3_000_000 })
      ], { env: { ...process.env, HOLD: "1" } })
      yield* Effect.addFinalizer(() => Effect.sync(() => void host.kill("SIGKILL")))
      const pid = yield* Effect.promise(() =>
        new Promise<number>((resolve) => host.stdout.once("data", (data: Buffer) => resolve(Number(data.toString()))))
      )
      yield* Effect.sleep(1_000)
      assert.isTrue(isAlive(pid))
      host.kill("SIGKILL")
      for (let i = 0; i < 100 && isAlive(pid); i++) yield* Effect.sleep(50)
      assert.isFalse(isAlive(pid))
    }))
})

describe.concurrent("McpStdio.run that fails", () => {
  it.live("STDIO-2: exits with the code of the error, and says so on stderr only", () =>
    Effect.gen(function*() {
      const peer = yield* start({ env: { FAIL: "1", HOLD: "1" } })
      assert.deepStrictEqual(yield* peer.exit, { code: 1, signal: null })
      assert.deepStrictEqual(peer.messages(), [])
      assert.match(peer.stderr(), /the layer failed/)
    }))
})
