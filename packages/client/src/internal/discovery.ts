/**
 * How a client meets a server of the modern era: by asking it what it is.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import type { Revision } from "@effect-mcp/core/Revision"
import type { DiscoverResult } from "@effect-mcp/core/schema/Lifecycle"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Server } from "../Client.ts"
import { identityIn } from "./answer.ts"
import type { Connection } from "./connection.ts"
import { once } from "./exchange.ts"
import { core } from "./prepared.ts"

/** Asks the server, as the first question of a connection. */
export const ask = (connection: Connection): Effect.Effect<DiscoverResult, RequestError> =>
  once(connection, core.discover, {}, { deadline: Duration.millis(connection.greeting) })

/** Goes on with a revision, and with what the server has told about itself. */
export const accept = (connection: Connection, revision: Revision, result: DiscoverResult): void => {
  connection.dialect = connection.modern(revision)
  // RPC-14.
  connection.questions.asker = undefined
  connection.server = {
    revision,
    supportedVersions: result.supportedVersions,
    capabilities: result.capabilities,
    info: identityIn(result),
    instructions: result.instructions
  }
}

/** What is known of a server nobody asked. */
export const unasked = (revision: Revision): Server => ({
  revision,
  supportedVersions: [],
  capabilities: {},
  info: undefined,
  instructions: undefined
})
