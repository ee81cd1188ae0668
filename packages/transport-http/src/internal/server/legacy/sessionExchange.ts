/**
 * The exchange of a request of the legacy era.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type { Ask, Exchange, Session } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PostAnswer } from "./postAnswer.ts"

/** Who asks. */
export interface Asker {
  readonly context: Context.Context<never>
  readonly principal: string | undefined
}

/** One request of those that a POST brings. */
export class SessionExchange implements Exchange {
  readonly transport = "http"
  readonly context: Context.Context<never>
  readonly principal: string | undefined
  // The legacy era mirrors nothing but its version, which the session knows.
  readonly mirrored = undefined
  readonly ask: Ask | undefined
  readonly #answer: PostAnswer

  constructor(session: Session, answer: PostAnswer, { context, principal }: Asker, canAsk: boolean) {
    this.#answer = answer
    this.context = context
    this.principal = principal
    this.ask = canAsk
      ? (request) => answer.ask(request, () => session.accept(JsonRpc.failure(request.id, closing)))
      : undefined
  }

  emit(notification: JsonRpc.Notification): void {
    this.#answer.send(notification)
  }

  get drained(): Effect.Effect<void> {
    return this.#answer.drained
  }
}

/** In the place of an answer that cannot come: the server takes no more messages. */
const closing = McpError.toErrorObject(
  new McpError.InternalError({ message: "The server is closing, and the client can answer no more" }),
  "legacy"
)
