import { assert, describe, it } from "@effect/vitest"
import * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as JsonSchema from "@effect-mcp/core/JsonSchema"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as RequestStateCodec from "@effect-mcp/server/RequestStateCodec"
import * as Roots from "@effect-mcp/server/Roots"
import * as McpTest from "@effect-mcp/testing/McpTest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

const WhoAmI = Tool.make("who-am-i", { output: { subject: Schema.String }, failure: Refused })

const Region = Tool.make("region", {
  input: { region: Schema.String.annotate(JsonSchema.mcpHeader("Region")) },
  output: { region: Schema.String }
})

const WhoAmILive = McpServer.tool(
  WhoAmI,
  () =>
    Effect.flatMap(
      Principal,
      ({ subject }) => subject === "mallory" ? Effect.fail(new Refused({ why: "known" })) : Effect.succeed({ subject })
    )
)

const RegionLive = McpServer.tool(Region, Effect.succeed)

describe("McpTest", () => {
  it.effect("gives handlers the services of the request it is given", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* client.call(WhoAmI, {}), { subject: "alice" })
    }).pipe(
      Effect.provide(McpTest.layer(WhoAmILive, { request: Context.make(Principal, { subject: "alice" }) }))
    ))

  it.effect("brings declared failures back as the same class", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const error = yield* Effect.flip(client.call(WhoAmI, {}))
      assert.deepStrictEqual(error, new Refused({ why: "known" }))
      assert.instanceOf(error, Refused)
    }).pipe(
      Effect.provide(McpTest.layer(WhoAmILive, { request: Context.make(Principal, { subject: "mallory" }) }))
    ))

  it.effect("HDR-4 HDR-10 HDR-16: mirrors fields as HTTP does when it is told to, in any script", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      for (const region of ["eu", "Zürich", " padded ", "", "=?base64?ZXU=?="]) {
        assert.deepStrictEqual(yield* client.call(Region, { region }), { region })
        // HDR-18: by name the headers are learnt from the list, when the first call is refused.
        assert.deepStrictEqual((yield* client.callTool("region", { region })).structuredContent, { region })
      }
    }).pipe(Effect.provide(McpTest.layer(RegionLive, { mirror: true }))))

  it.effect("sets up the server and the client as it is told", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.strictEqual(client.server.info?.name, "shop")
      assert.strictEqual(client.server.instructions, "Ask for the region first")
      const tools = yield* Stream.runCollect(client.tools)
      assert.deepStrictEqual(tools.map(({ name }) => name), ["region"])
    }).pipe(
      Effect.provide(McpTest.layer(RegionLive, {
        server: { name: "shop", instructions: "Ask for the region first" },
        client: { sendClientInfo: false }
      }))
    ))

  it.effect("META-10: tells the handler who asks, unless it is told not to", () => {
    const Client = Tool.make("client", { output: { name: Schema.NullOr(Schema.String) } })
    const ClientLive = McpServer.tool(
      Client,
      () => Effect.map(McpRequest.McpRequest, ({ clientInfo }) => ({ name: clientInfo?.name ?? null }))
    )
    const name = Effect.flatMap(McpClient.McpClient, (client) => client.call(Client, {}))
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* Effect.provide(name, McpTest.layer(ClientLive)), { name: "test-client" })
      const silent = McpTest.layer(ClientLive, { client: { sendClientInfo: false } })
      assert.deepStrictEqual(yield* Effect.provide(name, silent), { name: null })
    })
  })

  it.effect("hands values over as a wire would, when it is told to serialize", () => {
    const Echo = Tool.make("echo", { input: { value: Schema.Json }, output: { value: Schema.Json } })
    const EchoLive = McpServer.tool(
      Echo,
      ({ value }) =>
        Effect.succeed(Tool.reply({ output: { value }, meta: { "test/at": new Date(0), "test/none": undefined } }))
    )
    const deep = (levels: number): Schema.Json => levels === 0 ? 1 : [deep(levels - 1)]
    return Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const result = yield* client.callTool("echo", { value: [1, "ü", null] })
      assert.deepStrictEqual(result.structuredContent, { value: [1, "ü", null] })
      assert.strictEqual(result._meta?.["test/at"], "1970-01-01T00:00:00.000Z")
      assert.isFalse(Object.hasOwn(result._meta ?? {}, "test/none"))

      const tooDeep = yield* Effect.flip(client.callTool("echo", { value: deep(100) }))
      assert.strictEqual(tooDeep._tag, "InvalidRequest")
      const tooLong = yield* Effect.flip(client.callTool("echo", { value: "x".repeat(5 * 1024 * 1024) }))
      assert.isTrue(tooLong._tag === "McpClientError" && tooLong.reason._tag === "LimitExceeded")
      const cyclic: Record<string, unknown> = {}
      cyclic.self = cyclic
      const unprintable = yield* Effect.flip(client.callTool("echo", { value: cyclic }))
      assert.isTrue(unprintable._tag === "McpClientError" && unprintable.reason._tag === "InvalidCall")
    }).pipe(Effect.provide(McpTest.layer(EchoLive, { serialize: true })))
  })

  it.effect("fails as the server does when features collide", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(McpTest.layer(Layer.mergeAll(
        RegionLive,
        McpServer.tool(Region, Effect.succeed)
      )))))
      assert.strictEqual(error._tag, "RegistrationError")
    }))

  it.effect("has the client answer what the server asks, with handlers that need services", () =>
    Effect.gen(function*() {
      class Person extends Context.Service<Person, { readonly name: string }>()("test/Person") {}
      const Greet = Tool.make("greet")
      const GreetLive = McpServer.tool(
        Greet,
        () => Effect.map(Elicitation.form({ message: "Who?", schema: { name: Schema.String } }), JSON.stringify)
      )
      const layer = McpTest.layer(GreetLive, {
        client: { elicitation: { form: () => Effect.map(Person, ({ name }) => Handlers.accept({ name })) } }
      })
      const logged: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => {
        logged.push(message)
      })
      const answer = yield* McpClient.McpClient.use((client) => client.callTool("greet")).pipe(
        Effect.provide(layer),
        Effect.provideService(Person, { name: "Ada" }),
        Effect.provide(Logger.layer([logger]))
      )
      assert.deepStrictEqual(answer.content, [
        { type: "text", text: "{\"_tag\":\"Accept\",\"content\":{\"name\":\"Ada\"}}" }
      ])
      assert.deepStrictEqual(logged, [])
    }))

  it.effect("takes the codec that is provided", () =>
    Effect.gen(function*() {
      const sealed: Array<string> = []
      const codec = Layer.succeed(RequestStateCodec.RequestStateCodec, {
        seal: (payload) => Effect.sync(() => `sealed ${sealed.push(payload)}`),
        open: () => Effect.sync(() => sealed[0] ?? ""),
        sealedSize: (payload) => payload.length
      })
      const Ask = McpServer.tool(Tool.make("ask"), () => Effect.map(Roots.list, (roots) => `${roots[0]?.uri}`))
      const layer = McpTest.layer(Ask, { client: { roots: [{ uri: "file:///work" }] } }).pipe(Layer.provide(codec))
      const answer = yield* McpClient.McpClient.use((client) => client.callTool("ask")).pipe(Effect.provide(layer))
      assert.deepStrictEqual(answer.content, [{ type: "text", text: "file:///work" }])
      assert.lengthOf(sealed, 1)
    }))
})
