import { assert, describe, it } from "@effect/vitest"
import * as Content from "@effect-mcp/core/Content"
import * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { start } from "./support.ts"

const Today = Resource.make("notes://today", {
  name: "today",
  title: "Today",
  description: "Notes of today",
  mimeType: "text/markdown",
  size: 7,
  annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" },
  icons: [{ src: "https://example.com/i.svg", theme: "light" }],
  meta: { "a/b": 1 }
})
const TodayLive = McpServer.resource(Today, Effect.succeed("# Today"))

const Day = ResourceTemplate.make("notes://day/{day}", {
  name: "day",
  title: "A day",
  description: "Notes of a day",
  mimeType: "text/markdown",
  parameters: { day: Schema.FiniteFromString },
  annotations: { priority: 0 },
  icons: [{ src: "https://example.com/d.svg" }],
  meta: { "a/c": 2 }
})
const DayLive = McpServer.resourceTemplate(
  Day,
  ({ day }, uri) =>
    day > 365 ? Effect.fail(new McpError.ResourceNotFound({ uri })) : Effect.succeed(`Day ${day + 1} of ${uri}`)
)

const template = (uriTemplate: string, label: string) =>
  McpServer.resourceTemplate(
    ResourceTemplate.make(uriTemplate, { name: label, parameters: { x: Schema.String } }),
    ({ x }) => Effect.succeed(`${label} ${x}`)
  )

const notFound = (uri: string) => ({ code: -32602, message: `Resource not found: ${uri}`, data: { uri } })

describe("lists of resources", () => {
  it.effect("RES-2, RES-3, RES-13, ICON-1, META-19: give every member of a definition", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.merge(TodayLive, DayLive))
      assert.deepStrictEqual((yield* peer.result("resources/list")).resources, [{
        uri: "notes://today",
        name: "today",
        title: "Today",
        description: "Notes of today",
        mimeType: "text/markdown",
        size: 7,
        annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" },
        icons: [{ src: "https://example.com/i.svg", theme: "light" }],
        _meta: { "a/b": 1 }
      }])
      assert.deepStrictEqual((yield* peer.result("resources/templates/list")).resourceTemplates, [{
        uriTemplate: "notes://day/{day}",
        name: "day",
        title: "A day",
        description: "Notes of a day",
        mimeType: "text/markdown",
        annotations: { priority: 0 },
        icons: [{ src: "https://example.com/d.svg" }],
        _meta: { "a/c": 2 }
      }])
    }))
})

describe("resources/read", () => {
  it.effect("RES-4: text, bytes, contents of one's own, and several", () =>
    Effect.gen(function*() {
      const several = [
        Content.contents("f://a", "A", { mimeType: "text/plain", meta: { "x/y": 1 } }),
        Content.contents("f://b", new Uint8Array([255]), { mimeType: "image/png" })
      ]
      const peer = yield* start(Layer.mergeAll(
        TodayLive,
        McpServer.resource(Resource.make("f://bytes"), Effect.succeed(new Uint8Array([1, 2, 3]))),
        McpServer.resource(Resource.make("f://one"), Effect.succeed(several[0]!)),
        McpServer.resource(Resource.make("f://several"), Effect.succeed(several)),
        McpServer.resource(Resource.make("f://empty"), Effect.succeed(""))
      ))
      const read = (uri: string) => Effect.map(peer.result("resources/read", { uri }), (result) => result.contents)
      assert.deepStrictEqual(yield* read("notes://today"), [
        { uri: "notes://today", mimeType: "text/markdown", text: "# Today" }
      ])
      assert.deepStrictEqual(yield* read("f://bytes"), [{ uri: "f://bytes", blob: "AQID" }])
      assert.deepStrictEqual(yield* read("f://one"), [
        { uri: "f://a", mimeType: "text/plain", _meta: { "x/y": 1 }, text: "A" }
      ])
      assert.deepStrictEqual((yield* read("f://several"))[1], { uri: "f://b", mimeType: "image/png", blob: "/w==" })
      assert.deepStrictEqual(yield* read("f://empty"), [{ uri: "f://empty", text: "" }])
    }))

  it.effect("RES-3, case 64: the parameters of a template are decoded by their schemas", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.mergeAll(
        DayLive,
        template("file:///{+x}", "path"),
        template("q://s{?x}", "query")
      ))
      const text = (uri: string) =>
        Effect.map(peer.result("resources/read", { uri }), (result) => result.contents[0].text)
      assert.strictEqual(yield* text("notes://day/41"), "Day 42 of notes://day/41")
      assert.strictEqual(yield* text("file:///a/b%20c.md"), "path a/b c.md")
      assert.strictEqual(yield* text("q://s?x=%C3%A9"), "query é")
      assert.strictEqual(
        (yield* peer.result("resources/read", { uri: "notes://day/1" })).contents[0].mimeType,
        "text/markdown"
      )
    }))

  it.effect("RES-5, RES-6, ERR-7: what does not exist is -32602 with its URI, never empty contents", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.mergeAll(TodayLive, DayLive))
      for (
        const uri of [
          "notes://tomorrow",
          "notes://day/",
          // The parameter does not decode.
          "notes://day/monday",
          // The handler says so.
          "notes://day/999",
          "",
          "__proto__"
        ]
      ) {
        assert.deepStrictEqual(yield* peer.error("resources/read", { uri }), notFound(uri))
      }
      for (const uri of [null, 1, undefined]) {
        assert.strictEqual((yield* peer.error("resources/read", { uri })).code, -32602)
      }
    }))

  it.effect("a resource of its own goes before a family, and a family made first before another", () =>
    Effect.gen(function*() {
      const general = template("p://{+x}", "general")
      const exact = McpServer.resource(Resource.make("p://a/exact"), Effect.succeed("exact"))
      const late = template("p://a/{x}", "late")
      const peer = yield* start(Layer.mergeAll(late, exact, general))
      const text = (uri: string) =>
        Effect.map(peer.result("resources/read", { uri }), (result) => result.contents[0].text)
      assert.strictEqual(yield* text("p://a/exact"), "exact")
      assert.strictEqual(yield* text("p://a/b"), "general a/b")
    }))

  it.effect("a family whose parameters do not decode leaves the URI to the next", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.mergeAll(DayLive, template("notes://day/{x}", "any")))
      const { contents } = yield* peer.result("resources/read", { uri: "notes://day/monday" })
      assert.strictEqual(contents[0].text, "any monday")
    }))

  it.effect("RES-12, B12: a URI that is too long is -32602, in bytes", () =>
    Effect.gen(function*() {
      const peer = yield* start(template("p://{+x}", "p")).pipe(Effect.provide(Limits.layer({ uriBytes: 20 })))
      assert.strictEqual((yield* peer.result("resources/read", { uri: "p://123456789012345" })).contents.length, 1)
      for (const uri of ["p://12345678901234567", `p://${"é".repeat(9)}`]) {
        const error = yield* peer.error("resources/read", { uri })
        assert.strictEqual(error.code, -32602)
        assert.include(error.message, "20 bytes")
      }
    }))

  it.effect("ERR-1, ERR-9: an error of a handler keeps its code, message and data", () =>
    Effect.gen(function*() {
      const error = new McpError.Application({ code: 7, message: "Locked", data: { by: "me" } })
      const peer = yield* start(Layer.mergeAll(
        McpServer.resource(Resource.make("l://a"), Effect.fail(error)),
        McpServer.resourceTemplate(
          ResourceTemplate.make("l://{x}/b", { name: "l", parameters: { x: Schema.String } }),
          () => Effect.fail(error)
        )
      ))
      for (const uri of ["l://a", "l://a/b"]) {
        assert.deepStrictEqual(yield* peer.error("resources/read", { uri }), {
          code: 7,
          message: "Locked",
          data: { by: "me" }
        })
      }
    }))
})

