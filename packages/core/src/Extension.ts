/**
 * How methods, notifications, kinds of result, listen filters and settings are added to the protocol without touching
 * `core`: an extension is a value both sides share, and it is off until a side is given it (EXT-4).
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "./JsonRpc.ts"
import * as McpError from "./McpError.ts"
import * as MetaKey from "./MetaKey.ts"
import type * as Method from "./Method.ts"
import * as Revision from "./Revision.ts"
import type { ClientCapabilities } from "./schema/Capabilities.ts"
import { decodeOpen, JsonObject as JsonObjectSchema } from "./schema/Common.ts"

/**
 * The kinds of result an extension adds: by method, by the value of `resultType`.
 *
 * @category models
 * @since 0.1.0
 */
export type ResultTypes = Readonly<Record<string, Readonly<Record<string, Method.WireSchema>>>>

/**
 * The members an extension adds to the filter of `subscriptions/listen`.
 *
 * @category models
 * @since 0.1.0
 */
export type ListenFilter = Readonly<Record<string, Method.WireSchema>>

/**
 * An extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface Extension<
  out Id extends string = string,
  in out ServerSettings = JsonObject,
  in out ClientSettings = JsonObject
> {
  readonly id: Id
  /** Its requests and notifications, each marked as its own. */
  readonly methods: ReadonlyArray<Method.Definition>
  readonly resultTypes: ResultTypes
  readonly listenFilter: ListenFilter
  readonly serverSettings: Method.WireSchema<ServerSettings>
  readonly clientSettings: Method.WireSchema<ClientSettings>
}

/**
 * Any extension: without its settings, which occur in both directions, so that no type argument would admit them all.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any {
  readonly id: string
  readonly methods: ReadonlyArray<Method.Definition>
  readonly resultTypes: ResultTypes
  readonly listenFilter: ListenFilter
}

/**
 * An extension as one side advertises it, with its settings in their wire form (EXT-1). Made with {@link forServer} or
 * {@link forClient}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Enabled {
  readonly extension: Any
  readonly settings: JsonObject
}

/**
 * An identifier that breaks the rule: a `_meta` key with a prefix (EXT-2).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidExtension extends Schema.TaggedError<InvalidExtension>("@effect-mcp/core/Extension/Invalid")(
  "InvalidExtension",
  { id: Schema.String }
) {
  override get message(): string {
    const id = JSON.stringify(this.id)
    return `Not an extension identifier: ${id}; it needs a prefix of your own, as in com.example/name`
  }
}

/**
 * Defines an extension. Throws {@link InvalidExtension} for an identifier without a prefix, since a definition is
 * written in code.
 *
 * **Details**
 *
 * - `methods`: its requests and notifications. They are marked with the identifier, so that a request of a client that did
 *   not declare the extension is refused before its handler is asked (EXT-3).
 * - `resultTypes`: by method, the values of `resultType` it adds, and the schemas of these results.
 * - `listenFilter`: the members it adds to the filter of `subscriptions/listen`.
 * - `serverSettings`, `clientSettings`: what each side advertises; by default any object (EXT-1).
 *
 * **Example** (A request of one's own)
 *
 * ```ts
 * import * as Extension from "@effect-mcp/core/Extension"
 * import * as Method from "@effect-mcp/core/Method"
 * import * as Schema from "effect/Schema"
 *
 * const clock = Extension.make("com.example/clock", {
 *   methods: [
 *     Method.defineRequest({
 *       name: "com.example/now",
 *       sender: "client",
 *       revisions: new Set(["2026-07-28"]),
 *       params: Schema.Struct({ zone: Schema.String }),
 *       result: Schema.Struct({ now: Schema.String }),
 *       mirroredName: "zone"
 *     })
 *   ]
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Id extends string, SS = JsonObject, CS = JsonObject>(id: Id, options: {
  readonly methods?: ReadonlyArray<Method.Definition> | undefined
  readonly resultTypes?: ResultTypes | undefined
  readonly listenFilter?: ListenFilter | undefined
  readonly serverSettings?: Method.WireSchema<SS> | undefined
  readonly clientSettings?: Method.WireSchema<CS> | undefined
}): Extension<Id, SS, CS> => {
  if (!MetaKey.isExtensionId(id)) throw new InvalidExtension({ id })
  return {
    id,
    methods: (options.methods ?? []).map((definition) => ({ ...definition, extension: id })),
    resultTypes: options.resultTypes ?? {},
    listenFilter: options.listenFilter ?? {},
    // Without a schema the settings are the open object the type parameter defaults to.
    serverSettings: options.serverSettings ?? JsonObjectSchema as never,
    clientSettings: options.clientSettings ?? JsonObjectSchema as never
  }
}

/**
 * Turns an extension on for a server, with its settings (EXT-4).
 *
 * @category combinators
 * @since 0.1.0
 */
