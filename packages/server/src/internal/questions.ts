/**
 * The requests of a server to its client, which wait for their answers (RPC-15). Their ids are apart from the client's.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Effect from "effect/Effect"

type Answer = (answer: Effect.Effect<JsonRpc.JsonObject, McpError.McpError>) => void

/** The way of a question to the client, and of its withdrawal. */
export interface Way {
  readonly ask: (request: JsonRpc.Request) => void
  readonly withdraw: (id: JsonRpc.Id) => void
}

export class Questions {
  readonly #open = new Map<JsonRpc.Id, Answer>()
  readonly #max: number
  readonly #prefix: string | undefined
  /** RPC-4: no id is used twice. */
  #lastId = 0

  /** A session that others may go on with needs a prefix that none of them has: it has one id space wherever it lives. */
  constructor(max: number, prefix: string | undefined) {
    this.#max = max
    this.#prefix = prefix
  }

  /** Waits for the client's answer. Interrupted, the question is withdrawn (CAN-4). */
  ask(way: Way, method: string, params: JsonRpc.JsonObject): Effect.Effect<JsonRpc.JsonObject, McpError.McpError> {
    return Effect.callback((resume) => {
      if (this.#open.size >= this.#max) {
        const message = `More than ${this.#max} requests to the client without an answer (the limit inFlightRequests)`
        return resume(Effect.fail(new McpError.InternalError({ message })))
      }
      const number = ++this.#lastId
      const id = this.#prefix === undefined ? number : `${this.#prefix}-${number}`
      this.#open.set(id, resume)
      way.ask(JsonRpc.request(id, method, params))
      return Effect.sync(() => {
        if (this.#open.delete(id)) way.withdraw(id)
      })
    })
  }

  /** CAN-6: an answer nobody waits for is ignored. */
  accept(response: JsonRpc.Response): boolean {
    const { id } = response
    const answer = id === undefined ? undefined : this.#open.get(id)
    if (id === undefined || answer === undefined) return false
    this.#open.delete(id)
    answer(
      response._tag === "Success"
        ? Effect.succeed(JsonRpc.resultValue(response))
        : Effect.fail(McpError.fromErrorObject(response.error))
    )
    return true
  }

  /** A question that was thrown away before the client saw it. */
  drop(id: JsonRpc.Id): void {
    const answer = this.#open.get(id)
    this.#open.delete(id)
    answer?.(Effect.fail(dropped))
  }

  /** The client is gone: nobody will answer. */
  end(): void {
    for (const answer of this.#open.values()) answer(Effect.fail(gone))
    this.#open.clear()
  }
}

const dropped = new McpError.InternalError({
  message: "Nobody listened for so long that the question was dropped (the limit streamBuffer)"
})

const gone = new McpError.InternalError({ message: "The session ended before the client answered" })
