/**
 * A call whose handler runs in a fiber of its own.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as McpError from "@effect-mcp/core/McpError"
import type { Call } from "@effect-mcp/core/ServerEndpoint"
import type * as Fiber from "effect/Fiber"
import type { MethodResult } from "../features/Middleware.ts"
import type { RequestState } from "./requestState.ts"

export class RunningCall implements Call {
  response: JsonRpc.Response | undefined
  #ended = false
  #cancelled = false
  #callbacks: Array<(response: JsonRpc.Response | undefined) => void> | undefined
  #fiber: Fiber.Fiber<MethodResult, McpError.McpError> | undefined
  readonly #state: RequestState

  constructor(state: RequestState) {
    this.#state = state
    state.call = this
  }

  get cancelled(): boolean {
    return this.#cancelled
  }

  get ended(): boolean {
    return this.#ended
  }

  run(fiber: Fiber.Fiber<MethodResult, McpError.McpError>): void {
    this.#fiber = fiber
  }

  /** A second time it does nothing: a handler that was not waited for may end after all. */
  end(response: JsonRpc.Response | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#state.ended = true
    this.response = response
    for (const callback of this.#callbacks ?? []) callback(response)
  }

  onEnd(callback: (response: JsonRpc.Response | undefined) => void): void {
    if (this.#ended) return callback(this.response)
    this.#callbacks ??= []
    this.#callbacks.push(callback)
  }

  readonly cancel = (): void => {
    if (this.#ended || this.#cancelled) return
    this.#cancelled = true
    // Nothing more may be sent from here on (STDIO-11, HTTP-15), whatever finalizers do.
    this.#state.ended = true
    this.#fiber?.interruptUnsafe()
  }
}

/** A call that has its answer before anything was run. */
export const answered = (response: JsonRpc.Response): Call => ({
  response,
  onEnd: (callback) => callback(response),
  cancel: () => {}
})
