/**
 * Tells which requirements of `spec/requirements.json` are named in a test, per section.
 *
 * Run with `npm run requirements`; `-- --missing` lists what has no test with its text, `-- --json` prints everything
 * as JSON. A test names a requirement by its id anywhere in its file; `HDR-11..13` and `HDR-11…13` name all three.
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

export const specification = (): Specification => JSON.parse(read("spec/requirements.json"))

const prefixOf = (id: string): string => id.slice(0, id.lastIndexOf("-"))

/** The ids with one of these prefixes that a text names, ranges expanded. */
export const idsIn = (text: string, prefixes: ReadonlySet<string>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const [, prefix, from, to] of text.matchAll(/\b([A-Z]+)-(\d+)(?:(?:…|\.\.\.?)(?:\1-)?(\d+))?\b/g)) {
    if (!prefixes.has(prefix!)) continue
    for (let number = Number(from); number <= Number(to ?? from); number++) ids.add(`${prefix}-${number}`)
  }
  return ids
}

/** For each id the files that name it. Ids of known sections that are in no list are among them. */
export const coverage = (
  files: ReadonlyArray<readonly [file: string, text: string]>,
  prefixes: ReadonlySet<string>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const [file, text] of files) {
    for (const id of idsIn(text, prefixes)) found.set(id, [...(found.get(id) ?? []), file])
  }
  return found
}

/** All files in which a requirement can be named. */
export const testFiles = (): ReadonlyArray<string> =>
  [
    ...packageNames().flatMap((name) => [`packages/${name}/test`, `packages/${name}/typetest`]),
    "test",
    "examples",
    "interop"
  ].flatMap((folder) => filesUnder(folder, (file) => file.endsWith(".ts")))

const report = (args: ReadonlyArray<string>): string => {
  const { requirements, sections } = specification()
  const prefixes = new Set(Object.keys(sections))
  const covered = coverage(testFiles().map((file) => [file, read(file)]), prefixes)
  const has = ({ id }: Requirement) => covered.has(id)
  const ids = (some: ReadonlyArray<Requirement>) => some.map(({ id }) => id).join(" ")

  if (args.includes("--json")) {
    return JSON.stringify(requirements.map((one) => ({ ...one, tests: covered.get(one.id) ?? [] })), null, 2)
  }
  if (args.includes("--missing")) {
    return requirements.filter((one) => !has(one)).map(({ id, level, text }) => `${id} ${level}: ${text}`).join("\n")
  }

  const lines = Object.entries(sections).flatMap(([prefix, title]) => {
    const all = requirements.filter(({ id }) => prefixOf(id) === prefix)
    const tested = all.filter(has)
    return [
      `${prefix.padEnd(7)} ${`${tested.length}/${all.length}`.padStart(6)}  ${title}`,
      ...(tested.length > 0 ? [`                  tested: ${ids(tested)}`] : []),
      ...(tested.length < all.length ? [`                 missing: ${ids(all.filter((one) => !has(one)))}`] : [])
    ]
  })
  const musts = requirements.filter(({ level }) => level.startsWith("MUST"))
  return [
    ...lines,
    "",
    `${requirements.filter(has).length} of ${requirements.length} requirements are named in a test,`,
    `${musts.filter(has).length} of ${musts.length} among those with MUST or MUST NOT.`
  ].join("\n")
}

if (isMain(import.meta)) console.log(report(process.argv.slice(2)))
