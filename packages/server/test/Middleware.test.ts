import { assert, describe, it } from "@effect/vitest"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { names, requestMeta, start } from "./support.ts"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("test/Principal") {}
class Tenant extends RequestService.make<Tenant, { readonly tenant: string }>()("test/Tenant") {}

const subjectOf = Effect.map(McpRequest.McpRequest, ({ meta }) => String(meta["test/subject"] ?? "nobody"))

const Authenticated = McpServer.middleware<Principal>()((next) =>
  Effect.gen(function*() {
    const subject = yield* subjectOf
    if (subject === "nobody") return yield* new McpError.Application({ code: 401, message: "Who are you?" })
    return yield* Effect.provideService(next, Principal, { subject })
  })
)

const as = (subject: string) => ({ meta: { "test/subject": subject } })

const Echo = Tool.make("echo", { input: { text: Schema.optional(Schema.String) } })
const EchoLive = McpServer.tool(Echo, ({ text = "nothing" }) => Effect.succeed(text))
const WhoAmI = Tool.make("whoami", {})
const WhoAmILive = McpServer.tool(WhoAmI, () => Effect.map(Principal, ({ subject }) => subject))

const everything = Layer.mergeAll(
  EchoLive,
  McpServer.resource(Resource.make("r://r"), Effect.succeed("r")),
  McpServer.resourceTemplate(
    ResourceTemplate.make("t://{x}", { name: "t", parameters: { x: Schema.String } }),
    ({ x }) => Effect.succeed(x)
  ),
  McpServer.prompt(Prompt.make("p", { arguments: { x: Schema.String } }), ({ x }) => Effect.succeed(x), {
    complete: { x: (typed) => Effect.succeed([typed]) }
  })
)

