/** Features that have a service from the transport, under `McpTest`. */
import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as McpTest from "@effect-mcp/testing/McpTest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}

const WhoAmI = Tool.make("who-am-i", {})
const Live = McpServer.tool(WhoAmI, () => Effect.map(Principal, ({ subject }) => subject))
const Features = Layer.provide(Live, McpServer.fromTransport(Principal))

const whoAmI = Effect.gen(function*() {
  const client = yield* McpClient.McpClient
  return yield* client.call(WhoAmI, {})
})

describe("McpTest and fromTransport", () => {
  const request = Context.make(Principal, { subject: "alice" })

  for (const [name, features] of [["features", Features], ["bare features", Live]] as const) {
    it.effect(`${name} get what the test gives as the request's`, () =>
      Effect.gen(function*() {
        const content = yield* Effect.provide(whoAmI, McpTest.layer(features, { request }))
        assert.deepStrictEqual(content, [{ type: "text", text: "alice" }])
      }))
  }

  it.effect("a test that forgets it is refused", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.provide(whoAmI, McpTest.layer(Features)))
      assert.strictEqual(error._tag, "InternalError")
    }))
})
