/**
 * The ladder every incoming message climbs: what kind is it, which era, may it pass. Pure and total: any input has
 * exactly one outcome, and nothing here does I/O.
 *
 * The body decides the era; what a transport mirrors into headers only confirms it (ERA-6).
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as HeaderValue from "./HeaderValue.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as McpError from "./McpError.ts"
import * as Meta from "./Meta.ts"
import * as Method from "./Method.ts"
import * as Revision from "./Revision.ts"

/**
 * What a transport claims about a message beside its body, in words of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type MirroredField = "protocolVersion" | "method" | "name" | `param:${string}`

/**
 * Reads what the transport mirrored. `undefined` as a whole means that the transport mirrors nothing (STDIO-9), as a
 * value that the field was not there. Names have no case; values are as they came, without whitespace around (HDR-6).
 *
 * @category models
 * @since 0.1.0
 */
export type Mirrored = (field: MirroredField) => string | undefined

/**
 * A request that may be dispatched, with what is known about it: in the modern era it says so itself, in the legacy era
 * its session does.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly _tag: "Request"
  readonly id: JsonRpc.Id
  readonly definition: Method.RequestDefinition
  readonly revision: Revision.Revision
  readonly params: JsonRpc.JsonObject
  readonly meta: Meta.RequestMeta
}

/**
 * A notification. The modern era puts no version into notifications, so it has none here.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notification {
  readonly _tag: "Notification"
  readonly notification: JsonRpc.Notification
}

/**
 * The peer gives up a request of its own (CAN-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly requestId: JsonRpc.Id
  readonly reason: string | undefined
}

/**
 * A message for the legacy era, where a session has to say more about it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Legacy {
  readonly _tag: "Legacy"
  readonly message: JsonRpc.Message | JsonRpc.Batch
  /** The version the transport mirrored, if any. */
  readonly mirroredVersion: string | undefined
}

/**
 * A message that may not pass, with its error. Without `answer` it is dropped: it was a notification or a response.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rejected {
  readonly _tag: "Rejected"
  readonly id: JsonRpc.Id | undefined
  readonly error: McpError.McpError
  readonly answer: boolean
}

/**
 * The one outcome of a message.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Request | Notification | Cancel | Legacy | Rejected

/**
 * Sorts messages. Total: it has one outcome for any message, and never throws.
 *
 * @category models
 * @since 0.1.0
 */
export type Classifier = (message: JsonRpc.Parsed, mirrored?: Mirrored | undefined) => Outcome

const reject = (id: JsonRpc.Id | undefined, error: McpError.McpError, answer = true): Rejected => ({
  _tag: "Rejected",
  id,
  error,
  answer
})

