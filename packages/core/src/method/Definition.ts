/**
 * What a method is, and how one is defined.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import type * as Revision from "../Revision.ts"

/**
 * The side that sends a message.
 *
 * @category models
 * @since 0.1.0
 */
export type Side = "client" | "server"

/**
 * A schema whose wire form needs no services and no transformation.
 *
 * @category models
 * @since 0.1.0
 */
export type WireSchema<A = unknown> = Schema.Codec<A, A>

/**
 * A request the protocol, or an extension, defines. Made with {@link defineRequest}.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestDefinition<out Name extends string = string, out Params = unknown, out Result = unknown> {
  readonly kind: "request"
  readonly name: Name
  /** The sides that send it, in one revision at least. */
  readonly sender: ReadonlySet<Side>
  /** The revisions that have it, from one side at least. */
  readonly revisions: Availability
  /** In which revisions each side sends it: the gate. */
  readonly sentBy: Readonly<Record<Side, Availability>>
  readonly params: WireSchema<Params>
  readonly result: WireSchema<Result>
  /** The member of `params` that HTTP mirrors as `Mcp-Name` (HDR-2, HDR-3). */
  readonly mirroredName: string | undefined
  /** Whether the answer may be an `InputRequiredResult` (MRTR-2). */
  readonly multiRound: boolean
  /** Whether the answer carries cache hints (CACHE-1). */
  readonly cacheable: boolean
  /** Whether the answer is a stream that stays open, and not one result. */
  readonly streams: boolean
  /** The extension that defines it, if it is not the protocol itself. */
  readonly extension: string | undefined
}

/**
 * A notification the protocol, or an extension, defines. Made with {@link defineNotification}.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationDefinition<out Name extends string = string, out Params = unknown> {
  readonly kind: "notification"
  readonly name: Name
  /** The sides that send it, in one revision at least. */
  readonly sender: ReadonlySet<Side>
  /** The revisions that have it, from one side at least. */
  readonly revisions: Availability
  /** In which revisions each side sends it: the gate. */
  readonly sentBy: Readonly<Record<Side, Availability>>
  readonly params: WireSchema<Params>
  /** The extension that defines it, if it is not the protocol itself. */
  readonly extension: string | undefined
}

/**
 * A method.
 *
 * @category models
 * @since 0.1.0
 */
export type Definition = RequestDefinition | NotificationDefinition

/**
 * Methods by name. Requests and notifications are apart: what is one of them cannot be called as the other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Table {
  readonly requests: ReadonlyMap<string, RequestDefinition>
  readonly notifications: ReadonlyMap<string, NotificationDefinition>
}

/**
 * Which revisions have a method.
 *
 * @category models
 * @since 0.1.0
 */
export type Availability = ReadonlySet<Revision.Revision>

const sides = {
  client: new Set<Side>(["client"]),
  server: new Set<Side>(["server"]),
  both: new Set<Side>(["client", "server"])
}

const never: Availability = new Set()

const sentBy = (sender: Side | "both", revisions: Availability): Readonly<Record<Side, Availability>> => ({
  client: sender === "server" ? never : revisions,
  server: sender === "client" ? never : revisions
})

/**
 * Defines a request.
 *
 * **Details**
 *
 * `mirroredName` is the member of `params` that HTTP mirrors as `Mcp-Name`, `multiRound` says that the answer may ask
 * for input first, `cacheable` that it carries cache hints, and `streams` that it stays open; by default a request has none
 * of this.
 *
 * **Example** (A request of one's own)
 *
 * ```ts
 * import * as Method from "@effect-mcp/core/Method"
 * import * as Schema from "effect/Schema"
 *
 * const now = Method.defineRequest({
 *   name: "com.example/now",
 *   sender: "client",
 *   revisions: new Set(["2026-07-28"]),
 *   params: Schema.Struct({ zone: Schema.String }),
 *   result: Schema.Struct({ now: Schema.String }),
 *   mirroredName: "zone"
 * })
 * ```
 *
 * @see `Extension.make` for adding it to a server or a client
 *
 * @category constructors
 * @since 0.1.0
 */
export const defineRequest = <const Name extends string, P, R>(options: {
  readonly name: Name
  readonly sender: Side | "both"
  readonly revisions: Availability
  readonly params: WireSchema<P>
  readonly result: WireSchema<R>
  readonly mirroredName?: string | undefined
  readonly multiRound?: boolean | undefined
  readonly cacheable?: boolean | undefined
  readonly streams?: boolean | undefined
  readonly extension?: string | undefined
}): RequestDefinition<Name, P, R> => ({
  kind: "request",
  name: options.name,
  sender: sides[options.sender],
  revisions: options.revisions,
  sentBy: sentBy(options.sender, options.revisions),
  params: options.params,
  result: options.result,
  mirroredName: options.mirroredName,
  multiRound: options.multiRound ?? false,
  cacheable: options.cacheable ?? false,
  streams: options.streams ?? false,
  extension: options.extension
})

/**
 * Defines a notification.
 *
 * **Details**
 *
 * `clientRevisions` is for one that both sides have, and that a client sends in fewer revisions than a server.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defineNotification = <const Name extends string, P>(options: {
  readonly name: Name
  readonly sender: Side | "both"
  readonly revisions: Availability
  readonly clientRevisions?: Availability | undefined
  readonly params: WireSchema<P>
  readonly extension?: string | undefined
}): NotificationDefinition<Name, P> => ({
  kind: "notification",
  name: options.name,
  sender: sides[options.sender],
  revisions: options.revisions,
  sentBy: {
    ...sentBy(options.sender, options.revisions),
    ...(options.clientRevisions === undefined ? undefined : { client: options.clientRevisions })
  },
  params: options.params,
  extension: options.extension
})
