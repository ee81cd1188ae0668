/**
 * What a client declares, and what it may use of what a server declares.
 */
import type { Enabled } from "@effect-mcp/core/Extension"
import * as Extension from "@effect-mcp/core/Extension"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import type { ClientCapabilities, ServerCapabilities } from "@effect-mcp/core/schema/Capabilities"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Handlers, RootsOption } from "../Handlers.ts"

/** What is declared under each revision. */
export type Capabilities = (revision: Revision.Revision) => ClientCapabilities

const since = (revision: Revision.Revision, first: Revision.Revision): boolean => Revision.order(revision, first) >= 0

/**
 * The capabilities of a client: those of its handlers, and its extensions (INIT-11, EXT-1).
 *
 * To the modern era only what it can do is declared, which is not yet to answer what a server asks: that needs requests
 * in several rounds. When there are, this is the place to declare it.
 */
export const client = (handlers: Handlers<unknown>, extensions: ReadonlyArray<Enabled>): Capabilities => {
  const common = (era: Revision.Era): ClientCapabilities => {
    const settings = Extension.capabilities(extensions, era)
    return settings === undefined ? {} : { extensions: settings }
  }
  const modern = common("modern")
  const legacy = common("legacy")
  return (revision) => Revision.era(revision) === "modern" ? modern : { ...legacy, ...ofHandlers(handlers, revision) }
}

const ofHandlers = (
  { elicitation, roots, sampling }: Handlers<unknown>,
  revision: Revision.Revision
): ClientCapabilities => {
  const modes = elicitationModes(elicitation, revision)
  return {
    ...(roots === undefined ? undefined : { roots: changes(roots) ? { listChanged: true } : {} }),
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
export const elicitationModes = (
  elicitation: Handlers<unknown>["elicitation"],
  revision: Revision.Revision
): { readonly form: boolean; readonly url: boolean } => ({
  form: elicitation?.form !== undefined && since(revision, "2025-06-18"),
  url: elicitation?.url !== undefined && since(revision, "2025-11-25")
})

/** Whether the client tells when its roots change (ROOT-3). */
const changes = (roots: RootsOption<unknown>): boolean =>
  SubscriptionRef.isSubscriptionRef(roots) || ("changes" in roots && roots.changes !== undefined)

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
