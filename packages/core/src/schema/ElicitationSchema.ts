/**
 * The flat subset of JSON Schema in which a server describes a form.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const titles = {
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String)
}

const Option = Schema.Struct({
  const: Schema.String,
  title: Schema.String
})

/**
 * A field for free text. From 2025-06-18 on; `default` from 2025-11-25 on (ELI-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface StringSchema extends Schema.Schema.Type<typeof StringSchema> {}

/**
 * Accepts a field for free text. A field with choices that are not well-formed is no free text (ELI-5, ELI-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const StringSchema = Schema.Struct({
  type: Schema.Literal("string"),
  ...titles,
  minLength: Schema.optional(Schema.Int),
  maxLength: Schema.optional(Schema.Int),
  format: Schema.optional(Schema.Literals(["email", "uri", "date", "date-time"])),
  default: Schema.optional(Schema.String),
  enum: Schema.optionalKey(Schema.Never),
  oneOf: Schema.optionalKey(Schema.Never)
})

/**
 * A field for a number or an integer. From 2025-06-18 on; `default` from 2025-11-25 on (ELI-7).
 *
 * @category models
 * @since 0.1.0
 */
export interface NumberSchema extends Schema.Schema.Type<typeof NumberSchema> {}

/**
 * Accepts a field for a number (ELI-7).
 *
 * @category schemas
 * @since 0.1.0
 */
export const NumberSchema = Schema.Struct({
  type: Schema.Literals(["number", "integer"]),
  ...titles,
  minimum: Schema.optional(Schema.Finite),
  maximum: Schema.optional(Schema.Finite),
  default: Schema.optional(Schema.Finite)
})

/**
 * A field for yes or no. From 2025-06-18 on (ELI-7).
 *
 * @category models
 * @since 0.1.0
 */
export interface BooleanSchema extends Schema.Schema.Type<typeof BooleanSchema> {}

/**
 * Accepts a field for yes or no (ELI-7).
 *
 * @category schemas
 * @since 0.1.0
 */
export const BooleanSchema = Schema.Struct({
  type: Schema.Literal("boolean"),
  ...titles,
  default: Schema.optional(Schema.Boolean)
})

/**
 * A field for one of several values. From 2025-11-25 on under this name (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface UntitledSingleSelectEnumSchema extends Schema.Schema.Type<typeof UntitledSingleSelectEnumSchema> {}

/**
 * Accepts a choice of one value (ELI-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const UntitledSingleSelectEnumSchema = Schema.Struct({
  type: Schema.Literal("string"),
  ...titles,
  enum: Schema.Array(Schema.String),
  default: Schema.optional(Schema.String)
})

/**
 * A field for one of several values that have titles. From 2025-11-25 on (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface TitledSingleSelectEnumSchema extends Schema.Schema.Type<typeof TitledSingleSelectEnumSchema> {}

/**
 * Accepts a choice of one titled value (ELI-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const TitledSingleSelectEnumSchema = Schema.Struct({
  type: Schema.Literal("string"),
  ...titles,
  oneOf: Schema.Array(Option),
  default: Schema.optional(Schema.String)
})

/**
 * The older way to give titles to values. From 2025-06-18 on; read it, do not write it (ELI-9).
 *
 * @category models
 * @since 0.1.0
 */
export interface LegacyTitledEnumSchema extends Schema.Schema.Type<typeof LegacyTitledEnumSchema> {}

/**
 * Accepts a choice with `enumNames` (ELI-9).
 *
 * @category schemas
 * @since 0.1.0
 */
export const LegacyTitledEnumSchema = Schema.Struct({
  type: Schema.Literal("string"),
  ...titles,
  enum: Schema.Array(Schema.String),
  enumNames: Schema.optional(Schema.Array(Schema.String)),
  default: Schema.optional(Schema.String)
})

const selection = {
  minItems: Schema.optional(Schema.Int),
  maxItems: Schema.optional(Schema.Int),
  default: Schema.optional(Schema.Array(Schema.String))
}

/**
 * A field for some of several values. From 2025-11-25 on (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface UntitledMultiSelectEnumSchema extends Schema.Schema.Type<typeof UntitledMultiSelectEnumSchema> {}

/**
 * Accepts a choice of several values (ELI-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const UntitledMultiSelectEnumSchema = Schema.Struct({
  type: Schema.Literal("array"),
  ...titles,
  ...selection,
  items: Schema.Struct({
    type: Schema.Literal("string"),
    enum: Schema.Array(Schema.String)
  })
})

/**
 * A field for some of several values that have titles. From 2025-11-25 on (ELI-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface TitledMultiSelectEnumSchema extends Schema.Schema.Type<typeof TitledMultiSelectEnumSchema> {}

/**
 * Accepts a choice of several titled values (ELI-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const TitledMultiSelectEnumSchema = Schema.Struct({
  type: Schema.Literal("array"),
  ...titles,
  ...selection,
  items: Schema.Struct({
    anyOf: Schema.Array(Option)
  })
})

/**
 * A field for a choice, of any kind (ELI-8, ELI-9).
 *
 * @category models
 * @since 0.1.0
 */
export type EnumSchema = typeof EnumSchema.Type

/**
 * Accepts a field for a choice. The members with more to say come first, so that nothing of them is lost (ELI-8).
 *
 * @category schemas
 * @since 0.1.0
 */
export const EnumSchema = Schema.Union([
  TitledSingleSelectEnumSchema,
  LegacyTitledEnumSchema,
  UntitledSingleSelectEnumSchema,
  TitledMultiSelectEnumSchema,
  UntitledMultiSelectEnumSchema
])

/**
 * One field of a form. From 2025-06-18 on; choices of several from 2025-11-25 on (ELI-5).
 *
 * @category models
 * @since 0.1.0
 */
export type PrimitiveSchemaDefinition = typeof PrimitiveSchemaDefinition.Type

/**
 * Accepts one field of a form: no nested objects, and arrays only as choices of several (ELI-5).
 *
 * @category schemas
 * @since 0.1.0
 */
export const PrimitiveSchemaDefinition = Schema.Union([
  ...EnumSchema.members,
  StringSchema,
  NumberSchema,
  BooleanSchema
])