const everyMethod = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/call", { name: "echo" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "r://r" }],
  ["resources/read", { uri: "t://t" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p", arguments: { x: "" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } }]
] as const

/** A middleware that writes down when it is entered and left. */
const tracing = (name: string, log: Array<string>) =>
  McpServer.middleware()((next) =>
    Effect.sync(() => log.push(`> ${name}`)).pipe(
      Effect.andThen(next),
      Effect.onExit((exit) => Effect.sync(() => log.push(`< ${name} ${exit._tag}`)))
    )
  )

describe("middleware", () => {
  it.effect("observes the call and the result of every method", () =>
    Effect.gen(function*() {
      const seen: Array<readonly [string, unknown, ReadonlyArray<string>]> = []
      const observe = McpServer.middleware()((next, { method, params }) =>
        Effect.tap(next, (result) =>
          Effect.sync(() => seen.push([method, params, Object.keys(McpServer.resultOf(result))])))
      )
      const peer = yield* start(Layer.merge(everything, observe))
      for (const [method, params] of everyMethod) {
        yield* peer.result(method, params)
      }
      assert.deepStrictEqual(
        seen.map(([method, params]) => [method, params]),
        everyMethod.map(([method, params]) => [method, { ...params, _meta: requestMeta() }])
      )
      assert.include(seen[1]![2], "tools")
      assert.include(seen[2]![2], "content")
    }))

  it.effect("changes the result of every method, and what it makes is completed like any result", () =>
    Effect.gen(function*() {
      const change = McpServer.middleware()((next) =>
        Effect.map(next, (result) => {
          const { _meta, resultType: _resultType, ...value } = McpServer.resultOf(result)
          return { ...value, _meta: { "test/changed": true } }
        })
      )
      const peer = yield* start(Layer.merge(everything, change))
      for (const [method, params] of everyMethod) {
        const result = yield* peer.result(method, params)
        assert.strictEqual(result.resultType, "complete", method)
        assert.isTrue(result._meta["test/changed"], method)
        assert.strictEqual(result._meta["io.modelcontextprotocol/serverInfo"].name, "test", method)
      }
    }))

  it.effect("changes the call: its params are checked again, and inner middlewares see them", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const outer = McpServer.middleware()((next, { method, params }) =>
        method !== "tools/call"
          ? next
          : params.name === "old"
          ? McpServer.withParams(next, { ...params, name: "echo" })
          : params.name === "broken"
          ? McpServer.withParams(next, { name: 1 })
          : params.name === "gone"
          ? McpServer.withParams(next, { name: "nope" })
          : next
      )
      const inner = McpServer.middleware()((next, { params }) => {
        seen.push(params.name)
        return next
      })
      const peer = yield* start(Layer.mergeAll(EchoLive, outer, inner))
      assert.strictEqual((yield* peer.call("old", { text: "hi" })).content[0].text, "hi")
      assert.strictEqual((yield* peer.error("tools/call", { name: "broken" })).code, -32602)
      assert.strictEqual((yield* peer.error("tools/call", { name: "gone" })).message, "Unknown tool: nope")
      assert.strictEqual((yield* peer.call("echo", { text: "as it is" })).content[0].text, "as it is")
      assert.deepStrictEqual(seen, ["echo", 1, "nope", "echo"])
    }))

  it.effect("may answer without going on, and fail with any error of the protocol", () =>
    Effect.gen(function*() {
      let calls = 0
      const cache = McpServer.middleware()((next, { method, params }) =>
        method !== "tools/call"
          ? next
          : params.name === "cached"
          ? Effect.succeed({ content: [{ type: "text", text: "cached" }] })
          : Effect.fail(new McpError.Application({ code: 429, message: "Slow down", data: { after: 1 } }))
      )
      const tool = McpServer.tool(Tool.make("cached", {}), () => Effect.succeed(`${++calls}`))
      const peer = yield* start(Layer.merge(tool, cache))
      assert.strictEqual((yield* peer.call("cached")).content[0].text, "cached")
      assert.deepStrictEqual(yield* peer.error("tools/call", { name: "other" }), {
        code: 429,
        message: "Slow down",
        data: { after: 1 }
      })
      assert.strictEqual(calls, 0)
    }))

  it.effect("sees errors of the protocol, unknown tools and bad params among them, and may turn them into results", () =>
    Effect.gen(function*() {
      const codes: Array<number> = []
      const observe = McpServer.middleware()((next) =>
        Effect.matchEffect(next, {
          onSuccess: Effect.succeed,
          onFailure: (error) => {
            codes.push(McpError.toErrorObject(error).code)
            return Effect.succeed({ content: [{ type: "text", text: error.message }], isError: true })
          }
        })
      )
      const peer = yield* start(Layer.merge(EchoLive, observe))
      assert.strictEqual((yield* peer.call("nope")).content[0].text, "Unknown tool: nope")
      assert.isTrue((yield* peer.result("tools/call", {})).isError)
      assert.deepStrictEqual(codes, [-32602, -32602])
    }))

  it.effect("ERR-1: a defect of a middleware is -32603", () =>
    Effect.gen(function*() {
      const broken = McpServer.middleware()((): Effect.Effect<McpServer.MethodResult> => {
        throw new Error("secret")
      })
      const peer = yield* start(Layer.merge(EchoLive, broken)).pipe(Effect.provide(Logger.layer([])))
      assert.deepStrictEqual(yield* peer.error("tools/call", { name: "echo" }), {
        code: -32603,
        message: "Internal error"
      })
    }))

  it.effect("runs in the order it was made, whatever the order of the layers", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const one = tracing("one", log)
      const two = tracing("two", log)
      const three = tracing("three", log)
      const tool = McpServer.tool(Tool.make("log", {}), () => Effect.sync(() => String(log.push("tool"))))
      const peer = yield* start(Layer.mergeAll(three, tool, one, two))
      yield* peer.call("log")
      assert.deepStrictEqual(log, [
        "> one",
        "> two",
        "> three",
        "tool",
        "< three Success",
        "< two Success",
        "< one Success"
      ])
    }))

  it.effect("one that needs what another provides runs inside it, though it was made before", () =>
    Effect.gen(function*() {
      // Made first: by order alone it would run outside.
      const ofTenant = McpServer.middleware<Tenant>()((next) =>
        Effect.flatMap(
          Principal,
          ({ subject }) => Effect.provideService(next, Tenant, { tenant: `tenant of ${subject}` })
        )
      )
      const log: Array<string> = []
      const unrelated = tracing("unrelated", log)
      const deep = McpServer.middleware()((next) => Effect.andThen(Effect.all([Principal, Tenant]), next))
      const authenticated = McpServer.middleware<Principal>()((next) =>
        Effect.flatMap(subjectOf, (subject) => Effect.provideService(next, Principal, { subject }))
      )
      const tool = McpServer.tool(
        Echo,
        () => Effect.map(Effect.all([Tenant, Principal]), ([{ tenant }, { subject }]) => `${tenant}, ${subject}`)
      )
      const tenants = ofTenant.pipe(Layer.provideMerge(authenticated))
      const peer = yield* start(
        Layer.merge(tool, deep).pipe(
          // Merging must not hide how deep the one is that the others depend on.
          Layer.provide(Layer.merge(tenants, unrelated)),
          Layer.merge(unrelated)
        )
      )
      assert.strictEqual((yield* peer.call("echo", {}, as("a"))).content[0].text, "tenant of a, a")
    }))

  it.effect("what it provides is there in every kind of handler, and in what it requires from outside", () =>
    Effect.gen(function*() {
      class Greeting extends Context.Service<Greeting, string>()("test/Greeting") {}
      const hello = Effect.gen(function*() {
        return `${yield* Greeting} ${(yield* Principal).subject}`
      })
      const greeted = McpServer.middleware<Principal>()((next) =>
        Effect.gen(function*() {
          return yield* Effect.provideService(next, Principal, { subject: `${yield* Greeting} ${yield* subjectOf}` })
        })
      ).pipe(Layer.provide(Layer.succeed(Greeting, "Dr")))
      const features = Layer.mergeAll(
        McpServer.tool(Echo, () => hello),
        McpServer.resource(Resource.make("r://r"), hello),
        McpServer.resourceTemplate(
          ResourceTemplate.make("t://{x}", { name: "t", parameters: { x: Schema.String } }),
          () => hello
        ),
        McpServer.prompt(Prompt.make("p", { arguments: { x: Schema.String } }), () => hello, {
          complete: { x: () => Effect.map(hello, (text) => [text]) }
        })
      ).pipe(Layer.provide(Layer.succeed(Greeting, "Hello")), Layer.provide(greeted))
      const peer = yield* start(features)
      const expected = "Hello Dr a"
      assert.strictEqual((yield* peer.call("echo", {}, as("a"))).content[0].text, expected)
      for (const uri of ["r://r", "t://t"]) {
        assert.strictEqual((yield* peer.result("resources/read", { uri }, as("a"))).contents[0].text, expected)
      }
      const params = { name: "p", arguments: { x: "" } }
      assert.strictEqual((yield* peer.result("prompts/get", params, as("a"))).messages[0].content.text, expected)
      const completion = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } }
      assert.deepStrictEqual(
        (yield* peer.result("completion/complete", completion, as("a"))).completion.values,
        [expected]
      )
    }))

  it.effect("a transport may provide a service of the request too", () =>
    Effect.gen(function*() {
      // A transport's layer says so by its type; in memory it is said here.
      const features = WhoAmILive as Layer.Layer<never, never, McpServer.Registry>
      const peer = yield* start(features, {}, { context: Context.make(Principal, { subject: "transported" }) })
      assert.strictEqual((yield* peer.call("whoami")).content[0].text, "transported")
    }))

  it.effect("LOG-5: what a middleware logs reaches the client that asked, whatever loggers the server has", () =>
    Effect.gen(function*() {
      const logging = McpServer.middleware()((next) => Effect.andThen(Effect.logInfo("from middleware"), next))
      const printed: Array<unknown> = []
      const own = Logger.layer([Logger.make(({ message }) => {
        printed.push(message)
      })])
      const peer = yield* start(Layer.merge(EchoLive, logging)).pipe(Effect.provide(own))
      const sent: Array<unknown> = []
      yield* peer.call("echo", {}, {
        meta: { "io.modelcontextprotocol/logLevel": "info" },
        onNotification: ({ params }) => Effect.sync(() => sent.push(params?.data))
      })
      assert.deepStrictEqual(sent, ["from middleware"])
      assert.deepStrictEqual(printed.flat(), ["from middleware"])
    }))

  it.effect("C1: of the interleaved calls of 100 principals nothing crosses", () =>
    Effect.gen(function*() {
      const Interleaved = Tool.make("interleaved", { input: { n: Schema.Finite } })
      const live = McpServer.tool(Interleaved, ({ n }) =>
        Effect.gen(function*() {
          const before = (yield* Principal).subject
          yield* Effect.logInfo(`${before} ${n}`)
          for (let i = 0; i < n % 7; i++) yield* Effect.yieldNow
          const { subject } = yield* Principal
          const request = yield* McpRequest.McpRequest
          return `${before} ${subject} ${String(request.meta["test/subject"])} ${n}`
        }))
      const peer = yield* start(Layer.provide(live, Authenticated)).pipe(Effect.provide(Logger.layer([])))
      const calls = Array.from({ length: 2_000 }, (_, n) => ({ n, subject: `s${n % 100}` }))
      yield* Effect.forEach(calls, ({ n, subject }) =>
        Effect.gen(function*() {
          const logs: Array<unknown> = []
          const { content } = yield* peer.call("interleaved", { n }, {
            meta: { ...as(subject).meta, "io.modelcontextprotocol/logLevel": "info" },
            onNotification: ({ params }) => Effect.sync(() => logs.push(params?.data))
          })
          assert.strictEqual(content[0].text, `${subject} ${subject} ${subject} ${n}`)
          assert.deepStrictEqual(logs, [`${subject} ${n}`])
        }), { concurrency: "unbounded", discard: true })
      assert.strictEqual((yield* peer.error("tools/call", { name: "interleaved", arguments: { n: 1 } })).code, 401)
      assert.deepStrictEqual(names((yield* peer.result("tools/list", {}, as("a"))).tools), ["interleaved"])
    }))
})
