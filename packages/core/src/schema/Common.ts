/**
 * The small pieces that several MCP messages are made of.
 *
 * The schemas in this folder form one model for every protocol revision: the newest revision, with the members that
 * only older revisions have beside it. None of them transforms anything, so the decoded value and the JSON value have
 * the same type. Which member a given revision may carry is not decided here.
 *
 * **Gotchas**
 *
 * MCP objects are open. A struct of Effect accepts members it does not name, but leaves them out of its output; use
 * {@link decodeOpen} where they have to survive.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * A JSON object whose members are not looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface JsonObject {
  readonly [key: string]: unknown
}

/**
 * Tells a JSON object from `null`, arrays and primitives, in constant time.
 *
 * @category guards
 * @since 0.1.0
 */
export const isJsonObject = (u: unknown): u is JsonObject => typeof u === "object" && u !== null && !Array.isArray(u)

/** @internal */
export const AnyJsonObject = Schema.Record(Schema.String, Schema.Json)

/**
 * A schema that keeps the value it is given and looks no further than the guard does; `from` and `make` say how
 * examples of it are made up.
 *
 * @internal
 */
export const opaque = <T, From extends Schema.Constraint>(options: {
  readonly is: (u: unknown) => u is T
  readonly identifier: string
  readonly expected: string
  readonly from: From
  readonly make: (value: NoInfer<From["Type"]>) => T
}) =>
  Schema.declare<T>(options.is, {
    identifier: options.identifier,
    expected: options.expected,
    toCodecJson: () => undefined,
    toCodecArbitrary: () =>
      Schema.link<T>()(options.from, {
        decode: SchemaGetter.transform(options.make),
        encode: SchemaGetter.forbidden(() => `${options.identifier} is not encoded`)
      })
  })

/**
 * Accepts any JSON object and keeps it as it is.
 *
 * **When to use**
 *
 * Use for the parts of a message that belong to somebody else: arguments, JSON Schemas, settings, metadata. Only the
 * outermost value is checked, so the cost does not depend on the size of the object.
 *
 * @category schemas
 * @since 0.1.0
 */
export const JsonObject = opaque<JsonObject, typeof AnyJsonObject>({
  is: isJsonObject,
  identifier: "JsonObject",
  expected: "a JSON object",
  from: AnyJsonObject,
  make: (value) => value
})

/**
 * Accepts any JSON value, `null` and other falsy ones included, and keeps it as it is.
 *
 * **Gotchas**
 *
 * Only `undefined` is refused, so that a required member of this schema has to be present. Inside an optional member
 * test for the presence of the key, never for truthiness.
 *
 * @category schemas
 * @since 0.1.0
 */
export const JsonValue = opaque<unknown, typeof Schema.Json>({
  is: (u): u is unknown => u !== undefined,
  identifier: "JsonValue",
  expected: "a JSON value",
  from: Schema.Json,
  make: (value) => value
})

/**
 * Makes a decoder that checks a value against a schema and gives back the very value it was given.
 *
 * **When to use**
 *
 * Use wherever members that the schema does not name must survive: results on a client, capabilities, anything that
 * is passed on (RPC-21, JS-7). It also allocates nothing that outlives the check.
 *
 * @category combinators
 * @since 0.1.0
 */
export const decodeOpen = <T>(
  schema: Schema.Codec<T>
): (input: unknown) => Result.Result<T, Schema.SchemaError> => {
  const is = Schema.is(schema)
  const decode = Schema.decodeUnknownResult(schema)
  return (input) => is(input) ? Result.succeed(input) : decode(input)
}

/**
 * The metadata of a message or of one of its parts: an open object under reserved and private keys.
 *
 * All revisions have it on params and results; from 2025-06-18 on also on definitions, content and roots (META-19).
 *
 * @category models
 * @since 0.1.0
 */
export type Meta = JsonObject

/**
 * Accepts the `_meta` member. The rules for its keys are checked elsewhere.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Meta = JsonObject

/**
 * The id of a JSON-RPC request. All revisions (RPC-2).
 *
 * @category models
 * @since 0.1.0
 */
export type RequestId = typeof RequestId.Type

/**
 * Accepts a string or an integer; `null` is not an id (RPC-2).
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestId = Schema.Union([Schema.String, Schema.Int])

/**
 * Ties progress notifications to the request that asked for them. All revisions (PROG-1).
 *
 * @category models
 * @since 0.1.0
 */
export type ProgressToken = typeof ProgressToken.Type

/**
 * Accepts a string or an integer (PROG-1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProgressToken = Schema.Union([Schema.String, Schema.Int])

/**
 * An opaque position in a list. All revisions; the empty string is a cursor like any other (PAGE-3).
 *
 * @category models
 * @since 0.1.0
 */
export type Cursor = typeof Cursor.Type

/**
 * Accepts a cursor.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Cursor = Schema.String

/**
 * Who speaks in a message or is meant by an annotation. All revisions.
 *
 * @category models
 * @since 0.1.0
 */
export type Role = typeof Role.Type

/**
 * Accepts `"user"` and `"assistant"`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Role = Schema.Literals(["user", "assistant"])

/**
 * Hints for a client on how to show or use content. From 2025-03-26 on; `lastModified` from 2025-06-18 on (RES-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface Annotations extends Schema.Schema.Type<typeof Annotations> {}

/**
 * Accepts annotations, with a priority between 0 and 1 (RES-13).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Annotations = Schema.Struct({
  audience: Schema.optional(Schema.Array(Role)),
  priority: Schema.optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  lastModified: Schema.optional(Schema.String)
})

/**
 * An image that a user interface may show. From 2025-11-25 on (ICON-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface Icon extends Schema.Schema.Type<typeof Icon> {}

/**
 * Accepts an icon. Whether its address may be loaded is for the one who renders it (ICON-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Icon = Schema.Struct({
  src: Schema.String,
  mimeType: Schema.optional(Schema.String),
  sizes: Schema.optional(Schema.Array(Schema.String)),
  theme: Schema.optional(Schema.Literals(["light", "dark"]))
})

/**
 * The name and version of a client or server, as it reports them itself.
 *
 * All revisions; `title` from 2025-06-18 on; `description`, `icons` and `websiteUrl` from 2025-11-25 on (INIT-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface Implementation extends Schema.Schema.Type<typeof Implementation> {}

/**
 * Accepts an implementation, of which `name` and `version` are required (INIT-13).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Implementation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  icons: Schema.optional(Schema.Array(Icon)),
  websiteUrl: Schema.optional(Schema.String)
})
