/**
 * A stream that ends or breaks before its answer, and is gone on with on another connection.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as clientBody from "./body.ts"
import { Place } from "./events.ts"
import type { Receiver } from "./messages.ts"
import { Reconnect } from "./reconnect.ts"
import type { Session } from "./session.ts"
import * as clientStatus from "./status.ts"
import * as clientStream from "./stream.ts"
import type { Wire } from "./wire.ts"

/** How often in vain: with the waits between them, a call is told within half a minute that its server is gone. */
const attempts = 4

/** What another connection needs. */
export interface Resuming extends Omit<clientStream.Reading, "place" | "onOther"> {
  readonly wire: Wire
  readonly session: Session
}

/**
 * The answer to a request in the stream that has begun, and in those that continue it (LHTTP-11, LHTTP-17). Without the id
 * of an event nothing can continue it.
 */
export const answer = Effect.fnUntraced(function*(
  response: HttpClientResponse.HttpClientResponse,
  request: JsonRpc.Request,
  receiver: Receiver,
  resuming: Resuming
) {
  const place = new Place()
  const reconnect = new Reconnect(place, Math.min(attempts, resuming.limits.reconnectAttempts))
  const reading: clientStream.Reading = { ...resuming, place }
  const ended = McpClientError.make(new McpClientError.StreamEnded({ method: request.method }))
  let next: HttpClientResponse.HttpClientResponse | undefined = response
  while (true) {
    reconnect.begin()
    const result = next === undefined
      ? undefined
      : yield* Effect.result(Effect.andThen(reconnect.connected, clientStream.read(next, receiver, reading)))
    if (result !== undefined && Result.isSuccess(result) && result.success !== undefined) return result.success
    const error = result !== undefined && Result.isFailure(result) ? result.failure : undefined
    const id = headerOf(place.lastEventId, resuming.limits.headerBytes)
    if (error !== undefined && (error.reason._tag !== "TransportClosed" || id === undefined)) return yield* error
    if (id === undefined || !(yield* reconnect.wait)) return yield* ended
    next = yield* resume(id, ended, resuming)
  }
})

/** The stream from the event with this id on; `undefined` if it has to be tried again. */
const resume = Effect.fnUntraced(function*(
  id: string,
  ended: McpClientError.McpClientError,
  { session, wire }: Resuming
) {
  const result = yield* Effect.result(wire.get(session.headers({ "last-event-id": id })))
  if (Result.isFailure(result)) return undefined
  const response = result.success
  if (clientStatus.isStream(response)) return response
  if (response.status === 401 || response.status === 403) return yield* clientStatus.unexpected(response)
  yield* clientBody.drain(response)
  return clientStatus.isPassing(response) ? undefined : yield* ended
})

/**
 * An id as the value of a header, in UTF-8 as the WHATWG has it. `undefined` for one that no header can carry, and for the
 * empty one, which takes back those before it.
 */
export const headerOf = (id: string | undefined, maxBytes: number): string | undefined => {
  if (id === undefined || id === "") return undefined
  const bytes = new TextEncoder().encode(id)
  // oxlint-disable-next-line no-control-regex
  if (bytes.length > maxBytes || /[\x00-\x08\x0a-\x1f\x7f]/.test(id)) return undefined
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
}
