/**
 * Runs the official conformance suite against `examples/conformance/server.ts` and `client.ts`.
 *
 *     npm run conformance -- --requirements 2026-07-28 [--role server|client] [--scenario <name>]
 *
 * Every scored scenario has to pass strictly (see `conformance/judge.ts`), except what `conformance.later.json` lists;
 * what is listed there and passes is an error too. Output goes to `build/conformance`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { judge, type Later, laterIds, type Outcome, unknownIds, type Verdict } from "./conformance/judge.ts"
import { results, revisions, type Role, roles, scored, suite } from "./conformance/suite.ts"
import { finish, freePort, kill, listening, start } from "./lib/processes.ts"
import { read, root } from "./lib/workspace.ts"

const { values: options } = parseArgs({
  options: {
    requirements: { type: "string", multiple: true, default: [...revisions()] },
    role: { type: "string", multiple: true, default: [...roles] },
    scenario: { type: "string", multiple: true },
    examples: { type: "string", default: "examples/conformance" }
  }
})

const isWanted = (scenario: string): boolean => options.scenario?.includes(scenario) ?? true

const programOf = (role: Role): string => path.join(options.examples, `${role}.ts`)

/** The suite runs a whole set against one server, scenario by scenario, within seconds. */
const runServer = async (revision: string, output: string): Promise<ReadonlyArray<Outcome>> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const wanted = scored(revision, "server").filter(isWanted)
  const runs: ReadonlyArray<Record<string, string>> = options.scenario === undefined
    ? [{ requirements: revision }]
    : wanted.map((scenario) => ({ scenario, "spec-version": revision }))
  const server = start([process.execPath, programOf("server")], {
    env: { PORT: `${port}` },
    log: path.join(output, "server.log")
  })
  try {
    await listening(server, port, 20_000)
    for (const [index, run] of runs.entries()) {
      const log = path.join(output, `suite-${index}.log`)
      await finish(suite("server", { url, "output-dir": output, ...run }), { log, timeout: 180_000 })
    }
  } finally {
    kill(server)
  }
  const checks = results(output)
  return wanted.map((scenario) => ({ scenario, checks: checks.get(scenario) }))
}

/** One scenario at a time: as a set the suite starts all clients at once and does not look at their exit codes. */
const runClient = async (revision: string, output: string): Promise<ReadonlyArray<Outcome>> => {
  const command = `node ${programOf("client")}`
  const outcomes: Array<Outcome> = []
  for (const scenario of scored(revision, "client").filter(isWanted)) {
    const log = path.join(output, `${scenario.replaceAll("/", "-")}.log`)
    const run = suite("client", { command, scenario, "spec-version": revision, "output-dir": output })
    const exitCode = await finish(run, { log, timeout: 60_000 })
    outcomes.push({ scenario, exitCode, checks: results(output).get(scenario) })
  }
  return outcomes
}

const run = async (revision: string, role: Role): Promise<ReadonlyArray<Verdict>> => {
  if (!scored(revision, role).some(isWanted)) return []
  if (!fs.existsSync(path.resolve(root, programOf(role)))) {
    return [{ scenario: "*", status: "failed", details: [`there is no ${programOf(role)}`] }]
  }
  const output = path.join(root, "build/conformance", revision, role)
  fs.rmSync(output, { recursive: true, force: true })
  const entries: ReadonlyArray<Later> = JSON.parse(read("conformance.later.json"))
  const later = laterIds(entries, revision, role)
  const outcomes = role === "server" ? await runServer(revision, output) : await runClient(revision, output)
  return [
    ...outcomes.map((outcome) => judge(outcome, later)),
    ...unknownIds(later, scored(revision, role)).map((scenario): Verdict => ({
      scenario,
      status: "stale",
      details: ["no scored scenario has this name"]
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
  console.log(
    `${title}: ${count("passed")} passed, ${count("later")} later, ${count("failed")} failed, ${count("stale")} stale`
  )
}

let judged = 0
for (const revision of options.requirements) {
  for (const role of roles.filter((role) => options.role.includes(role))) {
    const verdicts = await run(revision, role)
    judged += verdicts.length
    if (verdicts.length > 0) print(`${role} ${revision}`, verdicts)
    if (verdicts.some(({ status }) => status === "failed" || status === "stale")) process.exitCode = 1
  }
}
if (judged === 0) {
  console.error("no scored scenario has this name")
  process.exitCode = 1
}
