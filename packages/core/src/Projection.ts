/**
 * What a message looks like under each revision. Everything else speaks the newest one; what is sent to an older peer goes
 * through here last, in both directions: what a server sends and what a client sends.
 *
 * A member that a revision does not have is left out, and content that it does not have is said in words, so that nothing
 * is lost on the way. Members that no revision names are kept, because the objects of the protocol are open.
 *
 * **Details**
 *
 * What becomes of what is newer than the peer:
 *
 * - sound, links to resources, calls of tools, unknown content: a text that says what it is (TOOL-13, SAMP-6);
 * - structured content: a text with its JSON, unless there is a text already (TOOL-15, TOOL-17);
 * - the output schema of anything but an object: left out (TOOL-9);
 * - the title of a tool: under 2025-03-26 that of its annotations (TOOL-7);
 * - several blocks in one turn of a conversation: several turns of the same speaker (SAMP-6);
 * - several blocks in the answer of a model: one text;
 * - a choice with titles in a form: `enumNames` (ELI-9);
 * - a choice of several in a form: a field for text that says what to choose from, whose answer is a text with
 *   commas, which `answer` takes apart;
 * - cache hints, `resultType`, and the `_meta` keys of the modern era: left out.
 *
 * **Gotchas**
 *
 * Three things have no older form, and are for the sender to avoid: a question that sends the user to a URL before
 * 2025-11-25, the same without an `elicitationId` under 2025-11-25, and `notifications/cancelled` without a `requestId`
 * under any other revision.
 *
 * @since 0.1.0
 */
import { readAnswer } from "./internal/projection/elicitation.ts"
import * as messages from "./internal/projection/messages.ts"
import { compile, has, type ObjectShape, type Range } from "./internal/projection/shape.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as McpError from "./McpError.ts"
import * as Revision from "./Revision.ts"

type Project = (value: JsonRpc.JsonObject) => JsonRpc.JsonObject

type ProjectResult = (result: JsonRpc.JsonObject | JsonRpc.Prepared) => JsonRpc.JsonObject | JsonRpc.Prepared

const unchanged = <A>(value: A): A => value

const project = (shape: ObjectShape, revision: Revision.Revision): Project => {
  const transform = compile(shape, revision)
  if (transform === undefined) return unchanged
  return (value) => {
    const projected = transform(value)
    return JsonRpc.isJsonObject(projected) ? projected : value
  }
}

/** Lists are prepared once and sent to many: so they are projected, and printed, once for each revision. */
const projectResult = (shape: ObjectShape, revision: Revision.Revision): ProjectResult => {
  const plain = project(shape, revision)
  const known = new WeakMap<JsonRpc.Prepared, JsonRpc.Prepared>()
  return (result) => {
    if (!(result instanceof JsonRpc.Prepared)) return plain(result)
    const before = known.get(result)
    if (before !== undefined) return before
    const value = plain(result.value)
    const prepared = value === result.value ? result : new JsonRpc.Prepared(value)
    known.set(result, prepared)
    return prepared
  }
}

/** The functions of one revision by method, each made when it is first asked for. */
const byMethod = <A>(
  make: (shape: ObjectShape, revision: Revision.Revision) => A,
  shapeOf: (method: string) => ObjectShape | undefined,
  ofAny: ObjectShape,
  modern: A
): (revision: Revision.Revision, method: string) => A => {
  const revisions = new Map(
    Revision.all.filter((revision) => Revision.era(revision) === "legacy").map((revision) => [
      revision,
      { methods: new Map<string, A>(), any: make(ofAny, revision) }
    ])
  )
  return (revision, method) => {
    const made = revisions.get(revision)
    if (made === undefined) return modern
    const known = made.methods.get(method)
    if (known !== undefined) return known
    const shape = shapeOf(method)
    // A name that is not the protocol's is not kept: there is no end of them.
    if (shape === undefined) return made.any
    const projection = make(shape, revision)
    made.methods.set(method, projection)
    return projection
  }
}

/**
 * Makes the params of a request or notification those of a revision.
 *
 * **Details**
 *
 * Nothing changes under 2026-07-28. What does not change is given back as it is, not copied.
 *
 * **Example** (A progress message)
 *
 * ```ts
 * import * as Projection from "@effect-mcp/core/Projection"
 *
 * const progress = Projection.params("2024-11-05", "notifications/progress")
 *
 * progress({ progressToken: 1, progress: 5, message: "Half" }) // { progressToken: 1, progress: 5 }
 * ```
 *
 * @category projections
 * @since 0.1.0
 */
