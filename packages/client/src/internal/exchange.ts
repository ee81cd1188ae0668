/**
 * One request and its answer: the path that every method of the client takes.
 */
import type { Mirror, RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Revision from "@effect-mcp/core/Revision"
import * as Effect from "effect/Effect"
import type { Accepted, CustomOptions, RequestOptions } from "../RequestOptions.ts"
import * as Answer from "./answer.ts"
import type { Connection, Modern } from "./connection.ts"
import { consumer } from "./incoming.ts"
import * as LegacyExchange from "./legacyExchange.ts"
import { Pending, times } from "./pending.ts"
import type { Prepared } from "./prepared.ts"
import * as Rounds from "./rounds.ts"
import { traced } from "./trace.ts"

type Headers = Mirror["params"]

const noHeaders: Headers = []

/** How far a request has come. */
interface Stage {
  readonly mayRenegotiate: boolean
  /** How often it was sent again with what it has asked for. */
  readonly rounds: number
}

const first: Stage = { mayRenegotiate: true, rounds: 0 }
const only: Stage = { mayRenegotiate: false, rounds: 0 }

/** Sends a request and reads its answer, in the era the two sides have settled on. */
export const request = <R, RC = never, A extends Accepted = {}>(
  connection: Connection,
  prepared: Prepared<R>,
  params: JsonRpc.JsonObject,
  options?: CustomOptions<A, RC> | undefined,
  headers: Headers = noHeaders
): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> =>
  traced(
    prepared.definition.name,
    params,
    (traceparent) => dispatch(connection, prepared, params, options, headers, traceparent, first)
  )

/** Sends a request of the modern era, whose answer is taken as it is: another revision may be what it asks for. */
export const once = <R>(
  connection: Connection,
  prepared: Prepared<R>,
  params: JsonRpc.JsonObject,
  options: RequestOptions
): Effect.Effect<R, RequestError> =>
  traced(
    prepared.definition.name,
    params,
    (traceparent) => dispatch<R, never, {}>(connection, prepared, params, options, noHeaders, traceparent, only)
  )

const dispatch = <R, RC, A extends Accepted>(
  connection: Connection,
  prepared: Prepared<R>,
  params: JsonRpc.JsonObject,
  options: CustomOptions<A, RC> | undefined,
  headers: Headers,
  traceparent: string | undefined,
  stage: Stage
): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> => {
  const { dialect } = connection
  return dialect.era === "modern"
    ? attempt(connection, dialect, prepared, params, options, headers, traceparent, stage)
    : LegacyExchange.request(connection, prepared, params, options, traceparent)
}

const attempt = <R, RC, A extends Accepted>(
  connection: Connection,
  dialect: Modern,
  prepared: Prepared<R>,
  params: JsonRpc.JsonObject,
  options: CustomOptions<A, RC> | undefined,
  headers: Headers,
  traceparent: string | undefined,
  stage: Stage
): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> =>
  Effect.flatMap(
    send(connection, dialect, prepared, params, options, headers, traceparent),
    (response): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> => {
      if (response._tag === "Success") {
        const raw = JsonRpc.resultValue(response)
        return Answer.wantsInput(prepared, raw, options?.accept)
          // MRTR-20: a round is a request like the first one, with a life of its own.
          ? Effect.flatMap(
            Rounds.next(connection, dialect.revision, prepared, params, raw, options?.capabilities, stage.rounds),
            (params) =>
              dispatch(connection, prepared, params, options, headers, traceparent, {
                mayRenegotiate: true,
                rounds: stage.rounds + 1
              })
          )
          : Effect.fromResult(Answer.result(prepared, raw, options?.accept, connection.knows))
      }
      const error = Answer.error(prepared.definition.name, response.error)
      if (error._tag !== "UnsupportedProtocolVersion" || !stage.mayRenegotiate) return Effect.fail(error)
      // ERA-3. The server has refused to look at the request, so that sending it again repeats nothing.
      const { rules, session } = connection
      const common = rules.common(error.supported)
      if (common === undefined) return Effect.fail(rules.none(error.supported))
      if (Revision.era(common) === "modern") {
        const next = connection.modern(common)
        connection.dialect = next
        return attempt(connection, next, prepared, params, options, headers, traceparent, {
          ...stage,
          mayRenegotiate: false
        })
      }
      // ERA-22.
      return Effect.andThen(
        session.opening.withPermit(
          Effect.suspend(() => connection.dialect.era === "legacy" ? Effect.void : connection.open(common))
        ),
        LegacyExchange.request(connection, prepared, params, options, traceparent)
      )
    }
  )

const send = <RC>(
  connection: Connection,
  dialect: Modern,
  { definition, reports }: Prepared,
  params: JsonRpc.JsonObject,
  options: CustomOptions<Accepted, RC> | undefined,
  headers: Headers,
  traceparent: string | undefined
): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError, RC> =>
  Effect.withFiber((fiber) => {
    const { deadlines, inFlight, transport } = connection
    const id = ++connection.lastId
    const limits = times(options, connection.times)
    // PROG-1: the id is unique among the requests in flight, and so is a token that equals it. Progress that nobody waits
    // for is not asked for: a server would open a stream for it.
    const token = (reports && limits.extend) || options?.onProgress !== undefined ? id : undefined
    const pending = new Pending(definition.name, deadlines, limits, inFlight)
    const message = JsonRpc.request(id, definition.name, {
      ...params,
      _meta: meta(connection, dialect, params, options, token, traceparent)
    })
    const name = definition.mirroredName === undefined ? undefined : params[definition.mirroredName]
    const mirror: Mirror = {
      protocolVersion: dialect.revision,
      method: definition.name,
      name: typeof name === "string" ? name : undefined,
      params: headers
    }
    const onMessage = consumer(pending, token, options, fiber.context)
    return pending.run(fiber.context, transport.send({ message, mirror, onMessage }))
  })

const meta = (
  { capabilities }: Connection,
  dialect: Modern,
  params: JsonRpc.JsonObject,
  options: CustomOptions<Accepted, unknown> | undefined,
  token: number | undefined,
  traceparent: string | undefined
): JsonRpc.JsonObject => {
  const own = JsonRpc.isJsonObject(params._meta) ? params._meta : undefined
  const level = options?.logLevel ?? (options?.onLog === undefined ? undefined : "info")
  return {
    ...(traceparent === undefined ? undefined : { [Meta.key.traceparent]: traceparent }),
    ...own,
    ...options?.meta,
    ...dialect.meta,
    ...(options?.capabilities === undefined ? undefined : {
      [Meta.key.clientCapabilities]: capabilities(dialect.revision, options.capabilities)
    }),
    ...(token === undefined ? undefined : { [Meta.key.progressToken]: token }),
    ...(level === undefined ? undefined : { [Meta.key.logLevel]: level })
  }
}
