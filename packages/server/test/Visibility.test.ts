import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { names, type Params, type Peer, start } from "./support.ts"

const roles = Effect.map(McpRequest.McpRequest, ({ meta }) => String(meta["test/roles"] ?? "").split(" "))
const role = (name: string) => Effect.map(roles, (all) => all.includes(name))
const as = (...roles: ReadonlyArray<string>) => ({ meta: { "test/roles": roles.join(" ") } })

const admin = Visibility.make("admin", role("admin"))

const makeTool = (
  name: string,
  visibility?: Visibility.Visibility<never> | Visibility.Visibility<McpRequest.McpRequest>
) => McpServer.tool(Tool.make(name, {}), () => Effect.succeed(name), { visibility })

const feature = (suffix: string, visibility?: Visibility.Visibility<McpRequest.McpRequest>) =>
  Layer.mergeAll(
    makeTool(`tool-${suffix}`, visibility),
    McpServer.resource(Resource.make(`r://${suffix}`), Effect.succeed(suffix), { visibility }),
    McpServer.resourceTemplate(
      ResourceTemplate.make(`t://${suffix}/{x}`, { name: suffix, parameters: { x: Schema.String } }),
      ({ x }) => Effect.succeed(x),
      { visibility, complete: { x: () => Effect.succeed(["x"]) } }
    ),
    McpServer.prompt(
      Prompt.make(`prompt-${suffix}`, { arguments: { x: Schema.String } }),
      ({ x }) => Effect.succeed(x),
      {
        visibility,
        complete: { x: () => Effect.succeed(["x"]) }
      }
    )
  )

const lists = [
  ["tools/list", "tools"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
  ["prompts/list", "prompts"]
] as const

const uses = (suffix: string): ReadonlyArray<readonly [method: string, params: Params]> => [
  ["tools/call", { name: `tool-${suffix}` }],
  // Nothing about the arguments is told either.
  ["tools/call", { name: `tool-${suffix}`, arguments: { a: 1 } }],
  ["resources/read", { uri: `r://${suffix}` }],
  ["resources/read", { uri: `t://${suffix}/1` }],
  ["prompts/get", { name: `prompt-${suffix}`, arguments: { x: "1" } }],
  ["prompts/get", { name: `prompt-${suffix}` }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: `prompt-${suffix}` }, argument: { name: "x", value: "" } }
  ],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: `prompt-${suffix}` }, argument: { name: "nope", value: "" } }
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: `t://${suffix}/{x}` }, argument: { name: "x", value: "" } }
  ]
]

