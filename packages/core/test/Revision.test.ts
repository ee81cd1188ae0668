import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Array from "effect/Array"
import * as Result from "effect/Result"

describe("Revision", () => {
  it("ERA-1: the five revisions, oldest first", () => {
    assert.deepStrictEqual(Revision.all, ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    assert.strictEqual(Revision.latest, "2026-07-28")
    assert.deepStrictEqual<ReadonlyArray<string>>(Array.sort(Revision.all.toReversed(), Revision.order), Revision.all)
  })

  it("ERA-1: identifiers are equal or not, and nothing else is one", () => {
    for (const revision of Revision.all) assert.isTrue(Revision.isRevision(revision))
    for (const other of ["2025-11-26", "2025-11-25 ", "2025-11", "DRAFT-2026-v1", "", 20251125, null, undefined, {}]) {
      assert.isFalse(Revision.isRevision(other))
    }
  })

  it("the eras: four revisions with a handshake, one without", () => {
    assert.deepStrictEqual(Revision.all.map(Revision.era), ["legacy", "legacy", "legacy", "legacy", "modern"])
  })
})

describe("allowList", () => {
  it("is ordered newest first", () => {
    assert.deepStrictEqual(
      Revision.allowList(["2024-11-05", "2026-07-28", "2025-06-18"]),
      Result.succeed(["2026-07-28", "2025-06-18", "2024-11-05"] as const)
    )
    assert.deepStrictEqual(Revision.allowList(["2025-03-26"]), Result.succeed(["2025-03-26"] as const))
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, problem: string, named: ReadonlyArray<string>, RegExp]> =
    [
      [[], "empty", [], /name at least one/],
      [["2026-07-28", "2026-07-28"], "duplicate", ["2026-07-28", "2026-07-28"], /named twice/],
      [["2026-07-28", "2026-7-28"], "unknown", ["2026-7-28"], /2026-7-28 \(known: 2024-11-05, /],
      [["a", "a"], "unknown", ["a", "a"], /Not a published protocol revision: a, a/]
    ]
  for (const [revisions, problem, named, message] of wrong) {
    it(`${JSON.stringify(revisions)} is refused: ${problem}`, () => {
      const result = Revision.allowList(revisions)
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure.problem, problem)
      assert.deepStrictEqual(result.failure.revisions, named)
      assert.match(result.failure.message, message)
    })
  }

  it("RPC-16, RPC-18: one revision has batches", () => {
    assert.deepStrictEqual(Revision.all.filter(Revision.hasBatches), ["2025-03-26"])
    assert.isFalse(Revision.hasBatches(undefined))
  })
})
