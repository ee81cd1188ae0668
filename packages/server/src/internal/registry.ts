/**
 * What one server has: its features, methods, middleware and extensions, and everything that is prepared from them.
 */
import type * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Extension from "@effect-mcp/core/Extension"
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import type * as McpError from "@effect-mcp/core/McpError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Method from "@effect-mcp/core/Method"
import type * as Revision from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import type { Lifetime } from "@effect-mcp/core/ServerEndpoint"
import type { CacheScope } from "@effect-mcp/core/schema/Params"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { CacheOptions } from "../features/Cache.ts"
import type { MethodResult } from "../features/Middleware.ts"
import type { LegacySession } from "./legacySession.ts"
import { type Entry, Listing } from "./listing.ts"
import type { RegisteredMiddleware } from "./middleware.ts"
import type { RequestState } from "./requestState.ts"
import type { Rounds } from "./rounds.ts"

/** A request that has found its handler: what to run, and in which services. */
export interface Dispatch {
  readonly effect: Effect.Effect<MethodResult, McpError.McpError>
  readonly context: Context.Context<never>
}

/** Finds the handler of a request whose params are already known to fit the method. */
export type MethodHandler = (params: JsonRpc.JsonObject, state: RequestState) => Dispatch

/** Takes a notification, in the services that were added for it. */
export type NotificationHandler = (params: JsonRpc.JsonObject, added: Context.Context<never>) => Effect.Effect<void>

export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: CacheScope
}

export type Cacheable = keyof CacheOptions

export interface ToolEntry extends Entry {
  readonly call: MethodHandler
}

export interface PromptEntry extends Entry {
  readonly get: MethodHandler
  readonly complete: Completers
}

export interface ResourceEntry extends Entry {
  readonly read: (state: RequestState) => Effect.Effect<JsonRpc.JsonObject, McpError.McpError>
}

export interface TemplateEntry extends Entry {
  /** `undefined` when the URI is none of this family. */
  readonly match: (
    uri: string
  ) => ((state: RequestState) => Effect.Effect<JsonRpc.JsonObject | undefined, McpError.McpError>) | undefined
  readonly complete: Completers
}

export type Completers =
  & ReadonlyMap<
    string,
    (value: string, context: Readonly<Record<string, string>>) => Effect.Effect<
      ReadonlyArray<string>,
      McpError.McpError
    >
  >
  & { readonly names: ReadonlySet<string> }

/**
 * Two features of one server have the same name or URI.
 *
 * @category errors
 * @since 0.1.0
 */
export class DuplicateFeature extends Schema.TaggedError<DuplicateFeature>("@effect-mcp/server/DuplicateFeature")(
  "DuplicateFeature",
  { kind: Schema.String, key: Schema.String }
) {
  override get message(): string {
    return `This server has two features of kind ${this.kind} named ${
      JSON.stringify(this.key)
    }: rename one, or add it with \`replace: true\``
  }
}

export interface RegistryOptions {
  readonly info: Implementation
  readonly sendServerInfo: boolean
  readonly instructions: string | undefined
  readonly revisions: Revision.AllowList
  /** The lowest level of logs that clients may ask for; `undefined` for none at all. */
  readonly logFloor: LogLevel | undefined
  /** A random number of this server, for its cursors and the ids of what it asks clients. */
  readonly run: number
  readonly limits: Limits.Values
  readonly cache: Readonly<Record<Cacheable, CacheHint>>
  readonly bus: ChangeBus.ChangeBus["Service"]
  readonly rounds: Rounds
  /** The services the server was built with. */
  readonly context: Context.Context<never>
}

const facts = {
  tool: { _tag: "ToolsChanged" },
  prompt: { _tag: "PromptsChanged" },
  resource: { _tag: "ResourcesChanged" },
  resourceTemplate: { _tag: "ResourcesChanged" }
} as const satisfies Record<string, ChangeBus.Fact>

/** The capability that each method of the protocol belongs to. */
const capabilityOf: Readonly<Record<string, string>> = {
  "tools/list": "tools",
  "tools/call": "tools",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "resources/subscribe": "resources",
  "resources/unsubscribe": "resources",
  "logging/setLevel": "logging",
  "completion/complete": "completions"
}

export class Registry {
  readonly options: RegistryOptions
  readonly tools: Listing<ToolEntry>
  readonly prompts: Listing<PromptEntry>
  readonly resources: Listing<ResourceEntry>
  readonly resourceTemplates: Listing<TemplateEntry>
  readonly handlers = new Map<string, MethodHandler>()
  readonly extensions: Array<Extension.Enabled> = []
  readonly notifications = new Map<string, NotificationHandler>()
  readonly middlewares: Array<RegisteredMiddleware> = []
  /** What was wrong with features while the server was built; reported all at once. */
  readonly problems: Array<DuplicateFeature> = []
  /** `_meta` of every result (META-14). */
  readonly resultMeta: JsonRpc.JsonObject | undefined
  #phase: "building" | "serving" | "closing" = "building"
  #classify: Inbound.Classifier | undefined
  #methods: Method.Table | undefined
  #capabilities: JsonRpc.JsonObject | undefined
  #discover: JsonRpc.Prepared | undefined

  constructor(options: RegistryOptions) {
    this.options = options
    this.resultMeta = options.sendServerInfo ? { [Meta.key.serverInfo]: options.info } : undefined
    this.tools = this.#listing<ToolEntry>("tools", "tools")
    this.prompts = this.#listing<PromptEntry>("prompts", "prompts")
    this.resources = this.#listing<ResourceEntry>("resources", "resources")
    this.resourceTemplates = this.#listing<TemplateEntry>("resourceTemplates", "resourceTemplates")
  }

