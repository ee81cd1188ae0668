/**
 * Middleware around the handling of a request: the order it runs in, and the services it adds.
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type * as McpError from "@effect-mcp/core/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MethodResult, MiddlewareCall } from "../features/Middleware.ts"
import { overlay, runIn } from "./featureContext.ts"
import { inOwnFiber } from "./handlerFiber.ts"
import type { Dispatch } from "./registry.ts"
import type { RequestState } from "./requestState.ts"

export type MiddlewareFunction<Provides, R> = (
  next: Effect.Effect<MethodResult, McpError.McpError, Provides>,
  call: MiddlewareCall
) => Effect.Effect<MethodResult, McpError.McpError, R>

export type RegisteredMiddleware = Place & Kind

export type Kind = Wrap | Expectation

interface Wrap {
  readonly run: MiddlewareFunction<never, never>
  readonly context: Context.Context<never>
}

/** A service that the transport has to provide. It changes nothing, so it costs a look into the exchange and no more. */
interface Expectation {
  readonly run?: undefined
  readonly service: string
}

interface Place {
  /** How many middlewares its layer was built upon: one that needs another's services runs inside it. */
  readonly depth: number
  readonly order: number
}

const depthKey = "@effect-mcp/server/Middleware/depth/"

/** How many middlewares a layer is built upon, one upon the other. */
export const depthOf = (context: Context.Context<never>): number => {
  let depth = 0
  for (const [key, value] of context.mapUnsafe) {
    if (key.startsWith(depthKey) && typeof value === "number") depth = Math.max(depth, value)
  }
  return depth
}

/** A key of its own for each middleware, so that layers which are merged do not hide each other's depth. */
export const withDepth = (order: number, depth: number): Context.Context<never> =>
  Context.makeUnsafe(new Map([[`${depthKey}${order}`, depth]]))

export const insert = (middlewares: Array<RegisteredMiddleware>, added: RegisteredMiddleware): void => {
  middlewares.push(added)
  middlewares.sort((a, b) => a.depth - b.depth || a.order - b.order)
}

/** The params a middleware put in the place of the client's. */
export const Params = Context.Reference<JsonObject | undefined>("@effect-mcp/server/Middleware/params", {
  defaultValue: () => undefined
})

/** Wraps a dispatch. `dispatchAgain` finds the handler for other params of the same method. */
export const apply = (
  middlewares: ReadonlyArray<RegisteredMiddleware>,
  state: RequestState,
  dispatch: Dispatch,
  dispatchAgain: (params: JsonObject) => Dispatch
): Effect.Effect<MethodResult, McpError.McpError> => {
  const root = dispatch.context
  const innermost = Effect.contextWith((current: Context.Context<never>) => {
    state.services = current
    const params = Context.get(current, Params)
    if (params === undefined) return dispatch.effect
    const { context, effect } = dispatchAgain(params)
    return runIn(effect, context, root)
  })
  const handler = state.request.definition.multiRound ? inOwnFiber(innermost, state) : innermost
  return middlewares.reduceRight(
    (next, middleware) => {
      if (middleware.run === undefined) return expecting(next, state, middleware.service)
      const { context, run } = middleware
      return Effect.contextWith((outer: Context.Context<never>) => {
        const params = Context.get(outer, Params) ?? state.request.params
        // Inside the middleware its own services hold; inside `next`, the surroundings' again, with what it added.
        const inside = overlay(context, outer, root)
        return Effect.updateContext(
          run(runIn(next, outer, inside), { method: state.method, params }),
          (_: Context.Context<never>) => inside
        )
      })
    },
    handler
  )
}

/** A service the server was built with does not count: it would be the same for whoever asks. */
const expecting = <A, E>(next: Effect.Effect<A, E>, { exchange }: RequestState, service: string): Effect.Effect<A, E> =>
  exchange.context.mapUnsafe.has(service) ? next : Effect.die(
    new Error(
      `The ${exchange.transport} transport did not provide ${service} with the request, as McpServer.fromTransport says: ` +
        "list it in the option `services` of the transport (in tests, in `request` of McpTest.layer)"
    )
  )
