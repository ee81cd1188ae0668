/** Which fields are flat, for the compiler, and what it says of the others (ELI-5). */

/** What a field has to be beside itself: nothing more if it is flat, and else what no schema is. */
export type FlatField<Encoded, Name> = IsFlat<Exclude<Encoded, undefined>> extends true ? unknown : NotFlat<Name>

/** The same of an object of fields. */
export type FlatObject<Encoded> = [Encoded] extends [ReadonlyArray<unknown>] ? NoObject
  : [Encoded] extends [object] ? ([NotFlatNames<Encoded>] extends [never] ? unknown : NotFlat<NotFlatNames<Encoded>>)
  : NoObject

type NotFlatNames<Encoded> = {
  [Name in keyof Encoded]-?: IsFlat<Exclude<Encoded[Name], undefined>> extends true ? never : Name
}[keyof Encoded]

type IsFlat<Encoded> = [Encoded] extends [string] ? true
  : [Encoded] extends [number] ? true
  : [Encoded] extends [boolean] ? true
  : [Encoded] extends [ReadonlyArray<string>] ? true
  : false

type NoObject = "A form has to be made of fields, or of a schema of objects"

/** What the compiler says of a field that is not flat. */
type NotFlat<Name> = `The field ${Name & string} of a form has to be a string, a number, a boolean or a list of strings`
