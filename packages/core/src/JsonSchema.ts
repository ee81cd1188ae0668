/**
 * The JSON Schema that a Schema has on the wire, in the form hosts accept: draft 2020-12, an object at the root of
 * inputs, definitions under `$defs`, and the annotations of the protocol kept.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as internal from "./internal/jsonSchema.ts"
import type { JsonObject } from "./schema/Common.ts"
import { isToolInputSchema, type ToolInputSchema } from "./schema/Tools.ts"

/**
 * A schema that does not describe an object, where the protocol wants one (TOOL-3).
 *
 * @category errors
 * @since 0.1.0
 */
export class NotAnObject extends Schema.TaggedError<NotAnObject>("@effect-mcp/core/JsonSchema/NotAnObject")(
  "NotAnObject",
  { subject: Schema.String }
) {
  override get message(): string {
    return `${this.subject} must be an object: use Schema.Struct or Schema.Record, or unions of them`
  }
}

/**
 * The annotation that has HTTP mirror an argument into a header (HDR-9).
 *
 * **Gotchas**
 *
 * Only for strings, integers and booleans (`Schema.Int`, never `Schema.Finite`), without an identifier, and reached from
 * the root through structs alone (HDR-12, HDR-13); `Tool.make` throws otherwise. The value is seen by everyone on the way,
 * so that secrets are not for it (HDR-19).
 *
 * **Example** (An argument that intermediaries may route on)
 *
 * ```ts
 * import * as JsonSchema from "@effect-mcp/core/JsonSchema"
 * import * as Schema from "effect/Schema"
 *
 * const Region = Schema.String.annotate(JsonSchema.mcpHeader("Region"))
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const mcpHeader = (name: string): { readonly "x-mcp-header": string } => ({ "x-mcp-header": name })

const options: Schema.ToJsonSchemaOptions = { includeAnnotationKey: (key) => key.startsWith("x-") }

/**
 * The JSON Schema of the wire form of a schema: draft 2020-12, with definitions under `$defs`.
 *
 * **Details**
 *
 * The wire form is that of `Schema.toCodecJson`, where `Schema.optional` also takes `null`. An empty struct is an object.
 *
 * **Example** (The schema of a struct)
 *
 * ```ts
 * import * as JsonSchema from "@effect-mcp/core/JsonSchema"
 * import * as Schema from "effect/Schema"
 *
 * JsonSchema.fromSchema(Schema.Array(Schema.String)) // { type: "array", items: { type: "string" } }
 * ```
 *
 * @category converting
 * @since 0.1.0
 */
export const fromSchema = (schema: Schema.Constraint): JsonObject => {
  const { definitions, root } = generate(schema)
  return withDefinitions(root, definitions)
}

/**
 * The JSON Schema of a schema that describes an object. Throws {@link NotAnObject}, since a contract is written in code.
 *
 * **Details**
 *
 * The root says `type: "object"` (TOOL-3): a root that is a reference, as those of classes are, is resolved, and one that
 * is a union of objects gets the type beside it. No fields are `{ type: "object", additionalProperties: false }` (TOOL-8).
 * `subject` is what the message of the error calls the schema.
 *
 * @category converting
 * @since 0.1.0
 */
export const objectFromSchema = (schema: Schema.Constraint, subject: string): ToolInputSchema => {
  const { definitions, isEmpty, root } = generate(schema)
  const resolved = internal.resolve(root, definitions)
  const object: JsonObject = {
    ...(internal.isOfObjects(resolved, definitions) ? { type: "object" } : undefined),
    ...resolved,
    ...(isEmpty ? { additionalProperties: false } : undefined)
  }
  if (!isToolInputSchema(object)) throw new NotAnObject({ subject })
  return withDefinitions(object, definitions)
}

const generate = (schema: Schema.Constraint) => {
  const document = Schema.toJsonSchemaDocument(schema, options)
  return {
    root: internal.tidy(document.schema),
    definitions: Object.fromEntries(
      Object.entries(document.definitions).map(([name, definition]) => [name, internal.tidy(definition)])
    ),
    isEmpty: internal.isEmptyStruct(internal.resolve(document.schema, document.definitions))
  }
}

const withDefinitions = <S extends JsonObject>(root: S, definitions: JsonObject): S => {
  const used = internal.usedDefinitions(root, definitions)
  return Object.keys(used).length === 0 ? root : { ...root, $defs: used }
}
