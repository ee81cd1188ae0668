/**
 * Runs the handlers of requests, of either era: one request at a time, no state between them.
 */
import * as Extension from "@effect-mcp/core/Extension"
import type * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import type * as Method from "@effect-mcp/core/Method"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import type { Call, Exchange } from "@effect-mcp/core/ServerEndpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { MethodResult } from "../features/Middleware.ts"
import { McpRequest } from "../McpRequest.ts"
import { type Dialect, modern } from "./dialect.ts"
import { forward } from "./logging.ts"
import { dialogueOf } from "./dialogue.ts"
import { concluded, inThisFiber } from "./handlerFiber.ts"
import * as Middleware from "./middleware.ts"
import type { Dispatch, Registry } from "./registry.ts"
import { internalError } from "./needs.ts"
import { RequestState } from "./requestState.ts"
import { RunningCall } from "./runningCall.ts"

type Outcome = Exit.Exit<MethodResult, McpError.McpError>

/** Starts to answer requests, and ends what is left when the server closes. */
export class Driver {
  readonly #registry: Registry
  readonly #calls = new Set<RunningCall>()
  readonly #notifications = new Set<Fiber.Fiber<void>>()
  readonly #modern: Dialect
  readonly #decoders = new WeakMap<Method.RequestDefinition, (params: unknown) => Result.Result<unknown, unknown>>()

  constructor(registry: Registry) {
    this.#registry = registry
    this.#modern = modern(registry.resultMeta)
  }

