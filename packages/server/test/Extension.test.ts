import { assert, describe, it } from "@effect/vitest"
import * as Extension from "@effect-mcp/core/Extension"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { connect, start } from "./support.ts"

const id = "com.example/clock"

const Now = Method.defineRequest({
  name: "com.example/now",
  sender: "client",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ zone: Schema.String }),
  result: Schema.Struct({ now: Schema.String }),
  mirroredName: "zone",
  extension: id
})

const Tick = Method.defineNotification({
  name: "notifications/com.example/tick",
  sender: "client",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ n: Schema.Finite }),
  extension: id
})

const Clock = Extension.make(id, {
  methods: [Now, Tick],
  resultTypes: { "tools/call": { later: Schema.Struct({ at: Schema.String }) } },
  serverSettings: Schema.Struct({ zones: Schema.Array(Schema.String) })
})
const enabled = Extension.forServer(Clock, { zones: ["utc"] })

const declared = { meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { [id]: {} } } } }

const now = McpServer.requestHandler(Now, ({ zone }) =>
  zone === "mars"
    ? Effect.fail(new McpError.Application({ code: 4, message: "No clock there" }))
    : Effect.succeed({ now: `noon in ${zone}` }))

const features = Layer.merge(
  McpServer.extension(enabled, { requests: [now] }),
  McpServer.tool(Tool.make("plain", {}), () => Effect.succeed("plain"))
)

describe("extensions", () => {
  it.effect("EXT-1, EXT-2: are advertised with their settings", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      const { capabilities } = yield* peer.result("server/discover")
      assert.deepStrictEqual(capabilities.extensions, { [id]: { zones: ["utc"] } })
    }))

  it.effect("EXT-4: are off by default", () =>
    Effect.gen(function*() {
      const peer = yield* start(McpServer.tool(Tool.make("plain", {}), () => Effect.succeed("plain")))
      assert.isUndefined((yield* peer.result("server/discover")).capabilities.extensions)
      assert.strictEqual((yield* peer.error("com.example/now", { zone: "utc" }, declared)).code, -32601)
    }))

  it.effect("EXT-1: their requests are answered for a client that declared them", () =>
    Effect.gen(function*() {
      const peer = yield* start(features, { sendServerInfo: false })
      assert.deepStrictEqual(yield* peer.result("com.example/now", { zone: "utc" }, declared), {
        resultType: "complete",
        now: "noon in utc"
      })
      assert.deepStrictEqual(yield* peer.error("com.example/now", { zone: "mars" }, declared), {
        code: 4,
        message: "No clock there"
      })
    }))

  it.effect("EXT-3, META-13, ERR-3: a client that did not declare it is told what is required", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      // Before anything about the params: what they have to be is the extension's business.
      for (const params of [{ zone: "utc" }, {}]) {
        const error = yield* peer.error("com.example/now", params)
        assert.strictEqual(error.code, -32021)
        assert.deepStrictEqual(error.data, { requiredCapabilities: { extensions: { [id]: {} } } })
      }
      const other = {
        meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { "com.example/other": {} } } }
      }
      assert.strictEqual((yield* peer.error("com.example/now", { zone: "utc" }, other)).code, -32021)
      assert.strictEqual((yield* peer.call("plain")).content[0].text, "plain")
    }))

  it.effect("EXT-7: their params are checked", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      for (const params of [{}, { zone: 1 }]) {
        assert.strictEqual((yield* peer.error("com.example/now", params, declared)).code, -32602)
      }
    }))

  it.effect("HDR-2: their own member is mirrored as the name", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      const mirrored = connect(endpoint, { mirror: true })
      const params = { zone: "utc" }
      assert.strictEqual((yield* mirrored.error("com.example/now", params, { ...declared, name: "gmt" })).code, -32020)
      const result = yield* mirrored.result("com.example/now", params, { ...declared, name: "utc" })
      assert.strictEqual(result.now, "noon in utc")
    }))

  it.effect("their handlers have the services of the request, and middlewares around them", () =>
    Effect.gen(function*() {
      class Principal extends RequestService.make<Principal, { readonly subject: string }>()("e/Principal") {}
      const seen: Array<string> = []
      const authenticated = McpServer.middleware<Principal>()((next, { method }) => {
        seen.push(method)
        return Effect.provideService(next, Principal, { subject: "a" })
      })
      const handler = McpServer.requestHandler(Now, () =>
        Effect.gen(function*() {
          return { now: `${(yield* Principal).subject} ${(yield* McpRequest.McpRequest).method}` }
        }))
      const peer = yield* start(
        McpServer.extension(enabled, { requests: [handler] }).pipe(Layer.provide(authenticated))
      )
      const result = yield* peer.result("com.example/now", { zone: "utc" }, declared)
      assert.strictEqual(result.now, "a com.example/now")
      assert.deepStrictEqual(seen, ["com.example/now"])
    }))

  it.effect("EXT-3, TOOL-22: a middleware makes a result of a kind that the extension adds, for those who declared it", () =>
    Effect.gen(function*() {
      const later = McpServer.middleware()((next, { method }) =>
        Effect.gen(function*() {
          const { clientCapabilities } = yield* McpRequest.McpRequest
          return method === "tools/call" && clientCapabilities.extensions?.[id] !== undefined
            ? { resultType: "later", at: "noon" }
            : yield* next
        })
      )
      const peer = yield* start(Layer.merge(features, later))
      const result = yield* peer.call("plain", {}, declared)
      assert.deepStrictEqual([result.resultType, result.at], ["later", "noon"])
      assert.strictEqual(result._meta["io.modelcontextprotocol/serverInfo"].name, "test")
      assert.strictEqual((yield* peer.call("plain")).resultType, "complete")
      const unnamed = yield* start(Layer.merge(features, later), { sendServerInfo: false })
      assert.deepStrictEqual(yield* unnamed.call("plain", {}, declared), { resultType: "later", at: "noon" })
    }))

  it.effect("an extension that is turned on twice, or takes a method of another, is a conflict", () =>
    Effect.gen(function*() {
      const twice = Layer.merge(McpServer.extension(enabled), McpServer.extension(enabled))
      const error = yield* Effect.flip(start(twice))
      assert.instanceOf(error, McpServer.RegistrationError)
      assert.include(error.message, id)
      const other = Extension.forServer(Extension.make("com.example/other", { methods: [Now] }), {})
      const both = Layer.merge(features, McpServer.extension(other, { requests: [now] }))
      assert.include((yield* Effect.flip(start(both))).message, "com.example/now")
    }))
})

