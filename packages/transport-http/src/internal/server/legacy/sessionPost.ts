/**
 * What a session does with what was posted to it: one message, or a batch.
 */
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Revision from "@effect-mcp/core/Revision"
import type { Session } from "@effect-mcp/core/ServerEndpoint"
import type { Peer } from "../peer.ts"
import { type About, PostAnswer } from "./postAnswer.ts"
import { accepted, type ExtraHeaders, failure, overLimit } from "../reply.ts"
import { type Asker, SessionExchange } from "./sessionExchange.ts"
import { deliver } from "./sessionMessage.ts"
import type { Shared } from "../shared.ts"
import type { Sink } from "../platform/sink.ts"

/** Who asks, and what goes with every answer to him. */
interface Posted extends Asker {
  readonly cors: ExtraHeaders
}

type MakeAbout = (method: string, batch?: number) => About

/** Takes one message. */
export const takeMessage = (
  shared: Shared,
  session: Session,
  message: JsonRpc.Parsed,
  posted: Posted,
  about: MakeAbout,
  sink: Sink
): Peer | undefined => {
  const wanted = deliver(session, message, posted)
  if (wanted === undefined) {
    sink.reply(accepted.with(posted.cors)) // LHTTP-4
    return undefined
  }
  if (wanted._tag === "Rejected") {
    sink.reply(
      failure(statusOf(wanted), wanted.error, wanted.answer ? wanted.id : undefined, "legacy").with(posted.cors)
    )
    return undefined
  }
  if (shared.inFlight.count >= shared.limits.inFlightRequests) {
    sink.reply(overLimit(shared.limits, wanted.id).with(posted.cors))
    return undefined
  }
  const known = about(wanted.definition.name)
  const answer = new PostAnswer(shared, known, sink)
  answer.start(session.call(wanted, new SessionExchange(session, answer, posted, canAsk(known))))
  return answer
}

/** Takes a batch, where the revision has them (RPC-16). */
export const takeBatch = (
  shared: Shared,
  session: Session,
  batch: JsonRpc.Batch,
  posted: Posted,
  about: MakeAbout,
  sink: Sink
): Peer | undefined => {
  // RPC-18: the session refuses it as it does any message that is none of its revision's.
  if (!Revision.hasBatches(session.revision)) return takeMessage(shared, session, batch, posted, about, sink)
  const { batchMessages, inFlightRequests } = shared.limits
  if (batch.items.length > batchMessages) {
    const message = `A batch has at most ${batchMessages} messages here (the limit batchMessages)`
    sink.reply(failure(400, new McpError.InvalidRequest({ message })).with(posted.cors))
    return undefined
  }
  const items = batch.items.map((item) => JsonRpc.fromItem(item))
  // How many answers there will be has to be known before the first of them.
  const answers = items.filter((item) => isAnswered(session, item)).length
  const known = about("batch", answers)
  const answer = answers === 0 ? undefined : new PostAnswer(shared, known, sink)
  // One by one: a message may be about one that came before it in the batch.
  for (const item of items) {
    const wanted = deliver(session, item, posted)
    if (wanted === undefined || answer === undefined) continue
    if (wanted._tag === "Rejected") {
      // RPC-8: a notification or a response that is refused is not answered.
      if (wanted.answer) answer.answer(JsonRpc.failure(wanted.id, McpError.toErrorObject(wanted.error, "legacy")))
    } else if (shared.inFlight.count >= inFlightRequests) {
      const message = `More than ${inFlightRequests} requests in flight (the limit inFlightRequests)`
      const error = McpError.toErrorObject(new McpError.InternalError({ message }), "legacy")
      answer.answer(JsonRpc.failure(wanted.id, error))
    } else {
      answer.start(session.call(wanted, new SessionExchange(session, answer, posted, canAsk(known))))
    }
  }
  if (answer === undefined) sink.reply(accepted.with(posted.cors))
  return answer
}

const isAnswered = (session: Session, item: JsonRpc.Parsed): boolean => {
  if (JsonRpc.isResponse(item)) return false
  const outcome = session.classify(item)
  return outcome._tag === "Request" || outcome._tag === "Rejected" && outcome.answer
}

/** Only where a stream may be opened, and an answer finds its question again. */
const canAsk = ({ accepts, streams }: About): boolean => accepts.stream && streams !== undefined

/**
 * A client that reads 404 takes its session for lost, so that an unknown method is told with 200 and its code. What is no
 * request of the revision at all is 400.
 */
const statusOf = ({ error }: Inbound.Rejected): number => error._tag === "InvalidRequest" ? 400 : 200
