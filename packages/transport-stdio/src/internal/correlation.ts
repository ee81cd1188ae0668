/**
 * Which of the requests in flight a message belongs to: on stdio all of them share one channel (STDIO-8).
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Meta from "@effect-mcp/core/Meta"
import * as Method from "@effect-mcp/core/Method"

/** What a request says about the messages that belong to it. */
export interface Marks {
  readonly progressToken: JsonRpc.Id | undefined
  readonly wantsLogs: boolean
}

const metaOf = (params: JsonRpc.JsonObject | undefined): JsonRpc.JsonObject | undefined =>
  JsonRpc.isJsonObject(params?._meta) ? params._meta : undefined

const idOrNothing = (u: unknown): JsonRpc.Id | undefined => JsonRpc.isId(u) ? u : undefined

export const marksOf = (request: JsonRpc.Request): Marks => {
  const meta = metaOf(request.params)
  return {
    progressToken: idOrNothing(meta?.[Meta.key.progressToken]),
    wantsLogs: meta?.[Meta.key.logLevel] !== undefined
  }
}

/** The requests in flight, found by what marks their messages. */
export interface Requests<Request> {
  readonly byId: ReadonlyMap<JsonRpc.Id, Request>
  readonly byToken: ReadonlyMap<JsonRpc.Id, Request>
  /** Those that asked for log messages. */
  readonly logging: ReadonlySet<Request>
}

/**
 * The request a message of the server belongs to, if any. Ids and tokens are compared with their type: `0`, `"0"` and `""` are three.
 */
export const requestOf = <Request>(
  message: JsonRpc.Notification | JsonRpc.Request,
  requests: Requests<Request>
): Request | undefined => {
  if (message._tag === "Request") return undefined
  const { method, params } = message
  const subscription = idOrNothing(metaOf(params)?.[Meta.key.subscriptionId])
  if (subscription !== undefined) return requests.byId.get(subscription)
  if (method === Method.progress.name) {
    const token = idOrNothing(params?.[Meta.key.progressToken])
    return token === undefined ? undefined : requests.byToken.get(token)
  }
  if (method === Method.message.name && requests.logging.size === 1) {
    // A log message does not say whose it is. With one request that asked there is no doubt; with several it is a guess.
    const [only] = requests.logging
    return only
  }
  return undefined
}
