import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { names, type Peer, start, startWithRegistry } from "./support.ts"

const makeTool = (name: string) => McpServer.tool(Tool.make(name, {}), () => Effect.succeed(name))

const many = (count: number, make: (name: string) => Layer.Layer<never, never, McpServer.Registry>) =>
  Layer.mergeAll(Layer.empty, ...Array.from({ length: count }, (_, n) => make(`n${n}`)))

const pages = (size: number) => Effect.provide(Limits.layer({ pageSize: size }))

/** Reads a list to its end. */
const walk = (peer: Peer, method: string, member: string) =>
  Effect.gen(function*() {
    const all: Array<ReadonlyArray<{ readonly name: string }>> = []
    let cursor: string | undefined
    do {
      const result = yield* peer.result(method, cursor === undefined ? {} : { cursor })
      all.push(result[member])
      cursor = result.nextCursor
    } while (cursor !== undefined)
    return all
  })

const makers = {
  tools: ["tools/list", makeTool],
  prompts: ["prompts/list", (name) => McpServer.prompt(Prompt.make(name, {}), () => Effect.succeed(name))],
  resources: [
    "resources/list",
    (name) => McpServer.resource(Resource.make(`x://${name}`, { name }), Effect.succeed(name))
  ],
  resourceTemplates: [
    "resources/templates/list",
    (name) =>
      McpServer.resourceTemplate(
        ResourceTemplate.make(`x://${name}/{x}`, { name, parameters: { x: Schema.String } }),
        ({ x }) => Effect.succeed(x)
      )
  ]
} satisfies Record<string, [string, (name: string) => Layer.Layer<never, never, McpServer.Registry>]>

describe("pages", () => {
  for (const [member, [method, make]] of Object.entries(makers)) {
    it.effect(`PAGE-1, PAGE-5, CACHE-10: ${method} is read in pages, each item once, with one cache scope`, () =>
      Effect.gen(function*() {
        const peer = yield* start(many(7, make), { cache: { [member]: { scope: "public" } } }).pipe(pages(3))
        const all = yield* walk(peer, method, member)
        assert.deepStrictEqual(all.map((page) => page.length), [3, 3, 1])
        assert.deepStrictEqual(names(all.flat()), ["n0", "n1", "n2", "n3", "n4", "n5", "n6"])
        const first = yield* peer.result(method)
        const second = yield* peer.result(method, { cursor: first.nextCursor })
        assert.deepStrictEqual([first.cacheScope, second.cacheScope], ["public", "public"])
      }))
  }

  it.effect("PAGE-5: a list that fits has no cursor, one page more or less", () =>
    Effect.gen(function*() {
      for (const [count, sizes] of [[3, [3]], [4, [3, 1]], [6, [3, 3]]] as const) {
        const peer = yield* start(many(count, makeTool)).pipe(pages(3))
        assert.deepStrictEqual((yield* walk(peer, "tools/list", "tools")).map((page) => page.length), [...sizes])
      }
    }))

  it.effect("PAGE-2, PAGE-3, PAGE-6: a cursor that is not one of the list's is -32602, also after the list was read", () =>
    Effect.gen(function*() {
      const features = Layer.merge(many(4, makeTool), many(4, makers.prompts[1]))
      const peer = yield* start(features).pipe(pages(3))
      const { nextCursor } = yield* peer.result("tools/list")
      const foreign = (yield* peer.result("prompts/list")).nextCursor
      for (const cursor of ["", "x", foreign, `${nextCursor}=`, nextCursor.slice(1), ` ${nextCursor}`, 1, {}, true]) {
        assert.strictEqual((yield* peer.error("tools/list", { cursor })).code, -32602, JSON.stringify(cursor))
      }
      assert.strictEqual((yield* peer.result("tools/list", { cursor: nextCursor })).tools.length, 1)
      assert.strictEqual((yield* peer.result("tools/list", { cursor: null })).tools.length, 3)
    }))

  it.effect("PAGE-6, CACHE-11: cursors survive what is added and removed between pages", () =>
    Effect.gen(function*() {
      const { peer, provide } = yield* startWithRegistry(many(6, makeTool)).pipe(pages(2))
      const first = yield* peer.result("tools/list")
      assert.deepStrictEqual(names(first.tools), ["n0", "n1"])
      // The very item the cursor points at, one that was read, and one that was not.
      for (const name of ["n1", "n0", "n3"]) yield* provide(McpServer.remove("tool", name))
      yield* provide(McpServer.addTool(Tool.make("new", {}), () => Effect.succeed("new")))
      const second = yield* peer.result("tools/list", { cursor: first.nextCursor })
      assert.deepStrictEqual(names(second.tools), ["n2", "n4"])
      const third = yield* peer.result("tools/list", { cursor: second.nextCursor })
      assert.deepStrictEqual(names(third.tools), ["n5", "new"])
      assert.isUndefined(third.nextCursor)
    }))

  it.effect("PAGE-6: a cursor beyond what is left gives the empty end of the list", () =>
    Effect.gen(function*() {
      const { peer, provide } = yield* startWithRegistry(many(3, makeTool)).pipe(pages(2))
      const { nextCursor } = yield* peer.result("tools/list")
      yield* provide(McpServer.remove("tool", "n2"))
      const { nextCursor: after, tools } = yield* peer.result("tools/list", { cursor: nextCursor })
      assert.deepStrictEqual([tools, after], [[], undefined])
    }))
})

