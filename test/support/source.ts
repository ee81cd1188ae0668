/** A parsed source file, with the few facts about it that the architecture rules ask for. */
import { parseSync, Visitor } from "oxc-parser"

/** A module another one mentions, in whatever form: import, re-export, `import()` or `import("…").Type`. */
export interface ModuleReference {
  readonly specifier: string
  readonly line: number
}

/** A place in the code, with the word a rule is about. */
export interface Occurrence {
  readonly what: string
  readonly line: number
}

export interface SourceFile {
  /** `packages/core/src/schema/Tools.ts` */
  readonly path: string
  /** `core` */
  readonly packageName: string
  /** `schema/Tools.ts`, relative to the package's `src` */
  readonly module: string
  readonly lines: number
  readonly imports: ReadonlyArray<ModuleReference>
  /** `try` statements, `async` functions and `new Date()` without an argument */
  readonly occurrences: ReadonlyArray<Occurrence>
  /** The names it declares and exports, and for each whether one of its declarations has a doc comment */
  readonly exports: ReadonlyArray<{ readonly name: string; readonly documented: boolean; readonly line: number }>
  /** The doc comment at its start, or an empty string */
  readonly header: string
}

/** Parses a file under `packages/<name>/src/`. */
export const parseSource = (path: string, text: string): SourceFile => {
  const { comments, errors, program } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const [, packageName = "", module = ""] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? []

  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length
  const imports: Array<ModuleReference> = []
  const occurrences: Array<Occurrence> = []
  const importOf = (source: { readonly start: number; readonly value: unknown } | null) => {
    if (source !== null) imports.push({ specifier: String(source.value), line: lineOf(source.start) })
  }
  const asyncOf = (node: { readonly async: boolean; readonly start: number }) => {
    if (node.async) occurrences.push({ what: "async", line: lineOf(node.start) })
  }
  new Visitor({
    ImportDeclaration: (node) => importOf(node.source),
    ExportNamedDeclaration: (node) => importOf(node.source),
    ExportAllDeclaration: (node) => importOf(node.source),
    ImportExpression: (node) => importOf(node.source.type === "Literal" ? node.source : { ...node.source, value: "?" }),
    TSImportType: (node) => importOf(node.source),
    TryStatement: (node) => void occurrences.push({ what: "try", line: lineOf(node.start) }),
    FunctionDeclaration: asyncOf,
    FunctionExpression: asyncOf,
    ArrowFunctionExpression: asyncOf,
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0) {
        occurrences.push({ what: "new Date()", line: lineOf(node.start) })
      }
    }
  }).visit(program)

  const docEnds = comments.filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
    .map((comment) => comment.end)
  const documentedAt = (offset: number) => docEnds.some((end) => end <= offset && text.slice(end, offset).trim() === "")
  const exports = new Map<string, { name: string; documented: boolean; line: number }>()
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) continue
    const declaration = statement.declaration
    const names = declaration.type === "VariableDeclaration"
      ? declaration.declarations.map((declarator) => declarator.id)
      : "id" in declaration
      ? [declaration.id]
      : []
    for (const id of names) {
      if (id?.type !== "Identifier") continue
      const documented = documentedAt(statement.start) || (exports.get(id.name)?.documented ?? false)
      exports.set(id.name, { name: id.name, documented, line: lineOf(statement.start) })
    }
  }

  const first = comments[0]
  const header = first !== undefined && first.type === "Block" && first.value.startsWith("*") &&
      text.slice(0, first.start).trim() === ""
    ? text.slice(first.start, first.end)
    : ""
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  return { path, packageName, module, lines, imports, occurrences, exports: [...exports.values()], header }
}
