import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { beforeAll } from "vitest"
import { filesUnder, packageNames, read, root } from "../scripts/lib/workspace.ts"
import { runNode, scratch, typeCheck, write, writeTsconfig } from "./support/run.ts"
import { docComments, snippetsOf, unknownWords } from "./support/snippets.ts"

const markdown = ["README.md", ...packageNames().map((name) => `packages/${name}/README.md`)]
  .filter((file) => fs.existsSync(path.join(root, file)))
  .concat(filesUnder("docs", (file) => file.endsWith(".md")))

const sources = packageNames().flatMap((name) =>
  filesUnder(`packages/${name}/src`, (file) => file.endsWith(".ts") && !file.endsWith("/index.ts"))
)

const documents = [
  ...markdown.map((file) => ({ file, markdown: read(file) })),
  ...sources.map((file) => ({ file, markdown: docComments(read(file)) }))
].map((document) => ({ ...document, folder: document.file.replace(/\.\w+$/, "").replaceAll("/", "-") }))

describe("documents", () => {
  const folder = scratch("documents")
  let messages = ""

  beforeAll(() => {
    for (const document of documents) {
      for (const { file, text } of snippetsOf(document.markdown)) {
        write(path.join(folder, document.folder, file), text)
      }
    }
    write(path.join(folder, "empty.ts"), "export {}\n")
    writeTsconfig(folder)
    messages = typeCheck(folder)
  })

  it("have TypeScript that compiles", () => assert.strictEqual(messages, ""))

  it("say nothing unknown after `ts`", () => {
    assert.deepStrictEqual(documents.flatMap(({ markdown }) => unknownWords(markdown)), [])
  })

  it("keep short what they call short", () => {
    const short = documents.flatMap((document) =>
      snippetsOf(document.markdown).filter((snippet) => snippet.short).map(({ file, text }) => ({
        name: `${document.file}: ${file}`,
        lines: text.trimEnd().split("\n").length
      }))
    )
    assert.includeMembers(short.map(({ name }) => name), ["README.md: hello.ts", "README.md: hello-client.ts"])
    assert.deepStrictEqual(short.filter(({ lines }) => lines >= 25), [])
  })

  for (const document of documents) {
    for (const snippet of snippetsOf(document.markdown).filter((snippet) => snippet.run)) {
      it(`${document.file}:${snippet.line} runs`, () => {
        const { status, stderr, stdout } = runNode(path.join(folder, document.folder, snippet.file), snippet)
        assert.strictEqual(status, 0, stderr)
        if (snippet.output !== undefined) assert.strictEqual(stdout, snippet.output)
      })
    }
  }
})

describe("ARCHITECTURE.md and CONTRIBUTING.md", () => {
  /** Paths in code spans, of the repository or of its packages; a placeholder or a glob may be part of them. */
  const pathsOf = (file: string) =>
    [...read(file).matchAll(/`([\w.*-]+\/[\w.*/-]*)`/g)].map(([, found]) => found!).filter((found) =>
      /^(core|server|client|transport-\w+|testing|packages|examples|spec|scripts|test|interop|\.ci)\//.test(found)
    )

  it("name only what exists", () => {
    const missing = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap(pathsOf).filter((pattern) =>
      ["", "packages", "packages/core"].every((folder) => fs.globSync(path.join(root, folder, pattern)).length === 0)
    )
    assert.deepStrictEqual(missing, [])
  })
})

describe("the checks themselves", () => {
  const sample = [
    "```ts file=greet.ts",
    "export const greet = (name: string) => `Hello ${name}`",
    "```",
    "",
    "```ts run short",
    "console.log(1)",
    "```",
    "",
    "```text input",
    "in",
    "```",
    "",
    "```text output",
    "1",
    "```",
    "",
    "```ts",
    "export {}",
    "```"
  ].join("\n")

  it("find the snippets, their names, inputs and outputs", () => {
    assert.deepStrictEqual(snippetsOf(sample), [
      {
        file: "greet.ts",
        text: "export const greet = (name: string) => `Hello ${name}`\n",
        line: 1,
        run: false,
        short: false,
        input: "",
        output: undefined
      },
      { file: "snippet-2.ts", text: "console.log(1)\n", line: 5, run: true, short: true, input: "in\n", output: "1\n" },
      { file: "snippet-3.ts", text: "export {}\n", line: 17, run: false, short: false, input: "", output: undefined }
    ])
  })

  it("find the doc comments of a source file, in their lines", () => {
    const source = "/** One. */\nconst a = 1 // * 2\n  /**\n   * ```ts\n   * a\n   * ```\n   */\nconst b = 2\n"
    assert.strictEqual(docComments(source), "One. */\n\n\n```ts\na\n```\n   */\n\n")
  })

  it("notice a misspelt word", () => assert.deepStrictEqual(unknownWords("```ts rum\n```\n"), ["rum"]))

  it("notice a snippet that does not compile", () => {
    const folder = scratch("documents-bad")
    write(path.join(folder, "bad.ts"), "export const one: string = 1\n")
    writeTsconfig(folder)
    assert.include(typeCheck(folder), "bad.ts(1,14): error TS2322")
  })
})
