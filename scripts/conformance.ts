/**
 * Runs the official conformance suite against `examples/conformance/server.ts` and `client.ts`.
 *
 *     npm run conformance -- [--requirements 2026-07-28] [--pinned 2025-06-18] [--role server|client] [--scenario <name>]
 *
 * `--requirements` runs a frozen set of the suite. `--pinned` runs what there is for the older revisions: the scenarios of
 * 2025-11-25, forced on programs that speak nothing but the revision. Both may be given more than once; without either,
 * everything runs.
 *
 * Every scenario has to pass strictly (see `conformance/judge.ts`), except what `conformance.later.json` and
 * `conformance.exempt.json` list; what is listed there and passes is an error too. Output goes to `build/conformance`.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import {
  type Entry,
  type Excuse,
  excuses,
  excusedIds,
  judge,
  type Outcome,
  unknownIds,
  type Verdict
} from "./conformance/judge.ts"
import { negotiates } from "./conformance/negotiates.ts"
import { everything, type Leg, pinnable, pinned, required } from "./conformance/plan.ts"
import { results, revisions, type Role, roles, suite } from "./conformance/suite.ts"
import { finish, freePort, kill, listening, start } from "./lib/processes.ts"
import { read, root } from "./lib/workspace.ts"

const { values: options } = parseArgs({
  options: {
    requirements: { type: "string", multiple: true },
    pinned: { type: "string", multiple: true },
    role: { type: "string", multiple: true, default: [...roles] },
    scenario: { type: "string", multiple: true },
    examples: { type: "string", default: "examples/conformance" }
  }
})

const isWanted = (scenario: string): boolean => options.scenario?.includes(scenario) ?? true

const programOf = (role: Role): string => path.join(options.examples, `${role}.ts`)

/** Runs a task for each of some inputs, not more at a time than there are processors. */
const forEach = async <A>(inputs: ReadonlyArray<A>, task: (input: A) => Promise<unknown>): Promise<void> => {
  const queue = inputs.values()
  const work = async () => {
    for (const input of queue) await task(input)
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, work))
}

/** The suite runs a whole set against one server within seconds, and what it is forced to one by one. */
const runServer = async (leg: Leg, output: string): Promise<ReadonlyArray<Outcome>> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const wanted = leg.scenarios.filter(isWanted)
  const whole = !leg.pinned && options.scenario === undefined
  const server = start([process.execPath, programOf("server")], {
    env: { PORT: `${port}`, ...leg.pinned ? { MCP_PROTOCOLS: leg.revision } : {} },
    log: path.join(output, "server.log")
  })
  const outcomes: Array<Outcome> = []
  try {
    await listening(server, port, 20_000)
    if (leg.pinned) outcomes.push(await negotiates(url, leg.revision))
    if (whole) {
      const run = suite("server", { url, "output-dir": output, requirements: leg.revision })
      await finish(run, { log: path.join(output, "suite.log"), timeout: 180_000 })
    } else {
      await forEach(wanted, (scenario) =>
        finish(
          suite("server", { url, "output-dir": output, scenario, "spec-version": leg.specVersion, force: leg.pinned }),
          { log: path.join(output, `${scenario}.log`), timeout: 60_000 }
        ))
    }
  } finally {
    kill(server)
  }
  const checks = results(output)
  return [...outcomes, ...wanted.map((scenario) => ({ scenario, checks: checks.get(scenario) }))]
}

/** One scenario at a time: as a set the suite starts all clients at once and does not look at their exit codes. */
const runClient = async (leg: Leg, output: string): Promise<ReadonlyArray<Outcome>> => {
  const command = `node ${programOf("client")}`
  const outcomes: Array<Outcome> = []
  for (const scenario of leg.scenarios.filter(isWanted)) {
    const log = path.join(output, `${scenario.replaceAll("/", "-")}.log`)
    const exitCode = await finish(
      suite("client", {
        command,
        scenario,
        "spec-version": leg.specVersion,
        "output-dir": output,
        force: leg.pinned
      }),
      { log, timeout: 60_000 }
    )
    outcomes.push({ scenario, exitCode, checks: results(output).get(scenario) })
  }
  return outcomes
}

const entries: Readonly<Record<Excuse, ReadonlyArray<Entry>>> = {
  later: JSON.parse(read("conformance.later.json")),
  exempt: JSON.parse(read("conformance.exempt.json"))
}

const run = async (leg: Leg): Promise<ReadonlyArray<Verdict>> => {
  const { pinned, revision, role, scenarios } = leg
  if (!scenarios.some(isWanted)) return []
  if (!fs.existsSync(path.resolve(root, programOf(role)))) {
    return [{ scenario: "*", status: "failed", details: [`there is no ${programOf(role)}`] }]
  }
  const output = path.join(root, "build/conformance", pinned ? `pinned-${revision}` : revision, role)
  fs.rmSync(output, { recursive: true, force: true })
  const excused = excusedIds(entries, revision, role)
  const outcomes = await (role === "server" ? runServer : runClient)(leg, output).catch((error: Error) => error)
  if (outcomes instanceof Error) {
    return [{ scenario: "*", status: "failed", details: [outcomes.message, `see ${path.relative(root, output)}`] }]
  }
  return [
    ...outcomes.map((outcome) => judge(outcome, excused)),
    ...unknownIds(excused, scenarios).map((scenario): Verdict => ({
      scenario,
      status: "stale",
      details: ["no scenario that is run has this name"]
    }))
  ]
}

const print = (title: string, verdicts: ReadonlyArray<Verdict>): void => {
  console.log(`\n${title}`)
  for (const { details, scenario, status } of verdicts) {
    console.log(`  ${status.padEnd(6)}  ${scenario}`)
    if (status === "failed" || status === "stale") {
      details.forEach((detail) => console.log(`            ${detail.slice(0, 300)}`))
    }
  }
  const count = (status: Verdict["status"]) => verdicts.filter((verdict) => verdict.status === status).length
  const counts = (["passed", ...excuses, "failed", "stale"] as const).map((status) => `${count(status)} ${status}`)
  console.log(`${title}: ${counts.join(", ")}`)
}

/** The runs that were asked for, or nothing when one is asked for that does not exist. */
const legs = (): ReadonlyArray<Leg> => {
  if (options.requirements === undefined && options.pinned === undefined) return everything()
  const unknown = [
    ...(options.requirements ?? []).filter((revision) => !revisions().includes(revision)).map((revision) =>
      `the suite has no requirements for ${revision}, only for ${revisions().join(", ")}`
    ),
    ...(options.pinned ?? []).filter((revision) => !pinnable.includes(revision)).map((revision) =>
      `nothing is pinned to ${revision}, only to ${pinnable.join(", ")}`
    )
  ]
  unknown.forEach((problem) => console.error(problem))
  if (unknown.length > 0) process.exit(1)
  return [...(options.requirements ?? []).flatMap(required), ...(options.pinned ?? []).flatMap(pinned)]
}

let judged = 0
for (const leg of legs().filter(({ role }) => options.role.includes(role))) {
  const verdicts = await run(leg)
  judged += verdicts.length
  if (verdicts.length > 0) print(leg.title, verdicts)
  if (verdicts.some(({ status }) => status === "failed" || status === "stale")) process.exitCode = 1
}
if (judged === 0) {
  console.error("no scenario that is run has this name")
  process.exitCode = 1
}
