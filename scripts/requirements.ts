/**
 * Tells which requirements of `spec/requirements.json` are named in a test, per section, and which faults of
 * `spec/faults.json`, per kind.
 *
 * Run with `npm run requirements`; `-- --missing` lists what has no test with its text, `-- --json` prints everything
 * as JSON. A test names a requirement by its id anywhere in its file; `HDR-11..13` and `HDR-11…13` name all three, and
 * so do `cases 13, 14 and 20` and `B1-B3`. A requirement whose only tests are those of the schemas is counted apart: a
 * message can have the right form, and nobody send it.
 */
import { filesUnder, isMain, packageNames, read } from "./lib/workspace.ts"

export interface Requirement {
  readonly id: string
  readonly level: "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT" | "MAY" | "INFO"
  readonly side: string
  readonly revisions: string
  readonly text: string
  readonly source: string
}

export interface Specification {
  /** What the aliases in `source` stand for. */
  readonly sources: Readonly<Record<string, string>>
  /** The title of each section, by the prefix of its ids. */
  readonly sections: Readonly<Record<string, string>>
  readonly requirements: ReadonlyArray<Requirement>
}

/** Something that goes wrong in implementations: what happens, and what is right. */
export interface Fault {
  readonly id: string
  readonly text: string
}

export const specification = (): Specification => JSON.parse(read("spec/requirements.json"))

export const faults = (): ReadonlyArray<Fault> => JSON.parse(read("spec/faults.json"))

/** What the ids of faults begin with: a word that numbers follow, or a letter. */
export const faultKinds: Readonly<Record<string, string>> = {
  case: "seen in other implementations",
  trap: "where the specification is easily misread",
  F: "failures to survive",
  B: "bad input to refuse",
  C: "isolation",
  L: "load to hold"
}

const prefixOf = (id: string): string => id.slice(0, id.lastIndexOf("-"))

/** The kind of a fault, by its id. */
export const kindOf = (id: string): string => id.replace(/ ?\d+$/, "")

/** The ids with one of these prefixes that a text names, ranges expanded. */
export const idsIn = (text: string, prefixes: ReadonlySet<string>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const [, prefix, from, to] of text.matchAll(/\b([A-Z]+)-(\d+)(?:(?:…|\.\.\.?)(?:\1-)?(\d+))?\b/g)) {
    if (!prefixes.has(prefix!)) continue
    for (let number = Number(from); number <= Number(to ?? from); number++) ids.add(`${prefix}-${number}`)
  }
  return ids
}

/** The ids of faults of these kinds that a text names, lists and ranges expanded. No `case` of a `switch` is one. */
export const faultsIn = (text: string, kinds: ReadonlySet<string>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (
    const [, word, numbers] of text.matchAll(/(?!(?<=^\s*)[a-z]+ \d+:)\b([a-z]+?)s? (\d+(?:(?:, | and )\d+)*)\b/gm)
  ) {
    if (!kinds.has(word!)) continue
    for (const number of numbers!.match(/\d+/g)!) ids.add(`${word} ${number}`)
  }
  for (const [, letter, from, to] of text.matchAll(/(?<![\w%])([A-Z])(\d+)(?:(?:-|…|\.\.)\1(\d+))?\b/g)) {
    if (!kinds.has(letter!)) continue
    for (let number = Number(from); number <= Number(to ?? from); number++) ids.add(`${letter}${number}`)
  }
  return ids
}

/** For each id the files that name it. Ids that look right and are in no list are among them. */
export const coverage = (
  files: ReadonlyArray<readonly [file: string, text: string]>,
  idsOf: (text: string) => ReadonlySet<string>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const [file, text] of files) {
    for (const id of idsOf(text)) found.set(id, [...(found.get(id) ?? []), file])
  }
  return found
}

/** Whether nothing is tested but the schemas. */
export const isSchemaOnly = (files: ReadonlyArray<string>): boolean =>
  files.length > 0 && files.every((file) => file.includes("/test/schema/"))

/** All files in which a requirement can be named. */
export const testFiles = (): ReadonlyArray<string> =>
  [
    ...packageNames().flatMap((name) => [`packages/${name}/test`, `packages/${name}/typetest`]),
    "test",
    "examples",
    "interop"
  ].flatMap((folder) => filesUnder(folder, (file) => file.endsWith(".ts")))

const listed = (title: string, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length === 0 ? [] : [`${`${title}:`.padStart(25)} ${ids.join(" ")}`]

const heading = (name: string, tested: number, all: number, title: string): string =>
  `${name.padEnd(7)} ${`${tested}/${all}`.padStart(6)}  ${title}`

const idsOf = (some: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => some.map(({ id }) => id)

const report = (args: ReadonlyArray<string>): string => {
  const { requirements, sections } = specification()
  const prefixes = new Set(Object.keys(sections))
  const kinds = new Set(Object.keys(faultKinds))
  const files = testFiles().map((file) => [file, read(file)] as const)
  const covered = coverage(files, (text) => idsIn(text, prefixes))
  const provoked = coverage(files, (text) => faultsIn(text, kinds))
  const testsOf = ({ id }: Requirement) => covered.get(id) ?? []
  const isMissing = (one: Requirement) => testsOf(one).length === 0
  const isSchema = (one: Requirement) => isSchemaOnly(testsOf(one))
  const isTested = (one: Requirement) => !isMissing(one) && !isSchema(one)
  const hasTest = ({ id }: Fault) => provoked.has(id)

  if (args.includes("--json")) {
    return JSON.stringify(
      {
        requirements: requirements.map((one) => ({ ...one, tests: testsOf(one), schemaOnly: isSchema(one) })),
        faults: faults().map((fault) => ({ ...fault, tests: provoked.get(fault.id) ?? [] }))
      },
      null,
      2
    )
  }
  if (args.includes("--missing")) {
    return [
      ...requirements.filter(isMissing).map(({ id, level, text }) => `${id} ${level}: ${text}`),
      ...requirements.filter(isSchema).map(({ id, level, text }) => `${id} ${level} (schema only): ${text}`),
      ...faults().filter((fault) => !hasTest(fault)).map(({ id, text }) => `${id}: ${text}`)
    ].join("\n")
  }

  const summary = (some: ReadonlyArray<Requirement>): string =>
    `${some.filter(isTested).length} of ${some.length}, and ${some.filter(isSchema).length} more by a schema only`
  return [
    ...Object.entries(sections).flatMap(([prefix, title]) => {
      const all = requirements.filter(({ id }) => prefixOf(id) === prefix)
      return [
        heading(prefix, all.filter(isTested).length, all.length, title),
        ...listed("tested", idsOf(all.filter(isTested))),
        ...listed("schema only", idsOf(all.filter(isSchema))),
        ...listed("missing", idsOf(all.filter(isMissing)))
      ]
    }),
    "",
    "Faults",
    ...Object.entries(faultKinds).flatMap(([kind, title]) => {
      const all = faults().filter(({ id }) => kindOf(id) === kind)
      const tested = all.filter(hasTest)
      return [
        heading(kind, tested.length, all.length, title),
        ...listed("missing", idsOf(all.filter((fault) => !hasTest(fault))).map((id) => id.replace(/^\w+ /, "")))
      ]
    }),
    "",
    `Requirements named in a test: ${summary(requirements)}.`,
    `Those with MUST or MUST NOT:  ${summary(requirements.filter(({ level }) => level.startsWith("MUST")))}.`,
    `Faults named in a test:       ${faults().filter(hasTest).length} of ${faults().length}.`
  ].join("\n")
}

if (isMain(import.meta)) console.log(report(process.argv.slice(2)))
