/**
 * Forms for `Elicitation.form`: what is asked for is said in schemas, of which the form and the decoder of its answer
 * are made.
 *
 * **Gotchas**
 *
 * A form must not ask for passwords, keys, tokens or payment data: they would be read by the client, and by whoever reads
 * its logs. Have them entered at an address of your own, with `Elicitation.url` (ELI-13).
 *
 * @since 0.1.0
 */
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { RequestedSchema } from "@effect-mcp/core/schema/Elicitation"
import type { SchemaOf } from "@effect-mcp/core/Tool"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as internal from "./internal/form.ts"
import type { FlatField, FlatObject } from "./internal/formTypes.ts"

const TypeId = "~@effect-mcp/server/Form"

/**
 * A form: what the client is asked to show, and what is made of the answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Form<out A, out R = never> {
  readonly [TypeId]: typeof TypeId
  /** The form as it stands on the wire. */
  readonly requestedSchema: RequestedSchema
  /** Checks the content of an answer and decodes it. All that is wrong is told at once (ELI-12). */
  readonly decode: (content: unknown) => Effect.Effect<A, Schema.SchemaError, R>
}

/**
 * Any form.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any extends Form<unknown, unknown> {}

/**
 * The fields of a form, by name.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fields {
  readonly [name: PropertyKey]: Schema.Constraint
}

/**
 * What a form can be made of: its fields, a schema of objects, or a form that is there already.
 *
 * @category models
 * @since 0.1.0
 */
export type Source = Fields | Schema.Constraint | Any

/**
 * A source of which every field is flat: in JSON it is a string, a number, a boolean, or a list of strings (ELI-5). What
 * the field is decoded to is free.
 *
 * **When to use**
 *
 * Use as the type of a parameter, for a function of your own that takes the fields of a form: `S extends Source` and
 * `schema: Flat<S>`.
 *
 * @category models
 * @since 0.1.0
 */
export type Flat<S extends Source> =
  & S
  & (S extends Any ? unknown
    : S extends Schema.Constraint ? FlatObject<S["Encoded"]>
    : { readonly [Name in keyof S]: S[Name] extends Schema.Constraint ? FlatField<S[Name]["Encoded"], Name> : unknown })

/**
 * What the answer to a form is decoded to.
 *
 * @category models
 * @since 0.1.0
 */
export type Type<S extends Source> = S extends Form<infer A, unknown> ? A : SchemaOf<S>["Type"]

/**
 * The services that decoding the answer to a form needs.
 *
 * @category models
 * @since 0.1.0
 */
export type Services<S extends Source> = S extends Form<unknown, infer R> ? R : SchemaOf<S>["DecodingServices"]

/**
 * A form that cannot be asked for, and what is wrong with each of its fields.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidForm extends Schema.TaggedError<InvalidForm>("@effect-mcp/server/Form/InvalidForm")("InvalidForm", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The form cannot be asked for:\n${this.problems.map((problem) => `- ${problem}`).join("\n")}`
  }
}

const made = new WeakMap<object, Any>()

/**
 * Makes a form. Throws {@link InvalidForm} for one that cannot be asked for, since it is written in code.
 *
 * **When to use**
 *
 * `Elicitation.form` does it with its `schema`. Use it yourself to find a wrong form when the server starts, and not when
 * somebody is asked.
 *
 * **Details**
 *
 * - A field is text, a number (`Schema.Finite`), an integer (`Schema.Int`), yes or no, or a choice: `Schema.Literals` of
 *   strings, {@link select}, {@link multiSelect}, or an array of one of the former. Identifiers are of no matter.
 * - Its title, description and default are the annotations of the schema, or of the key. The default is what the client
 *   shows at the start; what is decoded where nothing was answered (`Schema.withDecodingDefaultKey`) is not told.
 * - Lengths, bounds and formats are told to the client. A form has no words for other checks (patterns, multiples,
 *   filters): they hold when the answer is decoded, and the client may send what they refuse.
 * - A schema that is made once is converted once.
 * - What the answer has beside the fields is ignored.
 *
 * **Gotchas**
 *
 * `Schema.isMinLength` counts UTF-16 units and forms count characters, so that only half of it can be told to the client.
 * `Schema.isMinCodePoints` is told as it is.
 *
 * **Example** (A form, and what it is on the wire)
 *
 * ```ts
 * import * as Form from "@effect-mcp/server/Form"
 * import * as Schema from "effect/Schema"
 *
 * const Booking = Form.make({
 *   room: Form.select({ s: "Small", l: "Large" }),
 *   nights: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })),
 *   note: Schema.optionalKey(Schema.String.annotate({ title: "Anything else?" }))
 * })
 *
 * Booking.requestedSchema.properties.nights // { type: "integer", minimum: 1, maximum: 14 }
 * Booking.requestedSchema.required // ["room", "nights"]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const S extends Source>(source: Flat<S>): Form<Type<S>, Services<S>> =>
  // A form that was made of a source has its types, which a map cannot say.
  remembered(source) as Form<Type<S>, Services<S>>

const remembered = (source: Source): Any => {
  if (isForm(source)) return source
  const form = made.get(source) ?? fromSource(source)
  made.set(source, form)
  return form
}

const fromSource = (source: Fields | Schema.Constraint): Any => {
  const schema = isFields(source) ? Schema.Struct(source) : source
  const requestedSchema = Result.getOrThrowWith(
    internal.toRequestedSchema(schema),
    (problems) => new InvalidForm({ problems })
  )
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  const check = internal.checker(requestedSchema)
  return {
    [TypeId]: TypeId,
    requestedSchema,
    // ELI-12: a format may be told to the client by an annotation alone, and holds as well.
    decode: (content) => Effect.tap(decode(content), () => check(content))
  }
}

const isFields = (source: Fields | Schema.Constraint): source is Fields => !Schema.isSchema(source)

/**
 * Tells whether a value is a {@link Form}.
 *
 * @category guards
 * @since 0.1.0
 */
