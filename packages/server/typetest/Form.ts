/** What a form can be made of, and what its answer is. */
import type * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import * as Form from "@effect-mcp/server/Form"
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Types from "effect/Types"

class Rooms extends Context.Service<Rooms, { readonly isFree: (room: string) => boolean }>()("t/Rooms") {}

const FreeRoom = Schema.String.pipe(
  Schema.decode({
    decode: SchemaGetter.checkEffect((room) => Effect.map(Rooms, ({ isFree }) => isFree(room))),
    encode: SchemaGetter.passthrough()
  })
)

const Nights = Schema.Int.pipe(Schema.brand("Nights"))

const Booking = Form.make({
  room: Form.select({ s: "Small", l: "Large" }),
  nights: Nights,
  price: Schema.FiniteFromString,
  arrival: Form.DateTime.pipe(Schema.decodeTo(Schema.DateTimeUtcFromString)),
  extras: Form.multiSelect(["breakfast", "parking"], { minItems: 1 }),
  agreed: Schema.Literal(true),
  note: Schema.optionalKey(Schema.String),
  name: Schema.optional(Form.Email)
})
export const anAnswerIsDecoded: Types.Equals<Form.Type<typeof Booking>, {
  readonly room: "s" | "l"
  readonly nights: (typeof Nights)["Type"]
  readonly price: number
  readonly arrival: DateTime.Utc
  readonly extras: ReadonlyArray<"breakfast" | "parking">
  readonly agreed: true
  readonly note?: string
  readonly name?: string | undefined
}> = true
export const withoutServicesIfItNeedsNone: Types.Equals<Form.Services<typeof Booking>, never> = true

const services = Form.make({ room: FreeRoom })
export const theServicesOfSchemasAreNeeded: Types.Equals<
  typeof services,
  Form.Form<{ readonly room: string }, Rooms>
> = true

class Guest extends Schema.Class<Guest>("t/Guest")({ name: Schema.String, age: Schema.optionalKey(Schema.Int) }) {}
const guest = Form.make(Guest)
export const aClassIsASource: Types.Equals<typeof guest, Form.Form<Guest>> = true

const struct = Form.make(Schema.Struct({ name: Schema.String }))
export const soIsAStruct: Types.Equals<typeof struct, Form.Form<{ readonly name: string }>> = true

const again = Form.make(struct)
export const andAForm: Types.Equals<typeof again, typeof struct> = true

const raw = Form.raw({ type: "object", properties: { age: { type: "integer" } } })
export const aRawFormHasPlainValues: Types.Equals<typeof raw, Form.Form<ElicitationForm.Values>> = true

const dynamic = Form.select(["a"].map((value) => value.toUpperCase()))
export const optionsMayBeKnownLater: Types.Equals<(typeof dynamic)["Type"], string> = true

/** A function that takes fields itself. */
export const asked = <const S extends Form.Source>(options: { readonly schema: Form.Flat<S> }) =>
  Form.make<S>(options.schema)
const answered = asked({ schema: { room: FreeRoom } })
export const aSourceGoesThroughFunctions: Types.Equals<typeof answered, typeof services> = true

// @ts-expect-error ELI-5: no field is an object
Form.make({ guest: Schema.Struct({ name: Schema.String }) })

// @ts-expect-error ELI-5: a list is one of strings
Form.make({ ages: Schema.Array(Schema.Finite) })

// @ts-expect-error ELI-5: a list has no lists in it
Form.make({ tags: Schema.Array(Schema.Array(Schema.String)) })

// @ts-expect-error ELI-5: a field has one type
Form.make({ age: Schema.Union([Schema.String, Schema.Finite]) })

// @ts-expect-error ELI-5: and so have the options of a choice
Form.make({ age: Schema.Literals(["none", 1]) })

// @ts-expect-error ELI-5: there is no null
Form.make({ name: Schema.NullOr(Schema.String) })

// @ts-expect-error ELI-5: it is the encoded side that counts
Form.make({ when: Schema.Date })

// @ts-expect-error ELI-5: a record has no fields, but its values
Form.make({ ages: Schema.Record(Schema.String, Schema.Finite) })

// @ts-expect-error ELI-5: also in a struct
Form.make(Schema.Struct({ name: Schema.String, guest: Schema.Struct({ name: Schema.String }) }))

// @ts-expect-error ELI-5: a form is an object
Form.make(Schema.String)

// @ts-expect-error ELI-5: and no list
Form.make(Schema.Array(Schema.String))

// @ts-expect-error ELI-5: also through a function that takes fields
asked({ schema: { name: Schema.Null } })

// @ts-expect-error a default is one of the options
Form.select({ s: "Small" }).annotate({ default: "m" })