describe("visibility", () => {
  it.effect("C2, CACHE-12: lists, calls, reads, prompts and completions agree", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.merge(feature("open"), feature("hidden", admin)))
      for (const [method, member] of lists) {
        assert.strictEqual((yield* peer.result(method, {}, as()))[member].length, 1, method)
        assert.strictEqual((yield* peer.result(method, {}, as("admin")))[member].length, 2, method)
      }
      for (const [method, params] of uses("hidden")) {
        assert.strictEqual((yield* peer.error(method, params, as())).code, -32602, method)
      }
      for (const [method, params] of uses("hidden").filter((_, n) => n !== 5 && n !== 7)) {
        yield* peer.result(method, params, as("admin"))
      }
    }))

  it.effect("C2: what is hidden answers exactly as what does not exist", () =>
    Effect.gen(function*() {
      const hidden = yield* start(Layer.merge(feature("open"), feature("hidden", admin)))
      const absent = yield* start(feature("open"))
      const requests = [...uses("hidden"), ...lists.map(([method]) => [method, {}] as const)]
      const withoutScope = (response: JsonRpc.Response) =>
        response._tag === "Failure" ? response.error : JsonRpc.resultValue(response)
      for (const [method, params] of requests) {
        assert.deepStrictEqual(
          withoutScope(yield* hidden.request(method, params, as())),
          withoutScope(yield* absent.request(method, params, as())),
          `${method} ${JSON.stringify(params)}`
        )
      }
    }))

  it.effect("C2: a hidden resource leaves its URI to a family that has it too", () =>
    Effect.gen(function*() {
      const family = McpServer.resourceTemplate(
        ResourceTemplate.make("r://{x}", { name: "r", parameters: { x: Schema.String } }),
        ({ x }) => Effect.succeed(`family ${x}`),
        { cache: { scope: "public" } }
      )
      const peer = yield* start(Layer.merge(feature("hidden", admin), family))
      const read = (uri: string, ...roles: ReadonlyArray<string>) =>
        peer.result("resources/read", { uri }, as(...roles))
      const without = yield* read("r://hidden")
      assert.strictEqual(without.contents[0].text, "family hidden")
      assert.strictEqual((yield* read("r://hidden", "admin")).contents[0].text, "hidden")
      // What others may read under the same URI is nothing to share.
      assert.strictEqual(without.cacheScope, "private")
      assert.strictEqual((yield* read("r://other")).cacheScope, "public")
    }))

  it.effect("CACHE-10, CACHE-12: what depends on a condition is never public", () =>
    Effect.gen(function*() {
      const cache = { tools: { scope: "public" }, prompts: { scope: "public" }, read: { scope: "public" } } as const
      const peer = yield* start(
        Layer.mergeAll(
          makeTool("a"),
          makeTool("b", admin),
          McpServer.prompt(Prompt.make("p", {}), () => Effect.succeed("p")),
          feature("hidden", admin).pipe(Layer.provide(Layer.empty)),
          McpServer.resource(Resource.make("open://r"), Effect.succeed("r"))
        ),
        { cache }
      ).pipe(Effect.provide(Limits.layer({ pageSize: 1 })))
      for (const roles of [as(), as("admin")]) {
        const first = yield* peer.result("tools/list", {}, roles)
        assert.strictEqual(first.cacheScope, "private")
        if (first.nextCursor === undefined) continue
        assert.strictEqual(
          (yield* peer.result("tools/list", { cursor: first.nextCursor }, roles)).cacheScope,
          "private"
        )
      }
      const read = (uri: string) => Effect.map(peer.result("resources/read", { uri }, as("admin")), (r) => r.cacheScope)
      assert.strictEqual(yield* read("open://r"), "public")
      assert.strictEqual(yield* read("r://hidden"), "private")
      assert.strictEqual(yield* read("t://hidden/1"), "private")
      const open = yield* start(makeTool("a"), { cache })
      assert.strictEqual((yield* open.result("tools/list")).cacheScope, "public")
    }))

  it.effect("a condition is evaluated at most once per request, and only if something depends on it", () =>
    Effect.gen(function*() {
      let count = 0
      const counted = Visibility.make("counted", Effect.sync(() => count++ >= 0))
      const lazy = Visibility.make("lazy", Effect.die(new Error("nobody asked")))
      const peer = yield* start(Layer.mergeAll(
        makeTool("a", counted),
        makeTool("b", counted),
        makeTool("c"),
        McpServer.resourceTemplate(
          ResourceTemplate.make("t://{x}", { name: "t", parameters: { x: Schema.FiniteFromString } }),
          ({ x }) => Effect.succeed(`${x}`),
          { visibility: counted }
        ),
        McpServer.resourceTemplate(
          ResourceTemplate.make("t://{+x}", { name: "t", parameters: { x: Schema.String } }),
          ({ x }) => Effect.succeed(x),
          { visibility: counted }
        ),
        McpServer.prompt(Prompt.make("p", {}), () => Effect.succeed("p"), { visibility: lazy }),
        // Asks for the list twice within one request.
        McpServer.middleware()((next, { method }) => method === "tools/list" ? Effect.andThen(next, next) : next)
      ))
      const counts = (method: string, params: Params) =>
        Effect.map(peer.result(method, params), () => {
          const before = count
          count = 0
          return before
        })
      assert.strictEqual(yield* counts("tools/list", {}), 1)
      assert.strictEqual(yield* counts("tools/list", {}), 1)
      assert.strictEqual(yield* counts("tools/call", { name: "a" }), 1)
      assert.strictEqual(yield* counts("tools/call", { name: "c" }), 0)
      assert.strictEqual(yield* counts("server/discover", {}), 0)
      assert.strictEqual(yield* counts("resources/read", { uri: "t://a/b" }), 1)
    }))

  it.effect("conditions use what middlewares provide, one value being one condition", () =>
    Effect.gen(function*() {
      class Principal extends RequestService.make<Principal, { readonly roles: ReadonlyArray<string> }>()("v/P") {}
      const authenticated = McpServer.middleware<Principal>()((next) =>
        Effect.flatMap(roles, (roles) => Effect.provideService(next, Principal, { roles }))
      )
      const has = (name: string) => Visibility.make(name, Effect.map(Principal, ({ roles }) => roles.includes(name)))
      const features = Layer.mergeAll(
        McpServer.tool(Tool.make("x", {}), () => Effect.succeed("x"), { visibility: has("x") }),
        McpServer.tool(Tool.make("y", {}), () => Effect.succeed("y"), { visibility: has("y") })
      )
      const peer = yield* start(Layer.provide(features, authenticated))
      const visible = (...roles: ReadonlyArray<string>) =>
        Effect.map(peer.result("tools/list", {}, as(...roles)), ({ tools }) => names(tools))
      assert.deepStrictEqual(yield* visible("x"), ["x"])
      assert.deepStrictEqual(yield* visible("y"), ["y"])
      assert.deepStrictEqual(yield* visible("x", "y"), ["x", "y"])
      assert.deepStrictEqual(yield* visible(), [])
    }))

  it.effect("ERR-1: a condition that fails hides nothing by accident: it is -32603", () =>
    Effect.gen(function*() {
      const peer = yield* start(makeTool("a", Visibility.make("broken", Effect.die("broken"))))
      assert.strictEqual((yield* peer.error("tools/list")).code, -32603)
      assert.strictEqual((yield* peer.error("tools/call", { name: "a" })).code, -32603)
    }))
})

