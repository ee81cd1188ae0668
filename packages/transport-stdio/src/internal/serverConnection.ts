/**
 * One peer of a server: takes lines and gives each message to the era it belongs to (ERA-5). Nothing here waits, so that
 * a line costs no more than its call.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as McpError from "@effect-mcp/core/McpError"
import type { ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Calls } from "./calls.ts"
import { LegacyConnection, type Run } from "./legacyConnection.ts"
import type { Line } from "./lineReader.ts"
import { Messages } from "./messages.ts"
import type { Output } from "./output.ts"

export class ServerConnection {
  readonly #endpoint: ServerEndpoint
  readonly #limits: Limits.Values
  readonly #messages: Messages
  readonly #calls: Calls
  readonly #legacy: LegacyConnection | undefined

  constructor(
    endpoint: ServerEndpoint,
    output: Output,
    limits: Limits.Values,
    services: Context.Context<never>,
    run: Run
  ) {
    this.#endpoint = endpoint
    this.#limits = limits
    this.#messages = new Messages(output, limits.messageBytes, run)
    this.#calls = new Calls(this.#messages, limits, services)
    const { legacy } = endpoint
    if (legacy !== undefined) {
      this.#legacy = new LegacyConnection(legacy, this.#calls, this.#messages, limits, run)
    }
    this.hasRoom = this.#calls.hasRoom
    this.isIdle = this.#calls.isIdle
  }

  /** Whether nothing more should be read for now. */
  get isFull(): boolean {
    return this.#calls.isFull
  }

  /** Waits until there is room, though not for ever. */
  readonly hasRoom: Effect.Effect<void>

  /** Waits until no call is running. */
  readonly isIdle: Effect.Effect<void>

  /** Nothing more is read. What runs may go on. */
  inputHasEnded(): void {
    this.#legacy?.inputHasEnded()
  }

  /** Interrupts whatever runs. Nothing is sent for it any more. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const closing = this.#legacy?.close ?? Effect.void
    return Effect.andThen(Effect.sync(() => this.#calls.close()), closing)
  })

  receive(line: Line): void {
    if (typeof line !== "string") return this.#refuseLine(line)
    const outcome = this.#endpoint.classify(JsonRpc.parse(line, this.#limits))
    switch (outcome._tag) {
      case "Request":
        return this.#calls.start({
          id: outcome.id,
          reply: this.#reply,
          begin: (exchange) => this.#endpoint.call(outcome, exchange)
        })
      case "Cancel":
        return this.#calls.cancel(outcome.requestId)
      case "Notification": {
        const { notification } = outcome
        if (this.#legacy?.notify(notification) === true) return
        return this.#calls.notify((exchange) => this.#endpoint.notify(notification, exchange))
      }
      case "Rejected":
        return outcome.answer ? this.#messages.refuse(outcome.id, outcome.error) : undefined
      case "Legacy":
        return this.#legacy === undefined
          ? this.#refuseLegacy(outcome.message)
          : this.#legacy.receive(outcome.message)
    }
  }

  #refuseLine(line: Exclude<Line, string>): void {
    const error = line._tag === "NotUtf8"
      ? new McpError.ParseError({ message: "Not valid UTF-8" })
      : new McpError.InvalidRequest({
        message: `A message has at most ${this.#limits.messageBytes} bytes here (the limit messageBytes)`
      })
    this.#messages.refuse(line._tag === "TooLong" ? line.id : undefined, error)
  }

  #refuseLegacy(message: JsonRpc.Message | JsonRpc.Batch): void {
    if (message._tag === "Request") this.#messages.refuse(message.id, noLegacy)
    else if (message._tag === "Batch") this.#messages.refuse(undefined, noLegacy)
  }

  readonly #reply = (response: JsonRpc.Response | undefined): void => {
    if (response !== undefined) this.#messages.answer(response)
  }
}

const noLegacy = new McpError.InvalidRequest({ message: "Revisions before 2026-07-28 are not served here" })
