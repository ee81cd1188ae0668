/**
 * Writes `src/index.ts` of every package: one `export * as Name` for each module of the package, under the doc comment
 * of that module. Modules in sub-folders, and those for Node alone (`Node…`), are imported by their path and appear in no
 * barrel.
 *
 * Run with `npm run codegen`; `npm run codegen -- --check` writes nothing and fails when a barrel is out of date.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { isMain, packageNames, root } from "./lib/workspace.ts"

/** The doc comment with which a module starts, or an empty string. */
export const headerComment = (source: string): string => /^\/\*\*[\s\S]*?\*\//.exec(source.trimStart())?.[0] ?? ""

/** The barrel of modules given as `[name, source]`. */
export const barrel = (modules: ReadonlyArray<readonly [name: string, source: string]>): string => {
  const exports = [...modules]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, source]) =>
      [headerComment(source), `export * as ${name} from "./${name}.ts"`].filter(Boolean).join("\n")
    )
  return exports.length === 0 ? "export {}\n" : `${exports.join("\n\n")}\n`
}

/** The path of a package's barrel, its present text and the text it should have. */
export const barrelOf = (packageName: string) => {
  const src = path.join(root, "packages", packageName, "src")
  const modules = fs.readdirSync(src)
    // A module for Node alone would make the whole barrel need Node and the optional peer.
    .filter((file) => /^[A-Z]\w*\.ts$/.test(file) && !/^Node[A-Z]/.test(file))
    .map((file) => [path.basename(file, ".ts"), fs.readFileSync(path.join(src, file), "utf8")] as const)
  const file = path.join(src, "index.ts")
  return { file, actual: fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "", expected: barrel(modules) }
}

if (isMain(import.meta)) {
  const stale = packageNames().map(barrelOf).filter(({ actual, expected }) => actual !== expected)
  for (const { expected, file } of stale) {
    console.log(path.relative(root, file))
    if (!process.argv.includes("--check")) fs.writeFileSync(file, expected)
  }
  if (process.argv.includes("--check") && stale.length > 0) process.exitCode = 1
}
