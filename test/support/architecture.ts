/**
 * The rules of the architecture, each a function from one source file to what is wrong with it.
 *
 * A rule is an entry of {@link rules}: what it says, how it is checked, and a sample that breaks it.
 */
import type { SourceFile } from "./source.ts"

export interface Rule {
  readonly check: (file: SourceFile) => ReadonlyArray<string>
  /** A file that breaks the rule, and nothing else about it matters. */
  readonly bad: readonly [path: string, text: string]
  /** A similar file that does not. */
  readonly good: readonly [path: string, text: string]
}

/** Which of our packages each package may import. */
export const dependsOn: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  server: ["core"],
  client: ["core"],
  "transport-stdio": ["core"],
  "transport-http": ["core"],
  testing: ["core", "server", "client"]
}

const ours = /^@effect-mcp\/([^/]+)/
const platform = /^(node:|@effect\/platform-)/
const barrels = /^(effect(\/[a-z-]+)?|@effect\/[a-z-]+|@effect-mcp\/[a-z-]+)$/
const maxLines = 600

const isInternal = (file: SourceFile): boolean => file.module.startsWith("internal/")

const mayUseNode = (file: SourceFile): boolean =>
  file.packageName === "transport-http" && /^(NodeMcpHttp|internal\/server\/platform\/node\w*)\.ts$/.test(file.module)

const isPublicModule = (file: SourceFile): boolean => /^([\w-]+\/)*[A-Z]\w*\.ts$/.test(file.module) && !isInternal(file)

const wrongImports = (file: SourceFile, isWrong: (specifier: string) => boolean): ReadonlyArray<string> =>
  file.imports.filter(({ specifier }) => isWrong(specifier)).map(({ line, specifier }) =>
    `${file.path}:${line} imports ${specifier}`
  )

const occurrencesOf = (file: SourceFile, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  file.occurrences.filter(({ what }) => words.includes(what)).map(({ line, what }) => `${file.path}:${line} ${what}`)

export const rules: Readonly<Record<string, Rule>> = {
  "packages import only what lies below them": {
    check: (file) =>
      wrongImports(file, (specifier) => {
        const target = ours.exec(specifier)?.[1]
        return target !== undefined && !(dependsOn[file.packageName] ?? []).includes(target)
      }),
    bad: ["packages/transport-http/src/A.ts", `export * from "@effect-mcp/server/McpServer"`],
    good: ["packages/transport-http/src/A.ts", `export * from "@effect-mcp/core/JsonRpc"`]
  },
  "only the Node entry of transport-http knows the platform": {
    check: (file) => mayUseNode(file) ? [] : wrongImports(file, (specifier) => platform.test(specifier)),
    bad: ["packages/transport-http/src/McpHttp.ts", `const http = import("node:http")`],
    good: ["packages/transport-http/src/NodeMcpHttp.ts", `import * as Http from "node:http"`]
  },
  "modules are imported by their sub-path, never through a barrel": {
    check: (file) => wrongImports(file, (specifier) => barrels.test(specifier)),
    bad: ["packages/core/src/A.ts", `import type { Server } from "effect/http"`],
    good: ["packages/core/src/A.ts", `import type * as Server from "effect/http/HttpServer"`]
  },
  "relative imports name the .ts file and stay inside src": {
    check: (file) => {
      const depth = file.module.split("/").length - 1
      return wrongImports(file, (specifier) =>
        specifier.startsWith(".") &&
        (!specifier.endsWith(".ts") || specifier.split("/").filter((part) => part === "..").length > depth))
    },
    bad: ["packages/core/src/schema/A.ts", `import * as B from "../B.js"`],
    good: ["packages/core/src/schema/A.ts", `import * as B from "../B.ts"`]
  },
  "no src file is longer than 600 lines": {
    check: (file) => file.lines > maxLines ? [`${file.path} has ${file.lines} lines`] : [],
    bad: ["packages/core/src/A.ts", "//\n".repeat(maxLines + 1)],
    good: ["packages/core/src/A.ts", "//\n".repeat(maxLines)]
  },
  "try and async stay in src/internal": {
    check: (file) => isInternal(file) ? [] : occurrencesOf(file, ["try", "async"]),
    bad: ["packages/core/src/A.ts", `export const f = { g: async () => {} }`],
    good: ["packages/core/src/internal/a.ts", `export const f = async () => { try { g() } finally { h() } }`]
  },
  "the time comes from Clock": {
    check: (file) => occurrencesOf(file, ["new Date()"]),
    bad: ["packages/core/src/internal/a.ts", `export const now = () => new Date()`],
    good: ["packages/core/src/internal/a.ts", `export const at = (millis: number) => new Date(millis)`]
  },
  "public modules start with a doc comment that has @since": {
    check: (file) => isPublicModule(file) && !file.header.includes("@since") ? [file.path] : [],
    bad: ["packages/core/src/schema/A.ts", `import * as B from "./B.ts"\n/** @since 0.1.0 */\nexport const b = B`],
    good: ["packages/core/src/schema/A.ts", `/**\n * A.\n *\n * @since 0.1.0\n */\nexport {}`]
  },
  "every export of a public module has a doc comment": {
    check: (file) =>
      isPublicModule(file)
        ? file.exports.filter(({ documented }) => !documented).map(({ line, name }) => `${file.path}:${line} ${name}`)
        : [],
    bad: ["packages/core/src/A.ts", `/** A. */\nconst a = 1\nexport const b = a`],
    good: ["packages/core/src/A.ts", `/** B. */\nexport interface B {}\nexport const B = 1`]
  }
}