export const forServer = <Id extends string, SS, CS>(
  extension: Extension<Id, SS, CS>,
  settings: SS
): Enabled => ({ extension, settings: Schema.encodeSync(extension.serverSettings)(settings) as JsonObject })

/**
 * Turns an extension on for a client, with its settings (EXT-4).
 *
 * @category combinators
 * @since 0.1.0
 */
export const forClient = <Id extends string, SS, CS>(
  extension: Extension<Id, SS, CS>,
  settings: CS
): Enabled => ({ extension, settings: Schema.encodeSync(extension.clientSettings)(settings) as JsonObject })

/**
 * The `extensions` member of a side's capabilities; `undefined` when there is none.
 *
 * **Details**
 *
 * In the legacy era, whose capabilities are open to more, an extension is told of unless all its methods are of the modern
 * era (EXT-6).
 *
 * @category getters
 * @since 0.1.0
 */
export const capabilities = (
  enabled: ReadonlyArray<Enabled>,
  era: Revision.Era
): Record<string, JsonObject> | undefined => {
  const spoken = era === "modern" ? enabled : enabled.filter(({ extension }) => isSpoken(extension, era))
  return spoken.length === 0
    ? undefined
    : Object.fromEntries(spoken.map(({ extension, settings }) => [extension.id, settings]))
}

const isSpoken = ({ methods }: Any, era: Revision.Era): boolean =>
  methods.length === 0 ||
  methods.some(({ revisions }) => [...revisions].some((revision) => Revision.era(revision) === era))

/**
 * The schema of a kind of result that one of some extensions adds to a method; `undefined` when none does (RPC-13).
 *
 * @category getters
 * @since 0.1.0
 */
export const resultSchema = (
  extensions: ReadonlyArray<Any>,
  method: string,
  resultType: string
): Method.WireSchema | undefined => {
  for (const { resultTypes } of extensions) {
    const schema = own(own(resultTypes, method), resultType)
    if (schema !== undefined) return schema
  }
  return undefined
}

/** Names come from the peer: what every object inherits is not meant by them. */
const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined

/**
 * Reads the members of a `subscriptions/listen` filter that extensions have added, by extension.
 *
 * **Details**
 *
 * An extension whose members do not occur is not in the result, so that only those that do have to be declared by the
 * client ({@link requireDeclared}). Members nobody knows are left out (RPC-21).
 *
 * **Example** (A filter with a member of an extension)
 *
 * ```ts
 * import * as Extension from "@effect-mcp/core/Extension"
 * import * as Schema from "effect/Schema"
 *
 * const jobs = Extension.make("com.example/jobs", { listenFilter: { jobIds: Schema.Array(Schema.String) } })
 *
 * const filter = Extension.decodeListenFilter(
 *   [Extension.forServer(jobs, {})],
 *   { toolsListChanged: true, jobIds: ["a"] }
 * )
 * // Result.succeed({ "com.example/jobs": { jobIds: ["a"] } })
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeListenFilter = (
  enabled: ReadonlyArray<Enabled>,
  filter: JsonObject
): Result.Result<Readonly<Record<string, JsonObject>>, McpError.InvalidParams> => {
  const decoded: Record<string, Record<string, unknown>> = {}
  for (const { extension } of enabled) {
    for (const [member, schema] of Object.entries(extension.listenFilter)) {
      const value = own(filter, member)
      if (value === undefined) continue
      const result = decodeOpen(schema)(value)
      if (Result.isFailure(result)) {
        const message = `notifications.${member} is not what ${extension.id} says: ${result.failure.message}`
        return Result.fail(new McpError.InvalidParams({ message }))
      }
      decoded[extension.id] = { ...decoded[extension.id], [member]: result.success }
    }
  }
  return Result.succeed(decoded)
}

/**
 * Demands that the client of a request declared an extension (EXT-3). The failure names it as what is missing (META-13).
 *
 * @category guards
 * @since 0.1.0
 */
export const requireDeclared = (
  id: string,
  declared: ClientCapabilities
): Result.Result<void, McpError.MissingClientCapability> =>
  isJsonObject(own(declared.extensions, id))
    ? Result.void
    : Result.fail(
      new McpError.MissingClientCapability({
        message: `The extension ${id} is not declared in the client capabilities of this request`,
        requiredCapabilities: { extensions: { [id]: {} } }
      })
    )
