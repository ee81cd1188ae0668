import { assert, describe, it } from "@effect/vitest"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { connect, names, start } from "./support.ts"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}
class Tenant extends RequestService.make<Tenant, { readonly tenant: string }>()("test/Tenant") {}

const subject = Effect.map(Principal, ({ subject }) => subject)
const WhoAmI = McpServer.tool(Tool.make("who-am-i", {}), () => subject)
const admin = Visibility.make("admin", Effect.map(subject, (subject) => subject === "root"))
const Restart = McpServer.tool(Tool.make("restart", {}), () => Effect.succeed("Restarted"), { visibility: admin })

const Features = Layer.merge(WhoAmI, Restart).pipe(Layer.provide(McpServer.fromTransport(Principal)))

/** As a transport would give it: what is in a context is not seen by its type. */
const as = (subject: string) => ({ context: Context.make(Principal, { subject }) as Context.Context<never> })

const collecting = (logged: Array<string>) =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) =>
      void logged.push(`${logLevel} ${[message].flat().join(" ")} ${Cause.pretty(cause)}`)
    )
  ])

describe("fromTransport", () => {
  it.effect("handlers have the service of their own request", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Features)
      for (const subject of ["alice", "bob"]) {
        const { content } = yield* connect(endpoint, as(subject)).call("who-am-i")
        assert.strictEqual(content[0].text, subject)
      }
    }))

  it.effect("what a principal may not see does not exist for it", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Features)
      const alice = connect(endpoint, as("alice"))
      const root = connect(endpoint, as("root"))
      assert.deepStrictEqual(names((yield* alice.result("tools/list")).tools), ["who-am-i"])
      assert.deepStrictEqual(names((yield* root.result("tools/list")).tools), ["who-am-i", "restart"])
      const hidden = yield* alice.error("tools/call", { name: "restart" })
      assert.deepStrictEqual(
        hidden.message.replace("restart", "nothing"),
        (yield* alice.error("tools/call", { name: "nothing" })).message
      )
      assert.strictEqual((yield* root.call("restart")).content[0].text, "Restarted")
    }))

  it.effect("ERR-1: without the service a request reaches nothing, and only the log says which it is", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      let reached = 0
      const counting = McpServer.tool(Tool.make("count", {}), () => Effect.sync(() => String(++reached)))
      const peer = yield* start(Layer.merge(Features, counting)).pipe(Effect.provide(collecting(logged)))
      for (const [method, params] of [["tools/call", { name: "count" }], ["tools/list", {}]] as const) {
        assert.deepStrictEqual(yield* peer.error(method, params), { code: -32603, message: "Internal error" })
        const log = logged.pop() ?? ""
        assert.match(log, /^Error A request ended with a defect/)
        assert.include(log, "The memory transport did not provide test/Principal")
        assert.include(log, "option `services` of the transport")
      }
      assert.strictEqual(reached, 0)
    }))

  it.effect("a service the server was built with is not the request's", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const peer = yield* start(Features).pipe(
        Effect.provideService(Principal, { subject: "of the server" }),
        Effect.provide(collecting(logged))
      )
      assert.strictEqual((yield* peer.error("tools/call", { name: "who-am-i" })).code, -32603)
      assert.include(logged.join(), "did not provide test/Principal")
      const { content } = yield* connect(peer.endpoint, as("alice")).call("who-am-i")
      assert.strictEqual(content[0].text, "alice")
    }))

  it.effect("a middleware that is built upon it has the service, and one that was made before runs before", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const outside = McpServer.middleware()((next) => {
        order.push("outside")
        return next
      })
      const tenant = McpServer.middleware<Tenant>()((next) =>
        Effect.flatMap(subject, (subject) => {
          order.push("inside")
          return Effect.provideService(next, Tenant, { tenant: `the tenant of ${subject}` })
        })
      ).pipe(Layer.provide(McpServer.fromTransport(Principal)))
      const tool = McpServer.tool(Tool.make("tenant", {}), () => Effect.map(Tenant, ({ tenant }) => tenant))
      const { endpoint } = yield* start(Layer.provide(tool, tenant).pipe(Layer.merge(outside)))
      const { content } = yield* connect(endpoint, as("alice")).call("tenant")
      assert.strictEqual(content[0].text, "the tenant of alice")
      assert.deepStrictEqual(order, ["outside", "inside"])
      yield* connect(endpoint).error("tools/call", { name: "tenant" })
      assert.deepStrictEqual(order, ["outside", "inside", "outside"])
    }))
})
