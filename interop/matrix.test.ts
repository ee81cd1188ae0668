/**
 * Our client and our server over every transport and under every revision: one program, which knows of neither, gives
 * the same, or what the revision makes of it (see `matrix/expected.ts`).
 */
import * as EraCache from "@effect-mcp/client/EraCache"
import * as McpClient from "@effect-mcp/client/McpClient"
import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { changes, expected } from "./matrix/expected.ts"
import * as program from "./matrix/program.ts"
import { type Connect, type Revisions, ways } from "./matrix/ways.ts"

/** Runs the program, which has to give what it gives under that revision. */
const gives = (revision: Revision.Revision, connect: Connect, client: Revisions, server: Revisions) =>
  Effect.gen(function*() {
    const { negotiation } = yield* McpClient.McpClient
    assert.strictEqual(negotiation.revision, revision)
    const results = yield* program.run
    for (const part of program.names) assert.deepStrictEqual(results[part], expected(revision)[part], part)
  }).pipe(
    Effect.provide(
      McpClient.layer({ name: "matrix-client", version: "1.0.0" }, { revisions: client }).pipe(
        Layer.provide(connect("features", server)),
        // No server is met for the second time.
        Layer.provide(EraCache.layerMemory)
      )
    )
  )

for (const { connect, name, revisions } of ways) {
  describe(name, () => {
    const newest = revisions.at(-1) ?? Revision.latest
    it.live("settle on the newest revision", () => gives(newest, connect, undefined, undefined))

    for (const revision of revisions) {
      it.live(`${revision}: a client that speaks nothing else`, () => gives(revision, connect, [revision], undefined))

      it.live(`${revision}: a server that speaks nothing else`, () => gives(revision, connect, undefined, [revision]))
    }
  })
}

describe("the changes between revisions", () => {
  it("change something", () => {
    for (const { results, until } of changes) {
      const next = Revision.all[Revision.all.indexOf(until) + 1] ?? Revision.latest
      for (const [part, result] of Object.entries(results)) {
        assert.notDeepEqual(result, expected(next)[part as program.Part], part)
      }
    }
  })
})
