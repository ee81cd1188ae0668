/**
 * Messages of a server on their way out: each is printed once, on a line of its own. What has no JSON form is reported
 * here, and harms nothing else.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Output } from "./output.ts"

export class Messages {
  readonly output: Output
  readonly #maxBytes: number
  readonly #log: (effect: Effect.Effect<void>) => void

  constructor(output: Output, maxBytes: number, log: (effect: Effect.Effect<void>) => void) {
    this.output = output
    this.#maxBytes = maxBytes
    this.#log = log
  }

  readonly answer = (response: JsonRpc.Response): void => {
    this.output.writeLater(() => JsonRpc.printResponse(response, this.#reportUnprintable))
  }

  readonly refuse = (id: JsonRpc.Id | undefined, error: McpError.McpError): void => {
    this.answer(JsonRpc.failure(id, McpError.toErrorObject(error)))
  }

  /**
   * Sends the answers to a batch as one array (RPC-16). An array that would be longer than a message may be is continued in
   * another one: each answer has its id, and a reader has a limit too.
   */
  readonly answerAll = (responses: ReadonlyArray<JsonRpc.Response>): void => {
    let line = ""
    for (const response of responses) {
      const text = JsonRpc.printResponse(response, this.#reportUnprintable)
      if (line !== "" && line.length + text.length >= this.#maxBytes) {
        this.output.write(`[${line}]`)
        line = ""
      }
      line += line === "" ? text : `,${text}`
    }
    if (line !== "") this.output.write(`[${line}]`)
  }

  /** `false`: it has no JSON form, and was not sent. */
  send(message: JsonRpc.Notification | JsonRpc.Request, onLeave?: () => void): boolean {
    const printed = JsonRpc.print(message)
    if (Result.isFailure(printed)) {
      this.#log(Effect.logError(`A ${message.method} has no JSON form`, printed.failure.cause))
      return false
    }
    this.output.write(printed.success, onLeave)
    return true
  }

  readonly #reportUnprintable = (unprintable: JsonRpc.Unprintable): void => {
    this.#log(Effect.logError("An answer has no JSON form", unprintable.cause))
  }
}
