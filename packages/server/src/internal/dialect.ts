/**
 * What the answers of a revision look like, where handlers all speak the newest one.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Projection from "@effect-mcp/core/Projection"
import type * as Revision from "@effect-mcp/core/Revision"
import type { MethodResult } from "../features/Middleware.ts"

export interface Dialect {
  readonly result: (method: string, result: MethodResult) => MethodResult
  readonly error: (error: McpError.McpError) => McpError.ErrorObject
  /** The params of a notification or request of ours. */
  readonly params: (method: string, params: JsonRpc.JsonObject) => JsonRpc.JsonObject
  /** The result of a request of ours, as it would have been for these params in the newest revision. */
  readonly answer: (
    method: string,
    params: JsonRpc.JsonObject
  ) => (result: JsonRpc.JsonObject) => JsonRpc.JsonObject
}

/** RPC-10, META-14: every result says what it is, and whose it is unless that is turned off. */
export const modern = (resultMeta: JsonRpc.JsonObject | undefined): Dialect => ({
  result: (_, result) => {
    if (result instanceof JsonRpc.Prepared || result.resultType !== undefined && resultMeta === undefined) return result
    const meta = result._meta
    return {
      resultType: "complete",
      ...result,
      ...(resultMeta === undefined
        ? undefined
        : { _meta: JsonRpc.isJsonObject(meta) ? { ...meta, ...resultMeta } : resultMeta })
    }
  },
  error: (error) => McpError.toErrorObject(error),
  params: (_, params) => params,
  answer: () => (result) => result
})

export const legacy = (revision: Revision.Revision): Dialect => ({
  result: (method, result) => Projection.result(revision, method)(result),
  error: (error) => Projection.error(revision, error),
  params: (method, params) => Projection.params(revision, method)(params),
  answer: (method, params) => Projection.answer(revision, method, params)
})
