import { assert, describe, it } from "@effect/vitest"
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Revision from "@effect-mcp/core/Revision"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { connect, names, start, startWithRegistry } from "./support.ts"

const A = Tool.make("a", {})
const B = Tool.make("b", {})
const C = Tool.make("c", {})
const answer = (text: string) => () => Effect.succeed(text)
const X = ResourceTemplate.make("x://{x}", { name: "x", parameters: { x: Schema.String } })
const readX = ({ x }: { readonly x: string }) => Effect.succeed(x)

/** A bus that keeps what is published. */
const recordingBus = () => {
  const facts: Array<ChangeBus.Fact> = []
  const layer = Layer.effect(
    ChangeBus.ChangeBus,
    Effect.map(ChangeBus.ChangeBus, (bus) => ({
      ...bus,
      publish: (fact: ChangeBus.Fact) => Effect.andThen(Effect.sync(() => facts.push(fact)), bus.publish(fact))
    }))
  ).pipe(Layer.provide(ChangeBus.layerMemory))
  return { facts, layer }
}

describe("features at run time", () => {
  it.effect("TOOL-23, RES-10, PROMPT-6: are added and removed, and each change is published once", () =>
    Effect.gen(function*() {
      const bus = recordingBus()
      const { peer, provide } = yield* startWithRegistry(McpServer.tool(A, answer("a"))).pipe(Effect.provide(bus.layer))
      assert.deepStrictEqual(bus.facts, [])
      const scope = yield* Scope.make()
      yield* Scope.provide(
        provide(Effect.all([
          McpServer.addTool(B, answer("b")),
          McpServer.addPrompt(Prompt.make("p", {}), answer("p")),
          McpServer.addResource(Resource.make("r://r"), Effect.succeed("r")),
          McpServer.addResourceTemplate(X, readX)
        ])),
        scope
      )
      const added = ["ToolsChanged", "PromptsChanged", "ResourcesChanged", "ResourcesChanged"]
      assert.deepStrictEqual(bus.facts.map((fact) => fact._tag), added)
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["a", "b"])
      assert.strictEqual((yield* peer.call("b")).content[0].text, "b")
      assert.strictEqual((yield* peer.result("resources/read", { uri: "x://1" })).contents[0].text, "1")

      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(bus.facts.slice(4).map((fact) => fact._tag), added.toReversed())
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["a"])
      assert.strictEqual((yield* peer.error("tools/call", { name: "b" })).code, -32602)
      assert.strictEqual((yield* peer.error("prompts/list")).code, -32601)
      assert.strictEqual((yield* peer.error("resources/list")).code, -32601)
    }))

  it.effect("remove takes away a feature by its key, whoever added it, and says whether there was one", () =>
    Effect.gen(function*() {
      const bus = recordingBus()
      const features = Layer.mergeAll(
        McpServer.tool(A, answer("a")),
        McpServer.prompt(Prompt.make("p", {}), answer("p")),
        McpServer.resource(Resource.make("r://r"), Effect.succeed("r")),
        McpServer.resourceTemplate(X, readX)
      )
      const { provide } = yield* startWithRegistry(features).pipe(Effect.provide(bus.layer))
      for (
        const [kind, key] of [["tool", "a"], ["prompt", "p"], ["resource", "r://r"], [
          "resourceTemplate",
          "x://{x}"
        ]] as const
      ) {
        assert.isTrue(yield* provide(McpServer.remove(kind, key)))
        assert.isFalse(yield* provide(McpServer.remove(kind, key)))
      }
      assert.deepStrictEqual(
        bus.facts.map((fact) => fact._tag),
        ["ToolsChanged", "PromptsChanged", "ResourcesChanged", "ResourcesChanged"]
      )
    }))

  it.effect("TOOL-2, TOOL-23: a replacement keeps the place, is one change, and outlives what it replaced", () =>
    Effect.gen(function*() {
      const bus = recordingBus()
      const features = Layer.mergeAll(McpServer.tool(A, answer("a")), McpServer.tool(C, answer("c")))
      const { peer, provide } = yield* startWithRegistry(features).pipe(Effect.provide(bus.layer))
      const first = yield* Scope.make()
      const second = yield* Scope.make()
      yield* Scope.provide(provide(McpServer.addTool(B, answer("b1"))), first)
      yield* Scope.provide(
        provide(McpServer.addTool(Tool.make("a", { title: "New" }), answer("a2"), { replace: true })),
        second
      )
      yield* Scope.provide(provide(McpServer.addTool(B, answer("b2"), { replace: true })), second)
      assert.strictEqual(bus.facts.length, 3)
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["a", "c", "b"])
      assert.strictEqual((yield* peer.result("tools/list")).tools[0].title, "New")
      // What was replaced goes, which is no change.
      yield* Scope.close(first, Exit.void)
      assert.strictEqual(bus.facts.length, 3)
      assert.strictEqual((yield* peer.call("b")).content[0].text, "b2")
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["c"])
    }))

  it.effect("a name that is taken is a typed error, and changes nothing", () =>
    Effect.gen(function*() {
      const bus = recordingBus()
      const { peer, provide } = yield* startWithRegistry(McpServer.tool(A, answer("a"))).pipe(Effect.provide(bus.layer))
      const error = yield* Effect.flip(provide(McpServer.addTool(A, answer("other"))))
      assert.instanceOf(error, McpServer.DuplicateFeature)
      assert.deepStrictEqual([error.kind, error.key], ["tool", "a"])
      assert.include(error.message, "\"a\"")
      assert.deepStrictEqual(bus.facts, [])
      assert.strictEqual((yield* peer.call("a")).content[0].text, "a")
    }))

  it.effect("a feature layer that is built late is no silent failure", () =>
    Effect.gen(function*() {
      const { peer, provide } = yield* startWithRegistry(McpServer.tool(A, answer("a")))
      yield* provide(Layer.build(McpServer.tool(B, answer("b"))))
      assert.strictEqual((yield* peer.call("b")).content[0].text, "b")
      const exit = yield* Effect.exit(provide(Layer.build(McpServer.tool(A, answer("other")))))
      assert.include(String(exit), "DuplicateFeature")
    }))

  it.effect("nothing is published while a server is built or closed", () =>
    Effect.gen(function*() {
      const bus = recordingBus()
      const scope = yield* Scope.make()
      let inside: Scope.Scope | undefined
      const features = Layer.mergeAll(
        McpServer.tool(A, answer("a")),
        McpServer.prompt(Prompt.make("p", {}), answer("p")),
        Layer.effectDiscard(Effect.map(Effect.scope, (scope) => {
          inside = scope
        }))
      )
      const { provide } = yield* startWithRegistry(features).pipe(Effect.provide(bus.layer), Scope.provide(scope))
      assert(inside !== undefined)
      yield* Scope.provide(provide(McpServer.addTool(B, answer("b"))), inside)
      assert.strictEqual(bus.facts.length, 1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(bus.facts.length, 1)
    }))

  class Who extends Context.Reference<string>("test/Who", { defaultValue: () => "nobody" }) {}

  it.effect("C1: what a handler adds keeps nothing of the request that added it", () =>
    Effect.gen(function*() {
      const Whose = Tool.make("whose", {})
      const outside = yield* Effect.scope
      const whose = Effect.gen(function*() {
        const request = yield* McpRequest.McpRequest
        return `${yield* Who}, ${request.id}`
      })
      const features = Layer.mergeAll(
        McpServer.middleware()((next, { params }) =>
          params.name === "adds" ? Effect.provideService(next, Who, "the one who adds") : next
        ),
        McpServer.tool(Tool.make("adds", {}), () =>
          McpServer.addTool(Whose, () => whose).pipe(
            Scope.provide(outside),
            Effect.orDie,
            Effect.as("added")
          ))
      )
      const { peer } = yield* startWithRegistry(features)
      const logLevel = { "io.modelcontextprotocol/logLevel": "debug" }
      yield* peer.call("adds", {}, { id: 1, meta: logLevel })
      assert.strictEqual((yield* peer.call("whose", {}, { id: 2 })).content[0].text, "nobody, 2")
    }))
})