/**
 * Makes the classifier of a server: `revisions` is its allow-list, `methods` its table with those of its extensions.
 *
 * **Details**
 *
 * A request whose `params._meta` has the key of the protocol version is of the modern era, whatever its method, and is
 * looked at in this order, the first fault being the answer:
 *
 * 1. the mirrored version differs from that of the body (`-32020`);
 * 2. the version is not served, or is of the legacy era (`-32022`);
 * 3. a required field of `_meta` is missing, or a field is not what it should be (`-32602`);
 * 4. the mirrored method or name differs from that of the body (`-32020`);
 * 5. there is no such method (`-32601`).
 *
 * Where the transport mirrors nothing, 3 comes first. Params, mirrored arguments and capabilities are for the server to
 * check. Any other request belongs to the legacy era, if that is served; if the transport mirrored a modern version, it
 * is a modern one without its fields (`-32602`).
 *
 * **Example** (Sorting a message)
 *
 * ```ts
 * import * as Inbound from "@effect-mcp/core/Inbound"
 * import * as JsonRpc from "@effect-mcp/core/JsonRpc"
 * import * as Method from "@effect-mcp/core/Method"
 *
 * const classify = Inbound.make({ revisions: ["2026-07-28"], methods: Method.core })
 *
 * const outcome = classify(JsonRpc.parse(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
 * outcome._tag // "Rejected", because of the missing _meta
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly revisions: Revision.AllowList
  readonly methods: Method.Table
}): Classifier => {
  const { methods, revisions } = options
  const supported: ReadonlySet<string> = new Set(revisions)
  const servesLegacy = revisions.some((revision) => Revision.era(revision) === "legacy")

  const isSupported = (version: string): version is Revision.Revision => supported.has(version)

  const unsupported = (version: string) => {
    const requested = McpError.excerpt(version)
    return new McpError.UnsupportedProtocolVersion({
      message: `Protocol version ${requested} is not served here`,
      supported: revisions,
      requested
    })
  }

  const modernRequest = (
    request: JsonRpc.Request,
    raw: JsonRpc.JsonObject,
    params: JsonRpc.JsonObject,
    mirrored: Mirrored | undefined
  ): Request | Rejected => {
    const version = raw[Meta.key.protocolVersion]
    const meta = Meta.read(raw)
    // Where nothing is mirrored, the required fields come before the version; elsewhere the version is compared first.
    if (mirrored === undefined && Result.isFailure(meta)) return reject(request.id, meta.failure) // META-11
    if (mirrored !== undefined && typeof version === "string") {
      const claimed = mirrored("protocolVersion")
      if (claimed !== version) return reject(request.id, mismatch("MCP-Protocol-Version", claimed, version)) // HTTP-17
    }
    // ERA-2, and a legacy version may not be spoken without its handshake.
    if (typeof version === "string" && (!isSupported(version) || Revision.era(version) === "legacy")) {
      return reject(request.id, unsupported(version))
    }
    if (Result.isFailure(meta)) return reject(request.id, meta.failure) // META-11
    const revision = isSupported(meta.success.protocolVersion) ? meta.success.protocolVersion : Revision.latest
    const definition = Method.request(methods, request.method, revision, "client")
    if (mirrored !== undefined) {
      const error = checkMirrored(request.method, params, definition, mirrored)
      if (error !== undefined) return reject(request.id, error)
    }
    if (definition === undefined) return reject(request.id, notFound(request.method))
    return { _tag: "Request", id: request.id, definition, revision, params, meta: meta.success }
  }

  const withoutMeta = (request: JsonRpc.Request, mirrored: Mirrored | undefined): Legacy | Rejected => {
    const claimed = mirrored?.("protocolVersion")
    // A broken modern envelope is an error, never legacy; the suite wants it before any header check.
    if (claimed !== undefined && Revision.isRevision(claimed) && Revision.era(claimed) === "modern") {
      return reject(request.id, missingMeta)
    }
    if (servesLegacy) return { _tag: "Legacy", message: request, mirroredVersion: claimed }
    if (request.method === "initialize") {
      return reject(request.id, unsupported(offeredVersion(request))) // ERA-18
    }
    if (mirrored === undefined) return reject(request.id, missingMeta)
    // ERA-20: without older clients to serve, a missing header is an error; ERA-2 for one that is not served.
    return claimed === undefined
      ? reject(request.id, mismatch("MCP-Protocol-Version", undefined, undefined))
      : reject(request.id, unsupported(claimed))
  }

  return (message, mirrored) => {
    switch (message._tag) {
      case "Request": {
        const raw = Meta.claimsVersion(message.params)
        return message.params === undefined || raw === undefined
          ? withoutMeta(message, mirrored)
          : modernRequest(message, raw, message.params, mirrored)
      }
      case "Notification":
        return cancelled(message) ?? { _tag: "Notification", notification: message }
      case "Malformed":
        return reject(message.id, message.error, message.answer)
      case "Batch":
        return servesLegacy
          ? { _tag: "Legacy", message, mirroredVersion: mirrored?.("protocolVersion") }
          : reject(undefined, batchRefused) // RPC-18
      case "Success":
      case "Failure":
        return servesLegacy
          ? { _tag: "Legacy", message, mirroredVersion: mirrored?.("protocolVersion") }
          : reject(message.id, responseRefused, false) // RPC-14
    }
  }
}

/**
 * Makes the classifier of a session: messages of the legacy era, whose revision was settled by `initialize`.
 *
 * **Details**
 *
 * What a request of the modern era says about itself, the session has from `initialize`: `about` is asked for it with each
 * request. A method is looked up in the revision of the session, a second `initialize` is refused, and so is a batch: the
 * transport takes it apart where the revision has batches, and brings its items one by one. Responses are for the
 * session to accept.
 *
 * @category constructors
 * @since 0.1.0
 */
