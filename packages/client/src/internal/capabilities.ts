/**
 * What a client declares, and what it may use of what a server declares.
 */
import type { Enabled } from "@effect-mcp/core/Extension"
import * as Extension from "@effect-mcp/core/Extension"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities, ServerCapabilities } from "@effect-mcp/core/schema/Capabilities"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Handlers, RootsOption } from "../Handlers.ts"

/** What is declared under each revision. `instead` is declared in the place of what the handlers can do. */
export type Capabilities = (
  revision: Revision.Revision,
  instead?: ClientCapabilities | undefined
) => ClientCapabilities

const since = (revision: Revision.Revision, first: Revision.Revision): boolean => Revision.order(revision, first) >= 0

/** The capabilities of a client: those of its handlers, and its extensions (INIT-11, EXT-1). */
export const client = (handlers: Handlers<unknown>, extensions: ReadonlyArray<Enabled>): Capabilities => {
  const common = (era: Revision.Era): ClientCapabilities => {
    const settings = Extension.capabilities(extensions, era)
    return settings === undefined ? {} : { extensions: settings }
  }
  const eras = { modern: common("modern"), legacy: common("legacy") }
  return (revision, instead) => ({
    ...eras[Revision.era(revision)],
    ...(instead ?? ofHandlers(handlers, revision))
  })
}

const ofHandlers = (
  { elicitation, roots, sampling }: Handlers<unknown>,
  revision: Revision.Revision
): ClientCapabilities => {
  const modes = elicitationModes(elicitation, revision)
  return {
    // ROOT-1: from 2026-07-28 on, no change is told.
    ...(roots === undefined ? undefined : {
      roots: Revision.era(revision) === "legacy" && changes(roots) ? { listChanged: true } : {}
    }),
    ...(sampling === undefined ? undefined : {
      sampling: since(revision, "2025-11-25")
        ? {
          ...(sampling.tools === true ? { tools: {} } : undefined),
          ...(sampling.context === true ? { context: {} } : undefined)
        }
        : {}
    }),
    ...(!modes.form && !modes.url ? undefined : {
      // ELI-1: the modes have names from 2025-11-25 on; before, there is one.
      elicitation: since(revision, "2025-11-25")
        ? { ...(modes.form ? { form: {} } : undefined), ...(modes.url ? { url: {} } : undefined) }
        : {}
    })
  }
}

/** The ways of asking a person that are declared under a revision. */
const elicitationModes = (
  elicitation: Handlers<unknown>["elicitation"],
  revision: Revision.Revision
): { readonly form: boolean; readonly url: boolean } => ({
  form: elicitation?.form !== undefined && since(revision, "2025-06-18"),
  url: elicitation?.url !== undefined && since(revision, "2025-11-25")
})

/** Whether the client tells when its roots change (ROOT-3). */
const changes = (roots: RootsOption<unknown>): boolean =>
  SubscriptionRef.isSubscriptionRef(roots) || ("changes" in roots && roots.changes !== undefined)

/** What a server asks: a request of its own in the legacy era, an entry of `inputRequests` since then (MRTR-4). */
export interface Question {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/**
 * What was not declared that a question needs, if there is anything: a kind of question, or a part of one (ERR-14, ERR-15,
 * MRTR-5).
 */
export const undeclared = (
  { elicitation, roots, sampling }: ClientCapabilities,
  { method, params }: Question
): readonly [kind: string, part?: string] | undefined => {
  switch (method) {
    case Method.rootsList.name:
      return roots === undefined ? ["roots"] : undefined
    case Method.createMessage.name: {
      if (sampling === undefined) return ["sampling"]
      const hasTools = params?.tools !== undefined || params?.toolChoice !== undefined
      return hasTools && sampling.tools === undefined ? ["sampling", "tools"] : undefined // SAMP-7
    }
    case Method.elicit.name: {
      if (elicitation === undefined) return ["elicitation"]
      const mode = params?.mode ?? "form" // ELI-4
      // ELI-1: where no mode is named, forms are declared.
      const has = mode === "form"
        ? elicitation.form !== undefined || elicitation.url === undefined
        : mode === "url" && elicitation.url !== undefined
      return has ? undefined : ["elicitation", McpError.excerpt(mode)]
    }
    default:
      return [method]
  }
}

type Need = readonly [capability: string, has: (capabilities: ServerCapabilities) => boolean]

const tools: Need = ["tools", ({ tools }) => tools !== undefined]
const prompts: Need = ["prompts", ({ prompts }) => prompts !== undefined]
const resources: Need = ["resources", ({ resources }) => resources !== undefined]
const subscribe: Need = ["resources.subscribe", ({ resources }) => resources?.subscribe === true]
const completions: Need = ["completions", ({ completions }) => completions !== undefined]
const logging: Need = ["logging", ({ logging }) => logging !== undefined]

/** INIT-12. */
const needs: ReadonlyMap<string, Need> = new Map([
  [Method.toolsList.name, tools],
  [Method.toolsCall.name, tools],
  [Method.promptsList.name, prompts],
  [Method.promptsGet.name, prompts],
  [Method.resourcesList.name, resources],
  [Method.resourceTemplatesList.name, resources],
  [Method.resourcesRead.name, resources],
  [Method.resourcesSubscribe.name, subscribe],
  [Method.resourcesUnsubscribe.name, subscribe],
  [Method.complete.name, completions],
  [Method.setLevel.name, logging]
])

/**
 * Why a method of the protocol may not be sent to a server of the legacy era, if it may not. INIT-9 is a must from
 * 2025-06-18 on; before, servers were free to be loose about it, and `completion/complete` had no capability (COMP-1).
 */
export const refusal = (
  revision: Revision.Revision,
  server: ServerCapabilities
): (method: string) => McpClientError.McpClientError | undefined => {
  const strict = since(revision, "2025-06-18")
  return (method) => {
    const definition = Method.core.requests.get(method)
    if (definition !== undefined && !definition.sentBy.client.has(revision)) return notInRevision(method, revision)
    const need = strict ? needs.get(method) : undefined
    return need === undefined || need[1](server) ? undefined : McpClientError.make(
      new McpClientError.InvalidCall({
        method,
        problem: `the server does not declare the capability ${need[0]}, which ${revision} demands for it`
      })
    )
  }
}

export const notInRevision = (what: string, revision: Revision.Revision): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.NotInRevision({ what, revision }))
