/** A fake server of both eras, whose legacy half is as small as the seam allows. */
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { Call, Exchange, Opened, ServerEndpoint, Session, Unrelated } from "@effect-mcp/core/ServerEndpoint"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { startCall } from "./startCall.ts"

const progress = (value: number) =>
  JsonRpc.notification("notifications/progress", { progressToken: 1, progress: value })

class FakeSession implements Session {
  readonly id: string
  readonly revision: Revision.Revision = "2025-11-25"
  readonly notified: Array<string> = []
  readonly classify: Inbound.Classifier
  readonly #capabilities: ClientCapabilities
  readonly #ignored: Array<JsonRpc.Id>
  readonly #onClose: () => void
  readonly #questions = new Map<JsonRpc.Id, Deferred.Deferred<JsonRpc.JsonObject, McpError.McpError>>()
  readonly #calls = new Map<JsonRpc.Id, Call>()
  /** What waits for a listener. */
  #waiting: Array<Unrelated> = []
  readonly #listeners: Array<(message: Unrelated) => void> = []
  readonly #closing: Array<() => void> = []
  #isClosed = false
  #lastId = 0

  constructor(id: string, capabilities: ClientCapabilities, ignored: Array<JsonRpc.Id>, onClose: () => void) {
    this.id = id
    this.#capabilities = capabilities
    this.#ignored = ignored
    this.#onClose = onClose
    this.classify = (message) => {
      if (message._tag === "Notification") return { _tag: "Notification", notification: message }
      if (message._tag !== "Request") return rejected(undefined, new McpError.InvalidRequest({ message: "No request" }))
      if (message.method === "initialize") {
        return rejected(message.id, new McpError.InvalidRequest({ message: "Already initialized" }))
      }
      const definition = Method.request(Method.core, message.method, this.revision, "client")
      const raw = JsonRpc.isJsonObject(message.params?._meta) ? message.params._meta : {}
      return definition === undefined
        ? rejected(message.id, new McpError.MethodNotFound({ message: message.method }))
        : {
          _tag: "Request",
          id: message.id,
          definition,
          revision: this.revision,
          params: message.params ?? {},
          meta: {
            protocolVersion: this.revision,
            clientCapabilities: this.#capabilities,
            clientInfo: undefined,
            logLevel: undefined,
            progressToken: undefined,
            raw
          }
        }
    }
  }

  readonly call = (request: Inbound.Request, exchange: Exchange) => {
    const emit = (value: number) => exchange.emit(progress(value))
    const handle = Effect.gen({ self: this }, function*() {
      switch (request.params["name"]) {
        case "echo":
          return { revision: request.revision, roots: request.meta.clientCapabilities.roots !== undefined }
        case "slow":
          emit(1)
          yield* Effect.yieldNow
          emit(2)
          return { done: true }
        case "roots": {
          emit(1)
          const answer = yield* this.#question("roots/list", exchange.ask!)
          emit(2)
          return answer
        }
        default:
          return {}
      }
    })
    const call = startCall(request.id, handle)
    this.#calls.set(request.id, call)
    call.onEnd(() => this.#calls.delete(request.id))
    return call
  }

  #question(method: string, put: (request: JsonRpc.Request) => void) {
    return Effect.suspend(() => {
      const id = `s${++this.#lastId}`
      const answer = Deferred.makeUnsafe<JsonRpc.JsonObject, McpError.McpError>()
      this.#questions.set(id, answer)
      put(JsonRpc.request(id, method, {}))
      return Effect.ensuring(Deferred.await(answer), Effect.sync(() => this.#questions.delete(id)))
    })
  }

  readonly ask = (method: string) => this.#question(method, this.push)

  readonly push = (message: Unrelated): void => {
    const listener = this.#listeners.at(-1)
    if (listener === undefined) this.#waiting.push(message)
    else listener(message)
  }

  readonly listen = (listener: (message: Unrelated) => void): () => void => {
    this.#listeners.push(listener)
    const waiting = this.#waiting
    this.#waiting = []
    waiting.forEach(listener)
    return () => {
      const index = this.#listeners.indexOf(listener)
      if (index >= 0) this.#listeners.splice(index, 1)
    }
  }

  readonly onClose = (callback: () => void): void => {
    if (this.#isClosed) callback()
    else this.#closing.push(callback)
  }

  readonly cancel = (id: JsonRpc.Id): void => this.#calls.get(id)?.cancel()

  readonly notify = ({ method }: JsonRpc.Notification): void => {
    this.notified.push(method)
  }

  readonly accept = (response: JsonRpc.Response): boolean => {
    const question = response.id === undefined ? undefined : this.#questions.get(response.id)
    if (question === undefined) {
      if (response.id !== undefined) this.#ignored.push(response.id)
      return false
    }
    return Deferred.doneUnsafe(
      question,
      response._tag === "Success"
        ? Effect.succeed(JsonRpc.resultValue(response))
        : Effect.fail(McpError.fromErrorObject(response.error))
    )
  }

  readonly close = Effect.sync(() => {
    this.#isClosed = true
    this.#onClose()
    for (const call of this.#calls.values()) call.cancel()
    for (const callback of this.#closing.splice(0)) callback()
  })
}

const rejected = (id: JsonRpc.Id | undefined, error: McpError.McpError): Inbound.Rejected => ({
  _tag: "Rejected",
  id,
  error,
  answer: true
})

export const legacyEndpoint = () => {
  const sessions = new Map<string, FakeSession>()
  const notified: Array<string> = []
  const ignored: Array<JsonRpc.Id> = []
  const revisions = Result.getOrThrow(Revision.allowList(Revision.all))
  const endpoint: ServerEndpoint = {
    classify: Inbound.make({ revisions, methods: Method.core }),
    call: (request) => startCall(request.id, Effect.succeed({ modern: true })),
    notify: ({ method }) => notified.push(method),
    legacy: {
      revisions: revisions.filter((revision) => Revision.era(revision) === "legacy"),
      stateless: () => new FakeSession("", {}, ignored, () => {}),
      open: (initialize, _exchange, lifetime): Effect.Effect<Opened> =>
        Effect.sync(() => {
          const { capabilities, protocolVersion } = initialize.params ?? {}
          if (typeof protocolVersion !== "string" || !JsonRpc.isJsonObject(capabilities)) {
            const error = new McpError.InvalidParams({ message: "protocolVersion must be a string" })
            return { response: JsonRpc.failure(initialize.id, McpError.toErrorObject(error)), session: undefined }
          }
          const id = `session-${sessions.size + 1}`
          const session = new FakeSession(id, capabilities, ignored, () => sessions.delete(id))
          sessions.set(id, session)
          const result = { protocolVersion, capabilities: {}, serverInfo: { name: "fake", version: "1" } }
          return {
            response: JsonRpc.success(initialize.id, result),
            session: lifetime === "none" ? undefined : session
          }
        }),
      find: (id) => Effect.sync(() => sessions.get(id))
    }
  }
  return { endpoint, sessions, notified, ignored }
}
