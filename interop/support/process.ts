/** The fixtures as processes. */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import * as path from "node:path"

/** `official` is version 2 of the official SDK, `v1` its version 1. */
export type Library = "ours" | "official" | "v1"

const programs: Readonly<Record<Library, string>> = {
  ours: "our-server.ts",
  official: "official-server.ts",
  v1: "v1-server.ts"
}

/** The arguments of `process.execPath` that start a server. */
export const command = (library: Library, args: ReadonlyArray<string>): Array<string> => [
  path.join(import.meta.dirname, "../fixtures", programs[library]),
  ...args
]

/** Starts a server over HTTP, which ends with the scope, and gives the URL it prints. */
export const serve = Effect.fnUntraced(function*(library: Library, args: ReadonlyArray<string>) {
  const child = yield* ChildProcess.make(process.execPath, command(library, args), { forceKillAfter: "2 seconds" })
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
