import { assert, describe, it } from "@effect/vitest"
import { filesUnder, packageNames, read } from "../scripts/lib/workspace.ts"
import { dependsOn, rules } from "./support/architecture.ts"
import { parseSource } from "./support/source.ts"

const files = packageNames()
  .flatMap((name) => filesUnder(`packages/${name}/src`, (file) => file.endsWith(".ts")))
  .map((file) => parseSource(file, read(file)))

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const manifestOf = (name: string): Manifest => JSON.parse(read(`packages/${name}/package.json`))

const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]

describe("architecture", () => {
  for (const [name, { bad, check, good }] of Object.entries(rules)) {
    describe(name, () => {
      it("holds", () => assert.deepStrictEqual(files.flatMap((file) => check(file)), []))
      it("fails for a file that breaks it", () => assert.lengthOf(check(parseSource(...bad)), 1))
      it("passes for a file that keeps it", () => assert.deepStrictEqual(check(parseSource(...good)), []))
    })
  }

  it("looks at the sources of every package", () => {
    assert.deepStrictEqual([...new Set(files.map((file) => file.packageName))], [...packageNames()])
    assert.sameMembers(Object.keys(dependsOn), [...packageNames()])
  })

  it.each([...packageNames()])("%s: package.json names our packages in the same direction", (name) => {
    const { dependencies = {} } = manifestOf(name)
    const declared = Object.keys(dependencies).filter((dependency) => dependency.startsWith("@effect-mcp/"))
    assert.sameMembers(declared, dependsOn[name]!.map((dependency) => `@effect-mcp/${dependency}`))
  })

  it.each([...packageNames()])("%s: what src imports is declared in package.json", (name) => {
    const { dependencies, peerDependencies } = manifestOf(name)
    const declared = new Set([...Object.keys(dependencies ?? {}), ...Object.keys(peerDependencies ?? {})])
    const undeclared = files.filter((file) => file.packageName === name).flatMap((file) => file.imports)
      .map(({ specifier }) => specifier)
      .filter((specifier) => !/^(\.|node:)/.test(specifier) && !declared.has(packageOf(specifier)))
    assert.deepStrictEqual(undeclared, [])
  })
})