  #listing<E extends Entry>(name: Cacheable, member: string): Listing<E> {
    const { cache, limits } = this.options
    const listing: Listing<E> = new Listing<E>(name, member, {
      pageSize: limits.pageSize,
      variants: limits.visibilityVariants,
      run: this.options.run,
      // CACHE-12: what differs between requests is never shared between clients.
      common: () => this.complete(listing.conditions.size > 0 ? { ...cache[name], cacheScope: "private" } : cache[name])
    })
    return listing
  }

  /** The members of every complete result (RPC-10, META-14), with those given. */
  complete(result: object): JsonRpc.JsonObject {
    return this.resultMeta === undefined
      ? { resultType: "complete", ...result }
      : { resultType: "complete", ...result, _meta: this.resultMeta }
  }

  get phase() {
    return this.#phase
  }

  serving(): void {
    this.#phase = "serving"
  }

  /** From here on features are taken down with the server, which is no change to tell anybody. */
  closing(): void {
    this.#phase = "closing"
  }

  /** Puts an entry into a list for as long as the scope is open. */
  register<E extends Entry>(
    kind: keyof typeof facts,
    listing: Listing<E>,
    entry: E,
    replace: boolean
  ): Effect.Effect<void, DuplicateFeature, Scope.Scope> {
    return Effect.suspend(() => {
      const former = listing.get(entry.key)
      if (former !== undefined && !replace) return Effect.fail(new DuplicateFeature({ kind, key: entry.key }))
      // A replacement keeps the place of what it replaces.
      const placed = former === undefined ? entry : { ...entry, order: former.order }
      return Effect.acquireRelease(
        Effect.suspend(() => {
          listing.set(placed)
          return this.changed(kind)
        }),
        () =>
          Effect.suspend(() => listing.get(entry.key) === placed ? this.remove(kind, listing, entry.key) : Effect.void)
      )
    })
  }

  remove<E extends Entry>(kind: keyof typeof facts, listing: Listing<E>, key: string): Effect.Effect<boolean> {
    return Effect.suspend(() => listing.delete(key) ? Effect.as(this.changed(kind), true) : Effect.succeed(false))
  }

  changed(kind: keyof typeof facts): Effect.Effect<void> {
    this.#forget()
    return this.#phase === "serving" ? this.options.bus.publish(facts[kind]) : Effect.void
  }

  /** Adds an extension; its requests are known from then on. */
  addExtension(enabled: Extension.Enabled): void {
    this.extensions.push(enabled)
    this.#classify = undefined
    this.#methods = undefined
    this.#forget()
  }

  #forget(): void {
    this.#capabilities = undefined
    this.#discover = undefined
  }

  get classify(): Inbound.Classifier {
    return this.#classify ??= Inbound.make({ revisions: this.options.revisions, methods: this.methods })
  }

  get methods(): Method.Table {
    return this.#methods ??= Method.extend(
      Method.core,
      this.extensions.flatMap(({ extension }) => extension.methods)
    )
  }

  get #completes(): boolean {
    return this.prompts.entries.some((entry) => entry.complete.size > 0) ||
      this.resourceTemplates.entries.some((entry) => entry.complete.size > 0)
  }

  /** DISC-4: whether the capability a method belongs to is there, and advertised: now, or when the session began. */
  advertises(method: string, session: LegacySession | undefined): boolean {
    const member = capabilityOf[method]
    return member === undefined || Object.hasOwn(this.capabilities, member) || session?.hasDeclared(member) === true
  }

  /** DISC-2, DISC-3: prepared once, until something is registered or removed. */
  get discover(): JsonRpc.Prepared {
    return this.#discover ??= new JsonRpc.Prepared(this.complete({
      supportedVersions: this.options.revisions,
      capabilities: this.capabilities,
      ...(this.options.instructions === undefined ? undefined : { instructions: this.options.instructions }),
      ...this.options.cache.discover
    }))
  }

  /** DISC-3: what is there is advertised, prepared once until something is registered or removed. */
  get capabilities(): JsonRpc.JsonObject {
    return this.#capabilities ??= this.#makeCapabilities()
  }

  /** INIT-12: what is there, and that a session is told of its changes. Without one, nothing is told and nothing kept. */
  legacyCapabilities(lifetime: Lifetime): JsonRpc.JsonObject {
    const { extensions: _, logging, prompts, resources, tools, ...others } = this.capabilities
    const extensions = Extension.capabilities(this.extensions, "legacy")
    const rest = extensions === undefined ? others : { ...others, extensions }
    if (lifetime === "none") {
      return {
        ...rest,
        ...(prompts === undefined ? undefined : { prompts }),
        ...(resources === undefined ? undefined : { resources }),
        ...(tools === undefined ? undefined : { tools })
      }
    }
    return {
      ...rest,
      ...(logging === undefined ? undefined : { logging }),
      ...(prompts === undefined ? undefined : { prompts: { listChanged: true } }),
      ...(resources === undefined ? undefined : { resources: { subscribe: true, listChanged: true } }),
      ...(tools === undefined ? undefined : { tools: { listChanged: true } })
    }
  }

  #makeCapabilities(): JsonRpc.JsonObject {
    const extensions = Extension.capabilities(this.extensions, "modern")
    return {
      ...(this.tools.size > 0 ? { tools: {} } : undefined),
      ...(this.prompts.size > 0 ? { prompts: {} } : undefined),
      ...(this.resources.size + this.resourceTemplates.size > 0 ? { resources: {} } : undefined),
      ...(this.#completes ? { completions: {} } : undefined),
      // LOG-1: any handler may log.
      ...(this.options.logFloor === undefined ? undefined : { logging: {} }),
      ...(extensions === undefined ? undefined : { extensions })
    }
  }
}
