/**
 * A server's life on standard input and output: read until the input ends, let what runs finish, write what remains.
 */
import * as Limits from "@effect-mcp/core/Limits"
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { LineReader } from "./lineReader.ts"
import { Output } from "./output.ts"
import { ServerConnection } from "./serverConnection.ts"

export interface Options {
  readonly drainTimeout?: Duration.Input | undefined
  readonly services?: Context.Context<never> | undefined
}

/** Serves until the input ends, or the output breaks. Interrupted, it drains as it does at the end of the input. */
export const serve = Effect.fnUntraced(function*(options: Options | undefined) {
  const stdio = yield* Stdio.Stdio
  const endpoint = yield* McpEndpoint
  const limits = yield* Limits.Limits
  const runFork = Effect.runForkWith(yield* Effect.context())
  const drainTimeout = Duration.fromInputUnsafe(options?.drainTimeout ?? limits.drainTimeout)
  const output = new Output(limits.messageBytes, limits.streamBuffer)
  const connection = new ServerConnection(endpoint, output, limits, options?.services ?? Context.empty(), runFork)

  // The peer is gone when its end of stdout is: there is nobody to tell.
  const write = Stream.run(output.stream, stdio.stdout({ endOnDone: false })).pipe(
    Effect.catch((error) => Effect.logDebug("Standard output is closed", error)),
    Effect.ensuring(Effect.sync(() => output.close()))
  )
  const writer = yield* Effect.forkScoped(write)

  yield* read(connection, stdio.stdin, limits).pipe(
    Effect.raceFirst(Fiber.await(writer)),
    Effect.onExit(() => drain(connection, output, writer, drainTimeout))
  )
}, Effect.scoped)

/** Reads lines as long as there is room. An input that breaks has ended: its peer was killed. */
const read = (connection: ServerConnection, stdin: Stdio.Stdio["stdin"], limits: Limits.Values) => {
  const lines = new LineReader(limits.messageBytes)
  const receive: Effect.Effect<void> = Effect.suspend(() => {
    while (!connection.isFull) {
      const line = lines.next()
      if (line === undefined) return Effect.void
      connection.receive(line)
    }
    return Effect.andThen(connection.hasRoom, receive)
  })
  const push = (chunk: Uint8Array) =>
    Effect.suspend(() => {
      lines.push(chunk)
      return receive
    })
  return Stream.runForEach(stdin, push).pipe(
    Effect.catch((error) => Effect.logDebug("Standard input broke", error)),
    Effect.andThen(Effect.suspend(() => {
      lines.end()
      return receive
    }))
  )
}

/**
 * What runs may finish and is answered; the rest is interrupted, and its finalizers get as long again. Then the output
 * has to be taken. Each step is bounded: a process that was told to end does end.
 */
const drain = (
  connection: ServerConnection,
  output: Output,
  writer: Fiber.Fiber<void>,
  timeout: Duration.Duration
): Effect.Effect<void> => {
  const patience = Duration.max(timeout, leastPatience)
  // Answers that are there are not lost to a slow reader, only to one that does not read at all.
  const flushed: Effect.Effect<void> = Effect.suspend(() => {
    const before = output.progress
    return Effect.timeoutOrElse(Effect.asVoid(Fiber.await(writer)), {
      duration: patience,
      orElse: () => output.progress > before ? flushed : Effect.void
    })
  })
  return Effect.sync(() => connection.inputHasEnded()).pipe(
    Effect.andThen(Effect.timeoutOption(output.isClosed ? Effect.void : connection.isIdle, timeout)),
    Effect.andThen(Effect.timeoutOption(Effect.interruptible(connection.close), patience)),
    Effect.andThen(Effect.sync(() => output.end())),
    Effect.andThen(Effect.all([Effect.timeoutOption(connection.isIdle, patience), flushed], { concurrency: 2 })),
    Effect.asVoid
  )
}

/** With a `drainTimeout` of nothing, what has been answered is written nevertheless. */
const leastPatience = Duration.millis(500)

/** Releases the layers of a server. What does not end must not keep a process alive that was told to end. */
export const release = Effect.fnUntraced(function*(scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>) {
  const { closeTimeout } = yield* Limits.Limits
  const closing = yield* Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true })
  yield* Fiber.await(closing).pipe(
    Effect.interruptible,
    Effect.timeoutOrElse({
      duration: closeTimeout,
      orElse: () => Effect.logWarning(`The server was not released within ${closeTimeout} ms (the limit closeTimeout)`)
    })
  )
})
