/** A form, from the schema of its answer. */
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import { JsonObject } from "@effect-mcp/core/schema/Common"
import { ElicitResult, type RequestedSchema } from "@effect-mcp/core/schema/Elicitation"
import type { PrimitiveSchemaDefinition } from "@effect-mcp/core/schema/ElicitationSchema"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { type Said, toDefinition } from "./formField.ts"

/** The form that asks for what a schema decodes, or what is wrong with its fields. */
export const toRequestedSchema = (
  schema: Schema.Constraint
): Result.Result<RequestedSchema, ReadonlyArray<string>> => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  if (!SchemaAST.isObjects(encoded) || encoded.indexSignatures.length > 0) {
    return Result.fail(["it is made of fields, or of a schema of objects that has them"])
  }
  const sources = new Map(signatures(schema.ast).map(({ name, type }) => [name, type]))
  const problems: Array<string> = []
  const properties: Array<readonly [string, PrimitiveSchemaDefinition]> = []
  const required: Array<string> = []
  for (const { name, type } of encoded.propertySignatures) {
    const definition = typeof name === "string" ? field(type, sources.get(name) ?? type) : Result.fail("it has no name")
    if (Result.isSuccess(definition)) properties.push([String(name), definition.success])
    else problems.push(`${String(name)}: ${definition.failure}`)
    if (!SchemaAST.isOptional(type)) required.push(String(name))
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? undefined : { required })
  })
}

/** The fields by the names they have on the wire, before they are encoded: their annotations are there. */
const signatures = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> => {
  const inner = ast.encoding?.at(-1)?.to
  return inner !== undefined ? signatures(inner) : SchemaAST.isObjects(ast) ? ast.propertySignatures : []
}

const field = (
  encoded: SchemaAST.AST,
  source: SchemaAST.AST
): Result.Result<PrimitiveSchemaDefinition, string> => {
  const { default: value, ...texts } = annotations(source)
  const said = value === undefined
    ? Result.succeed(texts)
    : Result.map(encode(source, value), (value) => ({ ...texts, default: value }))
  return Result.flatMap(said, (said) => toDefinition(jsonSchema(encoded), SchemaAST.isOptional(encoded), said))
}

/** Names are of no matter: what has one is written out. */
const jsonSchema = (ast: SchemaAST.AST): JsonObject => {
  const document = SchemaRepresentation.toRepresentation(ast, { referencePolicy: () => undefined })
  return SchemaRepresentation.toJsonSchemaDocument(document).schema
}

/** Those of the key, of the schema, or of the schema that `Schema.optional` was given. */
const annotations = (ast: SchemaAST.AST): Said => {
  const members = SchemaAST.isUnion(ast) ? ast.types : []
  const [inner, ...others] = members.filter((member) => !SchemaAST.isUndefined(member))
  return {
    ...(inner !== undefined && others.length === 0 && members.length > 1 ? annotations(inner) : undefined),
    ...said(SchemaAST.resolve(ast)),
    ...said(ast.context?.annotations)
  }
}

const said = (annotations: Schema.Annotations.Annotations | undefined): Said => ({
  ...(typeof annotations?.title === "string" ? { title: annotations.title } : undefined),
  ...(typeof annotations?.description === "string" ? { description: annotations.description } : undefined),
  ...(annotations?.default === undefined ? undefined : { default: annotations.default })
})

const encode = (ast: SchemaAST.AST, value: unknown): Result.Result<unknown, string> => {
  const exit = Schema.encodeUnknownExit(Schema.make<Schema.ConstraintEncoder<unknown>>(ast))(value)
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const problem = Option.map(Exit.findErrorOption(exit), ({ message }) => `its default is wrong: ${message}`)
  return Result.fail(Option.getOrElse(problem, () => "its default cannot be encoded at once, and without services"))
}

/** A check of answers against a form (ELI-12). */
const fits = (form: RequestedSchema) =>
  Schema.makeFilter<JsonObject>((content) => ElicitationForm.problems(form, content))

/** Checks what a form admits, of whatever else it is made. */
export const checker = (form: RequestedSchema) =>
  Schema.decodeUnknownEffect(JsonObject.check(fits(form)), { errors: "all" })

/** Checks and gives back what was answered to a form. */
export const reader = (form: RequestedSchema) =>
  Schema.decodeUnknownEffect(Schema.required(ElicitResult.fields.content).check(fits(form)), { errors: "all" })