  /** Starts to answer a request of the modern era. */
  readonly call = (request: Inbound.Request, exchange: Exchange): Call =>
    this.start(new RequestState(request, exchange, this.#modern, undefined, this.#registry))

  /** Starts to answer a request. */
  start(state: RequestState): Call {
    const { exchange, request } = state
    const call = new RunningCall(state)
    const dispatch = this.#dispatch(request, request.params, state)
    const scope = Scope.makeUnsafe()
    const services = contextOf(dispatch, exchange, state, scope)
    const context = forward(services, state, this.#registry.options.logFloor)
    state.root = dispatch.context
    state.services = context
    const { middlewares } = this.#registry
    const effect = middlewares.length === 0
      ? request.definition.multiRound ? inThisFiber(dispatch.effect, state) : dispatch.effect
      : Middleware.apply(middlewares, state, dispatch, (params) => this.#dispatch(request, params, state))
    const fiber = Effect.runForkWith(context)(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      this.#settle(call, state, scope, services, exit)
    } else {
      call.run(fiber)
      fiber.addObserver((exit) => this.#settle(call, state, scope, services, exit))
    }
    if (!call.ended) {
      this.#calls.add(call)
      call.onEnd(() => this.#calls.delete(call))
    }
    return call
  }

  /** Notifications nobody handles are ignored (CAN-5). */
  readonly notify = ({ method, params }: JsonRpc.Notification, exchange: Exchange): void => {
    const handler = this.#registry.notifications.get(method)
    if (handler === undefined) return
    const { context, limits } = this.#registry.options
    if (this.#notifications.size >= limits.inFlightNotifications) {
      const dropped =
        `A notification ${method} was dropped: ${limits.inFlightNotifications} are being handled (the limit inFlightNotifications)`
      return void Effect.runForkWith(context)(Effect.logWarning(dropped))
    }
    const logged = Effect.catchCause(
      handler(params ?? {}, exchange.context),
      (cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("A notification ended with a defect", cause)
    )
    const fiber = Effect.runForkWith(context)(Effect.annotateLogs(logged, { method }))
    if (fiber.pollUnsafe() !== undefined) return
    this.#notifications.add(fiber)
    fiber.addObserver(() => this.#notifications.delete(fiber))
  }

  /**
   * Interrupts every call that is left, and waits for their finalizers, but no longer than `drainTimeout`: a handler that
   * cannot be interrupted must not keep the process alive.
   */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const calls = Effect.forEach([...this.#calls], (call) =>
      Effect.callback<void>((resume) => {
        call.onEnd(() => resume(Effect.void))
        call.cancel()
      }), { concurrency: "unbounded", discard: true })
    const { drainTimeout } = this.#registry.options.limits
    return Effect.andThen(calls, Fiber.interruptAll(this.#notifications)).pipe(
      Effect.interruptible,
      Effect.timeoutOrElse({
        duration: drainTimeout,
        orElse: () => Effect.logWarning(`Calls did not end within ${drainTimeout} ms (the limit drainTimeout)`)
      })
    )
  })

  #dispatch(request: Inbound.Request, given: JsonRpc.JsonObject, state: RequestState): Dispatch {
    const { definition: { extension, name }, definition } = request
    const registry = this.#registry
    const fail = (error: McpError.McpError): Dispatch => ({
      context: registry.options.context,
      effect: Effect.fail(error)
    })
    // What the features acquired may be gone already.
    if (registry.phase === "closing") return fail(new McpError.InternalError({ message: "The server is closing" }))
    const handler = registry.handlers.get(name)
    if (handler === undefined || !registry.advertises(name, state.session)) {
      return fail(new McpError.MethodNotFound({ message: `Method not found: ${name} (this server does not have it)` }))
    }
    if (extension !== undefined) {
      const declared = Extension.requireDeclared(extension, request.meta.clientCapabilities)
      if (Result.isFailure(declared)) return fail(declared.failure)
    }
    const params = withoutNull(given)
    const decoded = this.#decoder(definition)(params)
    if (Result.isFailure(decoded)) {
      const message = `Not the params of ${name}: ${McpError.messageOf(decoded.failure)}`
      return fail(new McpError.InvalidParams({ message }))
    }
    const dispatch = handler(params, state)
    return definition.multiRound && state.request.params.requestState !== undefined
      ? resumed(dispatch, state)
      : dispatch
  }

  #decoder(definition: Method.RequestDefinition) {
    let decode = this.#decoders.get(definition)
    if (decode === undefined) {
      decode = decodeOpen(definition.params)
      this.#decoders.set(definition, decode)
    }
    return decode
  }

  #settle(
    call: RunningCall,
    state: RequestState,
    scope: Scope.Closeable,
    services: Context.Context<never>,
    exit: Outcome
  ): void {
    const end = (exit: Outcome) => {
      if (!call.ended) call.end(call.cancelled ? undefined : this.#respond(state, services, exit))
    }
    const conclude = () => {
      const effect = call.cancelled || call.ended ? exit : concluded(state, exit)
      if (effect === exit) return end(exit)
      Effect.runForkWith(services)(effect).addObserver(end)
    }
    // What the handler acquired is released before its answer is seen.
    const release = Scope.closeUnsafe(scope, exit)
    if (release === undefined) return conclude()
    Effect.runForkWith(services)(release).addObserver((released) => {
      if (Exit.isFailure(released)) report(state, services, "A finalizer of a request failed", released.cause)
      conclude()
    })
  }

  #respond(state: RequestState, services: Context.Context<never>, exit: Outcome): JsonRpc.Response {
    const { dialect } = state
    if (Exit.isSuccess(exit)) return JsonRpc.success(state.id, dialect.result(state.method, exit.value))
    const failed = exit.cause.reasons.find(Cause.isFailReason)
    const died = exit.cause.reasons.some(Cause.isDieReason)
    if (failed !== undefined && !died && McpError.isMcpError(failed.error)) {
      return JsonRpc.failure(state.id, dialect.error(failed.error))
    }
    // The whole of it stays here; the peer is told nothing of its inside (ERR-1).
    report(state, services, "A request ended with a defect", exit.cause)
    return JsonRpc.failure(state.id, dialect.error(internalError))
  }
}

/** A round that is not the first goes on with what the others have left. */
const resumed = ({ context, effect }: Dispatch, state: RequestState): Dispatch => ({
  context,
  effect: Effect.andThen(Effect.suspend(() => dialogueOf(state).resumed), effect)
})

/** In services without the client's logger: what goes wrong inside is for the server's own loggers. */
const report = (
  state: RequestState,
  services: Context.Context<never>,
  message: string,
  cause: Cause.Cause<unknown>
): void => {
  Effect.runForkWith(services)(
    Effect.annotateLogs(Effect.logError(message, cause), { method: state.target, id: state.id })
  )
}

const contextOf = (
  dispatch: Dispatch,
  exchange: Exchange,
  state: RequestState,
  scope: Scope.Scope
): Context.Context<never> => {
  const base = exchange.context === emptyContext ? dispatch.context : Context.merge(dispatch.context, exchange.context)
  return Context.add(Context.add(base, McpRequest, state), Scope.Scope, scope)
}

const emptyContext = Context.empty()

/** `arguments: null` is what some clients send for none; it is read as omitted. */
const withoutNull = (params: JsonRpc.JsonObject): JsonRpc.JsonObject => {
  if (params.arguments !== null && params.cursor !== null) return params
  const { arguments: args, cursor, ...rest } = params
  return {
    ...rest,
    ...(args === null || args === undefined ? undefined : { arguments: args }),
    ...(cursor === null || cursor === undefined ? undefined : { cursor })
  }
}
