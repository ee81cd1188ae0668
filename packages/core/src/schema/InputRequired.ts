/**
 * The result that asks the client for more before it can be complete. Since 2026-07-28.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Common.ts"
import { ElicitRequestParams, ElicitResult } from "./Elicitation.ts"
import { inputResponseFields } from "./Params.ts"
import { ListRootsRequestParams, ListRootsResult } from "./Roots.ts"
import { CreateMessageRequestParams, CreateMessageResult } from "./Sampling.ts"

export {
  /**
   * The answers of a retry by key.
   *
   * @category schemas
   * @since 0.1.0
   */
  InputResponses
} from "./Params.ts"

/**
 * A question for the user, inside a result. Since 2026-07-28 (MRTR-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitRequest extends Schema.Schema.Type<typeof ElicitRequest> {}

/**
 * Accepts a question for the user. It is no message: it has neither an id nor `jsonrpc` (META-18).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitRequest = Schema.Struct({
  method: Schema.Literal("elicitation/create"),
  params: ElicitRequestParams
})

/**
 * A request to the client's model, inside a result. Since 2026-07-28 (MRTR-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateMessageRequest extends Schema.Schema.Type<typeof CreateMessageRequest> {}

/**
 * Accepts a request to the client's model (META-18).
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateMessageRequest = Schema.Struct({
  method: Schema.Literal("sampling/createMessage"),
  params: CreateMessageRequestParams
})

/**
 * A request for the client's roots, inside a result. Since 2026-07-28 (MRTR-4).
 *
 * @category models
 * @since 0.1.0
 */
export interface ListRootsRequest extends Schema.Schema.Type<typeof ListRootsRequest> {}

/**
 * Accepts a request for the client's roots (META-18).
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListRootsRequest = Schema.Struct({
  method: Schema.Literal("roots/list"),
  params: Schema.optional(ListRootsRequestParams)
})

/**
 * Anything a result may ask for (MRTR-4).
 *
 * @category models
 * @since 0.1.0
 */
export type InputRequest = typeof InputRequest.Type

/**
 * Accepts anything a result may ask for, told apart by the method (MRTR-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputRequest = Schema.Union([ElicitRequest, CreateMessageRequest, ListRootsRequest])

/**
 * Everything a result asks for, under keys that the answers repeat (MRTR-4, MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export type InputRequests = typeof InputRequests.Type

/**
 * Accepts everything a result asks for (MRTR-4).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputRequests = Schema.Record(Schema.String, InputRequest)

/**
 * The result that asks for input, state, or both. Since 2026-07-28 (MRTR-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface InputRequiredResult extends Schema.Schema.Type<typeof InputRequiredResult> {}

/**
 * Accepts a result that asks for more: it has at least one of `inputRequests` and `requestState` (MRTR-3).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputRequiredResult = Schema.Struct({
  _meta: Schema.optional(Meta),
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.optional(InputRequests),
  requestState: Schema.optional(Schema.String)
}).check(Schema.makeFilter(
  (result) => result.inputRequests !== undefined || result.requestState !== undefined,
  { expected: "inputRequests or requestState", arbitraryConstraint: { minProperties: 2 } }
))

/**
 * Any answer to a request for input (MRTR-12).
 *
 * @category models
 * @since 0.1.0
 */
export type InputResponse = typeof InputResponse.Type

/**
 * Accepts any answer to a request for input. Where the question is known, decode with the schema of its own answer
 * instead, because nothing in an answer says what it answers (MRTR-12, MRTR-19).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputResponse = Schema.Union([CreateMessageResult, ElicitResult, ListRootsResult])

/**
 * The common part of the params that may be a retry. Since 2026-07-28 (MRTR-2, MRTR-6).
 *
 * @category models
 * @since 0.1.0
 */
export interface InputResponseRequestParams extends Schema.Schema.Type<typeof InputResponseRequestParams> {}

/**
 * Accepts the common part of the params that may be a retry (MRTR-6).
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputResponseRequestParams = Schema.Struct({
  _meta: Schema.optional(Meta),
  ...inputResponseFields
})
