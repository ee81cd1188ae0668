/** A client of a command that knows nothing of the modern era, or ends because it is asked about it. */
import type { Client } from "@effect-mcp/client/Client"
import * as McpClient from "@effect-mcp/client/McpClient"
import { McpTransport, type Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type { Revision } from "@effect-mcp/core/Revision"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as McpStdio from "../src/McpStdio.ts"
import { fixture, isAlive } from "./support/peer.ts"

type Message = Parameters<Outgoing["onMessage"]>[0]

const rpc = (id: JsonRpc.Id, method: string, params: JsonRpc.JsonObject = {}, onMessage?: Outgoing["onMessage"]) =>
  Effect.flatMap(McpTransport, (transport) =>
    transport.send({
      message: JsonRpc.request(id, method, params),
      mirror: { protocolVersion: undefined, method: undefined, name: undefined, params: [] },
      onMessage: onMessage ?? (() => Effect.void)
    }))

const discover = rpc("discover", "server/discover")

const initialize = rpc("init", "initialize")

const call = (id: JsonRpc.Id, name: string, meta: JsonRpc.JsonObject = {}, onMessage?: Outgoing["onMessage"]) =>
  rpc(id, "tools/call", { name, _meta: meta }, onMessage)

const reconnect = Effect.flatMap(McpTransport, ({ legacy }) => legacy.reconnect)

const opened = (revision: Revision) => Effect.flatMap(McpTransport, ({ legacy }) => legacy.opened(revision))

const valueOf = (response: JsonRpc.Response) =>
  response._tag === "Success" ? JsonRpc.resultValue(response).value : response.error

const reasonOf = <A, R>(effect: Effect.Effect<A, McpClientError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** The messages that belong to no request, from now on. */
const listening = Effect.gen(function*() {
  const { unrelated } = yield* McpTransport
  const seen: Array<Message> = []
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(unrelated, (message) => Effect.sync(() => void seen.push(message))),
    { startImmediately: true }
  )
  return { seen, fiber }
})

const until = (condition: () => boolean) =>
  Effect.gen(function*() {
    for (let i = 0; i < 1_500 && !condition(); i++) yield* Effect.sleep(20)
    assert.isTrue(condition())
  })

/** What a process says on standard error, with those that come after it. */
class Said {
  text = ""
  readonly add = (text: string) =>
    Effect.sync(() => {
      this.text += text
    })
  /** The processes so far, of which there have to be so many. */
  readonly pids = (count: number): Effect.Effect<ReadonlyArray<number>> => {
    const found = () => Array.from(this.text.matchAll(/started (\d+)\n/g), ([, pid]) => Number(pid))
    return Effect.map(until(() => found().length >= count), () => {
      assert.strictEqual(found().length, count)
      return found()
    })
  }
}

const logs: Array<string> = []

const short = { closeStdinTimeout: 200, terminateTimeout: 300 }

const client = (mode: string, said = new Said(), options: Partial<McpStdio.ClientOptions> = {}) =>
  McpStdio.layerClient({
    command: process.execPath,
    args: [fixture("oldServer.ts"), mode],
    onStderr: said.add,
    ...short,
    ...options
  }).pipe(
    Layer.provide([
      NodeServices.layer,
      Logger.layer([Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${String(message)}`))])
    ])
  )

describe.concurrent("McpStdio.layerClient, case 34: a server that", () => {
  it.live("ends because of a question is started again, and who listens goes on listening", () => {
    const said = new Said()
    return Effect.gen(function*() {
      const { fiber, seen } = yield* listening
      assert.match((yield* reasonOf(discover)).message, /exit code 3/)
      yield* reconnect
      yield* initialize
      yield* opened("2025-11-25")
      assert.strictEqual(valueOf(yield* call(1, "pid")), (yield* said.pids(2))[1])
      yield* until(() => seen.length === 1)
      assert.strictEqual(seen[0]?.method, "notifications/tools/list_changed")
      assert.isUndefined(fiber.pollUnsafe())
    }).pipe(Effect.provide(client("exits", said)))
  })

  it.live("refuses a question and ends is started again, however late it ends", () => {
    const said = new Said()
    return Effect.gen(function*() {
      assert.strictEqual((yield* discover)._tag, "Failure")
      yield* reconnect
      // It is still there: nobody can know that it is about to end.
      const [first = 0] = yield* said.pids(1)
      process.kill(first, "SIGSTOP")
      const initialized = yield* Effect.forkChild(initialize, { startImmediately: true })
      process.kill(first, "SIGKILL")
      yield* Fiber.join(initialized)
      assert.strictEqual(valueOf(yield* call(1, "pid")), (yield* said.pids(2))[1])
    }).pipe(Effect.provide(client("refuses", said)))
  })

  it.live("ends because of initialize itself is not started for ever", () => {
    const said = new Said()
    return Effect.gen(function*() {
      assert.strictEqual((yield* reasonOf(initialize))._tag, "TransportClosed")
      yield* reconnect
      assert.strictEqual((yield* reasonOf(initialize))._tag, "TransportClosed")
      yield* said.pids(2)
    }).pipe(Effect.provide(client("diesOfInitialize", said)))
  })

  for (const mode of ["refuses", "silent"]) {
    it.live(`lives on, and is left alone: ${mode}`, () => {
      const said = new Said()
      return Effect.gen(function*() {
        yield* Effect.timeoutOption(discover, 1_000)
        yield* reconnect
        yield* Effect.all([initialize, reconnect])
        assert.strictEqual(valueOf(yield* call(1, "pid")), (yield* said.pids(1))[0])
      }).pipe(Effect.provide(client(mode, said)))
    })
  }

  it.live("has closed its output and ignores SIGTERM is stopped first (case 4), and others start no third one", () => {
    const said = new Said()
    return Effect.gen(function*() {
      assert.strictEqual((yield* reasonOf(discover))._tag, "TransportClosed")
      const [old = 0] = yield* said.pids(1)
      assert.isTrue(isAlive(old))
      yield* Effect.all([reconnect, reconnect, reconnect], { concurrency: "unbounded" })
      assert.isFalse(isAlive(old))
      yield* initialize
      const pid = valueOf(yield* call(1, "pid"))
      // Long after the old one is gone.
      yield* Effect.sleep(600)
      assert.strictEqual(valueOf(yield* call(2, "pid")), pid)
      assert.strictEqual((yield* said.pids(2))[1], pid)
    }).pipe(Effect.provide(client("closesOutput", said)))
  })

  it.live("has answered and ends, ends who listens; who begins again hears the next one", () =>
    Effect.gen(function*() {
      const first = yield* listening
      yield* discover
      assert.strictEqual((yield* reasonOf(Fiber.join(first.fiber)))._tag, "TransportClosed")
      yield* reconnect
      const second = yield* listening
      yield* initialize
      yield* until(() => second.seen.length === 1)
    }).pipe(Effect.provide(client("answersAndExits"))))

  it.live("cannot be started again is ConnectFailed", () =>
    Effect.gen(function*() {
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), "mcp-stdio-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(directory, { recursive: true })))
      const command = path.join(directory, "server")
      fs.symlinkSync(process.execPath, command)
      yield* Effect.gen(function*() {
        yield* reasonOf(discover)
        fs.rmSync(command)
        assert.strictEqual((yield* reasonOf(reconnect))._tag, "ConnectFailed")
        assert.strictEqual((yield* reasonOf(discover))._tag, "TransportClosed")
      }).pipe(Effect.provide(client("exits", new Said(), { command })))
    }))

  it.live("was started again is stopped with the layer, after which nothing is started", () =>
    Effect.gen(function*() {
      const said = new Said()
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(client("exits", said), scope)
      const { fiber } = yield* Effect.provideContext(listening, context)
      yield* Effect.provideContext(reasonOf(discover), context)
      yield* Effect.provideContext(Effect.andThen(reconnect, initialize), context)
      const [, pid = 0] = yield* said.pids(2)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(fiber)
      assert.isFalse(isAlive(pid))
      assert.strictEqual((yield* reasonOf(Effect.provideContext(reconnect, context)))._tag, "TransportClosed")
      yield* said.pids(2)
    }))
})

describe.concurrent("McpStdio.layerClient in the legacy era", () => {
  it.live("INIT-10, case 35: initialize is never cancelled, and its late answer is ignored", () => {
    const said = new Said()
    return Effect.gen(function*() {
      assert.isTrue((yield* Effect.timeoutOption(initialize, 100))._tag === "None")
      yield* Effect.sleep(500)
      yield* call(1, "pid")
      yield* until(() => /got initialize\ngot tools\/call\n/.test(said.text))
      assert.notMatch(said.text, /cancelled/)
    }).pipe(Effect.provide(client("slow", said)))
  })

  it.live("INIT-10, CAN-4: other requests are cancelled", () => {
    const said = new Said()
    return Effect.gen(function*() {
      yield* initialize
      yield* Effect.timeoutOption(call(1, "never"), 100)
      yield* until(() => /got notifications\/cancelled/.test(said.text))
    }).pipe(Effect.provide(client("", said)))
  })

  it.live("RPC-15: a request of the server is unrelated, and its answer is for the server", () =>
    Effect.gen(function*() {
      const { reply } = yield* McpTransport
      const { seen } = yield* listening
      yield* initialize
      const calling = yield* Effect.forkChild(call(1, "ask"))
      yield* until(() => seen.length === 2)
      assert.deepStrictEqual(seen[1], JsonRpc.request(1, "roots/list"))
      yield* reply(JsonRpc.success(1, { roots: [] }))
      assert.deepStrictEqual(valueOf(yield* Fiber.join(calling)), { roots: [] })
    }).pipe(Effect.provide(client(""))))

  it.live("F3: a server that is killed while it waits for the client's answer fails the call, and the answer, at once", () => {
    const said = new Said()
    return Effect.gen(function*() {
      const { reply } = yield* McpTransport
      const { seen } = yield* listening
      yield* initialize
      const calling = yield* Effect.forkChild(reasonOf(call(1, "ask")))
      yield* until(() => seen.length === 2)
      const [pid = 0] = yield* said.pids(1)
      process.kill(pid, "SIGKILL")
      const [time, reason] = yield* Effect.timed(Fiber.join(calling))
      assert.match(reason._tag === "TransportClosed" ? reason.detail : "", /SIGKILL/)
      assert.isBelow(Duration.toMillis(time), 10_000)
      assert.deepStrictEqual(yield* reasonOf(reply(JsonRpc.success(1, {}))), reason)
    }).pipe(Effect.provide(client("", said)))
  })

  it.live("LOG-3: log messages are unrelated, since no request asks for them", () =>
    Effect.gen(function*() {
      const { seen } = yield* listening
      yield* initialize
      yield* call(1, "log", {}, () => Effect.die("not mine"))
      yield* until(() => seen.length === 2)
      assert.strictEqual(seen[1]?.method, "notifications/message")
    }).pipe(Effect.provide(client(""))))

  it.live("case 37: progress before the answer is the request's, and after it nobody's", () =>
    Effect.gen(function*() {
      const { seen } = yield* listening
      yield* initialize
      const mine: Array<unknown> = []
      yield* call(1, "progress", { progressToken: 1 }, ({ params }) =>
        Effect.sync(() =>
          void mine.push(params?.progress)
        ))
      yield* call(2, "pid")
      assert.deepStrictEqual(mine, [1])
      yield* until(() =>
        seen.length === 2
      )
    }).pipe(Effect.provide(client(""))))
})

describe.concurrent("McpClient over McpStdio.layerClient, B5: a burst of notifications", () => {
  // The call is answered once the ping after the burst is.
  const bursts = (client: Client) => Effect.repeat(client.callTool("burst", {}), { times: 1 })

  const connected = McpClient.make({ name: "test", version: "1.0.0" }, { revisions: ["2025-11-25"] })

  it.live("INIT-8: leaves a ping to be answered, where nobody listens", () =>
    Effect.flatMap(connected, bursts).pipe(Effect.provide(client("correct"))))

  it.live("streamBuffer: reaches a listener whole, and leaves a ping to be answered", () =>
    Effect.gen(function*() {
      const connection = yield* connected
      const fiber = yield* Effect.forkChild(Stream.runCount(Stream.take(connection.notifications, 10_000)), {
        startImmediately: true
      })
      yield* bursts(connection)
      assert.strictEqual(yield* Fiber.join(fiber), 10_000)
    }).pipe(Effect.provide(client("correct"))))
})

describe.concurrent("McpStdio.layerClient and batches", () => {
  it.live("RPC-16: under 2025-03-26 each message in one is for itself", () =>
    Effect.gen(function*() {
      const { seen } = yield* listening
      yield* initialize
      yield* opened("2025-03-26")
      assert.strictEqual(valueOf(yield* call(1, "batch")), "ok")
      yield* until(() => seen.length === 3)
      assert.deepStrictEqual(seen.slice(1).map(({ method }) => method), [
        "notifications/tools/list_changed",
        "roots/list"
      ])
      assert.isTrue(logs.some((log) => log.includes("(id \"nobody's\")")))
      assert.strictEqual((yield* reasonOf(call(2, "badBatch")))._tag, "InvalidAnswer")
    }).pipe(Effect.provide(client(""))))

  it.live("batchMessages: one with more messages fails the requests that it answers", () =>
    Effect.gen(function*() {
      const { seen } = yield* listening
      yield* initialize
      yield* opened("2025-03-26")
      const reason = yield* reasonOf(call(1, "batch"))
      assert.strictEqual(reason._tag === "LimitExceeded" && reason.limit, "batchMessages")
      assert.strictEqual(typeof valueOf(yield* call(2, "pid")), "number")
      assert.strictEqual(seen.length, 1)
    }).pipe(Effect.provide(Layer.provide(client(""), Limits.layer({ batchMessages: 4 })))))

  for (const revision of [undefined, "2024-11-05", "2025-06-18", "2025-11-25"] as const) {
    it.live(`RPC-18: under ${revision ?? "no revision"} there are none`, () =>
      Effect.gen(function*() {
        yield* initialize
        if (revision !== undefined) yield* opened(revision)
        const calling = yield* Effect.forkChild(call(1, "batch"), { startImmediately: true })
        yield* call(2, "pid")
        assert.isUndefined(calling.pollUnsafe())
        yield* Fiber.interrupt(calling)
      }).pipe(Effect.provide(client(""))))
  }
})
