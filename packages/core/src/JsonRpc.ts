/**
 * JSON-RPC 2.0 as the Model Context Protocol uses it: the message algebra, the rules for ids, parse and print.
 *
 * Reading a message never copies a member that the protocol does not define: whatever else a peer puts into an envelope
 * is not seen by anything above this module.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as bounds from "./internal/bounds.ts"
import * as json from "./internal/json.ts"
import type * as Limits from "./Limits.ts"
import * as McpError from "./McpError.ts"
import { isJsonObject, type JsonObject } from "./schema/Common.ts"

export {
  /**
   * Tells whether a value is a JSON object: not `null`, not an array.
   *
   * @category guards
   * @since 0.1.0
   */
  isJsonObject,
  /**
   * A JSON object whose members are not looked at.
   *
   * @category models
   * @since 0.1.0
   */
  type JsonObject
} from "./schema/Common.ts"

/**
 * The id of a request: a string or an integer that JavaScript holds exactly (RPC-2).
 *
 * @category models
 * @since 0.1.0
 */
export type Id = string | number

/**
 * Tells whether a value is an id.
 *
 * **Details**
 *
 * Integers beyond ±(2^53 − 1) are none: they could not be echoed unaltered (RPC-5). `0` and `""` are ids like any other.
 *
 * @category guards
 * @since 0.1.0
 */
export const isId = (u: unknown): u is Id => typeof u === "string" || Number.isSafeInteger(u)

/**
 * A request. Members of the envelope that the protocol does not define are not here.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: JsonObject | undefined
}

/**
 * A notification: it has no id, and is never answered (RPC-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: JsonObject | undefined
}

/**
 * A successful response.
 *
 * @category models
 * @since 0.1.0
 */
export interface Success {
  readonly _tag: "Success"
  readonly id: Id
  readonly result: JsonObject | Prepared
}

/**
 * An error response. The id is missing only when the request's could not be read (RPC-5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly _tag: "Failure"
  readonly id: Id | undefined
  readonly error: McpError.ErrorObject
}

/**
 * The answer to a request.
 *
 * @category models
 * @since 0.1.0
 */
export type Response = Success | Failure

/**
 * Any single message.
 *
 * @category models
 * @since 0.1.0
 */
export type Message = Request | Notification | Response

/**
 * Something that is no message, with the error that answers it. `answer` is `false` when it was meant as a response:
 * those are never answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly id: Id | undefined
  readonly error: McpError.ParseError | McpError.InvalidRequest
  readonly answer: boolean
}

/**
 * An array of messages. Only revision 2025-03-26 has them (RPC-16, RPC-18), so that nothing looks into it before it is
 * known to be wanted: a peer must not be able to have a million refusals made of one line. {@link fromItem} reads an item.
 *
 * @category models
 * @since 0.1.0
 */
export interface Batch {
  readonly _tag: "Batch"
  readonly items: ReadonlyArray<unknown>
}

/**
 * What a piece of text turned out to be.
 *
 * @category models
 * @since 0.1.0
 */
export type Parsed = Message | Batch | Malformed

/**
 * A result that is sent many times: it is printed at its first use and the text is kept.
 *
 * **Gotchas**
 *
 * The value must not change afterwards.
 *
 * **Example** (One list for many requests)
 *
 * ```ts
 * import * as JsonRpc from "@effect-mcp/core/JsonRpc"
 *
 * const empty = new JsonRpc.Prepared({ tools: [] })
 *
 * JsonRpc.print(JsonRpc.success(1, empty)) // prints the list
 * JsonRpc.print(JsonRpc.success(2, empty)) // reuses its text
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export class Prepared {
  readonly value: JsonObject
  #printed: Result.Result<string, unknown> | undefined
  constructor(value: JsonObject) {
    this.value = value
  }
  /** Its JSON text, or why it has none. */
  get printed(): Result.Result<string, unknown> {
    return this.#printed ??= json.print(this.value)
  }
  /** Its JSON text. Throws if it has none. */
  get text(): string {
    return Result.getOrThrowWith(this.printed, (cause) => cause)
  }
}

/**
 * A message that has no JSON text: it holds a cycle or a bigint, or a `toJSON` of its own leaves nothing of it.
 *
 * @category errors
 * @since 0.1.0
 */
