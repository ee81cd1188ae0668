/**
 * The way out of a process, on the runtimes that have one: Node, Bun and Deno all have `process` as a global.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

interface Writable {
  readonly writableLength: number
  write(text: string, callback: () => void): void
  on(event: "error", listener: () => void): void
  off(event: "error", listener: () => void): void
}

const hostProcess = (): unknown => {
  const host: unknown = globalThis
  return Predicate.hasProperty(host, "process") ? host.process : undefined
}

const isWritable = (u: unknown): u is Writable =>
  Predicate.hasProperty(u, "writableLength") && typeof u.writableLength === "number" &&
  Predicate.hasProperty(u, "write") && Predicate.hasProperty(u, "on") && Predicate.hasProperty(u, "off")

/** Waits until standard output has left the process, where `process.exit` would cut it off. */
const flushed: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const process = hostProcess()
  const stdout = Predicate.hasProperty(process, "stdout") ? process.stdout : undefined
  if (!isWritable(stdout) || stdout.writableLength === 0) return resume(Effect.void)
  // A peer that is gone is no reason to crash on the way out.
  stdout.on("error", () => resume(Effect.void))
  stdout.write("", () => resume(Effect.void))
})

const ignore = (): void => {}

/**
 * Keeps a host that closes our standard error from ending the process: there is nobody left to read, which is no reason
 * to stop answering.
 */
export const surviveStderr: Effect.Effect<void> = Effect.sync(() => {
  const process = hostProcess()
  const stderr = Predicate.hasProperty(process, "stderr") ? process.stderr : undefined
  if (!isWritable(stderr)) return
  stderr.off("error", ignore)
  stderr.on("error", ignore)
})

/** What is left in the process's own buffer is small, so a peer that does not take it soon never will. */
const patience = "500 millis"

/** Ends the process: first in the runner's way, then, where the runner would wait for timers and sockets, at once. */
export const exit = (code: number, onExit: (code: number) => void): void => {
  const leave = Effect.sync(() => {
    onExit(code)
    const process = hostProcess()
    if (Predicate.hasProperty(process, "exit") && Predicate.isFunction(process.exit)) process.exit(code)
  })
  Effect.runFork(flushed.pipe(Effect.timeoutOption(patience), Effect.andThen(leave)))
}
