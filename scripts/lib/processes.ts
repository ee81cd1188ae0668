/** Child processes that never outlive the script that started them. */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "./workspace.ts"

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The file that gets what it prints. */
  readonly log: string
}

const running = new Set<ChildProcess>()

/** Kills a process and all its descendants, which share its group. */
export const kill = (child: ChildProcess): void => {
  running.delete(child)
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // The whole group has ended.
  }
}

process.once("exit", () => running.forEach(kill))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1))

/** Starts a process as the leader of its own group; `node` in what it starts is the Node that runs us. */
export const start = ([command, ...args]: ReadonlyArray<string>, { env, log }: StartOptions): ChildProcess => {
  fs.mkdirSync(path.dirname(log), { recursive: true })
  const output = fs.openSync(log, "w")
  const child = spawn(command!, args, {
    cwd: root,
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`, ...env }
  })
  fs.closeSync(output)
  running.add(child)
  return child
}

/** Runs a process to its end: its exit code, or `null` when it had to be killed. */
export const finish = (args: ReadonlyArray<string>, options: StartOptions & { readonly timeout: number }) =>
  new Promise<number | null>((resolve, reject) => {
    const child = start(args, options)
    const timer = setTimeout(() => kill(child), options.timeout)
    child.once("error", reject)
    child.once("exit", (code) => {
      clearTimeout(timer)
      kill(child)
      resolve(code)
    })
  })

/** A port on which nobody listens. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = net.createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const connects = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect({ port, host: "127.0.0.1" })
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/** Waits until a process that was started listens on a port. */
export const listening = async (child: ChildProcess, port: number, timeout: number): Promise<void> => {
  for (let waited = 0; waited < timeout; waited += 100) {
    if (await connects(port)) return
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`)
    await sleep(100)
  }
  throw new Error(`the server does not listen after ${timeout} ms`)
}

/** Waits until a process that was started has printed something, and gives the first group of what it is. */
export const printed = async (child: ChildProcess, log: string, what: RegExp, timeout: number): Promise<string> => {
  for (let waited = 0; waited < timeout; waited += 50) {
    const found = what.exec(fs.readFileSync(log, "utf8"))?.[1]
    if (found !== undefined) return found
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}, and its output is in ${log}`)
    await sleep(50)
  }
  throw new Error(`it has not printed ${what} after ${timeout} ms, and its output is in ${log}`)
}