describe("building a server", () => {
  it.effect("TOOL-5: features that collide are named all at once", () =>
    Effect.gen(function*() {
      const twice = <A, E, R>(one: Layer.Layer<A, E, R>, other: Layer.Layer<A, E, R>) => Layer.merge(one, other)
      const features = Layer.mergeAll(
        twice(McpServer.tool(A, answer("1")), McpServer.tool(A, answer("2"))),
        twice(McpServer.prompt(Prompt.make("p", {}), answer("1")), McpServer.prompt(Prompt.make("p", {}), answer("2"))),
        twice(
          McpServer.resource(Resource.make("r://r"), Effect.succeed("1")),
          McpServer.resource(Resource.make("r://r"), Effect.succeed("2"))
        ),
        twice(McpServer.resourceTemplate(X, readX), McpServer.resourceTemplate(X, readX)),
        McpServer.tool(B, answer("b"))
      )
      const error = yield* Effect.flip(start(features))
      assert.instanceOf(error, McpServer.RegistrationError)
      assert.strictEqual(error.problems.length, 4)
      for (const key of ["\"a\"", "\"p\"", "\"r://r\"", "\"x://{x}\""]) assert.include(error.message, key)
    }))

  it.effect("a feature may replace another on purpose, and the same value twice is one feature", () =>
    Effect.gen(function*() {
      const one = McpServer.tool(A, answer("1"))
      const peer = yield* start(
        Layer.mergeAll(one, one).pipe(
          Layer.provideMerge(Layer.empty),
          (features) => Layer.provideMerge(McpServer.tool(A, answer("2"), { replace: true }), features)
        )
      )
      assert.strictEqual((yield* peer.call("a")).content[0].text, "2")
    }))

  it.effect("a list of revisions that cannot be is a typed error", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(start(Layer.empty, { revisions: [] }))
      assert.instanceOf(error, Revision.InvalidAllowList)
    }))

  it.effect("TOOL-2: the order does not depend on how long layers take", () =>
    Effect.gen(function*() {
      const delayed = (millis: number) => Layer.effectDiscard(Effect.sleep(millis))
      const tools = [A, B, C, Tool.make("d", {})]
      const delays = [30, 10, 20, 0]
      const features = tools.map((tool, n) =>
        McpServer.tool(tool, answer("x")).pipe(Layer.provide(delayed(delays[n]!)))
      )
      const fiber = yield* Effect.forkChild(start(Layer.mergeAll(Layer.empty, ...features.toReversed())))
      yield* TestClock.adjust(100)
      const peer = yield* Fiber.join(fiber)
      assert.deepStrictEqual(names((yield* peer.result("tools/list")).tools), ["a", "b", "c", "d"])
    }))

  it.effect("the same features under two servers are in both; what they need from outside is built once", () =>
    Effect.gen(function*() {
      let outside = 0
      let inside = 0
      class Outside extends Context.Service<Outside, number>()("test/Outside") {}
      class Inside extends Context.Service<Inside, number>()("test/Inside") {}
      const OutsideLive = Layer.effect(Outside, Effect.sync(() => ++outside))
      const InsideLive = Layer.effect(Inside, Effect.sync(() => ++inside))
      const numbers = Effect.gen(function*() {
        return `${yield* Outside} ${yield* Inside}`
      })
      const Features = McpServer.tool(A, () => numbers).pipe(Layer.provide(InsideLive))
      class Other extends Context.Service<Other, McpEndpoint["Service"]>()("test/Other") {}
      const one = McpServer.layer({ name: "one", version: "1" }, Features)
      const two = Layer.effect(Other, McpEndpoint).pipe(
        Layer.provide(McpServer.layer({ name: "two", version: "1" }, Features))
      )
      const context = yield* Layer.build(Layer.merge(one, two).pipe(Layer.provide(OutsideLive)))
      const first = connect(Context.get(context, McpEndpoint))
      const second = connect(Context.get(context, Other))
      assert.deepStrictEqual(names((yield* first.result("tools/list")).tools), ["a"])
      assert.deepStrictEqual(names((yield* second.result("tools/list")).tools), ["a"])
      const texts = [(yield* first.call("a")).content[0].text, (yield* second.call("a")).content[0].text]
      assert.deepStrictEqual(texts.toSorted(), ["1 1", "1 2"])
      assert.deepStrictEqual([outside, inside], [1, 2])
    }))

  it.effect("a handler runs in the services its own feature was built with", () =>
    Effect.gen(function*() {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const named = (tool: typeof A | typeof B, name: string) =>
        McpServer.tool(tool, () => Name).pipe(Layer.provide(Layer.succeed(Name, name)))
      const peer = yield* start(Layer.merge(named(A, "one"), named(B, "two"))).pipe(
        Effect.provideService(Name, "server")
      )
      assert.strictEqual((yield* peer.call("a")).content[0].text, "one")
      assert.strictEqual((yield* peer.call("b")).content[0].text, "two")
    }))
})
