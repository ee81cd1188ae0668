/** What the layers of features require, and who can provide it. */
import type * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as RequestService from "@effect-mcp/core/RequestService"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Types from "effect/Types"

class Database extends Context.Service<Database, { readonly find: (key: string) => string }>()("t/Database") {}
class Clock extends Context.Service<Clock, { readonly now: number }>()("t/Clock") {}
class Principal extends RequestService.make<Principal, { readonly subject: string }>()("t/Principal") {}
class Tenant extends RequestService.make<Tenant, { readonly tenant: string }>()("t/Tenant") {}

const Find = Tool.make("find", { input: { key: Schema.String } })
const subject = Effect.map(Principal, ({ subject }) => subject)
const find = (key: string) => Effect.map(Database, ({ find }) => find(key))

type Feature<R> = Layer.Layer<never, never, McpServer.Registry | R>

// ---------------------------------------------------------------------------------------------------------------
// What handlers need
// ---------------------------------------------------------------------------------------------------------------

const plain = McpServer.tool(Find, ({ key }) => Effect.succeed(key))
export const aHandlerThatNeedsNothing: Types.Equals<typeof plain, Feature<never>> = true

const ordinary = McpServer.tool(Find, ({ key }) => find(key))
export const anOrdinaryServiceNeedsNoDeclaration: Types.Equals<typeof ordinary, Feature<Database>> = true
const provided = Layer.provide(ordinary, Layer.succeed(Database, { find: (key) => key }))
export const andIsProvidedAsEver: Types.Equals<typeof provided, Feature<never>> = true

const ofRequest = McpServer.tool(Find, () => subject)
export const aServiceOfTheRequestIsARequirementOfItsOwn: Types.Equals<
  typeof ofRequest,
  Feature<McpServer.Request<Principal>>
> = true

const built = McpServer.tool(Find, () =>
  Effect.gen(function*() {
    const { id } = yield* McpRequest.McpRequest
    yield* Effect.addFinalizer(() => Effect.void)
    yield* Progress.report({ progress: 1 })
    return String(id)
  }))
export const theRequestAndItsScopeAreThereForEveryHandler: Types.Equals<typeof built, Feature<never>> = true

const mixed = Layer.mergeAll(
  McpServer.resource(Resource.make("r://r"), Effect.andThen(find("r"), subject)),
  McpServer.resourceTemplate(
    ResourceTemplate.make("r://{x}", { name: "r", parameters: { x: Schema.String } }),
    ({ x }) => find(x),
    { complete: { x: (typed) => Effect.map(Tenant, ({ tenant }) => [tenant + typed]) } }
  ),
  McpServer.prompt(Prompt.make("p", { arguments: { x: Schema.String, y: Schema.String } }), ({ x }) => find(x), {
    complete: {
      x: (typed, { y }) => Effect.map(Clock, ({ now }) => [`${typed}${y}${now}`]),
      y: (typed) => Effect.map(subject, (subject) => [subject + typed])
    }
  })
)
export const resourcesPromptsAndCompletersAlike: Types.Equals<
  typeof mixed,
  Feature<Database | Clock | McpServer.Request<Principal> | McpServer.Request<Tenant>>
> = true

const visible = McpServer.tool(Find, ({ key }) => Effect.succeed(key), {
  visibility: Visibility.make("admin", Effect.andThen(find("roles"), Effect.map(subject, (subject) => subject === "a")))
})
export const conditionsToo: Types.Equals<typeof visible, Feature<Database | McpServer.Request<Principal>>> = true

const added = McpServer.addTool(Find, () => Effect.andThen(find(""), subject))
export const aFeatureAddedAtRunTimeNeedsTheSame: Types.Equals<
  typeof added,
  Effect.Effect<
    void,
    McpServer.DuplicateFeature,
    Scope.Scope | McpServer.Registry | Database | McpServer.Request<Principal>
  >
> = true

// ---------------------------------------------------------------------------------------------------------------
// Who provides services of the request
// ---------------------------------------------------------------------------------------------------------------

const authenticated = McpServer.middleware<Principal>()((next) =>
  Effect.flatMap(find("principal"), (subject) => Effect.provideService(next, Principal, { subject }))
)
export const aMiddlewareProvidesAndRequires: Types.Equals<
  typeof authenticated,
  Layer.Layer<McpServer.Request<Principal>, never, McpServer.Registry | Database>
> = true

