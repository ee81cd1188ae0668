/**
 * From a request of the server to the handler it is for, and back (PING-1, ERR-13 to ERR-15).
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as ElicitationModel from "@effect-mcp/core/schema/Elicitation"
import * as RootsModel from "@effect-mcp/core/schema/Roots"
import * as SamplingModel from "@effect-mcp/core/schema/Sampling"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Asker, Elicitation, FormAnswer, Handlers, RootsOption, Sampling, UrlAnswer } from "../Handlers.ts"
import { elicitationModes } from "./capabilities.ts"
import * as Form from "./form.ts"
import { problemOf } from "./sampling.ts"

type Answer<R> = Effect.Effect<JsonRpc.JsonObject, McpError.McpError, R>

const elicitParams = decodeOpen(ElicitationModel.ElicitRequestParams)
const elicitResult = decodeOpen(ElicitationModel.ElicitResult)
const samplingParams = decodeOpen(SamplingModel.CreateMessageRequestParams)
const samplingResult = decodeOpen(SamplingModel.CreateMessageResult)
const rootsResult = decodeOpen(RootsModel.ListRootsResult)

const empty: JsonRpc.JsonObject = {}

export const make = <R>(handlers: Handlers<R>) => (request: JsonRpc.Request, asker: Asker): Answer<R> => {
  const { elicitation, roots, sampling } = handlers
  if (Method.request(Method.core, request.method, asker.revision, "server") === undefined) return notFound(request)
  switch (request.method) {
    case Method.ping.name:
      return Effect.succeed(empty)
    case Method.rootsList.name:
      return roots === undefined ? notFound(request) : listRoots(roots)
    case Method.createMessage.name:
      return sampling === undefined ? notFound(request) : sample(sampling, request.params, asker)
    case Method.elicit.name: {
      const modes = elicitationModes(elicitation, asker.revision)
      return elicitation === undefined || (!modes.form && !modes.url)
        ? notFound(request)
        : elicit(elicitation, modes, request.params, asker)
    }
    default:
      return notFound(request)
  }
}

const listRoots = <R>(roots: RootsOption<R>): Answer<R> =>
  Effect.map(
    SubscriptionRef.isSubscriptionRef(roots)
      ? SubscriptionRef.get(roots)
      : "list" in roots
      ? roots.list
      : Effect.succeed(roots),
    (roots) => fitting(rootsResult({ roots }))
  )

const sample = <R>(
  sampling: Sampling<R>,
  raw: JsonRpc.JsonObject | undefined,
  asker: Asker
): Answer<R> => {
  const params = samplingParams(raw)
  if (Result.isFailure(params)) return invalidParams(params.failure.message)
  const problem = problemOf(params.success, sampling)
  return problem === undefined
    ? Effect.map(sampling.createMessage(params.success, asker), (result) => fitting(samplingResult(result)))
    : invalidParams(problem)
}

const elicit = <R>(
  elicitation: Elicitation<R>,
  modes: ReturnType<typeof elicitationModes>,
  raw: JsonRpc.JsonObject | undefined,
  asker: Asker
): Answer<R> => {
  // ELI-4: without a mode it is a form. An undeclared mode is refused before anything else of it is looked at (ERR-15).
  const mode = raw?.mode ?? "form"
  if ((mode !== "form" || !modes.form) && (mode !== "url" || !modes.url)) {
    return invalidParams(
      `The client has not declared elicitation in the mode ${JSON.stringify(McpError.excerpt(mode))}`
    )
  }
  const params = elicitParams(raw)
  if (Result.isFailure(params)) return invalidParams(params.failure.message)
  if (params.success.mode === "url") {
    return elicitation.url === undefined
      ? invalidParams("The client opens no addresses")
      : Effect.map(elicitation.url(params.success, asker), urlResult)
  }
  const { requestedSchema } = params.success
  return elicitation.form === undefined
    ? invalidParams("The client has no forms")
    : Effect.flatMap(elicitation.form(params.success, asker), (answer) => formResult(requestedSchema, answer))
}

const urlResult = ({ action }: UrlAnswer): JsonRpc.JsonObject => ({ action }) // ELI-16

const formResult = (schema: ElicitationModel.RequestedSchema, answer: FormAnswer): Answer<never> => {
  if (answer.action !== "accept") return Effect.succeed({ action: answer.action })
  const content = Form.withDefaults(schema, answer.content)
  const problems = Form.problems(schema, content)
  return problems.length === 0
    ? Effect.sync(() => fitting(elicitResult({ action: "accept", content })))
    : Effect.andThen(
      Effect.logError("The answer of a form handler does not fit the form, and was not sent", problems),
      Effect.fail(new McpError.InternalError({ message: `The form was not filled in: ${problems.join(", ")}` }))
    )
}

/** The answer of a handler, which is wrong if it is none: a defect. */
const fitting = (result: Result.Result<unknown, Schema.SchemaError>): JsonRpc.JsonObject =>
  Result.getOrThrow(result) as JsonRpc.JsonObject

const invalidParams = (message: string): Answer<never> => Effect.fail(new McpError.InvalidParams({ message }))

/** ERR-14: also for what was not declared. */
const notFound = ({ method }: JsonRpc.Request): Answer<never> =>
  Effect.fail(new McpError.MethodNotFound({ message: `Method not found: ${McpError.excerpt(method)}` }))
