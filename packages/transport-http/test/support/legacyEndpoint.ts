/**
 * A small server of both eras, written by hand: a test decides what handlers do, and what a session says unasked.
 */
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import type { Call, Exchange, ServerEndpoint, Session, Unrelated } from "@effect-mcp/core/ServerEndpoint"
import { SessionUnavailable } from "@effect-mcp/core/ServerEndpoint"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Endpoint from "./endpoint.ts"

export interface Options {
  /** Handlers by tool name, or by method for the other methods. */
  readonly handlers?: Readonly<Record<string, Endpoint.Handler>>
  readonly revisions?: ReadonlyArray<Revision.Revision>
  /** How long the store of sessions takes. Not at all by default. */
  readonly store?: Effect.Effect<void, SessionUnavailable>
}

export class FakeSession implements Session {
  readonly id: string
  readonly revision: Revision.Revision
  readonly principal: string | undefined
  readonly notified: Array<string> = []
  readonly answers: Array<JsonRpc.Response> = []
  readonly classify: Inbound.Classifier
  closed = false
  readonly #listeners: Array<(message: Unrelated) => void> = []
  readonly #calls = new Map<JsonRpc.Id, Call>()
  readonly #callbacks: Array<() => void> = []
  #waiting: Array<Unrelated> = []
  readonly #start: ServerEndpoint["call"]
  readonly #onClose: () => void

  constructor(
    id: string,
    revision: Revision.Revision,
    principal: string | undefined,
    start: ServerEndpoint["call"],
    onClose: () => void
  ) {
    this.id = id
    this.revision = revision
    this.principal = principal
    this.#start = start
    this.#onClose = onClose
    this.classify = Inbound.session({
      revision,
      methods: Method.core,
      about: () => ({ clientCapabilities: {}, clientInfo: undefined })
    })
  }

  get listeners(): number {
    return this.#listeners.length
  }

  /** Waits until so many listen. */
  heardBy(count: number): Effect.Effect<void> {
    return Effect.whileLoop({ while: () => this.listeners !== count, body: () => Effect.sleep(1), step: () => {} })
  }

  readonly call = (request: Inbound.Request, exchange: Exchange): Call => {
    const call = this.#start(request, exchange)
    this.#calls.set(request.id, call)
    call.onEnd(() => this.#calls.delete(request.id))
    return call
  }

  readonly notify = ({ method }: JsonRpc.Notification): void => void this.notified.push(method)

  readonly cancel = (id: JsonRpc.Id): void => this.#calls.get(id)?.cancel()

  readonly accept = (response: JsonRpc.Response): boolean => this.answers.push(response) > 0

  readonly push = (message: Unrelated): void => {
    const listener = this.#listeners.at(-1)
    if (listener === undefined) this.#waiting.push(message)
    else listener(message)
  }

  readonly listen = (listener: (message: Unrelated) => void): () => void => {
    this.#listeners.push(listener)
    this.#waiting.splice(0).forEach(listener)
    return () => {
      const index = this.#listeners.indexOf(listener)
      if (index >= 0) this.#listeners.splice(index, 1)
    }
  }

  readonly onClose = (callback: () => void): void => {
    if (this.closed) callback()
    else this.#callbacks.push(callback)
  }

  readonly close = Effect.sync(() => {
    this.closed = true
    this.#onClose()
    for (const call of this.#calls.values()) call.cancel()
    for (const callback of this.#callbacks.splice(0)) callback()
  })
}

export const make = (options: Options = {}) => {
  const sessions = new Map<string, FakeSession>()
  const revisions = Result.getOrThrow(Revision.allowList(options.revisions ?? Revision.all))
  const legacy = revisions.filter((revision) => Revision.era(revision) === "legacy")
  const modern = Endpoint.make({ ...(options.handlers && { handlers: options.handlers }), revisions })
  const store = options.store ?? Effect.void
  let opened = 0
  const endpoint: ServerEndpoint = {
    ...modern,
    legacy: {
      revisions: legacy,
      stateless: (revision) => new FakeSession("", revision, undefined, modern.call, () => {}),
      open: ({ id, params }, { principal }, lifetime) =>
        Effect.map(store, () => {
          const offered = params?.protocolVersion
          if (typeof offered !== "string") {
            const error = new McpError.InvalidParams({ message: "protocolVersion must be a string" })
            return { response: JsonRpc.failure(id, McpError.toErrorObject(error)), session: undefined }
          }
          const revision = legacy.find((revision) => revision === offered) ?? legacy[0]!
          const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: "fake", version: "1" } }
          const response = JsonRpc.success(id, result)
          if (lifetime === "none") return { response, session: undefined }
          const sessionId = `session-${++opened}`
          const session = new FakeSession(
            sessionId,
            revision,
            principal,
            modern.call,
            () => sessions.delete(sessionId)
          )
          sessions.set(sessionId, session)
          return { response, session }
        }),
      find: (id, { principal }) =>
        Effect.map(store, () => {
          const session = sessions.get(id)
          return session?.principal === principal ? session : undefined
        })
    }
  }
  return { endpoint, sessions }
}

export { SessionUnavailable }
