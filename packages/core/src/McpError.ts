/**
 * One error class per code the protocol names, to and from the wire, and the one table from code to HTTP status.
 *
 * What can go wrong on our own side (a deadline, a closed transport) has no code and is never sent: that is
 * `McpClientError`.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Revision from "./Revision.ts"

/**
 * The `error` member of a JSON-RPC response.
 *
 * @category models
 * @since 0.1.0
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const message = Schema.String
const data = Schema.optional(Schema.Unknown)
const OpenObject = Schema.Record(Schema.String, Schema.Unknown)

/**
 * `-32700`: the text is not JSON (ERR-1).
 *
 * @category errors
 * @since 0.1.0
 */
export class ParseError extends Schema.TaggedError<ParseError>("@effect-mcp/core/McpError/ParseError")("ParseError", {
  message,
  data
}) {
  readonly code = -32700
}

/**
 * `-32600`: valid JSON that is not a valid request (ERR-1).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequest
  extends Schema.TaggedError<InvalidRequest>("@effect-mcp/core/McpError/InvalidRequest")("InvalidRequest", {
    message,
    data
  })
{
  readonly code = -32600
}

/**
 * `-32601`: no such method in this revision, or the server does not have the feature (ERR-1, DISC-4).
 *
 * @category errors
 * @since 0.1.0
 */
export class MethodNotFound
  extends Schema.TaggedError<MethodNotFound>("@effect-mcp/core/McpError/MethodNotFound")("MethodNotFound", {
    message,
    data
  })
{
  readonly code = -32601
}

/**
 * `-32602`: the parameters do not fit the method (ERR-1).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidParams
  extends Schema.TaggedError<InvalidParams>("@effect-mcp/core/McpError/InvalidParams")("InvalidParams", {
    message,
    data
  })
{
  readonly code = -32602
}

/**
 * `-32603`: something failed inside the receiver, and its inside is not told (ERR-1).
 *
 * @category errors
 * @since 0.1.0
 */
export class InternalError
  extends Schema.TaggedError<InternalError>("@effect-mcp/core/McpError/InternalError")("InternalError", {
    message,
    data
  })
{
  readonly code = -32603
}

/**
 * `-32020`: a mirrored header is missing, malformed, or differs from the body (ERR-2).
 *
 * @category errors
 * @since 0.1.0
 */
export class HeaderMismatch
  extends Schema.TaggedError<HeaderMismatch>("@effect-mcp/core/McpError/HeaderMismatch")("HeaderMismatch", {
    message,
    data
  })
{
  readonly code = -32020
}

/**
 * `-32021`: the request needs a capability that its client did not declare (ERR-3).
 *
 * @category errors
 * @since 0.1.0
 */
export class MissingClientCapability
  extends Schema.TaggedError<MissingClientCapability>("@effect-mcp/core/McpError/MissingClientCapability")(
    "MissingClientCapability",
    { message, requiredCapabilities: OpenObject }
  )
{
  readonly code = -32021
}

/**
 * `-32022`: the request's protocol version is not served here (ERR-4).
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedProtocolVersion
  extends Schema.TaggedError<UnsupportedProtocolVersion>("@effect-mcp/core/McpError/UnsupportedProtocolVersion")(
    "UnsupportedProtocolVersion",
    { message, supported: Schema.Array(Schema.String), requested: Schema.String }
  )
{
  readonly code = -32022
}

/**
 * There is no resource with this URI.
 *
 * **Details**
 *
 * The wire has two forms: `-32602` with `data.uri` under 2026-07-28 (RES-5) and `-32002` before (ERR-11). A client
 * gets this class for both, where it asked for a resource: {@link fromErrorObject} alone cannot tell what `-32602` means.
 *
 * @category errors
 * @since 0.1.0
 */
export class ResourceNotFound
  extends Schema.TaggedError<ResourceNotFound>("@effect-mcp/core/McpError/ResourceNotFound")("ResourceNotFound", {
    uri: Schema.String
  })
{
  readonly code = -32002
  override get message(): string {
    return `Resource not found: ${this.uri}`
  }
}

/**
 * `-32042` of revision 2025-11-25: the user has to visit a URL before the request can be served (ERR-12).
 *
 * @category errors
 * @since 0.1.0
 */
export class UrlElicitationRequired
  extends Schema.TaggedError<UrlElicitationRequired>("@effect-mcp/core/McpError/UrlElicitationRequired")(
    "UrlElicitationRequired",
    { message, elicitations: Schema.Array(OpenObject) }
  )
{
  readonly code = -32042
}

/**
 * `-1` up to revision 2025-11-25: the user refused a sampling request (ERR-13).
 *
 * @category errors
 * @since 0.1.0
 */
