/** The fixtures as processes. */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import * as path from "node:path"

export type Library = "ours" | "official"

/** The program of a server, for `process.execPath`. */
export const program = (library: Library): string =>
  path.join(import.meta.dirname, "../fixtures", library === "ours" ? "our-server.ts" : "official-server.ts")

/** Starts a server over HTTP, which ends with the scope, and gives the URL it prints. */
export const serve = Effect.fnUntraced(function*(library: Library, mode: string) {
  const child = yield* ChildProcess.make(process.execPath, [program(library), mode], { forceKillAfter: "2 seconds" })
  let stderr = ""
  yield* child.stderr.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => Effect.sync(() => (stderr += text))),
    Effect.ignore,
    Effect.forkScoped
  )
  const lines = child.stdout.pipe(Stream.decodeText(), Stream.splitLines)
  const url = yield* Stream.runHead(lines)
  if (url._tag === "None") return yield* Effect.die(new Error(`The server did not start:\n${stderr}`))
  return url.value
})
