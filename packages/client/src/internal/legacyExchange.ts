/**
 * One request and its answer in the legacy era, where the two sides remember a session.
 */
import type { Mirror, RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import type { Revision } from "@effect-mcp/core/Revision"
import type { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import * as Effect from "effect/Effect"
import type { RequestOptions } from "../RequestOptions.ts"
import * as Answer from "./answer.ts"
import type { Connection } from "./connection.ts"
import { Inbox, levelOf } from "./inbox.ts"
import { severity } from "./incoming.ts"
import { Pending, times } from "./pending.ts"
import { core, prepare, type Prepared } from "./prepared.ts"

/** The mirror of the legacy era has the version, and that after `initialize` (LHTTP-25, INIT-14). */
export const mirrorOf = (revision: Revision | undefined): Mirror => ({
  protocolVersion: revision,
  method: undefined,
  name: undefined,
  params: []
})

type Again = "may be sent" | "must not be sent" | "was sent"

export const request = <R, RC>(
  connection: Connection,
  prepared: Prepared<R>,
  params: JsonRpc.JsonObject,
  options: RequestOptions<RC> | undefined,
  traceparent: string | undefined,
  again: Again = isRepeatable(prepared.definition, params) ? "may be sent" : "must not be sent"
): Effect.Effect<R, RequestError, RC> =>
  Effect.suspend((): Effect.Effect<R, RequestError, RC> => {
    const { dialect, session } = connection
    const method = prepared.definition.name
    if (session.lost) {
      return Effect.andThen(
        reopen(connection, session.epoch),
        // PAGE-4: a cursor is of the session that is gone.
        params.cursor === undefined
          ? request(connection, prepared, params, options, traceparent, again)
          : Effect.fail(expired(method))
      )
    }
    const refused = dialect.era === "legacy" ? dialect.refusal(method) : undefined
    if (refused !== undefined) return Effect.fail(refused)
    let { epoch } = session
    const sent = Effect.suspend(() => {
      // What comes before it may have opened another one.
      epoch = session.epoch
      return send(connection, prepared, params, options, traceparent)
    })
    const answered = Effect.flatMap(sent, (response): Effect.Effect<R, RequestError> => {
      if (response._tag === "Failure") return Effect.fail(Answer.error(method, response.error))
      if (method === Method.setLevel.name) session.level = params.level as LoggingLevel
      if (method === Method.resourcesSubscribe.name) session.subscriptions.add(String(params.uri))
      if (method === Method.resourcesUnsubscribe.name) session.subscriptions.delete(String(params.uri))
      return Effect.fromResult(Answer.read(method, prepared.decodeResult, JsonRpc.resultValue(response)))
    })
    const level = levelOf(options)
    const whole = level === undefined ? answered : Effect.andThen(ensureLevel(connection, level), answered)
    return whole.pipe(Effect.catch((error): Effect.Effect<R, RequestError, RC> => {
      if (!isExpired(error)) return Effect.fail(error)
      session.lose(epoch)
      switch (again) {
        case "may be sent":
          return Effect.andThen(
            reopen(connection, epoch),
            request(connection, prepared, params, options, traceparent, "was sent")
          )
        case "must not be sent":
          // The next request needs a session, whatever becomes of this one.
          return Effect.andThen(Effect.ignore(reopen(connection, epoch)), Effect.fail(expired(method)))
        case "was sent":
          return Effect.fail(expired(method))
      }
    }))
  })

const isExpired = (error: RequestError): boolean =>
  error._tag === "McpClientError" && error.reason._tag === "SessionExpired"

const expired = (method: string) => McpClientError.make(new McpClientError.SessionExpired({ method }))

/**
 * Whether sending a request again changes nothing that the first one did not. A tool may do anything, and so may what an
 * extension defines; and a cursor means nothing in another session (PAGE-4).
 */
const isRepeatable = ({ name }: Method.RequestDefinition, params: JsonRpc.JsonObject): boolean =>
  name !== Method.toolsCall.name && Method.core.requests.has(name) && params.cursor === undefined

/** LHTTP-23: a new session in the place of the one that is gone. One does it for all who wait for it. */
export const reopen = (connection: Connection, epoch: number): Effect.Effect<void, RequestError> => {
  const { questions, session, transport } = connection
  return session.opening.withPermit(
    Effect.suspend(() => {
      if (session.epoch !== epoch) return Effect.void
      // Nobody waits for these answers any more.
      questions.forget()
      return transport.legacy.forget.pipe(
        Effect.andThen(connection.open(connection.dialect.revision)),
        Effect.andThen(resubscribe(connection))
      )
    })
  )
}

/** RES-8: the new session is told of what the program has subscribed to in the one that is gone. */
const resubscribe = (connection: Connection): Effect.Effect<void> => {
  const { subscriptions } = connection.session
  const again = (uri: string) =>
    send<never>(connection, prepare(Method.resourcesSubscribe), { uri }, undefined, undefined).pipe(
      Effect.flatMap((response) => {
        if (response._tag === "Success") return Effect.void
        subscriptions.delete(uri)
        return Effect.logWarning(`The server does not tell of ${uri} in its new session: ${response.error.message}`)
      }),
      // The request that follows tells what is wrong with the connection.
      Effect.catch((error) => Effect.logDebug(error.message))
    )
  return Effect.suspend(() => Effect.forEach([...subscriptions], again, { discard: true }))
}

/**
 * LOG-3: asks for the messages that are wanted, unless they come already. A server that refuses sends none. What matters
 * is the request that follows, which tells itself what is wrong with the connection.
 */
const ensureLevel = (connection: Connection, level: LoggingLevel): Effect.Effect<void> => {
  const { server, session } = connection
  const has = () => session.level !== undefined && severity(session.level) <= severity(level)
  if (server.capabilities.logging === undefined || has()) return Effect.void
  const ask = Effect.flatMap(send<never>(connection, core.setLevel, { level }, undefined, undefined), (response) => {
    if (response._tag === "Failure") {
      return Effect.logDebug(`The server did not take the level ${level}`, response.error)
    }
    session.level = level
    return Effect.void
  })
  const asked = Effect.suspend((): Effect.Effect<void, RequestError> => {
    if (has()) return Effect.void
    const { epoch } = session
    return ask.pipe(Effect.catch((error) => {
      if (!isExpired(error)) return Effect.fail(error)
      // The request itself was not sent yet, and need not fail for this.
      session.lose(epoch)
      return Effect.andThen(reopen(connection, epoch), ask)
    }))
  })
  return session.leveling.withPermit(asked).pipe(Effect.catch((error) => Effect.logDebug(error.message)))
}

const send = <RC>(
  connection: Connection,
  { definition, reports }: Prepared,
  params: JsonRpc.JsonObject,
  options: RequestOptions<RC> | undefined,
  traceparent: string | undefined
): Effect.Effect<JsonRpc.Response, McpClientError.McpClientError, RC> =>
  Effect.withFiber((fiber) => {
    const { deadlines, dialect, inFlight, maxWaiting, questions, session, transport } = connection
    const { context } = fiber
    const id = ++connection.lastId
    const limits = times(options, connection.times)
    // PROG-1: the id is unique among the requests in flight, and so is a token that equals it.
    const token = (reports && limits.extend) || options?.onProgress !== undefined ? id : undefined
    const pending = new Pending(definition.name, deadlines, limits, inFlight)
    const inbox = new Inbox(pending, token, options, context, maxWaiting)
    const meta = metaOf(params, options, token, traceparent)
    const { _meta, ...rest } = params
    const whole = meta === undefined ? rest : { ...rest, _meta: meta }
    const message = JsonRpc.request(id, definition.name, Projection.params(dialect.revision, definition.name)(whole))
    const sent = transport.send({
      message,
      mirror: mirrorOf(dialect.revision),
      onMessage: (message) =>
        message._tag === "Request"
          ? Effect.sync(() => questions.ask(message, pending, [pending]))
          : inbox.takes(message)
          ? inbox.take(message)
          : Effect.sync(() => connection.receive(message, pending))
    })
    return pending.run(
      context,
      Effect.suspend(() => {
        session.inboxes.set(id, inbox)
        return sent
      }).pipe(
        Effect.tap(() => inbox.drained),
        Effect.onInterrupt(() => Effect.sync(() => questions.giveUp(pending))),
        Effect.ensuring(Effect.sync(() => session.inboxes.delete(id)))
      )
    )
  })

/** The members of `_meta`. Those that would make it a request of the modern era are taken out by the projection. */
const metaOf = (
  params: JsonRpc.JsonObject,
  options: RequestOptions<unknown> | undefined,
  token: number | undefined,
  traceparent: string | undefined
): JsonRpc.JsonObject | undefined => {
  const own = JsonRpc.isJsonObject(params._meta) ? params._meta : undefined
  if (own === undefined && options?.meta === undefined && token === undefined && traceparent === undefined) {
    return undefined
  }
  const meta: Record<string, unknown> = {
    ...(traceparent === undefined ? undefined : { [Meta.key.traceparent]: traceparent }),
    ...own,
    ...options?.meta,
    ...(token === undefined ? undefined : { [Meta.key.progressToken]: token })
  }
  return meta
}
