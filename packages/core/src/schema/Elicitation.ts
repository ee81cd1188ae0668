/**
 * Questions of a server to the user, as a form or at an address.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Common.ts"
import { PrimitiveSchemaDefinition } from "./ElicitationSchema.ts"
import { taskFields } from "./Params.ts"

/** What is no place to go to, but a program or a file of the person's own machine. */
const unsafe: ReadonlySet<string> = new Set(["javascript:", "vbscript:", "data:", "blob:", "file:", "about:"])

const Url = Schema.String.check(Schema.makeFilter((url) => URL.canParse(url) && !unsafe.has(new URL(url).protocol), {
  expected: "an absolute URL to visit",
  arbitraryConstraint: {
    patterns: [{ source: "^https://[a-z]{1,8}\\.example/[a-z0-9]{0,8}$", flags: "" }]
  }
}))

/**
 * The form a user is asked to fill in. From 2025-06-18 on (ELI-4, ELI-5).
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestedSchema extends Schema.Schema.Type<typeof RequestedSchema> {}

/**
 * Accepts the description of a form (ELI-4, ELI-5).
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestedSchema = Schema.Struct({
  $schema: Schema.optional(Schema.String),
  type: Schema.Literal("object"),
  properties: Schema.Record(Schema.String, PrimitiveSchemaDefinition),
  required: Schema.optional(Schema.Array(Schema.String))
})

/**
 * The params of `elicitation/create` for a form. From 2025-06-18 on; `mode` from 2025-11-25 on; `task` only in
 * 2025-11-25. Without a `mode` they mean a form (ELI-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitRequestFormParams extends Schema.Schema.Type<typeof ElicitRequestFormParams> {}

/**
 * Accepts a request for a form (ELI-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitRequestFormParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  mode: Schema.optional(Schema.Literal("form")),
  message: Schema.String,
  requestedSchema: RequestedSchema,
  ...taskFields
})

/**
 * The params of `elicitation/create` for an address. From 2025-11-25 on; `elicitationId` and `task` only in 2025-11-25,
 * where the former is required (ELI-15).
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitRequestURLParams extends Schema.Schema.Type<typeof ElicitRequestURLParams> {}

/**
 * Accepts a request to visit an address, which has to be an absolute URL (ELI-15), and none that is a script or a file of
 * the person's own (ELI-20).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitRequestURLParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  mode: Schema.Literal("url"),
  message: Schema.String,
  url: Url,
  elicitationId: Schema.optional(Schema.String),
  ...taskFields
})

/**
 * The params of `elicitation/create`. From 2025-06-18 on (ELI-3).
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitRequestParams = typeof ElicitRequestParams.Type

/**
 * Accepts the params of `elicitation/create` in both modes (ELI-4, ELI-15).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitRequestParams = Schema.Union([ElicitRequestURLParams, ElicitRequestFormParams])

/**
 * What the user did. From 2025-06-18 on; lists of strings as values from 2025-11-25 on (ELI-11).
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitResult extends Schema.Schema.Type<typeof ElicitResult> {}

/**
 * Accepts the answer to an elicitation. It has no `resultType` in any revision (ELI-11, MRTR-12).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitResult = Schema.Struct({
  _meta: Schema.optional(Meta),
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optional(Schema.Record(
    Schema.String,
    Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])
  ))
})

/**
 * The params of `notifications/elicitation/complete`. Only in 2025-11-25 (ELI-17).
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationCompleteNotificationParams
  extends Schema.Schema.Type<typeof ElicitationCompleteNotificationParams>
{}

/**
 * Accepts the params of `notifications/elicitation/complete` (ELI-17).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationCompleteNotificationParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  elicitationId: Schema.String
})

/**
 * The data of the error that asks for visits to addresses before a retry. Only in 2025-11-25 (ELI-17).
 *
 * @category models
 * @since 0.1.0
 */
export interface URLElicitationRequiredErrorData extends Schema.Schema.Type<typeof URLElicitationRequiredErrorData> {}

/**
 * Accepts the `data` member of the error with code -32042 (ELI-17).
 *
 * @category schemas
 * @since 0.1.0
 */
export const URLElicitationRequiredErrorData = Schema.Struct({
  elicitations: Schema.Array(ElicitRequestURLParams)
})
