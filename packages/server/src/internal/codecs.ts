/**
 * Decoders and encoders of features, prepared once.
 *
 * They are run in the services their feature was built with, whose layer required those of the schemas: that is why none
 * are left here.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

type Convert = (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>

/** All that is wrong is told at once, for a model to correct in one go. */
export const decoder = (schema: Schema.Constraint): Convert =>
  Schema.decodeUnknownEffect(schema, { errors: "all" }) as Convert

export const encoder = (schema: Schema.Constraint): Convert => Schema.encodeUnknownEffect(schema) as Convert