export const isForm = (u: unknown): u is Any => Predicate.hasProperty(u, TypeId)

/**
 * Makes a form of its description on the wire. The answer is the values as they are, which are checked against it
 * (ELI-12); what the client sent beside the fields is among them.
 *
 * **When to use**
 *
 * Use for what is not known when the code is written, such as a form that comes from elsewhere.
 *
 * **Example** (A form from data)
 *
 * ```ts
 * import * as Form from "@effect-mcp/server/Form"
 *
 * const Age = Form.raw({ type: "object", properties: { age: { type: "integer", minimum: 0 } }, required: ["age"] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const raw = (requestedSchema: RequestedSchema): Form<ElicitationForm.Values> => ({
  [TypeId]: TypeId,
  requestedSchema,
  decode: internal.reader(requestedSchema)
})

/**
 * The options of a choice: values, or values with the titles that the person sees.
 *
 * @category models
 * @since 0.1.0
 */
export type Options<V extends string> = ReadonlyArray<V> | { readonly [Value in V]: string }

/**
 * A choice of one value (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface Select<V extends string> extends Schema.Union<ReadonlyArray<Schema.Literal<V>>> {}

/**
 * A choice of one value (ELI-8).
 *
 * **Gotchas**
 *
 * An object has keys that are whole numbers first, in their order, wherever they were written.
 *
 * **Example** (Values with titles)
 *
 * ```ts
 * import * as Form from "@effect-mcp/server/Form"
 *
 * const Room = Form.select({ s: "Small", l: "Large" }).annotate({ title: "Which room?", default: "s" })
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const select = <const V extends string>(options: Options<V>): Select<V> =>
  Schema.Union(
    isList(options)
      ? options.map((value) => Schema.Literal(value))
      : Record.toEntries<V, string>(options).map(([value, title]) => Schema.Literal(value).annotate({ title }))
  )

const isList = <V extends string>(options: Options<V>): options is ReadonlyArray<V> => Array.isArray(options)

/**
 * How many values a choice of several may have.
 *
 * @category models
 * @since 0.1.0
 */
export interface MultiSelectOptions {
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
}

/**
 * A choice of several values (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface MultiSelect<V extends string> extends Schema.$Array<Select<V>> {}

/**
 * A choice of several values (ELI-8).
 *
 * **Example** (At least one)
 *
 * ```ts
 * import * as Form from "@effect-mcp/server/Form"
 *
 * const Extras = Form.multiSelect(["breakfast", "parking"], { minItems: 1 })
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const multiSelect = <const V extends string>(
  options: Options<V>,
  { maxItems, minItems }: MultiSelectOptions = {}
): MultiSelect<V> => {
  const some = Schema.Array(select(options))
  const enough = minItems === undefined ? some : some.check(Schema.isMinLength(minItems))
  return maxItems === undefined ? enough : enough.check(Schema.isMaxLength(maxItems))
}

const formatted = (format: ElicitationForm.Format, expected: string, sample: string) =>
  Schema.String.check(Schema.makeFilter((text) => ElicitationForm.hasFormat(text, format), {
    expected,
    toJsonSchema: () => ({ format }),
    arbitraryConstraint: { patterns: [{ source: sample, flags: "" }] }
  }))

/**
 * An e-mail address (ELI-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Email: Schema.String = formatted("email", "an e-mail address", "^[a-z]{1,8}@[a-z]{1,8}\\.example$")

/**
 * An absolute URI (ELI-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Uri: Schema.String = formatted("uri", "an absolute URI", "^https://[a-z]{1,8}\\.example/[a-z]{0,8}$")

/**
 * A day, such as `2026-07-28` (ELI-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Date: Schema.String = formatted("date", "a date such as 2026-07-28", "^20[0-9]{2}-0[1-9]-[12][0-8]$")

/**
 * A moment with its offset, such as `2026-07-28T09:30:00Z` (ELI-6).
 *
 * **Example** (A moment that is decoded)
 *
 * ```ts
 * import * as Form from "@effect-mcp/server/Form"
 * import * as Schema from "effect/Schema"
 *
 * const Arrival = Form.DateTime.pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const DateTime: Schema.String = formatted(
  "date-time",
  "a date and time such as 2026-07-28T09:30:00Z",
  "^20[0-9]{2}-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9]Z$"
)
