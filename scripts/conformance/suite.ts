/** The installed official conformance suite. */
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { root } from "../lib/workspace.ts"
import type { Check } from "./judge.ts"

export type Role = "server" | "client"

export const roles: ReadonlyArray<Role> = ["server", "client"]

const folder = path.join(root, "node_modules/@modelcontextprotocol/conformance")

/** The command line that runs one leg of the suite; an option that is `true` is a flag. */
export const suite = (role: Role, options: Readonly<Record<string, string | boolean>>): ReadonlyArray<string> => [
  process.execPath,
  "--import",
  path.join(root, "scripts/conformance/listenOnLoopback.ts"),
  path.join(folder, "dist/index.js"),
  role,
  ...Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : value === false ? [] : [`--${name}`, value]
  )
]

/** The revisions for which the suite has a frozen set. */
export const revisions = (): ReadonlyArray<string> =>
  fs.readdirSync(path.join(folder, "requirements")).map((file) => path.basename(file, ".yaml")).toSorted()

/** The scenarios that the suite scores for a revision and role. */
export const scored = (revision: string, role: Role): ReadonlyArray<string> =>
  parse(fs.readFileSync(path.join(folder, "requirements", `${revision}.yaml`), "utf8"))[role]

/**
 * What the suite wrote below `output`, by scenario. Folders are named `server-<scenario>-<time>` or `<scenario>-<time>`,
 * and a scenario may have a slash in its name.
 */
export const results = (output: string): ReadonlyMap<string, ReadonlyArray<Check>> => {
  const files = fs.existsSync(output) ? fs.readdirSync(output, { recursive: true, encoding: "utf8" }) : []
  return new Map(
    files.filter((file) => path.basename(file) === "checks.json").map((file) => {
      const run = path.dirname(file).replaceAll("\\", "/")
      const scenario = run.replace(/-\d{4}-\d{2}-\d{2}T[\dZ-]+$/, "").replace(/^server-(?=.)/, "")
      return [scenario, JSON.parse(fs.readFileSync(path.join(output, file), "utf8"))]
    })
  )
}
