/** Child processes of the repository's own tests. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "../../scripts/lib/workspace.ts"

/** Runs a program to its end; its standard input is `input`, or empty. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly input?: string; readonly timeout?: number } = {}
) => {
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    cwd: options.cwd ?? root,
    input: options.input ?? "",
    timeout: options.timeout ?? 60_000,
    killSignal: "SIGKILL",
    encoding: "utf8"
  })
  if (error !== undefined) throw error
  return { status, stderr, stdout }
}

/** Runs a TypeScript program with the Node that runs the tests. */
export const runNode = (file: string, options?: { readonly cwd?: string; readonly input?: string }) =>
  run(process.execPath, [file], { ...options, timeout: 20_000 })

/** Type-checks a folder that has a `tsconfig.json`: the compiler's messages, empty when there is nothing to say. */
export const typeCheck = (folder: string): string =>
  run(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"]).stdout

/** An empty folder `.tmp/<name>` in the repository, where packages resolve as they do for its own code. */
export const scratch = (name: string): string => {
  const folder = path.join(root, ".tmp", name)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  return folder
}

/** Writes a file and the folders above it. */
export const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

/** Writes the `tsconfig.json` with which `typeCheck` sees every file of a scratch folder. */
export const writeTsconfig = (folder: string): void =>
  write(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: path.join(root, "tsconfig.check.json"),
      compilerOptions: { incremental: false, noUnusedLocals: false, noUnusedParameters: false },
      include: ["**/*.ts"]
    })
  )
