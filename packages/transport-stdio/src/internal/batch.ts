/**
 * The answers to a batch of requests, which leave together when the last of them is there (RPC-16).
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Reply } from "./calls.ts"

export class Batch {
  readonly #leave: (responses: ReadonlyArray<JsonRpc.Response>) => void
  readonly #responses: Array<JsonRpc.Response> = []
  // One more than there are requests without an answer, for as long as the batch is being read.
  #open = 1

  constructor(leave: (responses: ReadonlyArray<JsonRpc.Response>) => void) {
    this.#leave = leave
  }

  /** One more request, and where its answer goes. One that was cancelled has none. */
  readonly expect = (): Reply => {
    this.#open++
    return (response) => {
      if (response !== undefined) this.#responses.push(response)
      this.#settle()
    }
  }

  /** All of it has been read. Where nothing was asked, nothing is answered. */
  end(): void {
    this.#settle()
  }

  #settle(): void {
    if (--this.#open === 0) this.#leave(this.#responses)
  }
}
