/**
 * A peer of the legacy era that speaks in plain messages. Whatever the server sends is checked against the official
 * schema of the revision that the session has.
 */
import { assert } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type { ErrorObject } from "@effect-mcp/core/McpError"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import type * as Revision from "@effect-mcp/core/Revision"
import {
  awaitCall,
  type Call,
  type Exchange,
  type LegacyEndpoint,
  type ServerEndpoint,
  type Session,
  type Unrelated
} from "@effect-mcp/core/ServerEndpoint"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { definitionOf, official, resultDefinitionOf } from "../../../core/test/support/officialRevisions.ts"

/** The revisions of the legacy era, oldest first. */
export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const satisfies ReadonlyArray<
  Revision.Revision
>

export type LegacyRevision = (typeof revisions)[number]

/** Whether a revision came after another, or is it. */
export const since = (revision: LegacyRevision, first: LegacyRevision): boolean =>
  revisions.indexOf(revision) >= revisions.indexOf(first)

/** Any JSON, to look into without ceremony. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export type Params = Record<string, unknown>

export const clientInfo = { name: "peer", version: "1.2.3" }

export const initializeParams = (protocolVersion: unknown, more: Params = {}): Params => ({
  protocolVersion,
  capabilities: {},
  clientInfo,
  ...more
})

/** Lets every fiber run until it waits for something else than its turn. */
export const settle: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 50 })

/** Waits for what other fibers bring about. */
export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let turns = 0; !condition(); turns++) {
      assert(turns < 10_000, "it did not happen")
      yield* Effect.yieldNow
    }
  })

export const legacyOf = (endpoint: ServerEndpoint): LegacyEndpoint => {
  assert(endpoint.legacy !== undefined)
  return endpoint.legacy
}

const envelopes = {
  older: { Success: "JSONRPCResponse", Failure: "JSONRPCError" },
  "2025-11-25": { Success: "JSONRPCResultResponse", Failure: "JSONRPCErrorResponse" }
} as const

/** Checks a message of the server, an answer to `method` if it is one, and gives it back as the wire has it. */
const received = (revision: LegacyRevision, message: JsonRpc.Message, method?: string): Json => {
  const { validate, validateClosed } = official(revision)
  const wire = JSON.parse(Result.getOrThrow(JsonRpc.print(message)))
  const envelope = revision === "2025-11-25" ? envelopes[revision] : envelopes.older
  if (message._tag === "Request" || message._tag === "Notification") {
    assert.isUndefined(validate(`JSONRPC${message._tag}`, wire))
    const { jsonrpc: _, ...rest } = wire
    const members = revision === "2025-11-25" ? wire : message._tag === "Request" ? { ...rest, id: undefined } : rest
    assert.isUndefined(validateClosed(definitionOf(revision, message.method), JSON.parse(JSON.stringify(members))))
  } else {
    assert.isUndefined(validate(envelope[message._tag], wire))
    // Members of a result that the revision does not name are wrong: what the modern era has is not for it (RPC-10).
    if (message._tag === "Success" && method !== undefined) {
      assert.isUndefined(validateClosed(resultDefinitionOf(method), wire.result))
    }
  }
  return wire
}

export interface RequestOptions {
  readonly id?: JsonRpc.Id
  /** What comes on the request's own stream. */
  readonly onMessage?: (message: Unrelated) => Effect.Effect<unknown, McpClientError>
}

/** The requests of a peer, whose answers are checked. */
export interface Requests {
  readonly request: (
    method: string,
    params?: Params,
    options?: RequestOptions
  ) => Effect.Effect<JsonRpc.Response, McpClientError>
  /** The result of a request that has to succeed. */
  readonly result: (method: string, params?: Params, options?: RequestOptions) => Effect.Effect<Json, McpClientError>
  /** The error of a request that has to fail. */
  readonly error: (
    method: string,
    params?: Params,
    options?: RequestOptions
  ) => Effect.Effect<ErrorObject, McpClientError>
  readonly call: (name: string, args?: Params, options?: RequestOptions) => Effect.Effect<Json, McpClientError>
}

const requests = (revision: LegacyRevision, request: Requests["request"]): Requests => {
  const checked: Requests["request"] = (method, params, options) =>
    Effect.tap(request(method, params, options), (response) =>
      Effect.sync(() => {
        received(revision, response, method)
      }))
  const result: Requests["result"] = (method, params, options) =>
    Effect.map(request(method, params, options), (response) => {
      assert(response._tag === "Success", JSON.stringify(response))
      return received(revision, response, method).result
    })
  return {
    request: checked,
    result,
    error: (method, params, options) =>
      Effect.map(checked(method, params, options), (response) => {
        assert(response._tag === "Failure", JSON.stringify(response))
        return response.error
      }),
    call: (name, args, options) =>
      result("tools/call", args === undefined ? { name } : { name, arguments: args }, options)
  }
}

