/** The packages as a user gets them: packed, unpacked elsewhere, and used without anything else of the repository. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll } from "vitest"
import { packageNames, read, root } from "../scripts/lib/workspace.ts"
import { run, runNode, typeCheck, write, writeTsconfig } from "./support/run.ts"
import { snippetsOf } from "./support/snippets.ts"

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const names = [...packageNames()]
const consumer = fs.mkdtempSync(path.join(os.tmpdir(), "effect-mcp-consumer-"))
const modules = path.join(consumer, "node_modules")
const packed = new Map<string, ReadonlyArray<string>>()

/** Links a package of the repository's `node_modules`, as if the user had installed it. */
const link = (name: string): void => {
  const target = path.join(modules, name)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  if (!fs.existsSync(target)) fs.symlinkSync(path.join(root, "node_modules", name), target)
}

beforeAll(() => {
  const workspaces = names.flatMap((name) => ["--workspace", `packages/${name}`])
  const { status, stderr, stdout } = run("npm", [
    "pack",
    "--json",
    "--ignore-scripts",
    "--pack-destination",
    consumer,
    ...workspaces
  ])
  assert.strictEqual(status, 0, stderr)
  const tarballs: Record<string, Packed> | ReadonlyArray<Packed> = JSON.parse(stdout)
  for (const { filename, files, name } of Object.values(tarballs)) {
    packed.set(name, files.map((file) => file.path))
    const target = path.join(modules, name)
    fs.mkdirSync(target, { recursive: true })
    run("tar", ["-xzf", path.join(consumer, filename), "-C", target, "--strip-components", "1"])
    const manifest = JSON.parse(fs.readFileSync(path.join(target, "package.json"), "utf8"))
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      if (!dependency.startsWith("@effect-mcp/")) link(dependency)
    }
  }
  link("@types/node")
  write(path.join(consumer, "package.json"), JSON.stringify({ type: "module" }))
})

afterAll(() => fs.rmSync(consumer, { recursive: true, force: true }))

describe("packages", () => {
  describe.each(names)("%s", (name) => {
    const files = () => packed.get(`@effect-mcp/${name}`) ?? []

    it("has nothing but its sources, its build, its manifest and its papers", () => {
      const expected = /^(src\/.+\.ts|dist\/.+\.(js|d\.ts)(\.map)?|package\.json|LICENSE|README\.md|CHANGELOG\.md)$/
      assert.include(files(), "dist/index.d.ts")
      assert.include(files(), "LICENSE")
      assert.deepStrictEqual(files().filter((file) => !expected.test(file) || /\.test\./.test(file)), [])
    })

    it("has each module compiled, and no stale one", () => {
      const stems = (pattern: RegExp) => files().flatMap((file) => pattern.exec(file)?.[1] ?? []).toSorted()
      const sources = stems(/^src\/(.+)\.ts$/)
      assert.deepStrictEqual(stems(/^dist\/(.+)\.js$/), sources)
      assert.deepStrictEqual(stems(/^dist\/(.+)\.d\.ts$/), sources)
    })

    it("has a manifest that publint accepts", async () => {
      const pkgDir = path.join(root, "packages", name)
      const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true })
      assert.deepStrictEqual(messages.map((message) => formatMessage(message, pkg, { color: false })), [])
    })
  })

  it("open their modules and keep internal ones closed", () => {
    const folders = (name: string) => {
      const files = (packed.get(`@effect-mcp/${name}`) ?? []).flatMap((file) =>
        /^dist\/(.+\/\w+)\.js$/.exec(file)?.[1] ?? []
      )
      return [...new Map(files.map((file) => [path.dirname(file), `/${file}`])).values()]
    }
    const specifiers = names.flatMap((name) =>
      ["", "/package.json", "/index", "/internal/a", "/folder/index", ...folders(name)].map((end) =>
        `@effect-mcp/${name}${end}`
      )
    )
    const program = path.join(consumer, "resolve.ts")
    write(
      program,
      `for (const specifier of ${JSON.stringify(specifiers)}) {
        try { import.meta.resolve(specifier); console.log(specifier) } catch { /* closed */ }
      }`
    )
    const open = names.flatMap((name) => [`@effect-mcp/${name}`, `@effect-mcp/${name}/package.json`])
    assert.sameMembers(
      runNode(program, { cwd: consumer }).stdout.trim().split("\n").filter((one) => !one.includes("/schema/")),
      open
    )
  })

  it("run the quick start of the README", () => {
    assert.isTrue(fs.existsSync(path.join(root, "README.md")), "there is no README.md")
    const quickStart = snippetsOf(read("README.md")).find((snippet) => snippet.run)
    assert.isDefined(quickStart, "README.md has no ```ts run block")
    const folder = path.join(consumer, "quick-start")
    const file = path.join(folder, quickStart.file)
    write(file, quickStart.text)
    writeTsconfig(folder)
    assert.strictEqual(typeCheck(folder), "")
    const { status, stderr, stdout } = runNode(file, { cwd: folder, input: quickStart.input })
    assert.strictEqual(status, 0, stderr)
    assert.isDefined(quickStart.output, "the quick start of README.md has no ```text output block")
    assert.strictEqual(stdout, quickStart.output)
  })
})