export const params: (
  revision: Revision.Revision,
  method: string
) => (params: JsonRpc.JsonObject) => JsonRpc.JsonObject = byMethod(
  project,
  messages.paramsOf,
  messages.params,
  unchanged
)

/**
 * Makes the result that answers a method one of a revision.
 *
 * **Details**
 *
 * Nothing changes under 2026-07-28. What does not change is given back as it is, not copied, and a
 * `JsonRpc.Prepared` result is projected once for each revision.
 *
 * **Example** (A link in words)
 *
 * ```ts
 * import * as Projection from "@effect-mcp/core/Projection"
 *
 * const answer = Projection.result("2025-03-26", "tools/call")
 *
 * answer({
 *   content: [{ type: "resource_link", name: "today", uri: "notes://today" }]
 * }) // { content: [{ type: "text", text: "[resource link: today] notes://today" }] }
 * ```
 *
 * @category projections
 * @since 0.1.0
 */
export const result: (
  revision: Revision.Revision,
  method: string
) => (result: JsonRpc.JsonObject | JsonRpc.Prepared) => JsonRpc.JsonObject | JsonRpc.Prepared = byMethod(
  projectResult,
  messages.resultOf,
  messages.result,
  unchanged
)

/** ELI-11: up to then the answer to a question for several values is one text. */
const oneText: Range = { until: "2025-06-18" }

/**
 * Reads the answer of a peer to a request that was made one of its revision by {@link params}: what had to be asked for
 * in another form is what was asked for again.
 *
 * **Details**
 *
 * `params` are those before the projection. Only the answer to a form that asks for several of several values is changed,
 * under 2025-06-18, where it is one text; whether the values are among those to choose from is not asked here.
 *
 * **Example** (Several values)
 *
 * ```ts
 * import * as Projection from "@effect-mcp/core/Projection"
 *
 * const answer = Projection.answer("2025-06-18", "elicitation/create", {
 *   message: "Which colours?",
 *   requestedSchema: {
 *     type: "object",
 *     properties: { colours: { type: "array", items: { type: "string", enum: ["red", "green", "blue"] } } }
 *   }
 * })
 *
 * answer({ action: "accept", content: { colours: "red, blue" } }) // … content: { colours: ["red", "blue"] } …
 * ```
 *
 * @category projections
 * @since 0.1.0
 */
export const answer = (
  revision: Revision.Revision,
  method: string,
  params: JsonRpc.JsonObject
): (result: JsonRpc.JsonObject) => JsonRpc.JsonObject =>
  method === "elicitation/create" && has(oneText, revision) ? readAnswer(params) : unchanged

/** Codes that older revisions do not have, or not with this meaning; message and data stay. */
const legacyCodes: ReadonlyMap<number, number> = new Map([
  // The headers contradict the body: as a whole it is no valid request.
  [-32020, -32600],
  // The request is one that this client may not make.
  [-32021, -32600],
  // INIT-15: the answer of the older revisions has the same data.
  [-32022, -32602],
  [-32042, -32600]
])

/**
 * The error object of an error under a revision.
 *
 * **Details**
 *
 * `-32002` is a resource that is not there under all legacy revisions (ERR-11), and `-32042` is there in 2025-11-25 only
 * (ERR-12). The codes of the modern era, `-32020` to `-32022`, become `-32600` or `-32602` in the legacy era, with the
 * same message and data.
 *
 * **Example** (One error, two revisions)
 *
 * ```ts
 * import * as McpError from "@effect-mcp/core/McpError"
 * import * as Projection from "@effect-mcp/core/Projection"
 *
 * const error = new McpError.ResourceNotFound({ uri: "notes://today" })
 *
 * Projection.error("2026-07-28", error).code // -32602
 * Projection.error("2025-11-25", error).code // -32002
 * ```
 *
 * @category projections
 * @since 0.1.0
 */
export const error = (revision: Revision.Revision, error: McpError.McpError): McpError.ErrorObject => {
  const era = Revision.era(revision)
  const object = McpError.toErrorObject(error, era)
  if (era === "modern") return object
  if (error._tag === "UrlElicitationRequired" && revision === "2025-11-25") return object
  const code = legacyCodes.get(object.code)
  return code === undefined ? object : { ...object, code }
}