describe("cursors of a second server", () => {
  it.effect("STATE-3, PAGE-6: another process with other numbers goes on after the item, or refuses when that is gone", () =>
    Effect.gen(function*() {
      const one = yield* start(Layer.mergeAll(makeTool("a"), makeTool("b"), makeTool("c"))).pipe(pages(2))
      const { nextCursor: cursor } = yield* one.result("tools/list")
      // Made later, and so with higher numbers throughout; one more tool comes first.
      const other = yield* start(Layer.mergeAll(makeTool("z"), makeTool("a"), makeTool("b"), makeTool("c"))).pipe(
        pages(2)
      )
      assert.deepStrictEqual(names((yield* other.result("tools/list", { cursor })).tools), ["c"])
      const without = yield* start(Layer.mergeAll(makeTool("a"), makeTool("c"))).pipe(pages(2))
      assert.strictEqual((yield* without.error("tools/list", { cursor })).code, -32602)
    }))

  it.effect("STATE-3, PAGE-6: one made of the same features goes on where the first left off", () =>
    Effect.gen(function*() {
      const features = many(5, makeTool)
      const first = yield* start(features).pipe(pages(2))
      const second = yield* start(features).pipe(pages(2))
      const { nextCursor } = yield* first.result("tools/list")
      assert.deepStrictEqual(names((yield* second.result("tools/list", { cursor: nextCursor })).tools), ["n2", "n3"])
    }))
})

describe("prepared pages", () => {
  /** The very value the server answers with. */
  const prepared = (peer: Peer, method: string, params = {}) =>
    Effect.map(peer.request(method, params), (response) => {
      assert(response._tag === "Success")
      assert.instanceOf(response.result, JsonRpc.Prepared)
      return response.result
    })

  it.effect("are made once, for every request, and dropped when the list changes", () =>
    Effect.gen(function*() {
      const features = Layer.merge(many(5, makeTool), makers.prompts[1]("p"))
      const { peer, provide } = yield* startWithRegistry(features).pipe(pages(2))
      const first = yield* prepared(peer, "tools/list")
      const cursor = first.value.nextCursor
      const second = yield* prepared(peer, "tools/list", { cursor })
      const prompts = yield* prepared(peer, "prompts/list")
      const discovered = yield* prepared(peer, "server/discover")
      assert.strictEqual(yield* prepared(peer, "tools/list"), first)
      assert.strictEqual(yield* prepared(peer, "tools/list", { cursor }), second)
      assert.strictEqual(yield* prepared(peer, "server/discover"), discovered)
      yield* provide(McpServer.addTool(Tool.make("more", {}), () => Effect.succeed("more")))
      assert.notStrictEqual(yield* prepared(peer, "tools/list"), first)
      assert.notStrictEqual(yield* prepared(peer, "tools/list", { cursor }), second)
      assert.strictEqual(yield* prepared(peer, "prompts/list"), prompts)
    }))

  it.effect("are not kept for a position that no walk from the beginning has", () =>
    Effect.gen(function*() {
      const { peer, provide } = yield* startWithRegistry(many(7, makeTool)).pipe(pages(2))
      const { value: { nextCursor: cursor } } = yield* prepared(peer, "tools/list")
      yield* provide(McpServer.remove("tool", "n0"))
      const params = { cursor }
      const page = yield* prepared(peer, "tools/list", params)
      assert.deepStrictEqual(names((yield* peer.result("tools/list", params)).tools), ["n2", "n3"])
      assert.notStrictEqual(yield* prepared(peer, "tools/list", params), page)
    }))
})
