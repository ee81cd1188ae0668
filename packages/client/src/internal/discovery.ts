/**
 * How a client meets a server of the modern era: by asking it what it is.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as Meta from "@effect-mcp/core/Meta"
import { Implementation } from "@effect-mcp/core/schema/Common"
import type { DiscoverResult } from "@effect-mcp/core/schema/Lifecycle"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Server } from "../Client.ts"
import { type Connection, request } from "./exchange.ts"
import type { Dialect } from "./negotiation.ts"
import { core } from "./prepared.ts"

/** Asks the server, and settles on the newest common revision. */
export const discover = (connection: Connection, timeout: number): Effect.Effect<Server, RequestError> =>
  request(connection, core.discover, {}, { deadline: Duration.millis(timeout) }).pipe(
    // A server without this method is one of the legacy era (ERA-17): say that, and not what it made of the question.
    Effect.catchTag("MethodNotFound", () => Effect.fail(connection.negotiation.legacy)),
    Effect.flatMap((result) =>
      Effect.map(Effect.fromResult(connection.negotiation.choose(result.supportedVersions)), (dialect) => {
        connection.dialect = dialect
        return describe(result, dialect)
      })
    )
  )

const describe = (result: DiscoverResult, dialect: Dialect): Server => ({
  revision: dialect.revision,
  supportedVersions: result.supportedVersions,
  capabilities: result.capabilities,
  info: identity(result._meta?.[Meta.key.serverInfo]),
  instructions: result.instructions
})

/** What is known of a server nobody asked. */
export const unasked = (dialect: Dialect): Server => ({
  revision: dialect.revision,
  supportedVersions: [],
  capabilities: {},
  info: undefined,
  instructions: undefined
})

const isImplementation = Schema.is(Implementation)

/** DISC-2. It is for people to read, so that one which is none is no reason to fail (META-15). */
const identity = (info: unknown): Implementation | undefined => isImplementation(info) ? info : undefined
