/** Which runs of the official suite there are: its frozen sets, and our programs pinned to revisions that have none. */
import { revisions, type Role, roles, scored } from "./suite.ts"

/** One run: what is asked of whom. */
export interface Leg {
  readonly title: string
  /** What the program under test speaks, and how the lists of exceptions name the run. */
  readonly revision: string
  readonly role: Role
  readonly scenarios: ReadonlyArray<string>
  /** The revision that the suite is told, whose schema judges the messages. */
  readonly specVersion: string
  /** Whether the program speaks nothing but `revision`, and the suite is forced on it. */
  readonly pinned: boolean
}

/** What counts for us beside what the suite scores. */
const also: Readonly<Record<string, Partial<Record<Role, ReadonlyArray<string>>>>> = {
  "2025-11-25": {
    server: ["server-session-lifecycle", "server-sse-polling"],
    client: ["json-schema-2020-12-preservation"]
  },
  "2026-07-28": {
    server: ["http-header-validation", "http-custom-header-server-validation"],
    client: ["json-schema-2020-12-preservation"]
  }
}

/** The scenarios that count for a revision with a frozen set. */
const counted = (revision: string, role: Role): ReadonlyArray<string> => [
  ...scored(revision, role),
  ...also[revision]?.[role] ?? []
]

/** The frozen set whose scenarios the older revisions are forced to. */
const stateful = "2025-11-25"

/**
 * The revisions without a set of their own, and the one that the suite is told instead. It knows no 2024-11-05; whatever
 * is valid there is valid under 2025-03-26 too.
 */
const pins: ReadonlyMap<string, string> = new Map([
  ["2025-06-18", "2025-06-18"],
  ["2025-03-26", "2025-03-26"],
  ["2024-11-05", "2025-03-26"]
])

/** The revisions that programs are pinned to. */
export const pinnable: ReadonlyArray<string> = [...pins.keys()]

/** The runs of a frozen set. */
export const required = (revision: string): ReadonlyArray<Leg> =>
  roles.map((role) => ({
    title: `${role} ${revision}`,
    revision,
    role,
    scenarios: counted(revision, role),
    specVersion: revision,
    pinned: false
  }))

/** The runs of programs pinned to a revision. A client learns its revision from the suite, so 2024-11-05 has none. */
export const pinned = (revision: string): ReadonlyArray<Leg> => {
  const specVersion = pins.get(revision)
  if (specVersion === undefined) return []
  return roles.filter((role) => role === "server" || specVersion === revision).map((role) => ({
    title: `${role} pinned to ${revision}`,
    revision,
    role,
    // What the suite asks of authorization does not depend on the revision that is spoken.
    scenarios: counted(stateful, role).filter((scenario) => !scenario.startsWith("auth/")),
    specVersion,
    pinned: true
  }))
}

/** Every run. */
export const everything = (): ReadonlyArray<Leg> => [
  ...revisions().flatMap(required),
  ...pinnable.flatMap(pinned)
]
