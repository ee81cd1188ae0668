/** The example server as a command: `npm run serve -- --help`. */
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as http from "./http.ts"
import * as docs from "./server.ts"

const flags = {
  dir: Flag.Directory("dir").pipe(
    Flag.withDescription("The folder whose Markdown files are served, by default the current one"),
    Flag.withDefault(".")
  ),
  port: Flag.Int("port").pipe(
    Flag.withDescription("The port on 127.0.0.1, by default 3000; 0 is any that is free"),
    Flag.withDefault(3000)
  ),
  stdio: Flag.Boolean("stdio").pipe(
    Flag.withDescription("Serve over standard input and output instead"),
    Flag.withDefault(false)
  )
}

const overHttp = Effect.fnUntraced(function*(options: { readonly dir: string; readonly port: number }) {
  yield* Console.log(`Serving the Markdown files of ${options.dir} at ${yield* http.url}`)
  return yield* Effect.never
}, (effect, options) => Effect.provide(effect, http.layer(options)))

const serve = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function*({ dir, port, stdio }) {
    return yield* stdio ? McpStdio.run(docs.layer(dir)) : overHttp({ dir, port })
  }, Effect.mapError((error) => new CliError.UserError({ cause: error._tag === "ServeError" ? error.cause : error })))
).pipe(Command.withDescription("Serve the Markdown files of a folder to MCP clients"))

Command.run(serve, { version: docs.info.version }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown: McpStdio.teardown })
)
