/**
 * What a client can do.
 *
 * @since 0.1.0
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type * as Method from "@effect-mcp/core/Method"
import type * as Prompt from "@effect-mcp/core/Prompt"
import type * as Resource from "@effect-mcp/core/Resource"
import type * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import type { Revision } from "@effect-mcp/core/Revision"
import type { ServerCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import type * as Completion from "@effect-mcp/core/schema/Completion"
import type { DiscoverResult } from "@effect-mcp/core/schema/Lifecycle"
import type * as Prompts from "@effect-mcp/core/schema/Prompts"
import type * as Resources from "@effect-mcp/core/schema/Resources"
import type * as Tools from "@effect-mcp/core/schema/Tools"
import type * as Tool from "@effect-mcp/core/Tool"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Negotiation } from "./Negotiation.ts"
import type { Notification } from "./Notifications.ts"
import type { Accepted, CallEvent, CustomOptions, ListOptions, RequestOptions } from "./RequestOptions.ts"

/**
 * What is known of the server. Who it says it is must decide nothing (META-15).
 *
 * @category models
 * @since 0.1.0
 */
export interface Server {
  /** The revision both sides settled on. */
  readonly revision: Revision
  /** All that is known to be spoken by the server. `initialize` tells one revision only. Empty when it was not asked. */
  readonly supportedVersions: ReadonlyArray<string>
  /** What it can do, unknown members included. Empty when it was not asked. */
  readonly capabilities: ServerCapabilities
  readonly info: Implementation | undefined
  /** Guidance for a model (DISC-6). */
  readonly instructions: string | undefined
}

/**
 * What a completion is for: a reference of the protocol, or a contract.
 *
 * @category models
 * @since 0.1.0
 */
export type CompletionTarget =
  | Completion.PromptReference
  | Completion.ResourceTemplateReference
  | Prompt.Any
  | ResourceTemplate.Any

