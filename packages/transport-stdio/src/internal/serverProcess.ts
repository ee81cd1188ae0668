/**
 * A server as a child process: started, listened to, and stopped with everything it has started.
 */
import * as Limits from "@effect-mcp/core/Limits"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ClientOptions } from "../McpStdio.ts"
import { ClientConnection, type Reporter } from "./clientConnection.ts"
import { LineReader } from "./lineReader.ts"
import { Output } from "./output.ts"
import { Tail } from "./tail.ts"
import type { Unrelated } from "./unrelated.ts"
import * as Utf8 from "./utf8.ts"

/** How long the last words of a server may take after its exit, and its exit after the end of its output. */
const lastWords = "250 millis"

/** One child, and the connection to it. */
export interface ServerProcess {
  readonly connection: ClientConnection
  /** Whether it has ended, or does not listen or speak any more. */
  readonly isEnding: () => boolean
  /** Waits until those who wait for its answers have been told. */
  readonly ended: Effect.Effect<unknown>
  /** Ends it, and everything it has started. */
  readonly stop: Effect.Effect<void>
}

/** Starts a child, which lives until it is stopped. */
export const start = Effect.fnUntraced(function*(options: ClientOptions, unrelated: Unrelated) {
  const scope = yield* Scope.make()
  const running = yield* make(options, unrelated).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const process: ServerProcess = { ...running, stop: Scope.close(scope, Exit.void) }
  return process
}, Effect.uninterruptible)

/** Everything below belongs to this one child: what another child does later cannot reach it. */
const make = Effect.fnUntraced(function*(options: ClientOptions, unrelated: Unrelated) {
  const limits = yield* Limits.Limits
  const closeStdinTimeout = Duration.fromInputUnsafe(options.closeStdinTimeout ?? limits.closeStdinTimeout)
  const terminateTimeout = Duration.fromInputUnsafe(options.terminateTimeout ?? limits.terminateTimeout)
  const child = yield* spawn(options, terminateTimeout)
  const tail = new Tail(limits.stderrTail)
  const output = new Output(limits.messageBytes, limits.streamBuffer)
  const connection = new ClientConnection(output, limits, unrelated, yield* makeReporter(tail))

  // The fibers come before the finalizer, which therefore runs before they end: a child that is told to stop may still
  // have a lot to say, and must not block on it.
  const stderr = yield* Effect.forkScoped(readStderr(child, tail, options.onStderr, limits))
  const stdout = yield* Effect.forkScoped(readStdout(child, connection, limits))
  const stdin = yield* Effect.forkScoped(writeStdin(child, output))
  const exit = yield* Effect.forkScoped(exitOf(child))
  yield* Effect.addFinalizer(() => stop(child, connection, output, exit, closeStdinTimeout, terminateTimeout))

  const all = Effect.all([Fiber.await(stdout), Fiber.await(stderr), Fiber.await(exit)], { concurrency: 3 })
  const first = Effect.raceAllFirst([Fiber.await(stdout), Fiber.await(stdin), Fiber.await(exit)])
  let isEnding = false
  const end = yield* first.pipe(
    Effect.tap(Effect.sync(() => {
      isEnding = true
    })),
    Effect.andThen(Effect.timeoutOption(all, lastWords)),
    Effect.andThen(Effect.sync(() => {
      const detail = describe(options.command, exit.pollUnsafe(), tail.text)
      const error = McpClientError.make(new McpClientError.TransportClosed({ detail }))
      connection.close(error)
      output.close()
      // A server of the legacy era may end because it is asked what it does not know, and is started again then.
      if (connection.hasAnswered) unrelated.fail(error)
    })),
    Effect.forkScoped
  )
  return { connection, isEnding: () => isEnding, ended: Fiber.await(end) }
})

const spawn = (options: ClientOptions, terminateTimeout: Duration.Duration) =>
  ChildProcess.make(options.command, options.args ?? [], {
    cwd: options.cwd,
    env: { ...options.env },
    extendEnv: options.extendEnv ?? true,
    // Also for the group of a child that has ended by itself. Without a limit the spawner would wait for ever.
    killSignal: "SIGTERM",
    forceKillAfter: terminateTimeout
  }).pipe(
    Effect.mapError((cause) =>
      McpClientError.make(
        new McpClientError.ConnectFailed({ message: `Cannot start ${options.command}: ${cause.message}`, cause })
      )
    )
  )

