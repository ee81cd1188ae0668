/**
 * The methods of a client beside those of tools.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Method from "@effect-mcp/core/Method"
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
import { type Connection, request as exchange } from "./exchange.ts"
import * as Pages from "./pages.ts"
import { core, notificationParams, prepare } from "./prepared.ts"
import { page } from "./tools.ts"

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

export const custom = (connection: Connection, enabled: ReadonlySet<string>) => {
  /** Why a method cannot be used on this connection, if it cannot. */
  const problem = (definition: Method.Definition): string | undefined => {
    const { revision } = connection.dialect
    if (!definition.sender.has("client")) return "only a server sends it"
    if (!definition.sentBy.client.has(revision)) return `the revision ${revision} does not have it`
    const { extension } = definition
    return extension === undefined || enabled.has(extension)
      ? undefined
      : `it belongs to the extension ${extension}, which is not on; give it to the client in the option \`extensions\``
  }

  const checked = (definition: Method.Definition, params: Result.Result<unknown, { readonly message: string }>) => {
    const why = problem(definition) ?? (Result.isFailure(params) ? params.failure.message : undefined)
    return why === undefined ? undefined : McpClientError.make(
      new McpClientError.InvalidCall({ method: definition.name, problem: why })
    )
  }

  const request = <P, R, RC = never, A extends Accepted = {}>(
    definition: Method.RequestDefinition<string, P, R>,
    params: P,
    options?: CustomOptions<A, RC>
  ): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> =>
    Effect.suspend(() => {
      const prepared = prepare(definition)
      const refused = checked(definition, prepared.decodeParams(params))
      return refused === undefined
        ? exchange(connection, prepared, object(params), options)
        : Effect.fail(refused)
    })

  const notify = <P>(
    definition: Method.NotificationDefinition<string, P>,
    params: P
  ): Effect.Effect<void, McpClientError.McpClientError> =>
    Effect.suspend(() => {
      const refused = checked(definition, notificationParams(definition)(params))
      return refused === undefined
        ? connection.transport.notify(JsonRpc.notification(definition.name, object(params)))
        : Effect.fail(refused)
    })

  return { request, notify }
}

/** RPC-1: params are an object, whatever a definition says. */
const object = (params: unknown): JsonRpc.JsonObject => JsonRpc.isJsonObject(params) ? params : {}
