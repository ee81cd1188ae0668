/** Every row of the table of limits is enforced somewhere, and some test hits it. */
import * as Limits from "@effect-mcp/core/Limits"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { packageNames, root } from "../scripts/lib/workspace.ts"

const files = (folder: "src" | "test"): ReadonlyArray<string> =>
  packageNames().flatMap((name) => {
    const directory = path.join(root, "packages", name, folder)
    if (!fs.existsSync(directory)) return []
    return fs.readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !/(^|\/)[Ll]imits(\.test)?\.ts$/.test(file))
      .map((file) => fs.readFileSync(path.join(directory, file), "utf8"))
  })

/** Whether code reads a limit: a word of its own, outside of comments. */
const uses = (name: string) => (source: string): boolean =>
  new RegExp(`\\b${name}\\b`).test(source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, ""))

describe("limits", () => {
  const sources = files("src")
  const tests = files("test")

  it("a name that nothing reads is found out", () => {
    assert.isFalse(sources.some(uses("noSuchLimit")))
    assert.isFalse(uses("jsonDepth")("/** The limit jsonDepth. */ const other = 1 // jsonDepth"))
  })

  for (const name of Object.keys(Limits.table)) {
    it(`${name} is enforced`, () => assert.isTrue(sources.some(uses(name))))
    it(`${name} is hit by a test`, () => assert.isTrue(tests.some(uses(name))))
  }
})