export class UserRejected
  extends Schema.TaggedError<UserRejected>("@effect-mcp/core/McpError/UserRejected")("UserRejected", { message, data })
{
  readonly code = -1
}

/**
 * A code outside the range that JSON-RPC and the protocol reserve, `-32768` to `-32000` (ERR-9), and not `-1`, which
 * means a refusal by the user.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApplicationCode = Schema.Int.check(
  Schema.makeFilter((code: number) => (code < -32768 || code > -32000) && code !== -1, {
    expected: "a code outside -32768…-32000 other than -1, which are reserved"
  })
)

/**
 * An author's own error, with a code outside the reserved range; checked when it is made.
 *
 * **Example** (An error of your own)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 *
 * const quota = new McpError.Application({ code: 4290, message: "Quota used up", data: { limit: 10 } })
 * quota.code // 4290
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class Application
  extends Schema.TaggedError<Application>("@effect-mcp/core/McpError/Application")("Application", {
    code: ApplicationCode,
    message,
    data
  })
{}

/**
 * Whatever else a peer sends, kept verbatim. Codes in `-32000…-32019` mean nothing by themselves (ERR-6).
 *
 * @category errors
 * @since 0.1.0
 */
export class Unrecognized
  extends Schema.TaggedError<Unrecognized>("@effect-mcp/core/McpError/Unrecognized")("Unrecognized", {
    code: Schema.Int,
    message,
    data
  })
{}

/**
 * Every error that travels in a response.
 *
 * @category models
 * @since 0.1.0
 */
export type McpError =
  | ParseError
  | InvalidRequest
  | MethodNotFound
  | InvalidParams
  | InternalError
  | HeaderMismatch
  | MissingClientCapability
  | UnsupportedProtocolVersion
  | ResourceNotFound
  | UrlElicitationRequired
  | UserRejected
  | Application
  | Unrecognized

/**
 * The schema of {@link McpError}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpError = Schema.Union([
  ParseError,
  InvalidRequest,
  MethodNotFound,
  InvalidParams,
  InternalError,
  HeaderMismatch,
  MissingClientCapability,
  UnsupportedProtocolVersion,
  ResourceNotFound,
  UrlElicitationRequired,
  UserRejected,
  Application,
  Unrecognized
])

/**
 * Tells whether a value is one of the error classes of this module.
 *
 * @category guards
 * @since 0.1.0
 */
export const isMcpError: (u: unknown) => u is McpError = Schema.is(McpError)

/**
 * A kind of application error whose `data` has a schema, for both sides to share. `make` throws for a reserved code.
 *
 * **Example** (Typed data)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 * import * as Schema from "effect/Schema"
 *
 * const Quota = McpError.application(4290, Schema.Struct({ limit: Schema.Finite }))
 *
 * const error = Quota.make("Quota used up", { limit: 10 })
 * const data = Quota.data(error) // Option.some({ limit: 10 })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const application = <S extends Schema.Codec<unknown, unknown>>(code: number, schema: S) => {
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownOption(schema)
  return {
    code,
    make: (message: string, data: S["Type"]): Application => new Application({ code, message, data: encode(data) }),
    data: (error: McpError) => decode(error._tag === "Application" && error.code === code ? error.data : undefined)
  }
}

/**
 * The wire form of an error in an era, the modern one by default.
 *
 * **Details**
 *
 * What the modern era must not emit, such as an error that was passed on from an older server, is `-32603` there with
 * the same message and data (ERR-5, ERR-7).
 *
 * **Example** (Two forms of one error)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 *
 * const error = new McpError.ResourceNotFound({ uri: "notes://today" })
 *
 * McpError.toErrorObject(error).code // -32602
 * McpError.toErrorObject(error, "legacy").code // -32002
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const toErrorObject = (error: McpError, era: Revision.Era = "modern"): ErrorObject => {
  const object = errorObject(error)
  if (era === "legacy") return object
  // RES-5: the modern era has no code of its own for it.
  if (error._tag === "ResourceNotFound") return { ...object, code: -32602 }
  return isForbidden(object.code) ? { ...object, code: -32603 } : object
}

/** ERR-5, ERR-7: the codes the modern era must not emit. */
const isForbidden = (code: number): boolean =>
  code === -32002 || code === -32042 || (code >= -32099 && code <= -32020 && !modernCodes.has(code))

const modernCodes: ReadonlySet<number> = new Set([-32020, -32021, -32022])

