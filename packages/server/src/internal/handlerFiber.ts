/**
 * The fiber a handler runs in: what is interrupted when a question ends a round, and nothing else.
 */
import type * as McpError from "@effect-mcp/core/McpError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { MethodResult } from "../features/Middleware.ts"
import type { RequestState } from "./requestState.ts"

type Handler = Effect.Effect<MethodResult, McpError.McpError>

/** Runs a handler in the fiber that is there, which is nobody else's. */
export const inThisFiber = (handler: Handler, state: RequestState): Handler =>
  Effect.withFiber((fiber) => {
    state.handler = fiber
    state.dialogue?.begin()
    return handler
  })

/** Runs a handler in a fiber of its own: what surrounds it sees a question as a result, and is not interrupted. */
export const inOwnFiber = (handler: Handler, state: RequestState): Handler =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback((resume) => {
      const fiber = Effect.runForkWith(context)(inThisFiber(handler, state))
      fiber.addObserver((exit) => resume(concluded(state, exit)))
      return Fiber.interrupt(fiber)
    })
  )

/** What a handler came to: how it ended, or what it has asked. */
export const concluded = ({ dialogue }: RequestState, exit: Exit.Exit<MethodResult, McpError.McpError>): Handler =>
  dialogue === undefined ? exit : dialogue.concluded(exit)
