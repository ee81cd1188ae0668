/** A client and a server of any revisions: they end at the newest one they have in common, or say that there is none. */
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Progress from "@effect-mcp/server/Progress"
import * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as McpClient from "../../src/McpClient.ts"

const subsets = Array.from(
  { length: 2 ** Revision.all.length - 1 },
  (_, index) => Revision.all.filter((_, bit) => ((index + 1) & (1 << bit)) !== 0)
)

const Add = Tool.make("add", { input: { a: Schema.Finite, b: Schema.Finite }, output: { sum: Schema.Finite } })

const Features = McpServer.tool(Add, ({ a, b }) =>
  Effect.gen(function*() {
    yield* Progress.report({ progress: 1, total: 2 })
    yield* Effect.logWarning("adding")
    return { sum: a + b }
  }))

const connected = (client: McpClient.Options, server: ReadonlyArray<Revision.Revision>) =>
  McpClient.layer({ name: "test", version: "1" }, client).pipe(
    Layer.provide(MemoryTransport.layer()),
    Layer.provide(McpServer.layer({ name: "server", version: "2", revisions: server }, Features))
  )

type Revisions = ReadonlyArray<Revision.Revision>

const newest = (revisions: Revisions) => revisions.at(-1)
const common = (client: Revisions, server: Revisions) => client.filter((revision) => server.includes(revision))
const legacy = (revisions: Revisions) => revisions.filter((revision) => Revision.era(revision) === "legacy")
const hasModern = (revisions: Revisions) => revisions.includes("2026-07-28")

/**
 * What comes of one offer. A server that does not have it names another one, and only that one: one that both have, but
 * neither begins with, is not found, for the connection is over then (INIT-4).
 */
const handshake = (client: Revisions, server: Revisions) => {
  const offered = newest(legacy(client))
  const answered = server.find((revision) => revision === offered) ?? newest(legacy(server))
  return offered === undefined ? undefined : client.find((revision) => revision === answered)
}

/** A question of the modern era is answered by our servers with all they speak, so that nothing is missed there. */
const expected = (client: Revisions, server: Revisions, prefer: "newest" | "legacy") => {
  if (prefer === "newest" && hasModern(client)) return newest(common(client, server))
  return handshake(client, server) ?? common(client, server).find((revision) => Revision.era(revision) === "modern")
}

describe("every client with every server", () => {
  for (const server of subsets) {
    it.effect(`ERA-3, ERA-8, ERA-22, INIT-3: a server of ${server.join(", ")}`, () =>
      Effect.gen(function*() {
        for (const revisions of subsets) {
          for (const prefer of ["newest", "legacy"] as const) {
            const found = yield* McpClient.McpClient.pipe(
              Effect.map((client) => client.server.revision),
              Effect.provide(connected({ revisions, prefer }, server), { local: true }),
              Effect.catchReason("McpClientError", "NoCommonRevision", () => Effect.succeed(undefined))
            )
            assert.strictEqual(found, expected(revisions, server, prefer), `${prefer}: ${revisions.join(", ")}`)
          }
        }
      }))
  }
})

it("INIT-4: what one offer can miss takes a gap in the revisions of a side", () => {
  for (const client of subsets) {
    for (const server of subsets) {
      if (handshake(client, server) === newest(legacy(common(client, server)))) continue
      const isWhole = (revisions: Revisions) => {
        const places = revisions.map((revision) => Revision.all.indexOf(revision))
        return places.every((place, index) => index === 0 || place === (places[index - 1] ?? 0) + 1)
      }
      assert.isFalse(isWhole(legacy(client)) && isWhole(legacy(server)))
    }
  }
})

describe("one program", () => {
  for (const revision of Revision.all) {
    it.effect(`ERA-6: has the same results under ${revision}`, () =>
      Effect.gen(function*() {
        const client = yield* McpClient.McpClient
        assert.strictEqual(client.server.revision, revision)
        assert.strictEqual(client.server.info?.name, "server")
        assert.deepStrictEqual((yield* Stream.runCollect(client.tools)).map(({ name }) => name), ["add"])
        const seen: Array<number> = []
        const logged: Array<unknown> = []
        const result = yield* client.callTool("add", { a: 1, b: 2 }, {
          onProgress: ({ progress }) => Effect.sync(() => seen.push(progress)),
          onLog: ({ data, level }) => Effect.sync(() => logged.push([level, data]))
        })
        const [text] = result.content
        assert.deepStrictEqual(text, { type: "text", text: `{"sum":3}` })
        assert.deepStrictEqual(seen, [1])
        assert.deepStrictEqual(logged, [["warning", "adding"]])
      }).pipe(Effect.provide(connected({ revisions: [revision] }, Revision.all))))
  }
})