const errorObject = (error: McpError): ErrorObject => {
  switch (error._tag) {
    case "ResourceNotFound":
      return { code: error.code, message: error.message, data: { uri: error.uri } }
    case "MissingClientCapability":
      return { code: error.code, message: error.message, data: { requiredCapabilities: error.requiredCapabilities } }
    case "UnsupportedProtocolVersion":
      return {
        code: error.code,
        message: error.message,
        data: { supported: error.supported, requested: error.requested }
      }
    case "UrlElicitationRequired":
      return { code: error.code, message: error.message, data: { elicitations: error.elicitations } }
    default:
      return error.data === undefined
        ? { code: error.code, message: error.message }
        : { code: error.code, message: error.message, data: error.data }
  }
}

/**
 * Reads the error of a response.
 *
 * **Details**
 *
 * A code the protocol names whose data is not what the protocol says is {@link Unrecognized}, so that nothing a peer
 * sent is lost. A code outside the reserved range is an {@link Application} error.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromErrorObject = (error: ErrorObject): McpError => {
  const { code, data, message } = error
  switch (code) {
    case -32700:
      return new ParseError({ message, data })
    case -32600:
      return new InvalidRequest({ message, data })
    case -32601:
      return new MethodNotFound({ message, data })
    case -32602:
      return new InvalidParams({ message, data })
    case -32603:
      return new InternalError({ message, data })
    case -32020:
      return new HeaderMismatch({ message, data })
    case -1:
      return new UserRejected({ message, data })
  }
  return Result.getOrElse(fromData(error), () => {
    const reserved = code >= -32768 && code <= -32000
    return reserved ? new Unrecognized({ code, message, data }) : new Application({ code, message, data })
  })
}

const WithCapabilities = Schema.decodeUnknownResult(Schema.Struct({ requiredCapabilities: OpenObject }))
const WithVersions = Schema.decodeUnknownResult(
  Schema.Struct({ supported: Schema.Array(Schema.String), requested: Schema.String })
)
const WithUri = Schema.decodeUnknownResult(Schema.Struct({ uri: Schema.String }))
const WithElicitations = Schema.decodeUnknownResult(Schema.Struct({ elicitations: Schema.Array(OpenObject) }))

const fromData = ({ code, data, message }: ErrorObject): Result.Result<McpError, unknown> => {
  switch (code) {
    case -32021:
      return Result.map(WithCapabilities(data), (fields) => new MissingClientCapability({ message, ...fields }))
    case -32022:
      return Result.map(WithVersions(data), (fields) => new UnsupportedProtocolVersion({ message, ...fields }))
    case -32002:
      return Result.map(WithUri(data), (fields) => new ResourceNotFound(fields))
    case -32042:
      return Result.map(WithElicitations(data), (fields) => new UrlElicitationRequired({ message, ...fields }))
    default:
      return Result.fail(undefined)
  }
}

/**
 * When an error arose: before a message reached its handler, or as the handler's answer.
 *
 * @category models
 * @since 0.1.0
 */
export type Stage = "rejected" | "answered"

const statuses: Readonly<Record<number, Readonly<Record<Stage, number>>>> = {
  [-32700]: { rejected: 400, answered: 200 },
  [-32600]: { rejected: 400, answered: 200 },
  // HTTP-19: also for a method whose feature the server does not have.
  [-32601]: { rejected: 404, answered: 404 },
  // HTTP-20 asks for 400 where a required `_meta` field is missing; a handler's own refusal is unspecified (ERR-17).
  [-32602]: { rejected: 400, answered: 200 },
  // Not the client's fault, where it did not come to a handler at all.
  [-32603]: { rejected: 500, answered: 200 },
  // ERR-2, ERR-3, ERR-4 name 400 wherever these arise.
  [-32020]: { rejected: 400, answered: 400 },
  [-32021]: { rejected: 400, answered: 400 },
  [-32022]: { rejected: 400, answered: 400 }
}

/**
 * The HTTP status of an error that is the whole answer. An error on a stream that is already open has none.
 *
 * **Details**
 *
 * Where the specification names a status it is that one, at both stages. For other codes a message that may not pass is
 * `400`, and what a handler answers is `200` (ERR-17).
 *
 * @category getters
 * @since 0.1.0
 */
export const httpStatus = (error: ErrorObject, stage: Stage): number => {
  const status = statuses[error.code]
  return status === undefined ? (stage === "rejected" ? 400 : 200) : status[stage]
}

/**
 * A peer's words for an error message: no more of them than a person wants to read, so that nobody has us send their
 * megabytes back.
 *
 * @category getters
 * @since 0.1.0
 */
export const excerpt = (value: unknown): string => {
  const text = String(value)
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

/**
 * The message of anything that was thrown or failed with, for a person to read.
 *
 * @category getters
 * @since 0.1.0
 */
export const messageOf = (error: unknown): string =>
  Predicate.hasProperty(error, "message") && typeof error.message === "string" && error.message !== ""
    ? error.message
    : Predicate.hasProperty(error, "_tag") && typeof error._tag === "string"
    ? error._tag
    : String(error)
