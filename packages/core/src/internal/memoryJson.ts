/**
 * A transport in memory whose messages are printed and parsed on their way, so that they are what they would be over a
 * wire: no dates, no shared references, and no more than the limits allow.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClientTransport, Outgoing } from "../ClientTransport.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type * as Limits from "../Limits.ts"
import * as McpClientError from "../McpClientError.ts"
import * as McpError from "../McpError.ts"

type Read = Effect.Effect<JsonRpc.Parsed, McpClientError.McpClientError>

export const throughJson = (transport: ClientTransport, limits: Limits.Values): ClientTransport => {
  const pass = (message: JsonRpc.Message): Read => {
    const printed = JsonRpc.print(message)
    if (Result.isFailure(printed)) return Effect.fail(unprintable(message))
    if (printed.success.length > limits.messageBytes) {
      const { messageBytes: max } = limits
      return Effect.fail(McpClientError.make(new McpClientError.LimitExceeded({ limit: "messageBytes", max })))
    }
    return Effect.succeed(JsonRpc.parse(printed.success, limits))
  }

  const onMessage = (request: Outgoing): Outgoing["onMessage"] => (message) =>
    Effect.matchEffect(pass(message), {
      // What cannot be written is left out, as a transport with bytes leaves it out.
      onFailure: () => Effect.void,
      onSuccess: (read) =>
        read._tag === "Notification" || read._tag === "Request" ? request.onMessage(read) : Effect.void
    })

  const send = Effect.fnUntraced(function*(request: Outgoing) {
    const sent = yield* pass(request.message)
    if (sent._tag === "Malformed") return JsonRpc.failure(request.message.id, McpError.toErrorObject(sent.error))
    // What was a request before is one again.
    const message = sent._tag === "Request" ? sent : request.message
    const response = yield* transport.send({ ...request, message, onMessage: onMessage(request) })
    const read = yield* pass(response)
    if (JsonRpc.isResponse(read)) return read
    const problem = read._tag === "Malformed" ? read.error.message : "it is no response"
    return yield* McpClientError.make(
      new McpClientError.InvalidAnswer({ method: message.method, problem, raw: undefined })
    )
  })

  return {
    ...transport,
    send,
    notify: (notification) =>
      Effect.flatMap(pass(notification), (read) => read._tag === "Notification" ? transport.notify(read) : Effect.void),
    reply: (response) =>
      Effect.flatMap(pass(response), (read) => JsonRpc.isResponse(read) ? transport.reply(read) : Effect.void)
  }
}

const unprintable = (message: JsonRpc.Message): McpClientError.McpClientError => {
  const method = "method" in message ? message.method : "a response"
  const problem = "it has no JSON form: a cycle or a bigint is in it"
  return McpClientError.make(new McpClientError.InvalidCall({ method, problem }))
}