export interface Unprintable {
  readonly _tag: "Unprintable"
  readonly message: Message
  readonly cause: unknown
}

/**
 * Makes a request.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (id: Id, method: string, params?: JsonObject | undefined): Request => ({
  _tag: "Request",
  id,
  method,
  params
})

/**
 * Makes a notification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = (method: string, params?: JsonObject | undefined): Notification => ({
  _tag: "Notification",
  method,
  params
})

/**
 * Makes a successful response.
 *
 * @category constructors
 * @since 0.1.0
 */
export const success = (id: Id, result: JsonObject | Prepared): Success => ({ _tag: "Success", id, result })

/**
 * Makes an error response. Without an id it answers what could not be read so far (RPC-5).
 *
 * @category constructors
 * @since 0.1.0
 */
export const failure = (id: Id | undefined, error: McpError.ErrorObject): Failure => ({ _tag: "Failure", id, error })

/**
 * The plain value of a result, prepared or not.
 *
 * @category getters
 * @since 0.1.0
 */
export const resultValue = (success: Success): JsonObject =>
  success.result instanceof Prepared ? success.result.value : success.result

const malformed = (
  id: Id | undefined,
  error: McpError.ParseError | McpError.InvalidRequest,
  answer = true
): Malformed => ({ _tag: "Malformed", id, error, answer })

const invalid = (id: Id | undefined, message: string, answer = true): Malformed =>
  malformed(id, new McpError.InvalidRequest({ message }), answer)

const parseError: McpError.ParseError = new McpError.ParseError({ message: "Not valid JSON" })

/**
 * Reads one message, or a batch, from a parsed JSON value. Total: whatever is no message becomes {@link Malformed}.
 *
 * **Details**
 *
 * - `params: null` is read as omitted; any other value that is no object is refused (RPC-1).
 * - `id: null` on a request is refused, as is an id that is not a string or a safe integer (RPC-2).
 * - A response has either `result` or `error` (RPC-6). An error response may have `id: null`, as JSON-RPC 2.0 writes it.
 * - What has a `method` is a request or a notification, whatever else it has.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromUnknown = (value: unknown): Parsed => {
  if (Array.isArray(value)) {
    return value.length === 0
      ? invalid(undefined, "An empty batch holds no message")
      : { _tag: "Batch", items: value }
  }
  return fromItem(value)
}

/**
 * Reads one message that stands in a batch, or alone. An array is {@link Malformed} here.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromItem = (value: unknown): Message | Malformed => {
  if (!isJsonObject(value)) return invalid(undefined, "A message is a JSON object")
  const { id, method, params } = value
  const knownId = isId(id) ? id : undefined
  // Only own members count: `__proto__` in the text must not lend a message its members.
  const isResponse = method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))
  // RPC-8: a notification is not answered, though its params be wrong.
  const isNotification = typeof method === "string" && !Object.hasOwn(value, "id")
  if (value.jsonrpc !== "2.0") return invalid(knownId, "\"jsonrpc\" must be \"2.0\"", !isResponse)
  if (isResponse) return responseFromObject(value, knownId)
  if (typeof method !== "string") return invalid(knownId, "\"method\" must be a string")
  if (params !== undefined && params !== null && !isJsonObject(params)) {
    return invalid(knownId, "\"params\" must be an object", !isNotification)
  }
  if (isNotification) return notification(method, params ?? undefined)
  if (knownId === undefined) return invalid(undefined, "\"id\" must be a string or an integer within ±(2^53 − 1)")
  return request(knownId, method, params ?? undefined)
}

const responseFromObject = (value: JsonObject, id: Id | undefined): Response | Malformed => {
  const { error, result } = value
  if (result !== undefined && error !== undefined) {
    return invalid(id, "A response has either \"result\" or \"error\"", false)
  }
  if (error !== undefined) {
    if (!isJsonObject(error) || !Number.isSafeInteger(error.code) || typeof error.message !== "string") {
      return invalid(id, "\"error\" must have an integer \"code\" and a string \"message\"", false)
    }
    if (id === undefined && value.id !== undefined && value.id !== null) {
      return invalid(undefined, "\"id\" of a response must be a string or an integer", false)
    }
    const { code, data, message } = error
    return failure(id, { code: Number(code), message, ...(data === undefined ? undefined : { data }) })
  }
  if (id === undefined) return invalid(undefined, "\"id\" of a response must be a string or an integer", false)
  if (!isJsonObject(result)) return invalid(id, "\"result\" must be an object", false)
  return success(id, result)
}

/**
 * Reads text. Text that is no JSON becomes {@link Malformed} with `-32700`.
 *
 * **Details**
 *
 * With `limits`, a message that is deeper than `jsonDepth` or has more keys than `jsonKeys` becomes {@link Malformed} with
 * `-32600`, which names the limit. How many bytes the text may have is for the transport to check before it decodes them.
 *
 * **Example** (Reading a request)
 *
 * ```ts
 * import * as JsonRpc from "@effect-mcp/core/JsonRpc"
 *
 * const message = JsonRpc.parse(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
 * message._tag // "Request"
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const parse = (text: string, limits?: Pick<Limits.Values, "jsonDepth" | "jsonKeys"> | undefined): Parsed => {
  const value = json.parse(text)
  if (Result.isFailure(value)) return malformed(undefined, parseError)
  const message = fromUnknown(value.success)
  const limit = limits === undefined ? undefined : bounds.exceeded(value.success, limits)
  return limit === undefined || limits === undefined ? message : tooLarge(message, limit, limits[limit])
}

const tooLarge = (message: Parsed, limit: keyof bounds.Bounds, max: number): Malformed => {
  const id = message._tag === "Batch" || message._tag === "Notification" ? undefined : message.id
  // RPC-8: a notification is never answered, and neither is a response.
  const answer = message._tag !== "Notification" && !isResponse(message)
  return invalid(id, `The message exceeds ${max} (the limit ${limit})`, answer)
}

/**
 * Prints a message on one line. A handler's value may have no JSON form, hence the {@link Unprintable} failure.
 *
 * **Details**
 *
 * A line break inside of a string is escaped, and so is half of a surrogate pair: the text is one line of valid UTF-8
 * (RPC-9).
 *
 * @category encoding
 * @since 0.1.0
 */
