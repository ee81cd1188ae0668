/**
 * The stream on which a server of the legacy era speaks unasked (LHTTP-13).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as clientBody from "./body.ts"
import { Place } from "./events.ts"
import { firstWarns, type Receiver } from "./messages.ts"
import { Reconnect } from "./reconnect.ts"
import { headerOf, type Resuming } from "./resume.ts"
import * as clientStatus from "./status.ts"
import * as clientStream from "./stream.ts"

/**
 * Reads it for as long as there is one: a server need not have it, and one that keeps breaking is given up in the end. What
 * is lost then is told to the operator. `lost` is run when the server has forgotten the session.
 */
export const run = Effect.fnUntraced(function*(receiver: Receiver, resuming: Resuming, lost: Effect.Effect<void>) {
  const { limits, session, wire } = resuming
  const place = new Place()
  const reconnect = new Reconnect(place, limits.reconnectAttempts)
  const reading: clientStream.Reading = { ...resuming, place }
  const missed = firstWarns()
  let wasThere = false
  while (true) {
    reconnect.begin()
    const id = headerOf(place.lastEventId, limits.headerBytes)
    const got = yield* Effect.result(wire.get(session.headers({ "last-event-id": id })))
    if (Result.isSuccess(got)) {
      const response = got.success
      if (clientStatus.isStream(response)) {
        wasThere = true
        yield* reconnect.connected
        const read = yield* Effect.result(clientStream.read(response, receiver, reading))
        if (Result.isFailure(read) && read.failure.reason._tag !== "TransportClosed") {
          return yield* givenUp(read.failure.message)
        }
      } else {
        yield* clientBody.drain(response)
        if (!clientStatus.isPassing(response)) {
          const { status } = response
          if (status === 401 || status === 403) return yield* givenUp(`status ${status}`)
          // LHTTP-23. A server that never had the stream says as little with 404 as with 405.
          if (id === undefined && status === 404 && wasThere) return yield* lost
          if (id === undefined) {
            return yield* Effect.logDebug(`The MCP server has no stream of its own: status ${status}`)
          }
          // What was missed is lost. What comes from now on need not be.
          place.lastEventId = undefined
          yield* missed(`The MCP server cannot tell what it has sent meanwhile: status ${status}`)
          yield* reconnect.pause
          continue
        }
      }
    }
    if (!(yield* reconnect.wait)) return yield* givenUp("it brings nothing")
  }
})

const givenUp = (why: string) =>
  Effect.logWarning(`The stream on which the MCP server tells of changes is given up: ${why}`)
