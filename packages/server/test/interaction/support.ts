/**
 * A client that answers what it is asked, under any revision: by requests of the server in the legacy era, round by round
 * in the modern one.
 */
import { assert } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import * as Meta from "@effect-mcp/core/Meta"
import type { ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as Tool from "@effect-mcp/core/Tool"
import type * as McpError from "@effect-mcp/core/McpError"
import type * as InteractionError from "@effect-mcp/server/InteractionError"
import type * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { type LegacyRevision, open, revisions as legacyRevisions } from "../legacy/support.ts"
import { connect, type Json, type Params } from "../support.ts"

export type AnyRevision = LegacyRevision | "2026-07-28"

/** Every revision, oldest first. */
export const revisions: ReadonlyArray<AnyRevision> = [...legacyRevisions, "2026-07-28"]

/** Those with elicitation. */
export const withForms: ReadonlyArray<AnyRevision> = ["2025-06-18", "2025-11-25", "2026-07-28"]

export const everything = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {}
}

export interface Asked {
  readonly method: string
  readonly params: Json
  /** The modern era only. */
  readonly key: string | undefined
}

/** Answers a question. */
export type Answer = (asked: Asked) => JsonRpc.JsonObject

export interface Options {
  readonly capabilities?: Params | undefined
  readonly answer?: Answer | undefined
}

export interface Played {
  readonly response: JsonRpc.Response
  readonly asked: ReadonlyArray<Asked>
  /** The results that asked for input, in order. */
  readonly rounds: ReadonlyArray<Json>
}

/** Answers any question with what it is about. */
export const usual: Answer = ({ method, params }) => {
  switch (method) {
    case "roots/list":
      return { roots: [{ uri: "file:///work" }] }
    case "sampling/createMessage":
      return {
        role: "assistant",
        content: { type: "text", text: `re: ${params.messages[0].content.text}` },
        model: "test"
      }
    default:
      return {
        action: "accept",
        ...(params.mode === "url" ? undefined : {
          content: Object.fromEntries(
            Object.entries<Json>(params.requestedSchema.properties).map(([field, { type }]) =>
              [field, type === "string" ? `my ${field}` : type === "boolean" ? true : 7] as const
            )
          )
        })
      }
  }
}

/** Makes a request, and answers until it has its answer. */
export const play = (
  endpoint: ServerEndpoint,
  revision: AnyRevision,
  method: string,
  params: Params,
  options: Options = {}
): Effect.Effect<Played, McpClientError, Scope.Scope> =>
  revision === "2026-07-28"
    ? playRounds(endpoint, method, params, options)
    : playSession(endpoint, revision, method, params, options)

export const playTool = (
  endpoint: ServerEndpoint,
  revision: AnyRevision,
  name: string,
  options?: Options & { readonly args?: Params }
) => play(endpoint, revision, "tools/call", { name, arguments: options?.args ?? {} }, options)

const playSession = Effect.fnUntraced(function*(
  endpoint: ServerEndpoint,
  revision: LegacyRevision,
  method: string,
  params: Params,
  { answer = usual, capabilities = everything }: Options
) {
  const peer = yield* open(endpoint, revision, { capabilities: declared(revision, capabilities) })
  const asked: Array<Asked> = []
  const response = yield* peer.request(method, params, {
    onMessage: (message) => {
      if (message._tag !== "Request") return Effect.void
      const question = { method: message.method, params: message.params, key: undefined }
      asked.push(question)
      return peer.reply(JsonRpc.success(message.id, answer(question)))
    }
  })
  return { response, asked, rounds: [] }
})

/** What a client can declare under a revision (INIT-11). */
const declared = (revision: LegacyRevision, { elicitation, sampling, ...others }: Params): Params => {
  const isNew = revision === "2025-11-25"
  return {
    ...others,
    ...(sampling === undefined ? undefined : { sampling: isNew ? sampling : {} }),
    ...(elicitation === undefined ? undefined : { elicitation: isNew ? elicitation : {} })
  }
}

/** One round of the modern era. */
export const round = (
  endpoint: ServerEndpoint,
  method: string,
  params: Params,
  { capabilities = everything }: Options = {}
) => connect(endpoint).request(method, params, { meta: { [Meta.key.clientCapabilities]: capabilities } })

/** The result of a round that asks for input. */
export const inputRequired = (response: JsonRpc.Response): Json => {
  assert(response._tag === "Success", JSON.stringify(response))
  const result = JsonRpc.resultValue(response)
  assert.strictEqual(result.resultType, "input_required", JSON.stringify(result))
  return result
}

/** What a client sends to answer a round. */
export const answersTo = (result: Json, answer: Answer = usual): Params => ({
  inputResponses: Object.fromEntries(
    Object.entries<Json>(result.inputRequests).map((
      [key, { method, params }]
    ) => [key, answer({ method, params, key })])
  ),
  requestState: result.requestState
})

const playRounds = Effect.fnUntraced(function*(
  endpoint: ServerEndpoint,
  method: string,
  params: Params,
  options: Options
) {
  const asked: Array<Asked> = []
  const rounds: Array<Json> = []
  let more: Params = {}
  while (true) {
    const response = yield* round(endpoint, method, { ...params, ...more }, options)
    if (response._tag === "Failure" || JsonRpc.resultValue(response).resultType !== "input_required") {
      return { response, asked, rounds }
    }
    const result = inputRequired(response)
    rounds.push(result)
    assert(rounds.length < 50, "it does not end")
    more = answersTo(result, (question) => {
      asked.push(question)
      return (options.answer ?? usual)(question)
    })
  }
})

/** The text of the answer of a tool. */
export const textOf = ({ response }: Pick<Played, "response">): string => {
  assert(response._tag === "Success", JSON.stringify(response))
  const { content } = JsonRpc.resultValue(response) as Json
  return content[0].text
}

/** The error of an answer that has one. */
export const errorOf = ({ response }: Pick<Played, "response">) => {
  assert(response._tag === "Failure", JSON.stringify(response))
  return response.error
}

/** Has the model say something. */
export const say = (messages: string, key?: string) =>
  Effect.map(Sampling.createMessage({ messages, maxTokens: 10, key }), Sampling.textOf)

type Handler<R> = Effect.Effect<string, Tool.ToolFailure | McpError.McpError | InteractionError.InteractionError, R>

/** A tool named `ask`. */
export const asking = <R>(handler: Handler<R>, options?: McpServer.FeatureOptions) =>
  McpServer.tool(Tool.make("ask"), () => handler, options)

export type Handling = McpRequest.McpRequest | Scope.Scope

/** What is logged at a level that the operator has to see. */
export const captureLogs = () => {
  const logged: Array<Json> = []
  const layer = Logger.layer([
    Logger.make<unknown, void>(({ cause, logLevel, message }) => {
      logged.push({ level: logLevel, message, cause })
    })
  ])
  return { logged, layer }
}