export const print = (message: Message): Result.Result<string, Unprintable> => {
  const printed = printBody(message)
  return Result.mapError(printed, (cause): Unprintable => ({ _tag: "Unprintable", message, cause }))
}

const printBody = (message: Message): Result.Result<string, unknown> => {
  switch (message._tag) {
    case "Success": {
      // The result is spliced: a prepared one is not printed again, and the envelope is never an object.
      const { id, result } = message
      const head = typeof id === "number" ? `${id}` : JSON.stringify(id)
      const printed = result instanceof Prepared ? result.printed : json.print(result)
      return Result.map(printed, (text) => `{"jsonrpc":"2.0","id":${head},"result":${text}}`)
    }
    case "Failure":
      return json.print({ jsonrpc: "2.0", id: message.id, error: message.error })
    case "Request":
      return json.print({ jsonrpc: "2.0", id: message.id, method: message.method, params: message.params })
    case "Notification":
      return json.print({ jsonrpc: "2.0", method: message.method, params: message.params })
  }
}

/**
 * Prints the answer to a request. One that has no JSON form is answered with `-32603` instead, and given to `report`.
 *
 * **Example** (A result that JSON cannot hold)
 *
 * ```ts
 * import * as JsonRpc from "@effect-mcp/core/JsonRpc"
 *
 * const text = JsonRpc.printResponse(
 *   JsonRpc.success(1, { size: 1n }),
 *   ({ cause }) => console.error(cause)
 * )
 * // {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The result could not be written"}}
 * ```
 *
 * @category encoding
 * @since 0.1.0
 */
export const printResponse = (response: Response, report: (unprintable: Unprintable) => void): string => {
  const printed = print(response)
  if (Result.isSuccess(printed)) return printed.success
  report(printed.failure)
  const error = McpError.toErrorObject(new McpError.InternalError({ message: "The result could not be written" }))
  return Result.getOrThrow(print(failure(response.id, error)))
}

/**
 * Tells whether a message is an answer.
 *
 * @category guards
 * @since 0.1.0
 */
export const isResponse = (message: Parsed): message is Response =>
  Predicate.isTagged(message, "Success") || Predicate.isTagged(message, "Failure")
