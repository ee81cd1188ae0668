/**
 * The requests of the protocol. Those of the server are on the wire in the legacy era only, and values inside of
 * `inputRequests` since then (RPC-14, MRTR-1).
 *
 * @since 0.1.0
 */
import { revisions } from "../internal/availability.ts"
import * as Completion from "../schema/Completion.ts"
import * as Elicitation from "../schema/Elicitation.ts"
import * as Lifecycle from "../schema/Lifecycle.ts"
import * as Logging from "../schema/Logging.ts"
import * as Params from "../schema/Params.ts"
import * as Prompts from "../schema/Prompts.ts"
import * as Resources from "../schema/Resources.ts"
import * as Roots from "../schema/Roots.ts"
import * as Sampling from "../schema/Sampling.ts"
import * as Subscriptions from "../schema/Subscriptions.ts"
import * as Tools from "../schema/Tools.ts"
import { defineRequest } from "./Definition.ts"

/**
 * Opens a session and agrees on its revision (INIT-1).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25; the modern era has no handshake.
 *
 * @category requests
 * @since 0.1.0
 */
export const initialize = defineRequest({
  name: "initialize",
  sender: "client",
  revisions: revisions.legacy,
  params: Lifecycle.InitializeRequestParams,
  result: Lifecycle.InitializeResult
})

/**
 * Asks whether the other side is alive; either side may (PING-1).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25.
 *
 * @category requests
 * @since 0.1.0
 */
export const ping = defineRequest({
  name: "ping",
  sender: "both",
  revisions: revisions.legacy,
  params: Params.RequestParams,
  result: Params.EmptyResult
})

/**
 * Asks a server which revisions it speaks, what it can do, and how it is called (DISC-1).
 *
 * **Details**
 *
 * Since 2026-07-28, where every server answers it.
 *
 * @category requests
 * @since 0.1.0
 */
export const discover = defineRequest({
  name: "server/discover",
  sender: "client",
  revisions: revisions.modern,
  params: Params.RequestParams,
  result: Lifecycle.DiscoverResult,
  cacheable: true
})

/**
 * Opens a stream of the changes that its filter names (SUB-1).
 *
 * **Details**
 *
 * Since 2026-07-28; until then changes came unasked, or after `resources/subscribe`.
 *
 * @category requests
 * @since 0.1.0
 */
export const listen = defineRequest({
  name: "subscriptions/listen",
  sender: "client",
  revisions: revisions.modern,
  params: Subscriptions.SubscriptionsListenRequestParams,
  result: Subscriptions.SubscriptionsListenResult,
  streams: true
})

/**
 * Lists tools, page by page (TOOL-1).
 *
 * **Details**
 *
 * All revisions. The answer carries cache hints since 2026-07-28 (CACHE-1).
 *
 * @category requests
 * @since 0.1.0
 */
export const toolsList = defineRequest({
  name: "tools/list",
  sender: "client",
  revisions: revisions.all,
  params: Params.PaginatedRequestParams,
  result: Tools.ListToolsResult,
  cacheable: true
})

/**
 * Calls a tool (TOOL-11).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 the answer may ask for input first (MRTR-2), and HTTP mirrors `params.name` (HDR-2).
 *
 * @category requests
 * @since 0.1.0
 */
export const toolsCall = defineRequest({
  name: "tools/call",
  sender: "client",
  revisions: revisions.all,
  params: Tools.CallToolRequestParams,
  result: Tools.CallToolResult,
  mirroredName: "name",
  multiRound: true
})

/**
 * Lists resources, page by page (RES-1).
 *
 * **Details**
 *
 * All revisions. The answer carries cache hints since 2026-07-28 (CACHE-1).
 *
 * @category requests
 * @since 0.1.0
 */
export const resourcesList = defineRequest({
  name: "resources/list",
  sender: "client",
  revisions: revisions.all,
  params: Params.PaginatedRequestParams,
  result: Resources.ListResourcesResult,
  cacheable: true
})

/**
 * Lists the templates of resources, page by page (RES-3).
 *
 * **Details**
 *
 * All revisions. The answer carries cache hints since 2026-07-28 (CACHE-1).
 *
 * @category requests
 * @since 0.1.0
 */
export const resourceTemplatesList = defineRequest({
  name: "resources/templates/list",
  sender: "client",
  revisions: revisions.all,
  params: Params.PaginatedRequestParams,
  result: Resources.ListResourceTemplatesResult,
  cacheable: true
})