describe("cache hints", () => {
  const hintOf = ({ cacheScope, ttlMs }: { readonly cacheScope: string; readonly ttlMs: number }) => ({
    cacheScope,
    ttlMs
  })

  it.effect("CACHE-1: are on all six methods, and by default allow nothing", () =>
    Effect.gen(function*() {
      const peer = yield* start(Layer.merge(TodayLive, DayLive))
      for (
        const [method, params] of [
          ["server/discover", {}],
          ["resources/list", {}],
          ["resources/templates/list", {}],
          ["resources/read", { uri: "notes://today" }],
          ["resources/read", { uri: "notes://day/1" }]
        ] as const
      ) {
        assert.deepStrictEqual(hintOf(yield* peer.result(method, params)), { cacheScope: "private", ttlMs: 0 })
      }
    }))

  it.effect("CACHE-1: are set per list, and per resource over what the server says", () =>
    Effect.gen(function*() {
      const peer = yield* start(
        Layer.mergeAll(
          TodayLive,
          McpServer.resource(Resource.make("c://long"), Effect.succeed("c"), { cache: { ttl: "1 hour" } }),
          McpServer.resource(Resource.make("c://ever"), Effect.succeed("c"), { cache: { ttl: "Infinity" } }),
          McpServer.resource(Resource.make("c://private"), Effect.succeed("c"), { cache: { scope: "private" } }),
          McpServer.resourceTemplate(Day, () => Effect.succeed("d"), { cache: { ttl: "1.5 millis" } })
        ),
        {
          cache: {
            discover: { ttl: "1 day", scope: "public" },
            resources: { ttl: "2 minutes" },
            resourceTemplates: { scope: "public" },
            read: { ttl: "1 second", scope: "public" }
          }
        }
      )
      const hint = (method: string, params?: Record<string, unknown>) => Effect.map(peer.result(method, params), hintOf)
      assert.deepStrictEqual(yield* hint("server/discover"), { ttlMs: 86_400_000, cacheScope: "public" })
      assert.deepStrictEqual(yield* hint("resources/list"), { ttlMs: 120_000, cacheScope: "private" })
      assert.deepStrictEqual(yield* hint("resources/templates/list"), { ttlMs: 0, cacheScope: "public" })
      const read = (uri: string) => hint("resources/read", { uri })
      assert.deepStrictEqual(yield* read("notes://today"), { ttlMs: 1_000, cacheScope: "public" })
      assert.deepStrictEqual(yield* read("c://long"), { ttlMs: 3_600_000, cacheScope: "public" })
      assert.deepStrictEqual(yield* read("c://ever"), { ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: "public" })
      assert.deepStrictEqual(yield* read("c://private"), { ttlMs: 1_000, cacheScope: "private" })
      assert.deepStrictEqual(yield* read("notes://day/1"), { ttlMs: 1, cacheScope: "public" })
    }))
})
