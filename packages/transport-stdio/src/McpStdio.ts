/**
 * The Model Context Protocol over standard input and output: one message a line, the client starts the server.
 *
 * A server is an effect that ends with its input; {@link run} is all it takes. A client is a layer that starts a
 * command and ends it again, with everything that it has started.
 *
 * @since 0.1.0
 */
import type { McpTransport } from "@effect-mcp/core/ClientTransport"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type * as Stdio from "effect/Stdio"
import * as client from "./internal/client.ts"
import * as console from "./internal/console.ts"
import * as hostProcess from "./internal/hostProcess.ts"
import * as server from "./internal/serve.ts"

/**
 * The options of {@link run} and {@link layerServer}.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions {
  /**
   * How long requests in flight may go on after the input has ended. Default: `drainTimeout` of `Limits`, 2 seconds.
   */
  readonly drainTimeout?: Duration.Input | undefined
  /**
   * The services that every request has, such as the principal on whose behalf the process was started. The features of
   * the server get `McpServer.fromTransport` of them.
   */
  readonly services?: Context.Context<never> | undefined
}

/**
 * Serves over standard input and output, until the input ends.
 *
 * **Details**
 *
 * When the input ends, or the effect is interrupted, as `runMain` does at SIGTERM and SIGINT, the requests in flight
 * may finish within `drainTimeout` and their answers are written; the rest is interrupted. The layers of the server are
 * released within `closeTimeout` of `Limits`, 10 seconds; what takes longer is left behind with a warning. An input that breaks has
 * ended, and so has a peer that closed the output.
 *
 * A client of any revision may connect: what a server of `McpServer.layer` speaks is said with its option `revisions`. A
 * connection of an older revision has one session, which ends with it.
 *
 * Standard output belongs to the protocol. Inside `server` Effect's loggers and its `Console` write to standard error,
 * and so does the global `console` while the server runs.
 *
 * **Gotchas**
 *
 * `process.stdout.write` cannot be redirected: it is how the answers leave.
 *
 * **Example** (A whole program)
 *
 * ```ts
 * import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
 * import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
 * import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
 * import * as NodeStdio from "@effect/platform-node/NodeStdio"
 * import * as Effect from "effect/Effect"
 * import type * as Layer from "effect/Layer"
 *
 * // From McpServer.layer of @effect-mcp/server
 * declare const Server: Layer.Layer<McpEndpoint>
 *
 * McpStdio.run(Server).pipe(
 *   Effect.provide(NodeStdio.layer),
 *   NodeRuntime.runMain({ teardown: McpStdio.teardown })
 * )
 * ```
 *
 * @see {@link teardown} for the exit code
 * @category running
 * @since 0.1.0
 */
export const run = <E, R>(
  serverLayer: Layer.Layer<McpEndpoint, E, R>,
  options?: ServerOptions | undefined
): Effect.Effect<void, E, R | Stdio.Stdio> =>
  Effect.andThen(
    console.redirectGlobal,
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) =>
        Effect.flatMap(
          Layer.buildWithScope(serverLayer, scope),
          (context) => Effect.provideContext(server.serve(options), context)
        ),
      server.release
    )
  ).pipe(
    Effect.scoped,
    Effect.updateContext(Context.merge(console.references))
  )

/**
 * Serves over standard input and output for as long as the layer is there, for an application that does more.
 *
 * **Details**
 *
 * The end of the input ends nothing else. When the layer is released, the requests in flight are drained as with
 * {@link run}. The global `console` writes to standard error; for loggers of its own the application provides
 * `Logger.LogToStderr`.
 *
 * @see {@link run} for a program that is nothing but a server
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (
  options?: ServerOptions | undefined
): Layer.Layer<never, never, McpEndpoint | Stdio.Stdio> =>
  Layer.effectDiscard(
    Effect.andThen(console.redirectGlobal, Effect.forkScoped(server.serve(options)))
  )

/**
 * The teardown of a server on standard input and output, for `runMain`.
 *
 * **Details**
 *
 * The process ends with the server, whatever timers and sockets user code holds: with 0 when the input has ended or a
 * signal told it to end, with the code of the error when the server failed. Without it a program that has ended
 * lives on for as long as a timer does, and a signal ends it with 130.
 *
 * @see {@link run} for an example
 * @category running
 * @since 0.1.0
 */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    return Runtime.defaultTeardown(exit, (code) => hostProcess.exit(code, onExit))
  }
  hostProcess.exit(0, onExit)
}

/**
 * The options of {@link layerClient}.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions {
  /** The program, found as the system finds programs. */
  readonly command: string
  readonly args?: ReadonlyArray<string | Redacted.Redacted<string>> | undefined
  /** Variables of the server's environment. A variable that is `undefined` is taken out of it. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string> | undefined>> | undefined
  /** Whether the server gets the environment of this process too. Default: `true`. */
  readonly extendEnv?: boolean | undefined
  readonly cwd?: string | undefined
  /** Takes what the server writes to standard error. Errors have the end of it in any case (STDIO-4, STDIO-5). */
  readonly onStderr?: ((text: string) => Effect.Effect<void>) | undefined
  /** How long the server may go on after its input was closed. Default: `closeStdinTimeout` of `Limits`. */
  readonly closeStdinTimeout?: Duration.Input | undefined
  /** How long the server may go on after SIGTERM. Default: `terminateTimeout` of `Limits`. */
  readonly terminateTimeout?: Duration.Input | undefined
}

/**
 * Starts a command and speaks to it over its standard input and output.
 *
 * **Details**
 *
 * The command runs in a process group of its own. When the layer is released its input is closed, then it gets SIGTERM
 * and SIGKILL, each after its own time, and so does everything it has started (STDIO-12).
 *
 * When the command exits, all requests without an answer fail with `TransportClosed`, which has its exit code and the
 * end of its standard error. It is not started again: that is the caller's choice, by building the layer again
 * (STDIO-14). The exception is a server of an older revision that ends because it was asked something before
 * `initialize`: the client then starts it anew, and begins with that.
 *
 * What the command prints on standard output that is no message is logged and passed over.
 *
 * **Example** (Connecting to a command)
 *
 * ```ts
 * import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import * as Layer from "effect/Layer"
 *
 * const Transport = McpStdio.layerClient({ command: "node", args: ["server.js"] }).pipe(
 *   Layer.provide(NodeServices.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: ClientOptions
): Layer.Layer<McpTransport, McpClientError, ChildProcessSpawner> => client.layer(options)