/**
 * Reads a resource (RES-4).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 the answer may ask for input first (MRTR-2) and carries cache hints, and HTTP mirrors
 * `params.uri` (HDR-2).
 *
 * @category requests
 * @since 0.1.0
 */
export const resourcesRead = defineRequest({
  name: "resources/read",
  sender: "client",
  revisions: revisions.all,
  params: Resources.ReadResourceRequestParams,
  result: Resources.ReadResourceResult,
  mirroredName: "uri",
  multiRound: true,
  cacheable: true
})

/**
 * Asks to be told when a resource changes (RES-8).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25; then it became a member of the filter of {@link listen} (RES-9).
 *
 * @category requests
 * @since 0.1.0
 */
export const resourcesSubscribe = defineRequest({
  name: "resources/subscribe",
  sender: "client",
  revisions: revisions.legacy,
  params: Resources.SubscribeRequestParams,
  result: Params.EmptyResult
})

/**
 * Takes a subscription back (RES-8).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25; then closing the stream of {@link listen} took its place (RES-9).
 *
 * @category requests
 * @since 0.1.0
 */
export const resourcesUnsubscribe = defineRequest({
  name: "resources/unsubscribe",
  sender: "client",
  revisions: revisions.legacy,
  params: Resources.UnsubscribeRequestParams,
  result: Params.EmptyResult
})

/**
 * Lists prompts, page by page (PROMPT-1).
 *
 * **Details**
 *
 * All revisions. The answer carries cache hints since 2026-07-28 (CACHE-1).
 *
 * @category requests
 * @since 0.1.0
 */
export const promptsList = defineRequest({
  name: "prompts/list",
  sender: "client",
  revisions: revisions.all,
  params: Params.PaginatedRequestParams,
  result: Prompts.ListPromptsResult,
  cacheable: true
})

/**
 * Gets the messages of a prompt (PROMPT-3).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 the answer may ask for input first (MRTR-2), and HTTP mirrors `params.name` (HDR-2).
 *
 * @category requests
 * @since 0.1.0
 */
export const promptsGet = defineRequest({
  name: "prompts/get",
  sender: "client",
  revisions: revisions.all,
  params: Prompts.GetPromptRequestParams,
  result: Prompts.GetPromptResult,
  mirroredName: "name",
  multiRound: true
})

/**
 * Asks for completions of an argument of a prompt or of a template (COMP-2).
 *
 * **Details**
 *
 * All revisions.
 *
 * @category requests
 * @since 0.1.0
 */
export const complete = defineRequest({
  name: "completion/complete",
  sender: "client",
  revisions: revisions.all,
  params: Completion.CompleteRequestParams,
  result: Completion.CompleteResult
})

/**
 * Sets the level from which on the client is sent log messages (LOG-3).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25; then each request names its own level in `_meta` (META-16).
 *
 * @category requests
 * @since 0.1.0
 */
export const setLevel = defineRequest({
  name: "logging/setLevel",
  sender: "client",
  revisions: revisions.legacy,
  params: Logging.SetLevelRequestParams,
  result: Params.EmptyResult
})

/**
 * Asks the client for the folders it works in (ROOT-2).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25 on the wire; since 2026-07-28 only a value inside of `inputRequests`.
 *
 * @category requests
 * @since 0.1.0
 */
export const rootsList = defineRequest({
  name: "roots/list",
  sender: "server",
  revisions: revisions.legacy,
  params: Params.RequestParams,
  result: Roots.ListRootsResult
})

/**
 * Asks the client to have its model generate a message (SAMP-5).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25 on the wire; since 2026-07-28 only a value inside of `inputRequests`.
 *
 * @category requests
 * @since 0.1.0
 */
export const createMessage = defineRequest({
  name: "sampling/createMessage",
  sender: "server",
  revisions: revisions.legacy,
  params: Sampling.CreateMessageRequestParams,
  result: Sampling.CreateMessageResult
})

/**
 * Asks the user something, by a form or by a page to visit (ELI-4, ELI-15).
 *
 * **Details**
 *
 * Revisions 2025-06-18 and 2025-11-25 on the wire, pages to visit in the latter only; since 2026-07-28 only a value
 * inside of `inputRequests`.
 *
 * @category requests
 * @since 0.1.0
 */
export const elicit = defineRequest({
  name: "elicitation/create",
  sender: "server",
  revisions: revisions.legacyFrom("2025-06-18"),
  params: Elicitation.ElicitRequestParams,
  result: Elicitation.ElicitResult
})
