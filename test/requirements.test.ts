import { assert, describe, it } from "@effect/vitest"
import {
  coverage,
  faultKinds,
  faults,
  faultsIn,
  idsIn,
  isSchemaOnly,
  kindOf,
  specification,
  testFiles
} from "../scripts/requirements.ts"
import { read } from "../scripts/lib/workspace.ts"

const prefixes = new Set(["AA", "BB"])
const kinds = new Set(["box", "Z"])
const files = testFiles().map((file) => [file, read(file)] as const)

describe("requirements", () => {
  const { requirements, sections } = specification()

  it("have distinct ids, each in a section", () => {
    const ids = requirements.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.sameMembers([...new Set(ids.map((id) => id.replace(/-\d+$/, "")))], Object.keys(sections))
  })

  it("are the only ones that tests name", () => {
    const known = new Set(requirements.map(({ id }) => id))
    const ids = new Set(Object.keys(sections))
    const named = coverage(files, (text) => idsIn(text, ids))
    assert.deepStrictEqual([...named].filter(([id]) => !known.has(id)), [])
  })

  it("are found as whole words, and ranges are expanded", () => {
    const text = "AA-1 (AA-20), xAA-3, AA-4x, CC-1; BB-11…13, BB-21..BB-22"
    assert.deepStrictEqual([...idsIn(text, prefixes)], ["AA-1", "AA-20", "BB-11", "BB-12", "BB-13", "BB-21", "BB-22"])
  })

  it("are listed with every file that names them", () => {
    const named = coverage([["a.ts", "AA-1 AA-1"], ["b.ts", "AA-1"]], (text) => idsIn(text, prefixes))
    assert.deepStrictEqual([...named], [["AA-1", ["a.ts", "b.ts"]]])
  })

  it("count apart when only schemas are tested", () => {
    const schema = "packages/core/test/schema/Rules.test.ts"
    assert.isTrue(isSchemaOnly([schema]))
    assert.isFalse(isSchemaOnly([schema, "packages/core/test/Meta.test.ts"]))
    assert.isFalse(isSchemaOnly([]))
  })
})

describe("faults", () => {
  const ids = faults().map(({ id }) => id)

  it("have distinct ids, each of a kind", () => {
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.sameMembers([...new Set(ids.map(kindOf))], Object.keys(faultKinds))
  })

  it("are the only ones that tests name", () => {
    const all = new Set(Object.keys(faultKinds))
    const named = coverage(files, (text) => faultsIn(text, all))
    assert.deepStrictEqual([...named].filter(([id]) => !ids.includes(id)), [])
  })

  it("are found as whole words, and lists and ranges are expanded", () => {
    const text = "box 1, boxes 2; boxs 3, 4 and 5, unbox 6, (box 7) Z1, aZ2, %Z3, Z4-Z6, Z7b, Y8"
    assert.deepStrictEqual([...faultsIn(text, kinds)], [
      "box 1",
      "box 3",
      "box 4",
      "box 5",
      "box 7",
      "Z1",
      "Z4",
      "Z5",
      "Z6"
    ])
  })

  it("are not taken from a switch", () => {
    assert.deepStrictEqual([...faultsIn("switch (a) {\n  box 1:\n    \"box 2: b\"", kinds)], ["box 2"])
  })
})
