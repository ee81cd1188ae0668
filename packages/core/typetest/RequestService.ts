import * as RequestService from "@effect-mcp/core/RequestService"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Types from "effect/Types"

class Principal extends RequestService.make<Principal, { readonly subject: string }>()("typetest/Principal") {}

class Tenant extends RequestService.make<Tenant, { readonly name: string }>()("typetest/Tenant") {}

class Database extends Context.Service<Database, { readonly url: string }>()("typetest/Database") {}

export const aServiceOfTheRequestIsAskedForAsAny: Types.Equals<
  Effect.Services<typeof subject>,
  Principal
> = true

const subject = Effect.map(Principal, (principal) => principal.subject)

export const itsShapeIsKept: Types.Equals<Effect.Success<typeof subject>, string> = true

export const ordinaryServicesStay: Types.Equals<RequestService.Requirements<Database>, Database> = true

export const servicesOfTheRequestAreMarked: Types.Equals<
  RequestService.Requirements<Principal>,
  RequestService.Request<Principal>
> = true

export const eachIsMarkedByItself: Types.Equals<
  RequestService.Requirements<Principal | Tenant | Database>,
  RequestService.Request<Principal> | RequestService.Request<Tenant> | Database
> = true

export const nothingIsNothing: Types.Equals<RequestService.Requirements<never>, never> = true

export const aTransportProvidesWhatItPutsIntoRequests: Types.Equals<
  RequestService.Provision<Principal | Tenant>,
  RequestService.Request<Principal> | RequestService.Request<Tenant>
> = true

export const whatIsProvidedIsWhatIsRequired: Types.Equals<
  Exclude<RequestService.Requirements<Principal | Database>, RequestService.Provision<Principal>>,
  Database
> = true

declare const feature: Layer.Layer<never, never, RequestService.Requirements<Principal | Database>>

const ordinary = Layer.mergeAll(
  Layer.succeed(Principal, { subject: "anna" }),
  Layer.succeed(Database, { url: "sql://" })
)

export const anOrdinaryLayerDoesNotDischargeIt: Types.Equals<
  Layer.Services<ReturnType<typeof provided>>,
  RequestService.Request<Principal>
> = true

const provided = () => Layer.provide(feature, ordinary)

declare const launch: (layer: Layer.Layer<never>) => void

// @ts-expect-error a feature whose principal nobody provides is not complete
launch(provided())

declare const database: Layer.Layer<never, never, RequestService.Requirements<Database>>

// A feature that only needs ordinary services is.
launch(Layer.provide(database, ordinary))
