/**
 * Standard output belongs to the protocol (STDIO-2): while a server runs, what is meant for people goes to standard
 * error, whoever writes it.
 */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { surviveStderr } from "./hostProcess.ts"

const host = globalThis.console

const toStderr = (...args: ReadonlyArray<unknown>): void => host.error(...args)

// The other methods that write to standard output do so through `log` on Node: `table`, `group`, `count`, `timeEnd`.
const redirections = {
  log: toStderr,
  info: toStderr,
  debug: toStderr,
  dir: (item: unknown): void => host.error(item),
  dirxml: toStderr
}

/** For everything that runs inside a server: Effect's loggers and its `Console` write to standard error. */
export const references: Context.Context<never> = Context.empty().pipe(
  Context.add(Logger.LogToStderr, true),
  Context.add(Console.Console, { ...host, ...redirections })
)

// Several servers may run in one process: the last one to end restores the console.
let users = 0
let originals: Pick<Console.Console, keyof typeof redirections> | undefined

const redirect = Effect.sync(() => {
  if (users++ > 0) return
  const { debug, dir, dirxml, info, log } = host
  originals = { debug, dir, dirxml, info, log }
  Object.assign(host, redirections)
})

const restore = Effect.sync(() => {
  if (--users > 0 || originals === undefined) return
  Object.assign(host, originals)
  originals = undefined
})

/**
 * Redirects the global console, for code that does not know Effect.
 *
 * It is restored a moment after the scope has closed, in a later turn of the event loop: `runMain` reports the failure
 * of a server when the server has ended, and that must not be found on standard output either.
 */
export const redirectGlobal: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.andThen(surviveStderr, redirect),
  () => Effect.sync(() => Effect.runFork(Effect.andThen(Effect.sleep(0), restore)))
)
