/**
 * The example, all of it: a client that talks to the same server over standard input and output, and over HTTP.
 *
 *     npm start
 */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { conversation } from "./docs/conversation.ts"
import * as http from "./docs/http.ts"

const dir = path.resolve(import.meta.dirname, "..")

const Client = McpClient.layer({ name: "docs-reader", version: "1.0.0" })

/** The client starts the server as a child process. */
const overStdio = Effect.gen(function*() {
  const args = [path.join(import.meta.dirname, "docs/stdio.ts"), dir]
  yield* Console.log(`── stdio: node ${args.join(" ")}`)
  const transport = McpStdio.layerClient({ command: process.execPath, args })
  yield* conversation("stdio").pipe(Effect.provide(Client.pipe(Layer.provide(transport))))
})

/** The server is in this process here. It could be anywhere. */
const overHttp = Effect.gen(function*() {
  const url = yield* http.url
  yield* Console.log(`── http: ${url}`)
  const transport = McpHttp.layerClient({ url })
  yield* conversation("http").pipe(Effect.provide(Client.pipe(Layer.provide(transport))))
}).pipe(Effect.provide([http.layer({ dir, port: 0 }), NodeHttpClient.layerUndici]))

Effect.andThen(overStdio, overHttp).pipe(
  Effect.andThen(Console.log("── done")),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
