/**
 * From a question of the server to the handler it is for, and back (PING-1, ERR-13 to ERR-15).
 */
import * as Form from "@effect-mcp/core/ElicitationForm"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as ElicitationModel from "@effect-mcp/core/schema/Elicitation"
import * as RootsModel from "@effect-mcp/core/schema/Roots"
import * as SamplingModel from "@effect-mcp/core/schema/Sampling"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Asker, Elicitation, FormAnswer, Handlers, RootsOption, Sampling, UrlAnswer } from "../Handlers.ts"
import { type Capabilities, type Question, undeclared } from "./capabilities.ts"

type Answer<R> = Effect.Effect<JsonRpc.JsonObject, McpError.McpError, R>

type Respond<R> = (question: Question, asker: Asker) => Answer<R>

const elicitParams = decodeOpen(ElicitationModel.ElicitRequestParams)
const elicitResult = decodeOpen(ElicitationModel.ElicitResult)
const samplingParams = decodeOpen(SamplingModel.CreateMessageRequestParams)
const samplingResult = decodeOpen(SamplingModel.CreateMessageResult)
const rootsResult = decodeOpen(RootsModel.ListRootsResult)

const empty: JsonRpc.JsonObject = {}

/** Answers questions of the kinds that were declared. What goes wrong inside of a handler is in the log, and nowhere else. */
export const make = <R>({ elicitation, roots, sampling }: Handlers<R>): Respond<R> => ({ method, params }, asker) =>
  Effect.tapCauseIf(
    Effect.suspend(() => {
      switch (method) {
        case Method.rootsList.name:
          return roots === undefined ? noHandler(method) : listRoots(roots)
        case Method.createMessage.name:
          return sampling === undefined ? noHandler(method) : sample(sampling, params, asker)
        case Method.elicit.name:
          return elicitation === undefined ? noHandler(method) : elicit(elicitation, params, asker)
        default:
          return noHandler(method)
      }
    }),
    Cause.hasDies,
    (cause) => Effect.logError("A handler of the client has died", cause)
  )

/** Answers the requests of a server of the legacy era: pings, and what was declared. */
export const onWire = <R>(respond: Respond<R>, capabilities: Capabilities): Respond<R> => (request, asker) => {
  const { method } = request
  const { revision } = asker
  if (Method.request(Method.core, method, revision, "server") === undefined) return notFound(method)
  if (method === Method.ping.name) return Effect.succeed(empty)
  const missing = undeclared(capabilities(revision), request)
  if (missing === undefined) return respond(request, asker)
  return missing[1] === undefined
    ? notFound(method)
    : invalidParams(`The client has not declared ${missing.join(".")}`)
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
  const problem = SamplingModel.toolUseProblem(params.success.messages)
  return problem === undefined
    ? Effect.map(sampling.createMessage(params.success, asker), (result) => fitting(samplingResult(result)))
    : invalidParams(problem)
}

const elicit = <R>(
  elicitation: Elicitation<R>,
  raw: JsonRpc.JsonObject | undefined,
  asker: Asker
): Answer<R> => {
  const params = elicitParams(raw)
  if (Result.isFailure(params)) return invalidParams(params.failure.message)
  if (params.success.mode === "url") {
    return elicitation.url === undefined
      ? noHandler("addresses")
      : Effect.map(elicitation.url(params.success, asker), urlResult)
  }
  const { requestedSchema } = params.success
  return elicitation.form === undefined
    ? noHandler("forms")
    : Effect.flatMap(
      elicitation.form(params.success, asker),
      (answer) => formResult(asker.revision, requestedSchema, answer)
    )
}

const urlResult = ({ action }: UrlAnswer): JsonRpc.JsonObject => ({ action }) // ELI-16

const formResult = (
  revision: Revision.Revision,
  schema: ElicitationModel.RequestedSchema,
  answer: FormAnswer
): Answer<never> => {
  if (answer.action !== "accept") return Effect.succeed({ action: answer.action })
  const given = Form.withDefaults(schema, answer.content)
  const content = Revision.order(revision, "2025-11-25") < 0 ? listsAsText(schema, given) : given
  const problems = Form.problems(schema, content)
  return problems.length === 0
    ? Effect.sync(() => fitting(elicitResult({ action: "accept", content })))
    : Effect.andThen(
      Effect.logError("The answer of a form handler does not fit the form, and was not sent", problems),
      Effect.fail(new McpError.InternalError({ message: `The form was not filled in: ${problems.join(", ")}` }))
    )
}

/** ELI-11: a choice of several is asked for as one text where a revision has no lists. The handler need not know. */
const listsAsText = ({ properties }: ElicitationModel.RequestedSchema, content: Form.Values): Form.Values =>
  Object.fromEntries(
    Object.entries(content).map(([field, value]) => [
      field,
      Array.isArray(value) && Object.hasOwn(properties, field) && properties[field]?.type === "string"
        ? value.join(", ")
        : value
    ])
  )

/** The answer of a handler, which is wrong if it is none: a defect. */
const fitting = (result: Result.Result<unknown, Schema.SchemaError>): JsonRpc.JsonObject =>
  Result.getOrThrow(result) as JsonRpc.JsonObject

const invalidParams = (message: string): Answer<never> => Effect.fail(new McpError.InvalidParams({ message }))

/** What was declared for a single request may be what there is no handler for. */
const noHandler = (what: string): Answer<never> =>
  Effect.fail(new McpError.MethodNotFound({ message: `The client has no handler for ${what}` }))

/** ERR-14: also for what was not declared. */
const notFound = (method: string): Answer<never> =>
  Effect.fail(new McpError.MethodNotFound({ message: `Method not found: ${McpError.excerpt(method)}` }))