/**
 * A client.
 *
 * **Details**
 *
 * The same calls work under every revision; what the one in use does not have fails with `NotInRevision`, before anything
 * is sent. Interrupting a request cancels it on the wire. Results are what the server sent, members that nobody knows and
 * cache hints (`ttlMs`, `cacheScope`) included. The streams of lists read a page when it is needed.
 *
 * What a server asks before it answers goes to the handlers of the client. A question that gets no answer fails the request
 * with `InputNotGiven` (MRTR-13), and more rounds of questions than the limit `inputRounds` with `LimitExceeded`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Client {
  /** The server as it is now: another session may have changed it. */
  readonly server: Server
  /** How the revision was found. */
  readonly negotiation: Negotiation
  /** Asks the server again what it is. The modern era only; before, it has said so once. */
  readonly discover: <R = never>(options?: RequestOptions<R>) => Effect.Effect<DiscoverResult, RequestError, R>

  /** Asks whether the server is there (PING-1). The legacy era only. */
  readonly ping: <R = never>(options?: RequestOptions<R>) => Effect.Effect<void, RequestError, R>
  /**
   * What the server tells from now on that belongs to no request, in the legacy era. A reader that is more than the limit
   * `streamBuffer` behind is ended with `LimitExceeded`; the stream ends with the connection. In the modern era nothing is
   * told unasked.
   */
  readonly notifications: Stream.Stream<Notification, McpClientError>

  /** Reads one page of the tools. Over HTTP those that may not be called are left out (HDR-14). */
  readonly listTools: <R = never>(options?: ListOptions<R>) => Effect.Effect<Tools.ListToolsResult, RequestError, R>
  /** Every tool. */
  readonly tools: Stream.Stream<Tools.Tool, RequestError>
  /** Calls a tool by its name. A failure of the tool is a result with `isError`. */
  readonly callTool: <R = never>(
    name: string,
    args?: JsonObject | undefined,
    options?: RequestOptions<R>
  ) => Effect.Effect<Tools.CallToolResult, RequestError, R>
  /**
   * Calls a tool by its contract. Failures it declares come back as what they were, any other as `ToolFailure`. An
   * output that does not fit the contract is `InvalidAnswer`.
   */
  readonly call: <T extends Tool.Any, R = never>(
    tool: T,
    args: Tool.Input<T>,
    options?: RequestOptions<R>
  ) => Effect.Effect<
    Tool.Output<T>,
    T["failure"]["Type"] | Tool.ToolFailure | RequestError,
    Tool.CallServices<T> | R
  >
  /** Calls a tool by its contract, and tells its progress on the way to the result. */
  readonly callWithProgress: <T extends Tool.Any, R = never>(
    tool: T,
    args: Tool.Input<T>,
    options?: Omit<RequestOptions<R>, "onProgress">
  ) => Stream.Stream<
    CallEvent<Tool.Output<T>>,
    T["failure"]["Type"] | Tool.ToolFailure | RequestError,
    Tool.CallServices<T> | R
  >

  /** Reads one page of the resources. */
  readonly listResources: <R = never>(
    options?: ListOptions<R>
  ) => Effect.Effect<Resources.ListResourcesResult, RequestError, R>
  /** Every resource that is listed. */
  readonly resources: Stream.Stream<Resources.Resource, RequestError>
  /** Reads one page of the resource templates. */
  readonly listResourceTemplates: <R = never>(
    options?: ListOptions<R>
  ) => Effect.Effect<Resources.ListResourceTemplatesResult, RequestError, R>
  /** Every resource template. */
  readonly resourceTemplates: Stream.Stream<Resources.ResourceTemplate, RequestError>
  /** Reads a resource. One that does not exist is `ResourceNotFound`, in each of the ways a revision has for it (RES-7). */
  readonly readResource: <R = never>(
    resource: string | Resource.Resource,
    options?: RequestOptions<R>
  ) => Effect.Effect<Resources.ReadResourceResult, RequestError, R>
  /** Reads the resource that a template has for these parameters. */
  readonly read: <T extends ResourceTemplate.Any, R = never>(
    template: T,
    parameters: ResourceTemplate.Input<T>,
    options?: RequestOptions<R>
  ) => Effect.Effect<Resources.ReadResourceResult, RequestError, T["parameters"]["EncodingServices"] | R>

  /** Reads one page of the prompts. */
  readonly listPrompts: <R = never>(
    options?: ListOptions<R>
  ) => Effect.Effect<Prompts.ListPromptsResult, RequestError, R>
  /** Every prompt. */
  readonly prompts: Stream.Stream<Prompts.Prompt, RequestError>
  /** Gets a prompt by its name. */
  readonly getPrompt: <R = never>(
    name: string,
    args?: { readonly [name: string]: string } | undefined,
    options?: RequestOptions<R>
  ) => Effect.Effect<Prompts.GetPromptResult, RequestError, R>
  /** Gets a prompt by its contract. */
  readonly get: <P extends Prompt.Any, R = never>(
    prompt: P,
    args: Prompt.Input<P>,
    options?: RequestOptions<R>
  ) => Effect.Effect<Prompts.GetPromptResult, RequestError, P["arguments"]["EncodingServices"] | R>

  /** Asks for values of an argument; `context` has the arguments that are known already (COMP-3). */
  readonly complete: <R = never>(
    ref: CompletionTarget,
    argument: { readonly name: string; readonly value: string },
    context?: { readonly [name: string]: string } | undefined,
    options?: RequestOptions<R>
  ) => Effect.Effect<Completion.CompleteResult, RequestError, R>

  /**
   * Sends any request of the protocol or of an extension that is on. `accept` has the kinds of result it takes beside
   * the one of the method: with `input_required` among them, what the server asks is for the caller to answer, in the
   * `inputResponses` of a request that is otherwise the same (MRTR-6).
   */
  readonly request: <P, A, RC = never, Accept extends Accepted = {}>(
    definition: Method.RequestDefinition<string, P, A>,
    params: P,
    options?: CustomOptions<Accept, RC>
  ) => Effect.Effect<A | Accept[keyof Accept]["Type"], RequestError, RC>
  /** Sends any notification of the protocol or of an extension that is on. */
  readonly notify: <P>(
    definition: Method.NotificationDefinition<string, P>,
    params: P
  ) => Effect.Effect<void, McpClientError>
}
