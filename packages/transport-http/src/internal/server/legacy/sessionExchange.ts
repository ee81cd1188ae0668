/**
 * The exchange of a request of the legacy era.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Ask, Exchange } from "@effect-mcp/core/ServerEndpoint"
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

  constructor(answer: PostAnswer, { context, principal }: Asker, canAsk: boolean) {
    this.#answer = answer
    this.context = context
    this.principal = principal
    this.ask = canAsk ? (request) => answer.send(request) : undefined
  }

  emit(notification: JsonRpc.Notification): void {
    this.#answer.send(notification)
  }

  get drained(): Effect.Effect<void> {
    return this.#answer.drained
  }
}
