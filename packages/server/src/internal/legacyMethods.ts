/**
 * The methods that only the legacy era has, because it has sessions.
 */
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { MethodResult } from "../features/Middleware.ts"
import type { LegacySession } from "./legacySession.ts"
import type { Dispatch, MethodHandler, Registry } from "./registry.ts"
import type { RequestState } from "./requestState.ts"
import { refuseUri } from "./resources.ts"
import { isVisible } from "./visibility.ts"

const nothing: MethodResult = {}

const isLevel = Schema.is(LoggingLevel)

/** A method that needs a memory: without a session the server does not have it. */
const withSession = (
  registry: Registry,
  run: (
    session: LegacySession,
    params: Parameters<MethodHandler>[0],
    state: RequestState
  ) => Effect.Effect<void, McpError.McpError>
): MethodHandler =>
(params, state): Dispatch => {
  const { session } = state
  const effect = session === undefined || session.lifetime === "none"
    ? Effect.fail(new McpError.MethodNotFound({ message: `Method not found: ${state.method} needs a session` }))
    : Effect.as(run(session, params, state), nothing)
  return { context: registry.options.context, effect }
}

/** Nobody learns in this way of a resource that is hidden. */
const exists = Effect.fnUntraced(function*(registry: Registry, uri: string, state: RequestState) {
  const root = registry.options.context
  const entry = registry.resources.get(uri)
  if (entry !== undefined && (yield* isVisible(entry, root, state))) return true
  for (const template of registry.resourceTemplates.entries) {
    if (template.match(uri) !== undefined && (yield* isVisible(template, root, state))) return true
  }
  return false
})

export const install = (registry: Registry): void => {
  const { handlers } = registry
  const { context } = registry.options
  handlers.set(Method.ping.name, () => ({ context, effect: Effect.succeed(nothing) })) // PING-1
  handlers.set(
    Method.setLevel.name,
    withSession(registry, (session, { level }) =>
      isLevel(level)
        ? session.setLevel(level)
        // LOG-4. The params have been checked by the method's schema, so that this one is for the compiler.
        : Effect.fail(new McpError.InvalidParams({ message: `Not a level: ${McpError.excerpt(level)}` })))
  )
  handlers.set(
    Method.resourcesSubscribe.name,
    withSession(registry, (session, params, state) => {
      const uri = String(params.uri)
      const refused = refuseUri(uri, registry.options.limits)
      return refused !== undefined ? Effect.fail(refused) : Effect.flatMap(
        exists(registry, uri, state),
        (known) => known ? session.subscribe(uri) : Effect.fail(new McpError.ResourceNotFound({ uri }))
      )
    })
  )
  handlers.set(
    Method.resourcesUnsubscribe.name,
    withSession(registry, (session, params) => session.unsubscribe(String(params.uri)))
  )
}
