import { assert, describe, it } from "@effect/vitest"
import { barrel, barrelOf, headerComment } from "../scripts/codegen-barrels.ts"
import { packageNames } from "../scripts/lib/workspace.ts"

describe("barrels", () => {
  it.each([...packageNames()])("%s: src/index.ts is what `npm run codegen` writes", (name) => {
    const { actual, expected } = barrelOf(name)
    assert.strictEqual(actual, expected)
  })

  it("sorts the modules and copies their header comments", () => {
    const header = "/**\n * Two.\n *\n * @since 0.1.0\n */"
    assert.strictEqual(
      barrel([["Two", `${header}\nexport const two = 2\n`], ["One", "export const one = 1\n"]]),
      `export * as One from "./One.ts"\n\n${header}\nexport * as Two from "./Two.ts"\n`
    )
  })

  it("takes only the comment with which a module starts", () => {
    assert.strictEqual(headerComment("import * as A from \"a\"\n\n/** Not a header. */\nexport const a = A\n"), "")
  })
})
