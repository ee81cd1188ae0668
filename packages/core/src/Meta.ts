/**
 * The `_meta` of a request: the keys the protocol reserves, and what a server reads from them.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { JsonObject } from "./JsonRpc.ts"
import { isId, isJsonObject } from "./JsonRpc.ts"
import * as McpError from "./McpError.ts"
import type { ClientCapabilities } from "./schema/Capabilities.ts"
import type { Implementation, ProgressToken } from "./schema/Common.ts"
import { LoggingLevel } from "./schema/Logging.ts"

/**
 * The keys the protocol reserves in `_meta` (META-7, META-9, META-10, META-14, META-16, META-17).
 *
 * @category constants
 * @since 0.1.0
 */
export const key = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  progressToken: "progressToken",
  traceparent: "traceparent",
  tracestate: "tracestate",
  baggage: "baggage"
} as const

/**
 * The W3C trace context a request carries (META-8).
 *
 * @category models
 * @since 0.1.0
 */
export interface TraceContext {
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  readonly baggage: string | undefined
}

/**
 * What a request of the modern era says about itself.
 *
 * **Gotchas**
 *
 * `clientInfo` is what the client says and nobody has checked: nothing may depend on it (META-15).
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestMeta {
  readonly protocolVersion: string
  readonly clientCapabilities: ClientCapabilities
  readonly clientInfo: Implementation | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly progressToken: ProgressToken | undefined
  /** The whole `_meta`, unknown keys included. */
  readonly raw: JsonObject
}

/**
 * The `_meta` of a request that names a protocol version, whatever its value: that makes a request modern (ERA-6).
 *
 * @category getters
 * @since 0.1.0
 */
export const claimsVersion = (params: JsonObject | undefined): JsonObject | undefined => {
  const meta = params?._meta
  return isJsonObject(meta) && Object.hasOwn(meta, key.protocolVersion) ? meta : undefined
}

const invalid = (message: string): Result.Result<never, McpError.InvalidParams> =>
  Result.fail(new McpError.InvalidParams({ message }))

const levels: ReadonlySet<unknown> = new Set(LoggingLevel.literals)

const isLevel = (u: unknown): u is LoggingLevel => levels.has(u)

const isImplementation = (u: unknown): u is Implementation =>
  isJsonObject(u) && typeof u.name === "string" && typeof u.version === "string"

/** Members are objects where they are known to be; unknown capabilities are the client's to shape (RPC-21). */
const isCapabilities = (u: unknown): u is ClientCapabilities =>
  isJsonObject(u) &&
  optionalObject(u.roots) && optionalObject(u.sampling) && optionalObject(u.elicitation) &&
  optionalObject(u.experimental) && optionalObject(u.extensions)

const optionalObject = (u: unknown): boolean => u === undefined || isJsonObject(u)

/**
 * Reads the `_meta` of a modern request: the two required fields, and those of the others that are there (META-9, META-11).
 *
 * **Details**
 *
 * By hand and not by Schema, since it is on the path of every request. A field that is there and is not what it should be
 * is refused, whether required or not; unknown capabilities and other keys are let pass (RPC-21). Whether the version is
 * served is not asked here.
 *
 * **Example** (The least a request says)
 *
 * ```ts
 * import * as Meta from "@effect-mcp/core/Meta"
 *
 * const meta = Meta.read({
 *   [Meta.key.protocolVersion]: "2026-07-28",
 *   [Meta.key.clientCapabilities]: {}
 * })
 * ```
 *
 * @category decoding
 * @since 0.1.0
 */
export const read = (raw: JsonObject): Result.Result<RequestMeta, McpError.InvalidParams> => {
  const protocolVersion = raw[key.protocolVersion]
  const clientCapabilities = raw[key.clientCapabilities]
  const clientInfo = raw[key.clientInfo]
  const logLevel = raw[key.logLevel]
  const { progressToken } = raw
  if (typeof protocolVersion !== "string") return invalid(`_meta["${key.protocolVersion}"] must be a string`)
  if (!isCapabilities(clientCapabilities)) {
    return invalid(`_meta["${key.clientCapabilities}"] must be an object of objects; {} declares no capability`)
  }
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return invalid(`_meta["${key.clientInfo}"] must have a string "name" and a string "version"`)
  }
  if (logLevel !== undefined && !isLevel(logLevel)) {
    return invalid(`_meta["${key.logLevel}"] must be one of ${LoggingLevel.literals.join(", ")}`) // LOG-7
  }
  if (progressToken !== undefined && !isId(progressToken)) {
    return invalid("_meta.progressToken must be a string or an integer") // PROG-1
  }
  return Result.succeed({ protocolVersion, clientCapabilities, clientInfo, logLevel, progressToken, raw })
}

/**
 * The trace context of a request. What is not a string is ignored: tracing never makes a request fail.
 *
 * @category getters
 * @since 0.1.0
 */
export const traceContext = (raw: JsonObject): TraceContext => ({
  traceparent: text(raw[key.traceparent]),
  tracestate: text(raw[key.tracestate]),
  baggage: text(raw[key.baggage])
})

const text = (u: unknown): string | undefined => typeof u === "string" ? u : undefined