/** Text that is no message is kept with the rest of what the server says to people, since it is that. */
const makeReporter = (tail: Tail): Effect.Effect<Reporter> =>
  Effect.map(Effect.context(), (context) => {
    const runFork = Effect.runForkWith(context)
    // A server must not be able to fill the log: of each kind the first is a warning, and no more of it than a person reads.
    const once = () => {
      let hasWarned = false
      return (...message: ReadonlyArray<string>) => {
        const log = hasWarned ? Effect.logDebug : Effect.logWarning
        hasWarned = true
        runFork(log(...message.map((part) => part.slice(0, 1000))))
      }
    }
    const text = once()
    const problem = once()
    const dropped = once()
    return {
      text: (line) => {
        tail.add(`[stdout] ${line}\n`)
        text("The server prints on standard output what is no message", line)
      },
      problem,
      dropped,
      detail: (detail) => {
        runFork(Effect.logDebug(detail))
      }
    }
  })

const readStdout = (child: ChildProcessHandle, connection: ClientConnection, limits: Limits.Values) => {
  const lines = new LineReader(limits.messageBytes)
  const receive: Effect.Effect<void> = Effect.suspend(() => {
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const room = connection.receive(line)
      if (room !== undefined) return Effect.andThen(room, receive)
    }
    return Effect.void
  })
  return Stream.runForEach(child.stdout, (chunk) =>
    Effect.suspend(() => {
      lines.push(chunk)
      return receive
    })).pipe(
      Effect.andThen(Effect.suspend(() => {
        lines.end()
        return receive
      }))
    )
}

/** Always read, whether or not anybody wants it: a full pipe would block the server. */
const readStderr = (
  child: ChildProcessHandle,
  tail: Tail,
  onStderr: ClientOptions["onStderr"],
  limits: Limits.Values
) =>
  Effect.gen(function*() {
    const decode = Utf8.makeLenientStream()
    const queue = yield* Queue.sliding<string>(limits.streamBuffer)
    if (onStderr !== undefined) {
      // In a fiber of its own: a slow consumer loses the oldest text, and stops nothing.
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(queue), onStderr)))
    }
    yield* Stream.runForEach(child.stderr, (chunk) =>
      Effect.sync(() => {
        const text = decode(chunk)
        tail.add(text)
        if (onStderr !== undefined) Queue.offerUnsafe(queue, text)
      }))
  })

const writeStdin = (child: ChildProcessHandle, output: Output) =>
  Stream.run(Stream.map(output.stream, Utf8.encode), child.stdin)

/** The exit in words: the code, or the signal. */
const exitOf = (child: ChildProcessHandle): Effect.Effect<string> =>
  Effect.match(child.exitCode, {
    onSuccess: (code) => `exit code ${code}`,
    onFailure: (error) => signalOf(error) ?? error.message
  })

const signalOf = (error: PlatformError.PlatformError): string | undefined => {
  const cause = error.reason.cause
  const name = cause instanceof Error ? /SIG[A-Z0-9]+/.exec(cause.message)?.[0] : undefined
  return name === undefined ? undefined : `signal ${name}`
}

const describe = (command: string, exit: Exit.Exit<string> | undefined, tail: string): string => {
  const end = exit !== undefined && Exit.isSuccess(exit)
    ? `${command} has ended with ${exit.value}`
    : `${command} has closed its input or output`
  const said = tail.trim()
  return said === "" ? end : `${end}. It said last:\n${said}`
}

/**
 * STDIO-12: close the input, wait, SIGTERM, wait, SIGKILL, always for the whole group. A server that ends with its
 * input has the rest of its group ended by the spawner's own finalizer, in the same way.
 */
const stop = (
  child: ChildProcessHandle,
  connection: ClientConnection,
  output: Output,
  exit: Fiber.Fiber<string>,
  closeStdinTimeout: Duration.Duration,
  terminateTimeout: Duration.Duration
) =>
  Effect.suspend(() => {
    connection.close(stopped)
    output.end()
    return Fiber.await(exit).pipe(
      Effect.timeoutOrElse({
        duration: closeStdinTimeout,
        orElse: () => child.kill({ killSignal: "SIGTERM", forceKillAfter: terminateTimeout })
      }),
      Effect.ignore
    )
  })

/** For those who send to a server that was stopped here. */
export const stopped = McpClientError.make(
  new McpClientError.TransportClosed({ detail: "the client has closed it" })
)
