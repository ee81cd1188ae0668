/**
 * A client for people: `node examples/booking/client.ts`. It starts the hotel as a child process, has it book a room, and
 * asks whoever sits at the keyboard what the hotel wants to know.
 */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as Revision from "@effect-mcp/core/Revision"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { conversation } from "./conversation.ts"
import * as handlers from "./terminal/handlers.ts"

const flags = {
  revision: Flag.Literals("revision", Revision.all).pipe(
    Flag.withDescription("Speak this revision of the protocol only. The hotel is the same, and so are the questions"),
    Flag.optional
  ),
  sampling: Flag.Boolean("sampling").pipe(
    Flag.withDescription("Have a model, which the hotel may ask; --no-sampling has none"),
    Flag.withDefault(true)
  ),
  folder: Flag.Directory("folder", { mustExist: true }).pipe(
    Flag.withDescription("A folder that the hotel may know of; it writes the receipt there"),
    Flag.optional
  ),
  url: Flag.String("url").pipe(
    Flag.withDescription("A hotel over HTTP, which `node examples/booking/http.ts` starts"),
    Flag.optional
  )
}

const transport = (url: Option.Option<string>) =>
  Option.match(url, {
    onNone: () => McpStdio.layerClient({ command: process.execPath, args: [`${import.meta.dirname}/stdio.ts`] }),
    onSome: (url) => McpHttp.layerClient({ url }).pipe(Layer.provide(NodeHttpClient.layerUndici))
  })

const client = Command.make(
  "client",
  flags,
  Effect.fnUntraced(function*({ folder, revision, sampling, url }) {
    const path = yield* Path.Path
    const root = Option.isSome(folder) ? (yield* path.toFileUrl(path.resolve(folder.value))).href : undefined
    const Client = McpClient.layer({ name: "terminal", version: "1.0.0" }, {
      ...handlers.make({ folder: root, sampling }),
      revisions: Option.match(revision, { onNone: () => Revision.all, onSome: (only) => [only] })
    }).pipe(Layer.provide(transport(url)))
    yield* Effect.provide(conversation, Client)
  })
).pipe(Command.withDescription("Book a room at a hotel, which asks you what it needs to know"))

Command.run(client, { version: "1.0.0" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