export interface Peer extends Requests {
  readonly endpoint: ServerEndpoint
  /** The answer to `initialize`. */
  readonly initialized: Json
  /** What came unasked, as the wire has it. */
  readonly unasked: Array<Json>
  readonly notify: (method: string, params?: Params) => Effect.Effect<void, McpClientError>
  readonly reply: (response: JsonRpc.Response) => Effect.Effect<void, McpClientError>
}

export interface OpenOptions extends MemoryTransport.Options {
  readonly capabilities?: Params
  /** Do not say `notifications/initialized`. */
  readonly silent?: boolean
}

let nextId = 0

/** A connection without a session yet. */
export const connect = (endpoint: ServerEndpoint, revision: LegacyRevision, options?: MemoryTransport.Options) => {
  const transport = MemoryTransport.make(endpoint, options)
  const request: Requests["request"] = (method, params, options = {}) => {
    const message = JsonRpc.request(options.id ?? `p${nextId++}`, method, params)
    return Effect.tap(
      transport.send({
        message,
        mirror: { protocolVersion: undefined, method: undefined, name: undefined, params: [] },
        onMessage: (incoming) =>
          Effect.suspend(() => {
            received(revision, incoming)
            return options.onMessage?.(incoming) ?? Effect.void
          }).pipe(Effect.orDie)
      }),
      (response) => Effect.sync(() => assert.strictEqual(response.id, message.id))
    )
  }
  return { transport, send: request, ...requests(revision, request) }
}

/** Opens a session on a connection of its own, and collects what comes unasked while the scope is open. */
export const open = (
  endpoint: ServerEndpoint,
  revision: LegacyRevision,
  options: OpenOptions = {}
): Effect.Effect<Peer, McpClientError, Scope.Scope> =>
  Effect.gen(function*() {
    const { capabilities = {}, silent, ...transportOptions } = options
    const { send: _, transport, ...peer } = connect(endpoint, revision, transportOptions)
    const initialized = yield* peer.result("initialize", initializeParams(revision, { capabilities }))
    assert.strictEqual(initialized.protocolVersion, revision)
    const unasked: Array<Json> = []
    yield* Effect.forkScoped(
      Stream.runForEach(transport.unrelated, (message) =>
        Effect.sync(() => {
          unasked.push(received(revision, message))
        })),
      { startImmediately: true }
    )
    const notify: Peer["notify"] = (method, params) => transport.notify(JsonRpc.notification(method, params))
    if (silent !== true) yield* notify("notifications/initialized")
    return { endpoint, initialized, unasked, notify, reply: transport.reply, ...peer }
  })

export const exchange = (options: Partial<Exchange> = {}): Exchange => ({
  transport: "test",
  context: Context.empty(),
  principal: undefined,
  mirrored: undefined,
  emit: () => {},
  drained: Effect.void,
  ask: undefined,
  ...options
})

/** Starts a request of a session as a transport does. */
export const startCall = (
  session: Session,
  method: string,
  params?: Params,
  options: Partial<Exchange> & { readonly id?: JsonRpc.Id } = {}
): Call => {
  const { id, ...rest } = options
  const outcome = session.classify(JsonRpc.request(id ?? `p${nextId++}`, method, params))
  assert(outcome._tag === "Request", JSON.stringify(outcome))
  return session.call(outcome, exchange(rest))
}

/** The requests of a session that was found or opened at the endpoint, as over HTTP. */
export const over = (session: Session, options: Partial<Exchange> = {}): Requests =>
  requests(session.revision as LegacyRevision, (method, params, { id, onMessage } = {}) =>
    Effect.gen(function*() {
      const call = startCall(session, method, params, {
        ...options,
        ...(id === undefined ? undefined : { id }),
        emit: (notification) => {
          received(session.revision as LegacyRevision, notification)
          if (onMessage !== undefined) Effect.runSync(Effect.orDie(onMessage(notification)))
        }
      })
      const response = yield* awaitCall(call)
      assert(response !== undefined, "cancelled")
      return response
    }))

/** Opens a session that is stored. */
export const openStored = (endpoint: ServerEndpoint, revision: LegacyRevision, principal?: string) =>
  Effect.gen(function*() {
    const message = JsonRpc.request("init", "initialize", initializeParams(revision))
    const { response, session } = yield* legacyOf(endpoint).open(message, exchange({ principal }), "stored")
    received(revision, response, "initialize")
    assert(session !== undefined, JSON.stringify(response))
    session.notify(JsonRpc.notification("notifications/initialized"), exchange({ principal }))
    return session
  })

/** A session that is known by its id. */
export const find = (endpoint: ServerEndpoint, id: string, principal?: string) =>
  legacyOf(endpoint).find(id, { principal })

/** Listens, and writes down what comes. */
export const listen = (session: Session) => {
  const heard: Array<Json> = []
  const stop = session.listen((message) => {
    heard.push(received(session.revision as LegacyRevision, message))
  })
  return { heard, stop }
}

export const methods = (messages: ReadonlyArray<Json>): ReadonlyArray<string> => messages.map(({ method }) => method)
