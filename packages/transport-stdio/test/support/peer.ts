/** A server as a child process, driven byte by byte. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import type * as net from "node:net"
import * as path from "node:path"

export const fixture = (name: string): string => path.join(import.meta.dirname, "../fixtures", name)

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

export const call = (id: unknown, name: string, args: object = {}, extra: object = {}): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: { ...meta, ...extra } }
  })

/** A request of the legacy era, or an item of a batch. */
export const legacy = (id: unknown, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const legacyCall = (id: unknown, name: string, args: object = {}): string =>
  legacy(id, "tools/call", { name, arguments: args })

export const initialize = (id: unknown, protocolVersion = "2025-11-25", _meta: object = {}): string =>
  legacy(id, "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "peer", version: "1" }, _meta })

export const notification = (method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params })

export const cancel = (requestId: unknown): string => notification("notifications/cancelled", { requestId })

export interface Message {
  readonly jsonrpc?: string
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly [key: string]: unknown }
  readonly result?: {
    readonly content?: ReadonlyArray<{ readonly text: string }>
    readonly protocolVersion?: string
    readonly serverInfo?: object
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface Peer {
  readonly child: childProcess.ChildProcess
  readonly write: (data: string | Uint8Array) => Effect.Effect<void>
  readonly end: Effect.Effect<void>
  /** Every line of standard output so far; each has to be a message, or an array of them. */
  readonly lines: () => ReadonlyArray<Message | ReadonlyArray<Message>>
  /** The messages of all lines. */
  readonly messages: () => ReadonlyArray<Message>
  readonly stderr: () => string
  readonly exit: Effect.Effect<Exit>
  readonly until: (condition: () => boolean, what?: string) => Effect.Effect<void>
  readonly answer: (id: unknown) => Effect.Effect<Message>
}

const collect = (stream: NodeJS.ReadableStream | null): () => string => {
  const chunks: Array<Buffer> = []
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString("utf8")
}

export interface Options {
  readonly script?: string
  readonly env?: Record<string, string>
  /** The test reads standard output itself, or not at all. */
  readonly ignoreOutput?: boolean
  readonly stdin?: net.Socket
}

/** Starts `fixtures/server.ts`. Whatever happens, it is gone when the scope closes. */
export const start = (options: Options = {}) =>
  Effect.acquireRelease(
    Effect.sync((): Peer => {
      const child = childProcess.spawn(process.execPath, [fixture(options.script ?? "server.ts")], {
        env: { ...process.env, ...options.env },
        stdio: [options.stdin ?? "pipe", "pipe", "pipe"]
      })
      child.stdin?.on("error", () => {})
      const stdout = options.ignoreOutput === true ? () => "" : collect(child.stdout)
      const stderr = collect(child.stderr)
      let isClosed = false
      const exited = new Promise<Exit>((resolve) =>
        child.on("close", (code, signal) => {
          isClosed = true
          resolve({ code, signal })
        })
      )
      const lines = () =>
        stdout().split("\n").slice(0, -1).map((line): Message | ReadonlyArray<Message> => JSON.parse(line))
      const messages = () => {
        const all = lines().flat()
        for (const { jsonrpc } of all) assert.strictEqual(jsonrpc, "2.0")
        return all
      }
      const until = (condition: () => boolean, what = "condition") =>
        Effect.gen(function*() {
          for (let i = 0; i < 3_000; i++) {
            const isLast = isClosed
            if (condition()) return
            if (isLast) break
            yield* Effect.sleep(20)
          }
          return yield* Effect.die(new Error(`${what} never came; stdout: ${stdout()}; stderr: ${stderr()}`))
        })
      return {
        child,
        lines,
        messages,
        stderr,
        until,
        write: (data) => Effect.callback((resume) => void child.stdin?.write(data, () => resume(Effect.void))),
        end: Effect.sync(() => void child.stdin?.end()),
        exit: Effect.promise(() => exited),
        answer: (id) =>
          Effect.suspend(() => {
            const found = () => messages().find((message) => message.id === id && message.method === undefined)
            return Effect.map(until(() => found() !== undefined, `answer ${JSON.stringify(id)}`), () => found()!)
          })
      }
    }),
    (peer) =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          if (peer.child.exitCode !== null || peer.child.signalCode !== null) return resolve()
          peer.child.on("exit", () => resolve())
          peer.child.kill("SIGKILL")
        })
      )
  )

/** Waits until the server answers, so that its start is not part of what is measured. */
export const ready = (peer: Peer) => Effect.andThen(peer.write(call("ready", "echo") + "\n"), peer.answer("ready"))

/** Resident memory in MiB, where the system tells. */
export const memory = (pid: number): number => {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

export const isAlive = (pid: number): boolean => {
  const state = `/proc/${pid}/stat`
  if (!fs.existsSync(state)) return false
  // A zombie is dead; who has to reap it is not the question here.
  return !/\) Z /.test(fs.readFileSync(state, "utf8"))
}
