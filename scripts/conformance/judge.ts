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

/** An entry of `conformance.later.json`: what a revision asks of a role, and we do not do yet. */
export interface Later {
  readonly revision: string
  readonly role: string
  readonly reason: string
  /** Scenarios, or single checks as `scenario#check`. */
  readonly ids: ReadonlyArray<string>
}

export interface Outcome {
  readonly scenario: string
  /** Missing when the suite wrote nothing down. */
  readonly checks: ReadonlyArray<Check> | undefined
  /** Where it is to count, what the suite exited with. */
  readonly exitCode?: number | null
}

export interface Verdict {
  readonly scenario: string
  /** `stale` is a later entry that is no longer true. */
  readonly status: "passed" | "later" | "failed" | "stale"
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

/** Judges one scenario; `later` are the ids that apply to its revision and role. */
export const judge = (outcome: Outcome, later: ReadonlySet<string>): Verdict => {
  const { checks = [], scenario } = outcome
  if (later.has(scenario)) {
    const details = problemsOf(outcome)
    return { scenario, status: details.length > 0 ? "later" : "stale", details }
  }

  const excused = [...later].filter((id) => id.startsWith(`${scenario}#`)).map((id) => id.slice(scenario.length + 1))
  const { exitCode: _, ...rest } = outcome
  const failures = problemsOf(
    excused.length === 0 || outcome.checks === undefined
      ? outcome
      : { ...rest, checks: checks.filter(({ id }) => !excused.includes(id)) }
  )
  if (failures.length > 0) return { scenario, status: "failed", details: failures }

  const done = excused.filter((id) =>
    checks.filter((check) => check.id === id).every(({ status }) => status === "SUCCESS")
  )
  if (done.length > 0) {
    return {
      scenario,
      status: "stale",
      details: done.map((id) => `${id} passes or is never checked`)
    }
  }
  return { scenario, status: excused.length > 0 ? "later" : "passed", details: excused.map((id) => `not yet: ${id}`) }
}

/** The ids that are for later at a revision, for a role. */
export const laterIds = (entries: ReadonlyArray<Later>, revision: string, role: string): ReadonlySet<string> =>
  new Set(entries.filter((entry) => entry.revision === revision && entry.role === role).flatMap(({ ids }) => ids))

/** The entries for scenarios that nobody scores, which would never be noticed otherwise. */
export const unknownIds = (later: ReadonlySet<string>, scored: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...later].filter((id) => !scored.includes(id.split("#")[0]!))
