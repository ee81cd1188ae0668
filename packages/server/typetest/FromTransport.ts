/** Services of the request that the transport provides. */
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Types from "effect/Types"

class Database extends Context.Service<Database, { readonly find: (key: string) => string }>()("t/Database") {}
class Principal extends RequestService.make<Principal, { readonly subject: string }>()("t/Principal") {}
class Tenant extends RequestService.make<Tenant, { readonly tenant: string }>()("t/Tenant") {}

const fromTransport = McpServer.fromTransport(Principal)
export const itProvides: Types.Equals<
  typeof fromTransport,
  Layer.Layer<McpServer.Request<Principal>, never, McpServer.Registry>
> = true

const whoAmI = McpServer.tool(Tool.make("who-am-i", {}), () => Effect.map(Principal, ({ subject }) => subject))
const discharged = Layer.provide(whoAmI, fromTransport)
export const itDischarges: Types.Equals<typeof discharged, Layer.Layer<never, never, McpServer.Registry>> = true

const other = Layer.provide(whoAmI, McpServer.fromTransport(Tenant))
export const anotherServiceDoesNot: Types.Equals<
  typeof other,
  Layer.Layer<never, never, McpServer.Registry | McpServer.Request<Principal>>
> = true

const tenant = McpServer.middleware<Tenant>()((next) =>
  Effect.flatMap(Principal, ({ subject }) => Effect.provideService(next, Tenant, { tenant: subject }))
).pipe(Layer.provide(fromTransport))
export const aMiddlewareMayStandOnIt: Types.Equals<
  typeof tenant,
  Layer.Layer<McpServer.Request<Tenant>, never, McpServer.Registry>
> = true

// @ts-expect-error an ordinary service does not come with a request
McpServer.fromTransport(Database)
