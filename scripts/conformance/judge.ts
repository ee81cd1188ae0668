/**
 * What counts as passing a scenario of the official suite. Its own exit code is too kind: it overlooks warnings and
 * scenarios in which nothing was checked.
 */

/** One entry of a `checks.json`. */
export interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

/**
 * Why a scenario may fail: `later` is what its revision asks and we do not do yet (`conformance.later.json`), `exempt`
 * what the suite asks and the revision does not, because the feature is newer or the suite takes another revision for
 * granted (`conformance.exempt.json`).
 */
export type Excuse = "later" | "exempt"

export const excuses: ReadonlyArray<Excuse> = ["later", "exempt"]

/** An entry of the file of an excuse. */
export interface Entry {
  readonly revision: string
  readonly role: string
  readonly reason: string
  /** Scenarios, or single checks as `scenario#check`. */
  readonly ids: ReadonlyArray<string>
}

/** The excuse of each scenario or check that has one. */
export type Excused = ReadonlyMap<string, Excuse>

export interface Outcome {
  readonly scenario: string
  /** Missing when the suite wrote nothing down. */
  readonly checks: ReadonlyArray<Check> | undefined
  /** Where it is to count, what the suite exited with. */
  readonly exitCode?: number | null
}

export interface Verdict {
  readonly scenario: string
  /** `stale` is an excuse that is no longer true. */
  readonly status: "passed" | Excuse | "failed" | "stale"
  readonly details: ReadonlyArray<string>
}

const problemsOf = ({ checks, exitCode }: Outcome): ReadonlyArray<string> => {
  if (checks === undefined) return ["it did not run"]
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ errorMessage = "", id, status }) => `${status} ${id}: ${errorMessage}`.trimEnd())
  const nothing = checks.some(({ status }) => status === "SUCCESS") ? [] : ["no check succeeded"]
  const exit = exitCode === undefined || exitCode === 0 ? [] : [`the suite exited with ${exitCode}`]
  return [...bad, ...nothing, ...exit]
}

/** Judges one scenario; `excused` has the ids that apply to its revision and role. */
export const judge = (outcome: Outcome, excused: Excused): Verdict => {
  const { checks = [], scenario } = outcome
  const excuse = excused.get(scenario)
  if (excuse !== undefined) {
    const details = problemsOf(outcome)
    return { scenario, status: details.length > 0 ? excuse : "stale", details }
  }

  const prefix = `${scenario}#`
  const excusedChecks = new Map(
    [...excused].filter(([id]) => id.startsWith(prefix)).map(([id, excuse]) => [id.slice(prefix.length), excuse])
  )
  const { exitCode: _, ...rest } = outcome
  const failures = problemsOf(
    excusedChecks.size === 0 || outcome.checks === undefined
      ? outcome
      : { ...rest, checks: checks.filter(({ id }) => !excusedChecks.has(id)) }
  )
  if (failures.length > 0) return { scenario, status: "failed", details: failures }

  const done = [...excusedChecks.keys()].filter((id) =>
    checks.filter((check) => check.id === id).every(({ status }) => status === "SUCCESS")
  )
  if (done.length > 0) {
    return {
      scenario,
      status: "stale",
      details: done.map((id) => `${id} passes or is never checked`)
    }
  }
  const kinds = excuses.filter((kind) => [...excusedChecks.values()].includes(kind))
  return {
    scenario,
    status: kinds[0] ?? "passed",
    details: [...excusedChecks].map(([id, kind]) => `${kind}: ${id}`)
  }
}

/** The ids that are excused at a revision, for a role. */
export const excusedIds = (
  entries: Readonly<Record<Excuse, ReadonlyArray<Entry>>>,
  revision: string,
  role: string
): Excused =>
  new Map(
    excuses.flatMap((excuse) =>
      entries[excuse].filter((entry) => entry.revision === revision && entry.role === role)
        .flatMap(({ ids }) => ids.map((id) => [id, excuse] as const))
    )
  )

/** The excuses for scenarios that are never run, which would never be noticed otherwise. */
export const unknownIds = (excused: Excused, run: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...excused.keys()].filter((id) => !run.includes(id.split("#")[0]!))
