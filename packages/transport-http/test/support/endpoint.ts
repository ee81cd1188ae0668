/**
 * A small server written by hand: what a handler does is a function of the test.
 */
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import type * as Revision from "@effect-mcp/core/Revision"
import type { Call, Exchange, ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

export type Handler = (
  request: Inbound.Request,
  exchange: Exchange
) => Effect.Effect<JsonRpc.JsonObject | JsonRpc.Prepared, McpError.McpError>

export interface Options {
  /** Handlers by tool name, or by method for the other methods. */
  readonly handlers?: Readonly<Record<string, Handler>>
  readonly notify?: ServerEndpoint["notify"]
  readonly revisions?: Revision.AllowList
}

/** Answers with the arguments. */
export const echo: Handler = (request) => Effect.succeed({ resultType: "complete", echo: request.params.arguments })

export const make = (options: Options = {}): ServerEndpoint => {
  const handlers: Readonly<Record<string, Handler>> = { echo, ...options.handlers }
  return {
    classify: Inbound.make({ revisions: options.revisions ?? ["2026-07-28"], methods: Method.core }),
    call: (request, exchange) => {
      const name = request.definition.name === "tools/call" ? String(request.params.name) : request.definition.name
      const handler = handlers[name]
      const effect = handler === undefined
        ? Effect.fail(new McpError.InvalidParams({ message: `No handler ${name}` }))
        : handler(request, exchange)
      return new RunningCall(request.id, Effect.runFork(effect))
    },
    notify: options.notify ?? (() => {}),
    legacy: undefined
  }
}

class RunningCall implements Call {
  readonly id: JsonRpc.Id
  readonly fiber: Fiber.Fiber<JsonRpc.JsonObject | JsonRpc.Prepared, McpError.McpError>

  constructor(id: JsonRpc.Id, fiber: Fiber.Fiber<JsonRpc.JsonObject | JsonRpc.Prepared, McpError.McpError>) {
    this.id = id
    this.fiber = fiber
  }

  get response(): JsonRpc.Response | undefined {
    const exit = this.fiber.pollUnsafe()
    return exit === undefined ? undefined : this.#responseOf(exit)
  }

  onEnd(callback: (response: JsonRpc.Response | undefined) => void): void {
    this.fiber.addObserver((exit) => callback(this.#responseOf(exit)))
  }

  cancel(): void {
    this.fiber.interruptUnsafe()
  }

  #responseOf(exit: Exit.Exit<JsonRpc.JsonObject | JsonRpc.Prepared, McpError.McpError>): JsonRpc.Response | undefined {
    if (Exit.isSuccess(exit)) return JsonRpc.success(this.id, exit.value)
    if (Cause.hasInterruptsOnly(exit.cause)) return undefined
    const error = Option.getOrElse(
      Cause.findErrorOption(exit.cause),
      () => new McpError.InternalError({ message: "Internal error" })
    )
    return JsonRpc.failure(this.id, McpError.toErrorObject(error))
  }
}

export const progress = (n: number): JsonRpc.Notification =>
  JsonRpc.notification("notifications/progress", { progressToken: 1, progress: n })
