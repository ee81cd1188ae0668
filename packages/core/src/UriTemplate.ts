/**
 * URI templates (RFC 6570, all four levels): expansion, and matching, its inverse.
 *
 * Own code, because no library on npm does both correctly: of those that match at all, `uri-template-router` knows no
 * queries and no literal outside ASCII, and in `uri-templates` a simple `{id}` matches slashes.
 *
 * **How a URI is matched.**
 *
 * - Literals match exactly, dots and question marks included. Characters outside ASCII match their percent-encoding, in
 *   either case.
 * - `{id}` matches within a segment: no `/`, `?` or `#`. `{+path}` and `{#fragment}` match those too.
 * - The URI is matched as it is, and each value is percent-decoded once, afterwards. So `%2F` separates nothing, and
 *   `..%2F..` is one value of `{id}`, which arrives as `../..`, as `%00` arrives as a NUL. **What a value may be is for
 *   the schema or the handler to say**, after decoding: a template is no guard against path traversal.
 * - `{?a,b}` takes the parameters in any order, each of them at most once, and no others.
 * - Where a template can be read in two ways, an expression takes as much as it can. With a `{?query}` or a `{#fragment}`
 *   later on, though, `{+path}` ends before it.
 *
 * A value is a string; a list, where a comma stands unencoded or the variable is exploded (`{list*}`); or a map, where an
 * exploded variable has names other than its own (`{?map*}`). An expression that is not there binds nothing, and since an
 * empty string and no value both leave nothing of `{id}`, that is taken for no value.
 *
 * Matching takes time in proportion to the length of the URI times the number of expressions, whatever both contain.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Expand from "./internal/uriTemplateExpand.ts"
import * as Match from "./internal/uriTemplateMatch.ts"
import * as Syntax from "./internal/uriTemplateSyntax.ts"
import * as Limits from "./Limits.ts"

const TypeId = "~@effect-mcp/core/UriTemplate" as const

/**
 * The value of a variable.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = string | ReadonlyArray<string> | { readonly [key: string]: string }

/**
 * Values by the names of the variables.
 *
 * @category models
 * @since 0.1.0
 */
export interface Values {
  readonly [variable: string]: Value | undefined
}

/**
 * A template that has been parsed.
 *
 * @category models
 * @since 0.1.0
 */
export interface UriTemplate {
  readonly [TypeId]: {
    readonly parts: ReadonlyArray<Syntax.Part>
    readonly matcher: Match.Matcher
  }
  /** The template, as it was written. */
  readonly template: string
  /** The names of the variables, each once, in order. */
  readonly variables: ReadonlyArray<string>
}

/**
 * A text that is not a URI template.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidUriTemplate
  extends Schema.Error<InvalidUriTemplate>("@effect-mcp/core/UriTemplate/InvalidUriTemplate")({
    _tag: Schema.tag("InvalidUriTemplate"),
    template: Schema.String,
    position: Schema.Finite,
    reason: Schema.String
  })
{
  override get message(): string {
    return `invalid URI template "${this.template.slice(0, 200)}" at ${this.position}: ${this.reason}`
  }
}

/**
 * Whether a value is a parsed template.
 *
 * @category guards
 * @since 0.1.0
 */
export const isUriTemplate = (u: unknown): u is UriTemplate => typeof u === "object" && u !== null && TypeId in u

/**
 * Parses a template.
 *
 * **Details**
 *
 * Fails on what the RFC calls an error: an expression without an end, a name with other characters, an operator that is
 * reserved for later, a literal that has to be percent-encoded. A template is no longer than the `uriBytes` limit is by
 * default.
 *
 * **Example** (Expanding and matching)
 *
 * ```ts
 * import * as UriTemplate from "@effect-mcp/core/UriTemplate"
 * import * as Result from "effect/Result"
 *
 * const notes = Result.getOrThrow(UriTemplate.parse("notes://{user}/{+path}{?tags}"))
 *
 * UriTemplate.expand(notes, { user: "zoë", path: "a/b", tags: ["x", "y"] }) // => "notes://zo%C3%AB/a/b?tags=x,y"
 * UriTemplate.match(notes, "notes://zo%C3%AB/a/b") // => Option.some({ user: "zoë", path: "a/b" })
 * UriTemplate.match(notes, "notes://zoë") // => Option.none()
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (template: string): Result.Result<UriTemplate, InvalidUriTemplate> => {
  const max = Limits.defaults.uriBytes
  const parts = template.length > max
    ? Result.fail({ position: max, reason: `longer than ${max} characters` })
    : Syntax.parse(template)
  return Result.mapBoth(parts, {
    onFailure: (problem) => new InvalidUriTemplate({ template, ...problem }),
    onSuccess: (parts): UriTemplate => ({
      [TypeId]: { parts, matcher: Match.compile(parts) },
      template,
      variables: [
        ...new Set(parts.flatMap((part) => part._tag === "Literal" ? [] : part.variables.map(({ name }) => name)))
      ]
    })
  })
}

/**
 * The URI of some values.
 *
 * **Details**
 *
 * A variable without a value is left out, and so is an empty list or map. Reserved characters are percent-encoded,
 * except in `{+var}` and `{#var}`. The length of `{var:3}` applies to strings, and leaves lists and maps as they are.
 *
 * **Gotchas**
 *
 * `{+var}` and `{#var}` leave a percent-encoding in the value as it is, so that a value with `%2F` in it comes back from
 * {@link match} with a slash.
 *
 * @category expanding
 * @since 0.1.0
 */
export const expand: {
  (values: Values): (self: UriTemplate) => string
  (self: UriTemplate, values: Values): string
} = dual(2, (self: UriTemplate, values: Values): string => Expand.expand(self[TypeId].parts, values))

/**
 * The values in a URI, if the template matches it.
 *
 * **Details**
 *
 * Where each variable has a string, this is the inverse of {@link expand}. Other values come back in the form that
 * expands to the same URI: a list of one item that is not exploded as a string, for example. A variable that the template
 * has twice must have one value.
 *
 * A URI is not matched if it has a percent sign that encodes nothing, or an encoding that is not UTF-8.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: {
  (uri: string): (self: UriTemplate) => Option.Option<{ readonly [variable: string]: Value }>
  (self: UriTemplate, uri: string): Option.Option<{ readonly [variable: string]: Value }>
} = dual(
  2,
  (self: UriTemplate, uri: string): Option.Option<{ readonly [variable: string]: Value }> =>
    Option.fromUndefinedOr(Match.match(self[TypeId].matcher, uri))
)
