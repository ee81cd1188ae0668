/**
 * The rounds of a request whose answer depends on input: what the server asks in a result is answered, and the request is
 * sent again with the answers (MRTR-6 to MRTR-13).
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import type * as McpError from "@effect-mcp/core/McpError"
import type { Revision } from "@effect-mcp/core/Revision"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import { type InputRequests, InputRequiredResult } from "@effect-mcp/core/schema/InputRequired"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Asker } from "../Handlers.ts"
import { identityIn, read } from "./answer.ts"
import { type Question, undeclared } from "./capabilities.ts"
import type { Connection } from "./connection.ts"
import type { Prepared } from "./prepared.ts"

const decode = decodeOpen(InputRequiredResult)

/** From the params of a request, and the result that asks for input, to the params of the next round. */
export const next = (
  connection: Connection,
  revision: Revision,
  { definition }: Prepared,
  params: JsonObject,
  raw: JsonObject,
  capabilities: ClientCapabilities | undefined,
  rounds: number
): Effect.Effect<JsonObject, McpClientError.McpClientError> => {
  const method = definition.name
  const { maxRounds } = connection
  if (rounds >= maxRounds) return exceeded({ limit: "inputRounds", max: maxRounds })
  const result = read(method, decode, raw)
  if (Result.isFailure(result)) return Effect.fail(result.failure)
  const { inputRequests, requestState } = result.success
  // MRTR-9, MRTR-11: what an earlier round has brought is not sent again.
  const { inputResponses: _answers, requestState: _state, ...same } = params
  const again = requestState === undefined ? same : { ...same, requestState }
  // MRTR-7.
  if (inputRequests === undefined) return Effect.succeed(again)
  const asker = { server: connection.server.info ?? identityIn(raw), revision }
  const declared = connection.capabilities(revision, capabilities)
  return Effect.map(
    answers(connection, declared, method, inputRequests, asker),
    (inputResponses) => ({ ...again, inputResponses })
  )
}

/** Answers all the questions of one round, at the same time. When one of them gets no answer, the others need none. */
const answers = (
  connection: Connection,
  declared: ClientCapabilities,
  method: string,
  inputRequests: InputRequests,
  asker: Asker
): Effect.Effect<JsonObject, McpClientError.McpClientError> => {
  const questions = Object.entries(inputRequests)
  const { max } = connection.inFlight
  if (questions.length > max) return exceeded({ limit: "inFlightRequests", max, actual: questions.length })
  // Before a person is asked anything.
  for (const [key, question] of questions) {
    const missing = undeclared(declared, question)
    if (missing !== undefined) return notGiven(method, key, question, refusal(missing.join(".")))
  }
  if (questions.length === 0) return Effect.succeed({})
  return Effect.callback((resume) => {
    const given: Array<readonly [key: string, answer: JsonObject]> = []
    let open = questions.length
    const fibers: Array<Fiber.Fiber<JsonObject, McpError.McpError>> = []
    for (const [index, [key, question]] of questions.entries()) {
      const fiber = connection.answer(question, asker)
      fibers.push(fiber)
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) {
          // Handlers can be interrupted also where the request itself cannot.
          const others = Fiber.interruptAll(fibers)
          return resume(Effect.flatMap(others, () => failed(method, key, question, exit.cause)))
        }
        given[index] = [key, exit.value]
        // A key may be called anything, `__proto__` too.
        if (--open === 0) resume(Effect.succeed(Object.fromEntries(given)))
      })
    }
    return Fiber.interruptAll(fibers)
  })
}

/** MRTR-13: there is no way to tell the server. */
const failed = (
  method: string,
  key: string,
  question: Question,
  cause: Cause.Cause<McpError.McpError>
): Effect.Effect<never, McpClientError.McpClientError> => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  const otherwise = Cause.hasDies(cause) ? "its handler has died, and the log tells why" : "its handler was interrupted"
  return notGiven(method, key, question, error?.message ?? otherwise, error)
}

const refusal = (capability: string): string =>
  `the request has not declared ${capability}, which by default follows from the handlers given to McpClient.layer`

const notGiven = (
  method: string,
  key: string,
  { method: request }: Question,
  problem: string,
  cause?: McpError.McpError
): Effect.Effect<never, McpClientError.McpClientError> =>
  Effect.fail(McpClientError.make(new McpClientError.InputNotGiven({ method, key, request, problem, cause })))

const exceeded = (
  limit: ConstructorParameters<typeof McpClientError.LimitExceeded>[0]
): Effect.Effect<never, McpClientError.McpClientError> =>
  Effect.fail(McpClientError.make(new McpClientError.LimitExceeded(limit)))
