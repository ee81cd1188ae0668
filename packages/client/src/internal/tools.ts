/**
 * Tools: their list without the ones HTTP may not call, and their calls with what HTTP mirrors.
 */
import type { Mirror, RequestError } from "@effect-mcp/core/ClientTransport"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type * as Limits from "@effect-mcp/core/Limits"
import * as Method from "@effect-mcp/core/Method"
import type { CallToolResult, ListToolsResult } from "@effect-mcp/core/schema/Tools"
import type * as Tool from "@effect-mcp/core/Tool"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Accepted, CallEvent, CustomOptions, ListOptions, RequestOptions } from "../RequestOptions.ts"
import * as Contracts from "./contracts.ts"
import type { Connection } from "./connection.ts"
import { request } from "./exchange.ts"
import * as Pages from "./pages.ts"
import { core, type Prepared } from "./prepared.ts"
import * as ToolHeaders from "./toolHeaders.ts"

export const make = (connection: Connection, limits: Limits.Values) => {
  const { mirrors } = connection.transport
  const headers = mirrors ? ToolHeaders.make(limits) : ToolHeaders.none

  const listTools = <R = never>(
    options?: ListOptions<R>
  ): Effect.Effect<ListToolsResult, RequestError, R> =>
    Effect.flatMap(
      request(connection, core.toolsList, page(options), options),
      // The legacy era mirrors no arguments, and can call every tool.
      (page) => connection.dialect.era === "modern" ? headers.filter(page) : Effect.succeed(page)
    )

  const tools = Pages.walk(connection, Method.toolsList.name, (cursor) => listTools({ cursor }), (page) => page.tools)

  /** What a call mirrors by the lists seen so far. */
  const mirrorOf = ({ arguments: args, name }: JsonObject): Mirror["params"] =>
    typeof name === "string" ? ToolHeaders.mirror(headers.get(name), args) : []

  const send = <R, RC = never, A extends Accepted = {}>(
    prepared: Prepared<R>,
    params: JsonObject,
    options: CustomOptions<A, RC> | undefined,
    mirrored: Mirror["params"]
  ): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> => {
    const call = request(connection, prepared, params, options, mirrored)
    return mirrors
      ? Effect.catchTag(call, "HeaderMismatch", (error) =>
        // HDR-18: the schema has changed, or was never seen. Where the list leads to the same headers it is something
        // else, and sending them again would not help.
        Effect.flatMap(refresh(params.name), () => {
          const now = mirrorOf(params)
          return ToolHeaders.same(mirrored, now)
            ? Effect.fail(error)
            : request(connection, prepared, params, options, now)
        }))
      : call
  }

  /** Reads the list up to a tool. */
  const refresh = (name: unknown): Effect.Effect<void, RequestError> =>
    Stream.runDrain(Stream.takeUntil(tools, (tool) => tool.name === name))

  /** Calls a tool that is known from the lists, if at all. */
  const byName = <R, RC = never, A extends Accepted = {}>(
    prepared: Prepared<R>,
    params: JsonObject,
    options: CustomOptions<A, RC> | undefined
  ): Effect.Effect<R | A[keyof A]["Type"], RequestError, RC> => send(prepared, params, options, mirrorOf(params))

  const callTool = <R = never>(
    name: string,
    args?: JsonObject | undefined,
    options?: RequestOptions<R>
  ): Effect.Effect<CallToolResult, RequestError, R> => byName(core.toolsCall, paramsOf(name, args), options)

  const call = <T extends Tool.Any, R = never>(
    tool: T,
    args: Tool.Input<T>,
    options?: RequestOptions<R>
  ): Effect.Effect<
    Tool.Output<T>,
    T["failure"]["Type"] | Tool.ToolFailure | RequestError,
    Tool.CallServices<T> | R
  > =>
    Effect.flatMap(
      Contracts.encode(Method.toolsCall.name, `the arguments of ${tool.name}`, tool.input, args),
      (encoded) =>
        Effect.flatMap(
          send(core.toolsCall, paramsOf(tool.name, encoded), options, ToolHeaders.mirror(tool.headers, encoded)),
          (result) => Contracts.read(tool, result, connection.dialect.revision)
        )
    )

  const callWithProgress = <T extends Tool.Any, R = never>(
    tool: T,
    args: Tool.Input<T>,
    options?: Omit<RequestOptions<R>, "onProgress">
  ): Stream.Stream<
    CallEvent<Tool.Output<T>>,
    T["failure"]["Type"] | Tool.ToolFailure | RequestError,
    Tool.CallServices<T> | R
  > =>
    Stream.callback<
      CallEvent<Tool.Output<T>>,
      T["failure"]["Type"] | Tool.ToolFailure | RequestError,
      Tool.CallServices<T> | R
    >(
      (queue: Queue.Queue<CallEvent<Tool.Output<T>>, T["failure"]["Type"] | Cause.Done>) =>
        Effect.flatMap(
          call(tool, args, {
            ...options,
            onProgress: (progress) => Queue.offer(queue, { _tag: "Progress", progress })
          }),
          (result) => Effect.andThen(Queue.offer(queue, { _tag: "Result", result }), Queue.end(queue))
        ),
      // A reader that is slower than the server slows the server's stream.
      { bufferSize: 16, strategy: "suspend" }
    )

  return { methods: { listTools, tools, callTool, call, callWithProgress }, byName }
}

/** A call of a tool in whatever form its method is defined. */
export type CallByName = ReturnType<typeof make>["byName"]

const paramsOf = (name: string, args: JsonObject | undefined): JsonObject =>
  args === undefined ? { name } : { name, arguments: args }

/** The params of a request for a page. */
export const page = (options: ListOptions<unknown> | undefined): JsonObject =>
  options?.cursor === undefined ? {} : { cursor: options.cursor }
