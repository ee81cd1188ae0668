/**
 * How a client meets a server of the modern era: by asking it what it is.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as Meta from "@effect-mcp/core/Meta"
import type { Revision } from "@effect-mcp/core/Revision"
import { Implementation } from "@effect-mcp/core/schema/Common"
import type { DiscoverResult } from "@effect-mcp/core/schema/Lifecycle"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Server } from "../Client.ts"
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
    info: identity(result._meta?.[Meta.key.serverInfo]),
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

const isImplementation = Schema.is(Implementation)

/** DISC-2. It is for people to read, so that one which is none is no reason to fail (META-15). */
const identity = (info: unknown): Implementation | undefined => isImplementation(info) ? info : undefined
