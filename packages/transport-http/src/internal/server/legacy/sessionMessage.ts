/**
 * What a message of a session is, and what of it is done at once.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Session } from "@effect-mcp/core/ServerEndpoint"
import { NotificationExchange } from "../exchange.ts"
import type { Asker } from "./sessionExchange.ts"

/** Does what needs no answer, and gives back what does: a request, or what is refused. */
export const deliver = (
  session: Session,
  message: JsonRpc.Parsed,
  { context, principal }: Asker
): Inbound.Request | Inbound.Rejected | undefined => {
  if (message._tag === "Success" || message._tag === "Failure") {
    // One that nobody waits for any more came too late, which is no fault (CAN-6).
    session.accept(message)
    return undefined
  }
  const outcome = session.classify(message)
  switch (outcome._tag) {
    case "Request":
    case "Rejected":
      return outcome
    case "Notification":
      session.notify(outcome.notification, new NotificationExchange(context, undefined, principal))
      return undefined
    case "Cancel":
      session.cancel(outcome.requestId)
      return undefined
    case "Legacy":
      return undefined
  }
}