describe("prepared pages of conditional lists", () => {
  const prepared = (peer: Peer, ...roles: ReadonlyArray<string>) =>
    Effect.map(peer.request("tools/list", {}, as(...roles)), (response) => {
      assert(response._tag === "Success")
      return response.result
    })

  const features = Layer.mergeAll(
    makeTool("open"),
    ...["a", "b", "c"].map((name) => makeTool(name, Visibility.make(name, role(name))))
  )

  it.effect("C2: are kept per combination that occurred, and no combination sees another's", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      const combinations = [[], ["a"], ["b"], ["c"], ["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]]
      const first = yield* Effect.forEach(combinations, (roles) => prepared(peer, ...roles))
      const second = yield* Effect.forEach(combinations, (roles) => prepared(peer, ...roles))
      combinations.forEach((roles, n) => {
        assert.strictEqual(first[n], second[n])
        assert(first[n] instanceof JsonRpc.Prepared)
        // The tools are named after their roles.
        assert.deepStrictEqual(names(JSON.parse(first[n].text).tools), ["open", ...roles])
      })
    }))

  it.effect("are bounded: the combination least recently asked for is dropped", () =>
    Effect.gen(function*() {
      const peer = yield* start(features).pipe(Effect.provide(Limits.layer({ visibilityVariants: 2 })))
      const a = yield* prepared(peer, "a")
      const b = yield* prepared(peer, "b")
      assert.strictEqual(yield* prepared(peer, "a"), a)
      yield* prepared(peer, "c")
      assert.strictEqual(yield* prepared(peer, "a"), a)
      assert.notStrictEqual(yield* prepared(peer, "b"), b)
    }))
})

describe("cursors and what is hidden", () => {
  it.effect("PAGE-6: a cursor made up for a hidden feature is answered as one for none", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.mergeAll(makeTool("seen"), makeTool("secret", admin), makeTool("last"))).pipe(
        Effect.provide(Limits.layer({ pageSize: 1 }))
      )
      const { nextCursor } = yield* peer.result("tools/list")
      const [, , , run] = JSON.parse(Buffer.from(nextCursor, "base64url").toString())
      // Of another process, and of this one.
      for (const [place, of] of [[0, run + 1], [1e9, run + 1], [0, run], [1e9, run]] as const) {
        const cursor = (key: string) => Buffer.from(JSON.stringify(["tools", key, place, of])).toString("base64url")
        const answer = (key: string) => peer.request("tools/list", { cursor: cursor(key) })
        const [hidden, unknown] = [yield* answer("secret"), yield* answer("nothing")]
        assert.deepStrictEqual({ ...hidden, id: 0 }, { ...unknown, id: 0 })
      }
    }))
})
