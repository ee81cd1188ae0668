import { assert, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { type Check, judge, type Later, laterIds, unknownIds } from "../scripts/conformance/judge.ts"
import { type Role, results, revisions, roles, scored } from "../scripts/conformance/suite.ts"
import { read, root } from "../scripts/lib/workspace.ts"
import { run, scratch, write } from "./support/run.ts"

const check = (id: string, status: Check["status"]): Check => ({ id, status })
const statusOf = (checks: ReadonlyArray<Check> | undefined, later: ReadonlyArray<string> = [], exitCode?: number) =>
  judge({ scenario: "s", checks, ...(exitCode === undefined ? {} : { exitCode }) }, new Set(later)).status

describe("a conformance scenario", () => {
  it("passes with a success and nothing wrong", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "SKIPPED"), check("c", "INFO")]), "passed")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], [], 0), "passed")
  })

  it("fails with a failure, a warning, no success, no result or a bad exit code", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "FAILURE")]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "WARNING")]), "failed")
    assert.strictEqual(statusOf([check("a", "SKIPPED"), check("b", "INFO")]), "failed")
    assert.strictEqual(statusOf([]), "failed")
    assert.strictEqual(statusOf(undefined), "failed")
    assert.strictEqual(statusOf(undefined, ["s#a"]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], [], 1), "failed")
  })

  it("that is for later may fail, but not pass", () => {
    assert.strictEqual(statusOf([check("a", "FAILURE")], ["s"]), "later")
    assert.strictEqual(statusOf(undefined, ["s"]), "later")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], ["s"]), "stale")
  })

  it("of which a check is for later is judged by its other checks", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "FAILURE")], ["s#b"], 1), "later")
    assert.strictEqual(statusOf([check("a", "FAILURE"), check("b", "FAILURE")], ["s#b"]), "failed")
    assert.strictEqual(statusOf([check("b", "FAILURE")], ["s#b"]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "SUCCESS")], ["s#b"]), "stale")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], ["s#b"]), "stale")
  })
})

describe("conformance.later.json", () => {
  const entries: ReadonlyArray<Later> = JSON.parse(read("conformance.later.json"))

  it("names revisions and roles of the suite, and gives reasons", () => {
    for (const { reason, revision, role } of entries) {
      assert.include([...revisions()], revision)
      assert.include([...roles], role as Role)
      assert.isNotEmpty(reason)
    }
  })

  it.each(revisions().flatMap((revision) => roles.map((role) => [revision, role] as const)))(
    "names scored scenarios of %s, %s",
    (revision, role) =>
      assert.deepStrictEqual(unknownIds(laterIds(entries, revision, role), scored(revision, role)), [])
  )

  it("would be noticed naming others", () => {
    assert.deepStrictEqual(unknownIds(new Set(["a", "b#c", "d#e"]), ["a", "b"]), ["d#e"])
  })
})

describe("the suite's files", () => {
  it("are found by scenario, with and without a slash in its name", () => {
    const folder = scratch("conformance")
    write(path.join(folder, "server-tools-list-2026-07-28T10-11-12-013Z/checks.json"), "[1]")
    write(path.join(folder, "server-server-stateless-2026-07-28T10-11-12-013Z/checks.json"), "[2]")
    write(path.join(folder, "auth/basic-cimd-2026-07-28T10-11-12-013Z/checks.json"), "[3]")
    assert.deepStrictEqual(
      new Map<string, unknown>(results(folder)),
      new Map([["tools-list", [1]], ["server-stateless", [2]], ["auth/basic-cimd", [3]]])
    )
  })
})

describe("the suite's mock servers", () => {
  it("listen on 127.0.0.1, and know their port at once", () => {
    const program =
      `const s = require("node:http").createServer().listen(0); console.log(s.address().address); s.close()`
    const preload = path.join(root, "scripts/conformance/listenOnLoopback.ts")
    assert.strictEqual(run(process.execPath, ["--import", preload, "-e", program]).stdout, "127.0.0.1\n")
  })
})