describe("notifications of extensions", () => {
  const Outside = Context.Service<{ readonly _: unique symbol }, (n: number) => void>("e/Outside")

  const ticks = (handler: (n: number) => Effect.Effect<void, never, Scope.Scope>) =>
    McpServer.extension(enabled, {
      notifications: { [Tick.name]: ({ n }) => handler(Number(n)) }
    })

  it.effect("EXT-7, CAN-5: are given to their handler; what is not what its definition says is ignored", () =>
    Effect.gen(function*() {
      const received: Array<number> = []
      const handled = McpServer.extension(enabled, {
        notifications: { [Tick.name]: ({ n }) => Effect.map(Outside, (receive) => receive(Number(n))) }
      }).pipe(Layer.provide(Layer.succeed(Outside, (n) => received.push(n))))
      const peer = yield* start(handled)
      yield* peer.notify(Tick.name, { n: 1 })
      yield* peer.notify(Tick.name, { n: "2" })
      yield* peer.notify(Tick.name)
      yield* peer.notify("notifications/com.example/unknown", { n: 3 })
      yield* peer.notify(Tick.name, { n: 4 })
      assert.deepStrictEqual(received, [1, 4])
    }))

  it.effect("the limit inFlightNotifications: more than may be handled at once are dropped, and the operator is told", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const log: Array<string> = []
      const warnings: Array<string> = []
      const handler = ticks((n) => Effect.andThen(latch.await, Effect.sync(() => log.push(String(n)))))
      const peer = yield* start(handler).pipe(
        Effect.provide([
          Limits.layer({ inFlightNotifications: 2 }),
          Logger.layer([Logger.make(({ message }) => {
            warnings.push(String(message))
          })])
        ])
      )
      for (const n of [1, 2, 3]) yield* peer.notify(Tick.name, { n })
      yield* latch.open
      yield* Effect.yieldNow
      yield* peer.notify(Tick.name, { n: 4 })
      yield* Effect.yieldNow
      assert.deepStrictEqual(log, ["1", "2", "4"])
      assert.match(warnings.join("\n"), /^A notification .* was dropped: 2 are being handled/)
    }))

  it.effect("handlers of methods the extension has not are a slip that is told", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(start(McpServer.extension(enabled, {
        notifications: { "notifications/com.example/tock": () => Effect.void }
      })))
      assert.match(
        String(Exit.isFailure(exit) && Cause.squash(exit.cause)),
        /has no notification notifications\/com.example\/tock/
      )
    }))

  it.effect("F11: a defect is logged, and the next notification is handled", () =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const received: Array<number> = []
      const own = Logger.layer([Logger.make(({ message }) => {
        logged.push(message)
      })])
      const handler = ticks((n) => n === 1 ? Effect.die(new Error("broken")) : Effect.sync(() => received.push(n)))
      const peer = yield* start(handler).pipe(Effect.provide(own))
      yield* peer.notify(Tick.name, { n: 1 })
      yield* peer.notify(Tick.name, { n: 2 })
      assert.strictEqual(logged.length, 1)
      assert.deepStrictEqual(received, [2])
    }))

  it.effect("have a scope of their own, and end with the server", () =>
    Effect.gen(function*() {
      const latch = yield* Latch.make(false)
      const closed = yield* Deferred.make<string>()
      const log: Array<string> = []
      const handler = ticks((n) =>
        Effect.addFinalizer((exit) => Effect.sync(() => log.push(`${n} ${exit._tag}`))).pipe(
          Effect.andThen(
            n === 1 ? latch.await : Effect.onInterrupt(Effect.never, () => Deferred.succeed(closed, "yes"))
          )
        )
      )
      const scope = yield* Scope.make()
      const peer = yield* Scope.provide(start(handler), scope)
      yield* peer.notify(Tick.name, { n: 1 })
      yield* peer.notify(Tick.name, { n: 2 })
      yield* latch.open
      yield* Effect.yieldNow
      assert.deepStrictEqual(log, ["1 Success"])
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Deferred.await(closed), "yes")
      assert.deepStrictEqual(log, ["1 Success", "2 Failure"])
    }))
})
