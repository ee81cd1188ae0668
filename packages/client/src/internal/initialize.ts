/**
 * The handshake of the legacy era: `initialize`, its answer, `notifications/initialized` (INIT-1 to INIT-6).
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import type * as Revision from "@effect-mcp/core/Revision"
import type { InitializeResult } from "@effect-mcp/core/schema/Lifecycle"
import * as Effect from "effect/Effect"
import * as Answer from "./answer.ts"
import type { Connection } from "./connection.ts"
import * as Dialect from "./dialect.ts"
import { mirrorOf } from "./legacyExchange.ts"
import { Pending } from "./pending.ts"
import { core } from "./prepared.ts"

const { decodeResult, definition } = core.initialize
const noParams: JsonRpc.JsonObject = {}

/**
 * Offers a revision. Who the client is is always told, for the handshake demands it. One that takes too long is given up
 * like any other; that it is not cancelled on the wire is known to the transports (INIT-10).
 */
export const offer = (
  connection: Connection,
  revision: Revision.Revision
): Effect.Effect<InitializeResult, RequestError> =>
  Effect.withFiber((fiber) => {
    const { capabilities, deadlines, greeting, inFlight, info, questions, transport } = connection
    const times = { idle: greeting, max: Infinity, extend: false }
    const pending = new Pending(definition.name, deadlines, times, inFlight)
    const params = Projection.params(revision, definition.name)({
      protocolVersion: revision,
      capabilities: capabilities(revision),
      clientInfo: info
    })
    // A server may ping before it answers (INIT-8).
    questions.asker = { revision, server: undefined }
    const sent = transport.send({
      message: JsonRpc.request(++connection.lastId, definition.name, params),
      mirror: mirrorOf(undefined),
      onMessage: (message) =>
        Effect.sync(() =>
          message._tag === "Request"
            ? questions.ask(message, pending, [pending])
            : connection.receive(message, undefined)
        )
    })
    return Effect.flatMap(
      Effect.andThen(connection.listen, pending.run(fiber.context, sent)),
      (response): Effect.Effect<InitializeResult, RequestError> =>
        response._tag === "Failure"
          ? Effect.fail(Answer.error(definition.name, response.error))
          : Effect.fromResult(Answer.read(definition.name, decodeResult, JsonRpc.resultValue(response)))
    )
  })

/** Goes on with the revision the server has answered with. `supported` is what else is known that it speaks. */
export const accept = (
  connection: Connection,
  revision: Revision.Revision,
  result: InitializeResult,
  supported: ReadonlyArray<string> | undefined
): Effect.Effect<void, RequestError> => {
  const { capabilities, instructions, serverInfo } = result
  const { legacy, notify } = connection.transport
  return Effect.suspend(() => {
    connection.session.opened()
    connection.questions.asker = { revision, server: serverInfo }
    connection.dialect = Dialect.legacy(revision, capabilities)
    connection.server = {
      revision,
      supportedVersions: supported ?? [revision],
      capabilities,
      info: serverInfo,
      instructions
    }
    return legacy.opened(revision)
  }).pipe(
    Effect.andThen(notify(JsonRpc.notification(
      Method.initialized.name,
      Projection.params(revision, Method.initialized.name)(noParams)
    ))),
    Effect.andThen(legacy.initialized)
  )
}
