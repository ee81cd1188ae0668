/**
 * The methods of a client beside those of tools.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import type * as Prompt from "@effect-mcp/core/Prompt"
import type * as Resource from "@effect-mcp/core/Resource"
import type * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type { ReadResourceResult } from "@effect-mcp/core/schema/Resources"
import * as UriTemplate from "@effect-mcp/core/UriTemplate"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CompletionTarget } from "../Client.ts"
import type { Accepted, CustomOptions, ListOptions, RequestOptions } from "../RequestOptions.ts"
import * as Contracts from "./contracts.ts"
import { notInRevision } from "./capabilities.ts"
import type { Connection } from "./connection.ts"
import { request as exchange } from "./exchange.ts"
import * as Pages from "./pages.ts"
import { core, notificationParams, prepare } from "./prepared.ts"
import { type CallByName, page } from "./tools.ts"

export const resources = (connection: Connection) => {
  const listResources = <R = never>(options?: ListOptions<R>) =>
    exchange(connection, core.resourcesList, page(options), options)

  const listResourceTemplates = <R = never>(options?: ListOptions<R>) =>
    exchange(connection, core.resourceTemplatesList, page(options), options)

  const readResource = <R = never>(resource: string | Resource.Resource, options?: RequestOptions<R>) =>
    exchange(
      connection,
      core.resourcesRead,
      { uri: typeof resource === "string" ? resource : resource.uri },
      options
    )

  const read = <T extends ResourceTemplate.Any, R = never>(
    template: T,
    parameters: ResourceTemplate.Input<T>,
    options?: RequestOptions<R>
  ): Effect.Effect<ReadResourceResult, RequestError, T["parameters"]["EncodingServices"] | R> =>
    Effect.flatMap(
      Contracts.encode(
        Method.resourcesRead.name,
        `the parameters of ${template.uriTemplate}`,
        template.parameters,
        parameters
      ),
      (encoded) =>
        // The schemas of the parameters are those of the template's variables, which are what a template takes.
        readResource(UriTemplate.expand(template.template, encoded as UriTemplate.Values), options)
    )

  return {
    listResources,
    listResourceTemplates,
    resources: Pages.walk(
      connection,
      Method.resourcesList.name,
      (cursor) => listResources({ cursor }),
      (page) => page.resources
    ),
    resourceTemplates: Pages.walk(
      connection,
      Method.resourceTemplatesList.name,
      (cursor) => listResourceTemplates({ cursor }),
      (page) => page.resourceTemplates
    ),
    readResource,
    read
  }
}

export const prompts = (connection: Connection) => {
  const listPrompts = <R = never>(options?: ListOptions<R>) =>
    exchange(connection, core.promptsList, page(options), options)

  const getPrompt = <R = never>(
    name: string,
    args?: { readonly [name: string]: string } | undefined,
    options?: RequestOptions<R>
  ) => exchange(connection, core.promptsGet, args === undefined ? { name } : { name, arguments: args }, options)

  const get = <P extends Prompt.Any, R = never>(prompt: P, args: Prompt.Input<P>, options?: RequestOptions<R>) =>
    Effect.flatMap(
      Contracts.encode(Method.promptsGet.name, `the arguments of ${prompt.name}`, prompt.arguments, args),
      // PROMPT-2: `Prompt.Arguments` only has schemas that encode to strings.
      (encoded) => getPrompt(prompt.name, encoded as { readonly [name: string]: string }, options)
    )

  return {
    listPrompts,
    prompts: Pages.walk(
      connection,
      Method.promptsList.name,
      (cursor) => listPrompts({ cursor }),
      (page) => page.prompts
    ),
    getPrompt,
    get
  }
}

export const completion = (connection: Connection) => ({
  complete: <R = never>(
    ref: CompletionTarget,
    argument: { readonly name: string; readonly value: string },
    context?: { readonly [name: string]: string } | undefined,
    options?: RequestOptions<R>
  ) =>
    exchange(
      connection,
      core.complete,
      {
        ref: reference(ref),
        argument: { name: argument.name, value: argument.value },
        ...(context === undefined ? undefined : { context: { arguments: context } })
      },
      options
    )
})

/** COMP-2. A contract stands for its reference. */
const reference = (ref: CompletionTarget): JsonRpc.JsonObject =>
  "type" in ref
    ? { ...ref }
    : "uriTemplate" in ref
    ? { type: "ref/resource", uri: ref.uriTemplate }
    : { type: "ref/prompt", name: ref.name }

export const custom = (connection: Connection, enabled: ReadonlySet<string>, callByName: CallByName) => {
  /** Why a method cannot be used on this connection, if it cannot. */
  const refusal = (
    definition: Method.Definition,
    params: Result.Result<unknown, { readonly message: string }>
  ): McpClientError.McpClientError | undefined => {
    const { name } = definition
    const { revision } = connection.dialect
    if (!definition.sender.has("client")) return invalidCall(name, "only a server sends it")
    if (!definition.sentBy.client.has(revision)) return notInRevision(name, revision)
    const { extension } = definition
    if (extension !== undefined && !enabled.has(extension)) {
      const remedy = "give it to the client in the option `extensions`"
      return invalidCall(name, `it belongs to the extension ${extension}, which is not on; ${remedy}`)
    }
    return Result.isFailure(params) ? invalidCall(name, params.failure.message) : undefined
  }

  const request = <P, R, RC = never, A extends Accepted = {}>(
    definition: Method.RequestDefinition<string, P, R>,
    params: P,
    options?: CustomOptions<A, RC>
  ): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> =>
    Effect.suspend(() => {
      const prepared = prepare(definition)
      const refused = refusal(definition, prepared.decodeParams(params))
      if (refused !== undefined) return Effect.fail(refused)
      return definition.name === Method.toolsCall.name
        ? callByName(prepared, object(params), options)
        : exchange(connection, prepared, object(params), options)
    })

  const notifies = <P>(
    definition: Method.NotificationDefinition<string, P>,
    params: P
  ): Effect.Effect<void, McpClientError.McpClientError> =>
    Effect.suspend(() => {
      const refused = refusal(definition, notificationParams(definition)(params))
      return refused === undefined ? notify(connection, definition.name, object(params)) : Effect.fail(refused)
    })

  return { request, notify: notifies }
}

/** Sends a notification in the form of the revision. */
export const notify = (
  { dialect, session, transport }: Connection,
  method: string,
  params: JsonRpc.JsonObject
): Effect.Effect<void, McpClientError.McpClientError> => {
  const { epoch } = session
  if (session.lost) return Effect.fail(McpClientError.make(new McpClientError.SessionExpired({ method })))
  return Effect.tapError(
    transport.notify(JsonRpc.notification(method, Projection.params(dialect.revision, method)(params))),
    ({ reason }) => Effect.sync(() => reason._tag === "SessionExpired" ? session.lose(epoch) : undefined)
  )
}

const invalidCall = (method: string, problem: string): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidCall({ method, problem }))

/** RPC-1: params are an object, whatever a definition says. */
const object = (params: unknown): JsonRpc.JsonObject => JsonRpc.isJsonObject(params) ? params : {}
