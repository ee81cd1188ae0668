/**
 * From the response to a request to its typed result, or to the error it stands for.
 */
import type { RequestError } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Meta from "@effect-mcp/core/Meta"
import * as Method from "@effect-mcp/core/Method"
import { decodeOpen, Implementation } from "@effect-mcp/core/schema/Common"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Accepted } from "../RequestOptions.ts"
import type { Prepared } from "./prepared.ts"

/** Makes an `InvalidAnswer`. */
export const invalid = (method: string, problem: string, raw: unknown): McpClientError.McpClientError =>
  McpClientError.make(new McpClientError.InvalidAnswer({ method, problem, raw }))

/** Tells whether an extension that is on defines a kind of result for a method. */
export type Knows = (method: string, resultType: string) => boolean

/** The error a server answered with. */
export const error = (method: string, object: McpError.ErrorObject): McpError.McpError => {
  const { code, data } = object
  // RES-5, RES-7: the modern form has no code of its own, and means this only as the answer to this method.
  if (method === Method.resourcesRead.name && code === -32602 && JsonRpc.isJsonObject(data)) {
    if (typeof data.uri === "string") return new McpError.ResourceNotFound({ uri: data.uri })
  }
  return McpError.fromErrorObject(object)
}

const takes = <A extends Accepted>(accept: A | undefined, resultType: string): accept is A =>
  accept !== undefined && Object.hasOwn(accept, resultType)

/** Whether a result asks for input that is to be given, and not handed to the caller. */
export const wantsInput = (
  { definition }: Prepared,
  { resultType }: JsonRpc.JsonObject,
  accept: Accepted | undefined
): boolean => resultType === "input_required" && definition.multiRound && !takes(accept, resultType)

/** Who a result says it is from (DISC-2). It is for people to read, so that one who is none is no reason to fail (META-15). */
export const identityIn = ({ _meta }: JsonRpc.JsonObject): Implementation | undefined => {
  const info = JsonRpc.isJsonObject(_meta) ? _meta[Meta.key.serverInfo] : undefined
  return isImplementation(info) ? info : undefined
}

const isImplementation = Schema.is(Implementation)

/** Reads a result of the modern era by its `resultType`. One that wants input is not for here. */
export const result = <R, A extends Accepted>(
  prepared: Prepared<R>,
  raw: JsonRpc.JsonObject,
  accept: A | undefined,
  knows: Knows
): Result.Result<R | A[keyof A]["Type"], RequestError> => {
  const method = prepared.definition.name
  const { resultType } = raw
  // RPC-12: an older server has no `resultType`.
  if (resultType === undefined || resultType === "complete") return read(method, prepared.decodeResult, raw)
  if (typeof resultType !== "string") return Result.fail(invalid(method, "resultType is not a string", raw))
  if (resultType === "input_required" && !prepared.definition.multiRound) {
    return Result.fail(invalid(method, "it asks for input, which no answer to this method may do", raw)) // MRTR-2
  }
  if (resultType !== "input_required" && !knows(method, resultType)) {
    // RPC-13.
    return Result.fail(invalid(method, `unknown resultType ${JSON.stringify(resultType)}`, raw))
  }
  return takes(accept, resultType)
    ? read(method, decodeOpen<A[keyof A]["Type"]>(accept[resultType]), raw)
    : Result.fail(invalid(method, `a result of type ${JSON.stringify(resultType)} was not expected here`, raw))
}

/** Reads a result as what a schema says. In the legacy era there is no more to it: `resultType` means nothing there. */
export const read = <T>(
  method: string,
  decode: (input: unknown) => Result.Result<T, Schema.SchemaError>,
  raw: JsonRpc.JsonObject
): Result.Result<T, McpClientError.McpClientError> =>
  Result.mapError(decode(raw), (error) => invalid(method, error.message, raw))