export const session = (options: {
  readonly revision: Revision.Revision
  readonly methods: Method.Table
  readonly about: () => Pick<Meta.RequestMeta, "clientCapabilities" | "clientInfo"> & {
    readonly logLevel?: Meta.RequestMeta["logLevel"]
  }
}): Classifier => {
  const { about, methods, revision } = options
  return (message) => {
    switch (message._tag) {
      case "Request": {
        const { id, method, params = noParams } = message
        if (method === Method.initialize.name) return reject(id, alreadyInitialized)
        const definition = Method.request(methods, method, revision, "client")
        if (definition === undefined) return reject(id, notFound(method))
        const raw = JsonRpc.isJsonObject(params._meta) ? params._meta : noParams
        const { progressToken } = raw
        if (progressToken !== undefined && !JsonRpc.isId(progressToken)) return reject(id, badToken) // PROG-1
        const { clientCapabilities, clientInfo, logLevel } = about()
        const meta = { protocolVersion: revision, clientCapabilities, clientInfo, logLevel, progressToken, raw }
        return { _tag: "Request", id, definition, revision, params, meta }
      }
      case "Notification":
        return cancelled(message) ?? { _tag: "Notification", notification: message }
      case "Malformed":
        return reject(message.id, message.error, message.answer)
      case "Batch":
        return reject(undefined, batchRefused) // RPC-18
      case "Success":
      case "Failure":
        return reject(message.id, unasked, false)
    }
  }
}

const noParams: JsonRpc.JsonObject = {}

const alreadyInitialized = new McpError.InvalidRequest({
  message: "The session is initialized already; another one needs a connection, or a request without a session id"
})

const badToken = new McpError.InvalidParams({ message: "_meta.progressToken must be a string or an integer" })

const unasked = new McpError.InvalidRequest({ message: "No request of this server waits for such an answer" })

const quoted = (text: string | undefined): string => JSON.stringify(text === undefined ? null : McpError.excerpt(text))

const missingMeta = new McpError.InvalidParams({
  message: `Every request needs params._meta with "${Meta.key.protocolVersion}" and "${Meta.key.clientCapabilities}"`
})

const batchRefused = new McpError.InvalidRequest({
  message: "One message at a time: batches are not part of this revision"
})

const responseRefused = new McpError.InvalidRequest({ message: "A client sends no responses in this revision" })

const notFound = (method: string) =>
  new McpError.MethodNotFound({ message: `Method not found: ${McpError.excerpt(method)}` })

const mismatch = (header: string, claimed: string | undefined, body: string | undefined) =>
  new McpError.HeaderMismatch({
    message: claimed === undefined
      ? `The ${header} header is missing`
      : `The ${header} header says ${quoted(claimed)}, the body ${quoted(body)}`
  })

const offeredVersion = (request: JsonRpc.Request): string => {
  const version = request.params?.protocolVersion
  return typeof version === "string" ? version : "unknown"
}

/** HDR-1, HDR-2, HDR-6 to HDR-8. An unknown method has no name to mirror. */
const checkMirrored = (
  method: string,
  params: JsonRpc.JsonObject,
  definition: Method.RequestDefinition | undefined,
  mirrored: Mirrored
): McpError.HeaderMismatch | undefined => {
  const claimedMethod = mirrored("method")
  if (claimedMethod !== method) return mismatch("Mcp-Method", claimedMethod, method)
  if (definition?.mirroredName === undefined) return undefined
  const name = params[definition.mirroredName]
  // Whether the parameter itself is right is for the method's schema to say.
  if (typeof name !== "string") return undefined
  const claimed = mirrored("name")
  if (claimed === undefined) return mismatch("Mcp-Name", undefined, name)
  const decoded = HeaderValue.decode(claimed)
  if (Result.isFailure(decoded)) return new McpError.HeaderMismatch({ message: `Mcp-Name: ${decoded.failure.message}` })
  return decoded.success === name ? undefined : mismatch("Mcp-Name", decoded.success, name)
}

const cancelled = ({ method, params }: JsonRpc.Notification): Cancel | undefined => {
  if (method !== "notifications/cancelled") return undefined
  const id = params?.requestId
  // One without a usable id is a notification that nobody handles (CAN-5).
  if (!JsonRpc.isId(id)) return undefined
  return { _tag: "Cancel", requestId: id, reason: typeof params?.reason === "string" ? params.reason : undefined }
}

/**
 * The HTTP status of a message that may not pass. One that is not answered has it too, without an id (LHTTP-4).
 *
 * @category getters
 * @since 0.1.0
 */
export const httpStatus = (rejected: Rejected): number =>
  McpError.httpStatus(McpError.toErrorObject(rejected.error), "rejected")
