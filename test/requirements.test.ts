import { assert, describe, it } from "@effect/vitest"
import { coverage, idsIn, specification, testFiles } from "../scripts/requirements.ts"
import { read } from "../scripts/lib/workspace.ts"

const prefixes = new Set(["AA", "BB"])

describe("requirements", () => {
  const { requirements, sections } = specification()

  it("have distinct ids, each in a section", () => {
    const ids = requirements.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.sameMembers([...new Set(ids.map((id) => id.replace(/-\d+$/, "")))], Object.keys(sections))
  })

  it("are the only ones that tests name", () => {
    const known = new Set(requirements.map(({ id }) => id))
    const files = testFiles().map((file) => [file, read(file)] as const)
    const named = coverage(files, new Set(Object.keys(sections)))
    assert.deepStrictEqual([...named].filter(([id]) => !known.has(id)), [])
  })

  it("are found as whole words, and ranges are expanded", () => {
    const text = "AA-1 (AA-20), xAA-3, AA-4x, CC-1; BB-11…13, BB-21..BB-22"
    assert.deepStrictEqual([...idsIn(text, prefixes)], ["AA-1", "AA-20", "BB-11", "BB-12", "BB-13", "BB-21", "BB-22"])
  })

  it("are listed with every file that names them", () => {
    assert.deepStrictEqual([...coverage([["a.ts", "AA-1 AA-1"], ["b.ts", "AA-1"]], prefixes)], [
      ["AA-1", ["a.ts", "b.ts"]]
    ])
  })
})
