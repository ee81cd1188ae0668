/** A client of a command: every way in which a child can go wrong (F9). */
import { McpTransport, type Outgoing } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as McpStdio from "../src/McpStdio.ts"
import { fixture, isAlive } from "./support/peer.ts"

type Message = Parameters<Outgoing["onMessage"]>[0]

const send = (
  id: JsonRpc.Id,
  name: string,
  options: {
    readonly meta?: JsonRpc.JsonObject
    readonly onMessage?: (message: Message) => Effect.Effect<void>
  } = {}
) =>
  Effect.flatMap(McpTransport, (transport) =>
    transport.send({
      message: JsonRpc.request(id, "tools/call", { name, _meta: options.meta ?? {} }),
      mirror: { protocolVersion: undefined, method: "tools/call", name, params: [] },
      onMessage: options.onMessage ?? (() => Effect.void)
    }))

const valueOf = (response: JsonRpc.Response) =>
  response._tag === "Success" ? JsonRpc.resultValue(response).value : response.error

/** What the client logs, with its level. */
const logs: Array<string> = []

const client = (mode: string, options: Partial<McpStdio.ClientOptions> = {}) =>
  McpStdio.layerClient({ command: process.execPath, args: [fixture("odd.ts"), mode], ...options }).pipe(
    Layer.provide([
      NodeServices.layer,
      Logger.layer([Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${String(message)}`))])
    ])
  )

const reasonOf = <A, R>(effect: Effect.Effect<A, McpClientError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** Text that is collected and waited for. */
const makeText = () => {
  let text = ""
  return {
    add: (more: string) =>
      Effect.sync(() => {
        text += more
      }),
    get: () => text,
    until: (pattern: RegExp) =>
      Effect.gen(function*() {
        for (let i = 0; i < 500 && !pattern.test(text); i++) yield* Effect.sleep(20)
        const found = pattern.exec(text)
        return found ?? (yield* Effect.die(new Error(`${pattern} never came in: ${text}`)))
      })
  }
}

const goneSoon = (pid: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < 100 && isAlive(pid); i++) yield* Effect.sleep(20)
    return !isAlive(pid)
  })

describe.concurrent("McpStdio.layerClient sends and receives", () => {
  it.live("an answer, with the environment and the arguments given", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(1, "echo")), "from the environment")
      assert.strictEqual(valueOf(yield* send("1", "echo")), "from the environment")
    }).pipe(Effect.provide(client("", { env: { VALUE: "from the environment" } }))))

  it.live("case 37: progress and the answer in one chunk arrive in order, with a slow consumer too", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const response = yield* send(1, "order", {
        meta: { progressToken: 0 },
        onMessage: (message) => Effect.andThen(Effect.sleep(30), Effect.sync(() => seen.push(message.params?.progress)))
      })
      assert.strictEqual(valueOf(response), "ok")
      assert.deepStrictEqual(seen, [1, 2, 3])
    }).pipe(Effect.provide(client(""))))

  it.live("a slow consumer of one request does not keep another waiting", () =>
    Effect.gen(function*() {
      const slow = yield* Effect.forkChild(send(1, "order", {
        meta: { progressToken: 0 },
        onMessage: () => Effect.never
      }))
      yield* Effect.sleep(300)
      assert.strictEqual(valueOf(yield* send(2, "echo")), "ok")
      yield* Fiber.interrupt(slow)
    }).pipe(Effect.provide(client(""))))

  it.live("case 19: an answer with another id, or another type of id, settles nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(0, "ids")), "ok")
      assert.strictEqual(valueOf(yield* send(1, "echo")), "ok")
      assert.include(logs, "Warn An answer to no request (id \"\")")
    }).pipe(Effect.provide(client(""))))

  it.live("CAN-2, STDIO-10, CAN-6: interruption cancels, and the late answer is ignored", () =>
    Effect.gen(function*() {
      const said = makeText()
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(send(1, "never"))
        yield* send(2, "echo")
        yield* Fiber.interrupt(fiber)
        yield* said.until(/cancelled 1\n/)
        assert.strictEqual(valueOf(yield* send(3, "echo")), "ok")
      }).pipe(Effect.provide(client("", { onStderr: said.add })))
      assert.notMatch(said.get(), /cancelled [23]/)
    }))

  it.live("CAN-2: a request that has its answer is not cancelled", () =>
    Effect.gen(function*() {
      const said = makeText()
      yield* Effect.gen(function*() {
        // Interrupted while the messages before the answer are still being consumed.
        const fiber = yield* Effect.forkChild(
          send(1, "order", { meta: { progressToken: 1 }, onMessage: () => Effect.never }),
          { startImmediately: true }
        )
        yield* send(2, "echo")
        yield* Fiber.interrupt(fiber)
        yield* send(3, "echo")
      }).pipe(Effect.provide(client("", { onStderr: said.add })))
      assert.strictEqual(said.get(), "")
    }))

  it.live("what belongs to no request is unrelated; a request of the server too", () =>
    Effect.gen(function*() {
      const { unrelated } = yield* McpTransport
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(unrelated, 3)))
      const seen: Array<Message> = []
      yield* send(1, "notMine", { meta: { progressToken: 1 }, onMessage: (m) => Effect.sync(() => void seen.push(m)) })
      yield* send(2, "request")
      const messages = yield* Fiber.join(fiber)
      assert.deepStrictEqual(messages.map(({ method }) => method), [
        "notifications/progress",
        "notifications/tools/list_changed",
        "roots/list"
      ])
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.provide(client(""))))

  it.live("a log message belongs to the only request that asked for logs", () =>
    Effect.gen(function*() {
      const { unrelated } = yield* McpTransport
      const others = yield* Effect.forkChild(Stream.runCollect(Stream.take(unrelated, 1)))
      const seen: Array<unknown> = []
      const asks = {
        meta: { "io.modelcontextprotocol/logLevel": "info" },
        onMessage: (message: Message) => Effect.sync(() => void seen.push(message.params?.data))
      }
      yield* send(1, "log", asks)
      assert.deepStrictEqual(seen, [1])
      // Two that asked: whose it is cannot be known.
      const waiting = yield* Effect.forkChild(send(2, "never", asks))
      yield* Effect.sleep(50)
      yield* send(3, "log", asks)
      assert.deepStrictEqual(seen, [1])
      assert.strictEqual((yield* Fiber.join(others)).length, 1)
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.provide(client(""))))
})

describe.concurrent("McpStdio.layerClient bounds what a server can cause", () => {
  it.live("streamBuffer: a request whose consumer is too slow fails alone, and is cancelled", () =>
    Effect.gen(function*() {
      const said = makeText()
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(
          reasonOf(
            send(1, "flood", {
              meta: { progressToken: 1 },
              onMessage: () => Effect.asVoid(said.until(/cancelled 1\n/))
            })
          )
        )
        assert.strictEqual(valueOf(yield* send(2, "echo")), "ok")
        const reason = yield* Fiber.join(fiber)
        assert.strictEqual(reason._tag, "LimitExceeded")
        yield* said.until(/cancelled 1\n/)
      }).pipe(Effect.provide(client("", { onStderr: said.add })))
    }))

  it.live("streamBuffer: a burst of progress in one chunk reaches a consumer that keeps up", () =>
    Effect.gen(function*() {
      for (const pause of [Effect.void, Effect.yieldNow]) {
        const seen: Array<unknown> = []
        const response = yield* send(1, "fastProgress", {
          meta: { progressToken: 1 },
          onMessage: (message) => Effect.andThen(pause, Effect.sync(() => seen.push(message.params?.progress)))
        })
        assert.strictEqual(valueOf(response), "ok")
        assert.deepStrictEqual(seen, Array.from({ length: 3_000 }, (_, n) => n + 1))
      }
    }).pipe(Effect.provide(client(""))))

  it.live("streamBuffer: a burst of what belongs to no request reaches whoever reads", () =>
    Effect.gen(function*() {
      const { unrelated } = yield* McpTransport
      const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(unrelated, 5_001)), {
        startImmediately: true
      })
      assert.strictEqual(valueOf(yield* send(1, "burst")), "ok")
      const messages = yield* Fiber.join(fiber)
      assert.strictEqual(messages.at(-1)?.method, "ping")
    }).pipe(Effect.provide(client(""))))

  it.live("streamBuffer: where nobody reads, or not in time, the oldest is dropped, and nobody waits for long", () =>
    Effect.gen(function*() {
      const { unrelated } = yield* McpTransport
      const [time, response] = yield* Effect.timed(send(1, "burst"))
      assert.strictEqual(valueOf(response), "ok")
      assert.isBelow(Duration.toMillis(time), 5_000)
      const kept = yield* Stream.runCollect(Stream.take(unrelated, 1_000))
      assert.strictEqual(kept.at(-1)?.method, "ping")
      const heard: Array<Message> = []
      const gate = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        Stream.runForEach(
          unrelated,
          (message) => Effect.andThen(Effect.sync(() => heard.push(message)), Deferred.await(gate))
        ),
        { startImmediately: true }
      )
      assert.strictEqual(valueOf(yield* send(2, "burst")), "ok")
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.yieldNow
      for (let i = 0; i < 100 && heard.length < 1_001; i++) yield* Effect.sleep(20)
      // What was taken when the consumer stopped, and what was kept after it.
      assert.isAtLeast(heard.length, 1_001)
      assert.isBelow(heard.length, 5_001)
      const { length } = logs.filter((log) => log.startsWith("Warn More than 1000 messages of the server wait"))
      assert.strictEqual(length, 1)
    }).pipe(Effect.provide(Layer.provide(client(""), Limits.layer({ streamBuffer: 1_000 })))))

  it.live("B5: answers to nobody and an array of a million cost one warning, of a length a person reads", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(1, "strangers")), "ok")
      const warnings = logs.filter((log) => log.startsWith("Warn An answer to no request (id \"no-"))
      assert.strictEqual(warnings.length, 1)
      assert.isBelow(warnings[0]?.length ?? 0, 1_200)
      assert.isFalse(/\s{2}|\p{Cc}/u.test(warnings[0] ?? ""))
    }).pipe(Effect.provide(client(""))))

  it.live("B2: an answer that is too long fails its request alone", () =>
    Effect.gen(function*() {
      const reason = yield* reasonOf(send(1, "huge"))
      assert.strictEqual(reason._tag === "LimitExceeded" && reason.limit, "messageBytes")
      assert.strictEqual(valueOf(yield* send(2, "echo")), "ok")
    }).pipe(Effect.provide(client(""))))

  it.live("inFlightRequests: one request too many is not sent", () =>
    Effect.gen(function*() {
      const first = yield* Effect.forkChild(send(1, "never"))
      yield* Effect.yieldNow
      const reason = yield* reasonOf(send(2, "echo"))
      assert.strictEqual(reason._tag === "LimitExceeded" && reason.limit, "inFlightRequests")
      yield* Fiber.interrupt(first)
      assert.strictEqual(valueOf(yield* send(3, "echo")), "ok")
    }).pipe(Effect.provide(Layer.provide(client(""), Limits.layer({ inFlightRequests: 1 })))))

  it.live("RPC-3: an id that is in flight is not sent a second time", () =>
    Effect.gen(function*() {
      const first = yield* Effect.forkChild(send(1, "never"))
      yield* Effect.yieldNow
      assert.strictEqual((yield* reasonOf(send(1, "echo")))._tag, "InvalidCall")
      yield* Fiber.interrupt(first)
    }).pipe(Effect.provide(client(""))))

  it.live("an answer that is none fails its request with InvalidAnswer", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* reasonOf(send(1, "broken")))._tag, "InvalidAnswer")
    }).pipe(Effect.provide(client(""))))
})

describe.concurrent("McpStdio.layerClient, F9: a child that", () => {
  it.live("does not exist is ConnectFailed", () =>
    Effect.gen(function*() {
      const reason = yield* reasonOf(Effect.provide(send(1, "echo"), client("", { command: "no-such-command-here" })))
      assert.strictEqual(reason._tag, "ConnectFailed")
    }))

  it.live("prints text on stdout (case 16) loses nothing by it", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(1, "text")), "ok")
      const reason = yield* reasonOf(send(2, "exit"))
      assert.match(reason._tag === "TransportClosed" ? reason.detail : "", /\[stdout\] \{not json\}/)
      assert.isTrue(logs.some((log) => /^Warn .*Server listening/.test(log)))
    }).pipe(Effect.provide(client(""))))

  it.live("STDIO-5: floods stderr (case 5) does not block, and its last words are kept", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(1, "stderr")), "ok")
      const reason = yield* reasonOf(send(2, "exit"))
      const detail = reason._tag === "TransportClosed" ? reason.detail : ""
      assert.match(detail, /the last words\nboom$/)
      assert.isBelow(detail.length, 66_000)
    }).pipe(Effect.provide(client("", { onStderr: () => Effect.never }))))

  it.live("floods stderr is quoted within the limit stderrTail", () =>
    Effect.gen(function*() {
      assert.strictEqual(valueOf(yield* send(1, "stderr")), "ok")
      const reason = yield* reasonOf(send(2, "exit"))
      const detail = reason._tag === "TransportClosed" ? reason.detail : ""
      assert.match(detail, /words\nboom$/)
      assert.isBelow(detail.length, 200)
    }).pipe(Effect.provide(Layer.provide(client(""), Limits.layer({ stderrTail: 12 })))))

  it.live("exits during calls fails them all at once, and what comes later", () =>
    Effect.gen(function*() {
      const { notify, unrelated } = yield* McpTransport
      const other = yield* Effect.forkChild(reasonOf(send(1, "never")))
      const events = yield* Effect.forkChild(reasonOf(Stream.runDrain(unrelated)))
      yield* send(0, "echo")
      const reason = yield* reasonOf(send(2, "exit"))
      assert.match(reason._tag === "TransportClosed" ? reason.detail : "", /exit code 3.*\nboom$/)
      assert.deepStrictEqual(yield* Fiber.join(other), reason)
      assert.deepStrictEqual(yield* Fiber.join(events), reason)
      assert.deepStrictEqual(yield* reasonOf(send(3, "echo")), reason)
      assert.deepStrictEqual(yield* reasonOf(notify(JsonRpc.notification("notifications/x"))), reason)
    }).pipe(Effect.provide(client(""))))

  for (const [what, pattern] of [["killed", /SIGKILL/], ["closesOutput", /closed|exit code/]] as const) {
    it.live(`${what}: fails the call`, () =>
      Effect.gen(function*() {
        const reason = yield* reasonOf(send(1, what))
        assert.match(reason._tag === "TransportClosed" ? reason.detail : "", pattern)
      }).pipe(Effect.provide(client("stays"))))
  }

  it.live("closes its input fails what is sent to it", () =>
    Effect.gen(function*() {
      const closing = yield* Effect.forkChild(reasonOf(send(1, "closesInput")))
      const { notify } = yield* McpTransport
      const writes = Effect.andThen(Effect.sleep(50), notify(JsonRpc.notification("notifications/x")))
      assert.strictEqual((yield* reasonOf(Effect.forever(writes)))._tag, "TransportClosed")
      assert.strictEqual((yield* Fiber.join(closing))._tag, "TransportClosed")
    }).pipe(Effect.provide(client("stays"))))
})

describe.concurrent("McpStdio.layerClient, STDIO-12: stops a child that", () => {
  /** Builds a client by hand, gives its process id, and the effect that stops it. */
  const build = (mode: string, options: Partial<McpStdio.ClientOptions>) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(client(mode, options), scope)
      const pid = Number(valueOf(yield* Effect.provideContext(send("pid", "pid"), context)))
      return { pid, context, stop: Scope.close(scope, Exit.void) }
    })

  const short = { closeStdinTimeout: 200, terminateTimeout: 300 }

  it.live("ends with its input, without a signal", () =>
    Effect.gen(function*() {
      const { pid, stop } = yield* build("", {})
      const [time] = yield* Effect.timed(stop)
      assert.isFalse(isAlive(pid))
      // closeStdinTimeout is two seconds.
      assert.isBelow(Duration.toMillis(time), 2_000)
    }))

  it.live("ignores the end of its input", () =>
    Effect.gen(function*() {
      const { pid, stop } = yield* build("stays", short)
      yield* stop
      assert.isFalse(isAlive(pid))
    }))

  it.live("ignores SIGTERM", () =>
    Effect.gen(function*() {
      const { pid, stop } = yield* build("stubborn", short)
      yield* stop
      assert.isFalse(isAlive(pid))
    }))

  for (const mode of ["wrapper", "leaves"]) {
    it.live(`has a child of its own that ignores SIGTERM: ${mode}`, () =>
      Effect.gen(function*() {
        const said = makeText()
        const { pid, stop } = yield* build(mode, { ...short, onStderr: said.add })
        const grandchild = Number((yield* said.until(/grandchild (\d+)/))[1])
        assert.isTrue(isAlive(grandchild))
        yield* stop
        assert.isFalse(isAlive(pid))
        assert.isTrue(yield* goneSoon(grandchild))
      }))
  }

  it.live("case 4: is being stopped while another is started, which is untouched", () =>
    Effect.gen(function*() {
      const old = yield* build("stubborn", short)
      const stopping = yield* Effect.forkChild(old.stop)
      const next = yield* build("", {})
      yield* Fiber.join(stopping)
      assert.isFalse(isAlive(old.pid))
      assert.strictEqual(valueOf(yield* Effect.provideContext(send(1, "echo"), next.context)), "ok")
      const reason = yield* reasonOf(Effect.provideContext(send(1, "echo"), old.context))
      assert.strictEqual(reason._tag, "TransportClosed")
      yield* next.stop
    }))
})
