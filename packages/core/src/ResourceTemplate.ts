/**
 * The contract of a family of resources: a URI template (RFC 6570) whose variables are decoded by schemas.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Annotations, Icon, JsonObject } from "./schema/Common.ts"
import type * as Wire from "./schema/Resources.ts"
import * as UriTemplate from "./UriTemplate.ts"

const TypeId = "~@effect-mcp/core/ResourceTemplate"

/**
 * A family of resources.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceTemplate<out Template extends string, out Params extends Schema.Constraint> {
  readonly [TypeId]: typeof TypeId
  readonly uriTemplate: Template
  readonly template: UriTemplate.UriTemplate
  readonly parameters: Params
  /** The names of the parameters, in the order they were declared. */
  readonly parameterNames: ReadonlyArray<string>
  /** The template as it stands in lists, prepared once. */
  readonly definition: Wire.ResourceTemplate
}

/**
 * The parameters of a template: what the wire has is text, or lists and maps of text where the template explodes a
 * variable, and a schema may make anything of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Parameters {
  readonly [name: PropertyKey]: Schema.Constraint & { readonly "Encoded": UriTemplate.Value | undefined }
}

/**
 * Any family of resources.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any extends ResourceTemplate<string, Schema.Constraint> {}

/**
 * The decoded parameters of a template.
 *
 * @category models
 * @since 0.1.0
 */
export type Input<T extends Any> = T["parameters"]["Type"]

/**
 * The options of {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Params> {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The schemas of the variables: of strings, or of lists and maps where the template explodes them. */
  readonly parameters: Params
  /** Only if every resource of the family has it (RES-3). */
  readonly mimeType?: string | undefined
  readonly annotations?: Annotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  readonly meta?: JsonObject | undefined
}

/**
 * A template whose variables are not the parameters.
 *
 * @category errors
 * @since 0.1.0
 */
export class ParameterMismatch
  extends Schema.TaggedError<ParameterMismatch>("@effect-mcp/core/ResourceTemplate/ParameterMismatch")(
    "ParameterMismatch",
    { uriTemplate: Schema.String, variables: Schema.Array(Schema.String), parameters: Schema.Array(Schema.String) }
  )
{
  override get message(): string {
    return `The template ${this.uriTemplate} has the variables ${list(this.variables)}, its parameters are ${
      list(this.parameters)
    }`
  }
}

const list = (names: ReadonlyArray<string>): string => names.length === 0 ? "(none)" : names.join(", ")

/**
 * Defines a family of resources. Throws `InvalidUriTemplate` or {@link ParameterMismatch}, since it is written in code.
 *
 * **Gotchas**
 *
 * Values arrive percent-decoded: a path may hold `..` after decoding, and it is for the handler to check it (RES-12).
 *
 * **Example** (The files of a folder)
 *
 * ```ts
 * import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
 * import * as Schema from "effect/Schema"
 *
 * const File = ResourceTemplate.make("docs:///{+path}", {
 *   name: "file",
 *   parameters: { path: Schema.String },
 *   mimeType: "text/markdown"
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Template extends string, const Params extends Parameters>(
  uriTemplate: Template,
  options: Options<Params>
): ResourceTemplate<Template, Schema.Struct<Params>> => {
  const template = Result.getOrThrowWith(UriTemplate.parse(uriTemplate), (error) => error)
  const parameterNames = Object.keys(options.parameters)
  const variables = template.variables
  if (parameterNames.length !== variables.length || variables.some((name) => !parameterNames.includes(name))) {
    throw new ParameterMismatch({ uriTemplate, variables, parameters: parameterNames })
  }
  return {
    [TypeId]: TypeId,
    uriTemplate,
    template,
    parameters: Schema.Struct(options.parameters),
    parameterNames,
    definition: {
      uriTemplate,
      name: options.name,
      ...(options.title === undefined ? undefined : { title: options.title }),
      ...(options.description === undefined ? undefined : { description: options.description }),
      ...(options.mimeType === undefined ? undefined : { mimeType: options.mimeType }),
      ...(options.annotations === undefined ? undefined : { annotations: options.annotations }),
      ...(options.icons === undefined ? undefined : { icons: options.icons }),
      ...(options.meta === undefined ? undefined : { _meta: options.meta })
    }
  }
}
