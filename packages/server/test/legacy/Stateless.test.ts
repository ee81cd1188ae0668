/** The legacy era without sessions, for hosts without a memory. */
import { assert, describe, it } from "@effect/vitest"
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Resource from "@effect-mcp/core/Resource"
import * as SessionStore from "@effect-mcp/core/SessionStore"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { start } from "../support.ts"
import {
  exchange,
  initializeParams,
  type Json,
  legacyOf,
  listen,
  over,
  revisions,
  settle,
  startCall,
  until
} from "./support.ts"

const Note = McpServer.resource(Resource.make("note://one"), Effect.succeed("one"))
const Hello = McpServer.tool(Tool.make("hello"), () => Effect.succeed("hello"))

for (const revision of revisions) {
  describe(`without sessions: ${revision}`, () => {
    it.effect("INIT-12, LHTTP-19: nothing is promised that needs a memory, and there is no session", () =>
      Effect.gen(function*() {
        const store = SessionStore.SessionStore.of({
          create: () => Effect.die("used"),
          get: () => Effect.die("used"),
          touch: () => Effect.die("used"),
          update: () => Effect.die("used"),
          delete: () => Effect.die("used")
        })
        const { endpoint } = yield* start(Layer.merge(Note, Hello)).pipe(
          Effect.provideService(SessionStore.SessionStore, store)
        )
        const message = JsonRpc.request("i", "initialize", initializeParams(revision))
        const { response, session } = yield* legacyOf(endpoint).open(message, exchange(), "none")
        assert.isUndefined(session)
        assert(response._tag === "Success")
        const result = JsonRpc.resultValue(response) as Json
        assert.strictEqual(result.protocolVersion, revision)
        assert.deepStrictEqual(result.capabilities, { resources: {}, tools: {} })
        const stateless = legacyOf(endpoint).stateless(revision)
        assert.strictEqual(stateless.revision, revision)
        assert.strictEqual((yield* over(stateless).call("hello")).content[0].text, "hello")
        assert.deepStrictEqual(yield* over(stateless).result("ping"), {})
        // What needs a session is not there, and a handshake is not of it.
        for (
          const [method, params] of [
            ["logging/setLevel", { level: "debug" }],
            ["resources/subscribe", { uri: "note://one" }],
            ["resources/unsubscribe", { uri: "note://one" }],
            ["server/discover", {}]
          ] as const
        ) {
          const outcome = stateless.classify(JsonRpc.request(1, method, params))
          const error = outcome._tag === "Rejected" ? outcome.error : yield* over(stateless).error(method, params)
          assert.strictEqual(error.code, -32601, method)
        }
      }))

    it.effect("B15, C1: the ids of different exchanges do not meet, and nobody cancels another's", () =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<string>()
        const { endpoint } = yield* start(McpServer.tool(Tool.make("wait"), () => Deferred.await(gate)))
        const stateless = legacyOf(endpoint).stateless(revision)
        assert.strictEqual(legacyOf(endpoint).stateless(revision), stateless)
        const calls = [1, 2, 3].map(() => startCall(stateless, "tools/call", { name: "wait" }, { id: 1 }))
        stateless.cancel(1)
        yield* Deferred.succeed(gate, "done")
        yield* until(() => calls.every(({ response }) => response !== undefined))
        for (const { response } of calls) assert.strictEqual(response?._tag, "Success")
      }))

    it.effect("nobody has said who he is, or what he can do", () =>
      Effect.gen(function*() {
        let seen: McpRequest.McpRequest["Service"] | undefined
        const tool = McpServer.tool(Tool.make("seen"), () =>
          Effect.map(McpRequest.McpRequest, (request) => {
            seen = request
            return ""
          }))
        const { endpoint } = yield* start(tool)
        yield* over(legacyOf(endpoint).stateless(revision)).call("seen")
        assert.deepStrictEqual(seen?.clientCapabilities, {})
        assert.isUndefined(seen?.clientInfo)
        assert.isUndefined(seen?.logLevel)
        assert.strictEqual(seen?.revision, revision)
      }))

    it.effect("nothing is told unasked, and no log is sent", () =>
      Effect.gen(function*() {
        const bus = yield* ChangeBus.ChangeBus
        const tool = McpServer.tool(Tool.make("log"), () => Effect.as(Effect.logError("text"), ""))
        const { endpoint } = yield* start(Layer.merge(Note, tool))
        const stateless = legacyOf(endpoint).stateless(revision)
        const { heard } = listen(stateless)
        yield* bus.publish({ _tag: "ToolsChanged" })
        yield* bus.publish({ _tag: "ResourceUpdated", uri: "note://one" })
        const told: Array<Json> = []
        yield* over(stateless).call("log", undefined, { onMessage: (message) => Effect.sync(() => told.push(message)) })
        yield* settle
        assert.deepStrictEqual([heard, told], [[], []])
      }).pipe(Effect.provide(ChangeBus.layerMemory)))
  })
}
