/**
 * Arguments of a tool that are mirrored into HTTP headers, so that an intermediary can route on them.
 *
 * A property of a tool's input schema that is annotated with `x-mcp-header: "Region"` is sent as `Mcp-Param-Region`
 * too. A client reads the annotations with {@link scan} and sends what {@link values} gives. A server holds the headers
 * against the arguments with {@link check}, since an intermediary has already decided something by them.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as HeaderValue from "./HeaderValue.ts"
import { annotationKey, at, type Found, walk } from "./internal/parameterHeader.ts"
import * as Limits from "./Limits.ts"

/**
 * What the names of these headers begin with.
 *
 * @category constants
 * @since 0.1.0
 */
export const prefix = "Mcp-Param-"

/**
 * One mirrored argument.
 *
 * **Details**
 *
 * `header` is the annotation, which is the name of the header without {@link prefix}. `path` leads from the arguments
 * to the value.
 *
 * @category models
 * @since 0.1.0
 */
export interface ParameterHeader {
  readonly header: string
  readonly path: ReadonlyArray<string>
  readonly type: "integer" | "string" | "boolean"
}

/**
 * What is wrong with an annotation.
 *
 * **Details**
 *
 * - `NotReachable`: it is on the root, or where something else than `properties` leads to it.
 * - `Name`: it is not a text that can be a part of a header's name (an RFC 9110 token).
 * - `Duplicate`: another property has the same name, case aside.
 * - `Type`: the property's `type` is not `"integer"`, `"string"` or `"boolean"`.
 * - `TooDeep`: the schema is nested too deeply to be looked through.
 *
 * @category errors
 * @since 0.1.0
 */
export const Violation = Schema.Struct({
  reason: Schema.Literals(["NotReachable", "Name", "Duplicate", "Type", "TooDeep"]),
  /** Where it is in the schema, from the root. */
  where: Schema.Array(Schema.String)
})

/**
 * @category errors
 * @since 0.1.0
 */
export type Violation = typeof Violation.Type

/**
 * An input schema whose annotations break the rules, with all the violations.
 *
 * **Details**
 *
 * A client leaves the tool out of the list and keeps the others. A server refuses to register it.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidParameterHeader
  extends Schema.Error<InvalidParameterHeader>("@effect-mcp/core/ParameterHeader/InvalidParameterHeader")({
    _tag: Schema.tag("InvalidParameterHeader"),
    violations: Schema.NonEmptyArray(Violation)
  })
{
  override get message(): string {
    // A peer's schema can have any number of them.
    const shown = this.violations.slice(0, 5).map(({ reason, where }) => `${pointer(where)}: ${explanations[reason]}`)
    const others = this.violations.length - shown.length
    return others === 0 ? shown.join("; ") : `${shown.join("; ")}; and ${others} more`
  }
}

const explanations: { readonly [K in Violation["reason"]]: string } = {
  NotReachable: `${annotationKey} is only allowed on properties that "properties" alone leads to`,
  Name: `${annotationKey} must be a non-empty RFC 9110 token`,
  Duplicate: `${annotationKey} must be unique in the schema, case aside`,
  Type: `${annotationKey} needs the type "integer", "string" or "boolean"`,
  TooDeep: "the schema is nested too deeply"
}

const pointer = (where: ReadonlyArray<string>): string => where.length === 0 ? "the root" : `/${where.join("/")}`

/**
 * Finds the mirrored arguments of a tool's input schema.
 *
 * **Details**
 *
 * The whole schema is looked through, to the depth that `maxDepth` allows (the `jsonDepth` limit by default), and a
 * `$ref` is not followed. An annotation in data (`default`, `const`, `enum`, `examples`) is none, and neither is a
 * property that happens to be called `x-mcp-header`. A `type` that is a list, as in `["string", "null"]`, is refused.
 *
 * **Example** (A region)
 *
 * ```ts
 * import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
 *
 * ParameterHeader.scan({
 *   type: "object",
 *   properties: { region: { type: "string", "x-mcp-header": "Region" } }
 * })
 * // => Result.succeed([{ header: "Region", path: ["region"], type: "string" }])
 * ```
 *
 * @category parsing
 * @since 0.1.0
 */