const discharged = Layer.provide(ofRequest, authenticated)
export const aMiddlewareDischarges: Types.Equals<typeof discharged, Feature<Database>> = true

const nested = McpServer.middleware<Tenant>()((next) =>
  Effect.flatMap(subject, (tenant) => Effect.provideService(next, Tenant, { tenant }))
)
export const aMiddlewareMayNeedAnother: Types.Equals<
  typeof nested,
  Layer.Layer<McpServer.Request<Tenant>, never, McpServer.Registry | McpServer.Request<Principal>>
> = true

const forgetful = McpServer.middleware<Principal>()((next) => next)
export const aMiddlewareThatForgetsToProvideRequires: Types.Equals<
  typeof forgetful,
  Layer.Layer<McpServer.Request<Principal>, never, McpServer.Registry | McpServer.Request<Principal>>
> = true

const observing = McpServer.middleware()((next) => next)
export const aMiddlewareMayProvideNothing: Types.Equals<
  typeof observing,
  Layer.Layer<never, never, McpServer.Registry>
> = true

const bySelf = Layer.provide(ofRequest, Layer.succeed(Principal, { subject: "made up at start-up" }))
export const anOrdinaryLayerDischargesNothing: Types.Equals<
  typeof bySelf,
  Feature<McpServer.Request<Principal>>
> = true

// ---------------------------------------------------------------------------------------------------------------
// Running a server
// ---------------------------------------------------------------------------------------------------------------

const info = { name: "a", version: "1" }

const server = McpServer.layer(info, Layer.merge(plain, mixed))
export const aServerRequiresWhatIsLeft: Types.Equals<
  typeof server,
  Layer.Layer<
    McpEndpoint,
    McpServer.RegistrationError | Revision.InvalidAllowList,
    Database | Clock | McpServer.Request<Principal> | McpServer.Request<Tenant>
  >
> = true

/** What `Layer.launch` and every test ask for: nothing is missing. */
declare const run: <A, E>(server: Layer.Layer<A, E>) => void

run(McpServer.layer(info, Layer.mergeAll(plain, provided, built, observing)))

// @ts-expect-error forgetting the service of the request
run(McpServer.layer(info, ofRequest))

// @ts-expect-error providing it by an ordinary layer, to the features
run(McpServer.layer(info, bySelf))

// @ts-expect-error providing it by an ordinary layer, to the server
run(McpServer.layer(info, ofRequest).pipe(Layer.provide(Layer.succeed(Principal, { subject: "made up" }))))

run(McpServer.layer(info, discharged).pipe(Layer.provide(Layer.succeed(Database, { find: (key) => key }))))

// @ts-expect-error forgetting an ordinary service
run(McpServer.layer(info, ordinary))

// ---------------------------------------------------------------------------------------------------------------
// Contracts
// ---------------------------------------------------------------------------------------------------------------

class Full extends Schema.TaggedError<Full>()("Full", {}) {}
const Book = Tool.make("book", { output: { seat: Schema.Finite }, failure: Full })

McpServer.tool(Book, () => Effect.fail(new Full()))
McpServer.tool(
  Book,
  (): Effect.Effect<{ readonly seat: number }, McpError.McpError | Tool.ToolFailure> =>
    Effect.fail(new Tool.ToolFailure({ message: "no" }))
)

// @ts-expect-error TOOL-16: the output is what was declared
McpServer.tool(Book, () => Effect.succeed({ seat: "1" }))

// @ts-expect-error TOOL-19: a failure that was not declared
McpServer.tool(Book, () => Effect.fail(new Error("undeclared")))

const misspelt = McpServer.prompt(
  Prompt.make("p", { arguments: { city: Schema.String } }),
  ({ city }) => Effect.succeed(city),
  { complete: { cty: () => Effect.succeed([]) } }
)
export const aCompleterOfNoArgumentIsARequirementThatNothingProvides: Types.Equals<
  typeof misspelt,
  Feature<McpServer.NoArgument<"cty">>
> = true

const notified = (handle: () => Effect.Effect<void, never, Database | Scope.Scope | McpRequest.McpRequest>) =>
  McpServer.extension({ extension: { id: "a/b", methods: [], resultTypes: {}, listenFilter: {} }, settings: {} }, {
    notifications: { "a/c": handle }
  })
export const aNotificationHasNoRequest: Types.Equals<
  ReturnType<typeof notified>,
  Feature<Database | McpRequest.McpRequest>
> = true