export const scan = (
  inputSchema: unknown,
  options?: { readonly maxDepth?: number | undefined }
): Result.Result<ReadonlyArray<ParameterHeader>, InvalidParameterHeader> => {
  const headers: Array<ParameterHeader> = []
  const violations: Array<Violation> = []
  const names = new Set<string>()
  const complete = walk(inputSchema, options?.maxDepth ?? Limits.defaults.jsonDepth, (found) => {
    const header = read(found, names)
    if (Result.isFailure(header)) violations.push({ reason: header.failure, where: found.where })
    else headers.push(header.success)
  })
  if (!complete) violations.push({ reason: "TooDeep", where: [] })
  const [first, ...others] = violations
  return first === undefined
    ? Result.succeed(headers)
    : Result.fail(new InvalidParameterHeader({ violations: [first, ...others] }))
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const read = (
  { path, schema }: Found,
  names: Set<string>
): Result.Result<ParameterHeader, Violation["reason"]> => {
  const header = schema[annotationKey]
  const type = schema["type"]
  if (path === undefined || path.length === 0) return Result.fail("NotReachable")
  if (typeof header !== "string" || !token.test(header)) return Result.fail("Name")
  if (names.has(header.toLowerCase())) return Result.fail("Duplicate")
  names.add(header.toLowerCase())
  return type === "integer" || type === "string" || type === "boolean"
    ? Result.succeed({ header, path, type })
    : Result.fail("Type")
}

/**
 * What a call mirrors: names without {@link prefix}, and values that a transport still has to encode.
 *
 * **Details**
 *
 * A string goes as it is, an integer in decimal, a boolean as `true` or `false`. An argument that is `null` or absent has
 * no header, and neither has one that no header can carry (an object, a list, an integer beyond ±(2^53−1)): those are
 * refused by the server, the first two by the validation of the arguments.
 *
 * **Example** (A call)
 *
 * ```ts
 * import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
 *
 * ParameterHeader.values([{ header: "Region", path: ["region"], type: "string" }], { region: "Zürich" })
 * // => [["Region", "Zürich"]]
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const values = (
  spec: ReadonlyArray<ParameterHeader>,
  args: unknown
): ReadonlyArray<readonly [header: string, value: string]> => {
  const found: Array<readonly [string, string]> = []
  for (const { header, path } of spec) {
    const text = toText(at(args, path))
    if (text !== undefined) found.push([header, text])
  }
  return found
}

// By the value and not by the declared type: an argument of another type is mirrored as what it is, so that the call
// gets as far as the validation of the arguments, whose answer helps the model more than one about headers.
const toText = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string":
      return value
    case "boolean":
      return value ? "true" : "false"
    case "number":
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined
    default:
      return undefined
  }
}

/**
 * Describes the first header that disagrees with the arguments, or is none where all agree.
 *
 * **Details**
 *
 * `mirrored` gives the value of a header, undecoded, by its name without {@link prefix}; it ignores case, as header names
 * do. An argument needs an equal header, in the same case; integers are compared as numbers, so that `42.0` is `42`. An
 * argument that is `null` or absent must have no header: an intermediary would have decided by a value that the tool
 * never sees. An integer beyond ±(2^53−1) has no header that could be equal. An object or a list has none either, but
 * without a header it is left to the validation of the arguments, which always refuses it and tells the model why. The
 * description names the header and the path of the argument, never their values.
 *
 * **Example** (A disagreement)
 *
 * ```ts
 * import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
 *
 * ParameterHeader.check([{ header: "Region", path: ["region"], type: "string" }], { region: "eu" }, () => "us")
 * // => Option.some("Mcp-Param-Region does not equal the argument region")
 * ```
 *
 * @category comparing
 * @since 0.1.0
 */
export const check = (
  spec: ReadonlyArray<ParameterHeader>,
  args: unknown,
  mirrored: (header: string) => string | undefined
): Option.Option<string> => {
  for (const { header, path } of spec) {
    const mismatch = compare(at(args, path), mirrored(header))
    if (mismatch !== undefined) return Option.some(`${prefix}${header} ${mismatch} the argument ${path.join(".")}`)
  }
  return Option.none()
}

const compare = (argument: unknown, value: string | undefined): string | undefined => {
  if (value === undefined) return typeof argument === "object" || argument === undefined ? undefined : missing
  if (argument === undefined || argument === null) return "is present without"
  const decoded = HeaderValue.decode(value)
  if (Result.isFailure(decoded)) return "is not a legal value for"
  const text = toText(argument)
  const equal = text !== undefined &&
    (decoded.success === text || (Number.isInteger(argument) && sameInteger(decoded.success, argument)))
  return equal ? undefined : "does not equal"
}

const missing = "is missing, but there is"

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/

const sameInteger = (text: string, argument: unknown): boolean => decimal.test(text) && Number(text) === argument
