/**
 * Who answers what a server asks, for whichever client: a person with a model and folders, who tells what it was shown.
 */
import * as Effect from "effect/Effect"
import * as contract from "../fixtures/contract.ts"
import { type Json, Refusal } from "./peer.ts"

/** What all clients declare. The official ones fill in defaults if that is declared to be so. */
export const capabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: { tools: {} },
  roots: {}
}

/** What a refusal of the person is called (ERR-13). */
export const refusal = { code: -1, message: "The person refuses" }

export interface Person {
  /** The answer. There is none where the person refuses, and the protocol has no answer for that. */
  readonly answer: (method: string, params: Json) => Json | undefined
  /** Takes what was asked since the last time, by what it is. */
  readonly asked: () => ReadonlyArray<Json>
}

/** Some servers leave out what others send. */
const shown = (method: string, { _meta, mode, ...params }: Json): Json =>
  method === "roots/list"
    ? { roots: params }
    : method === "sampling/createMessage"
    ? { model: params }
    : mode === "url"
    ? { visit: params }
    : { form: params }

const lastOf = ({ messages }: Json) => (messages as ReadonlyArray<{ readonly content: any }>).at(-1)?.content

/** In some revisions several values are asked for as one text. */
const fill = (properties: Json, fillsIn: boolean): Json =>
  Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, Json>>).flatMap(([name, field]) => {
      const value = contract.entered[name as keyof typeof contract.entered] ?? (fillsIn ? field.default : undefined)
      return value === undefined
        ? []
        : [[name, Array.isArray(value) && field.type === "string" ? value.join(", ") : value]]
    })
  )

/** By default the library of the client has to fill in what has a default. */
export const make = (fillsIn = false): Person => {
  const asked: Array<Json> = []
  return {
    asked: () => asked.splice(0),
    answer: (method, params) => {
      asked.push(shown(method, params))
      switch (method) {
        case "roots/list":
          return { roots: contract.roots }
        case "sampling/createMessage": {
          const last = lastOf(params)
          if (contract.actionOf(last?.text) !== "accept") return undefined
          return params.tools !== undefined && last?.type === "text" ? contract.toolUse : contract.sampled
        }
        default: {
          const action = contract.actionOf(params.message)
          if (action !== "accept" || params.mode === "url") return { action }
          const { properties } = params.requestedSchema as { readonly properties: Json }
          return { action, content: fill(properties, fillsIn) }
        }
      }
    }
  }
}

/** Answers round by round what a server asks in the place of an answer, without the client's own way to (MRTR-6). */
export const inRounds = Effect.fnUntraced(function*(
  person: Person,
  params: Json,
  send: (params: Json) => Effect.Effect<Json, Refusal>
) {
  let retry = params
  while (true) {
    const result = yield* send(retry)
    if (result.resultType !== "input_required") return result
    const inputResponses: Record<string, Json> = {}
    const questions = Object.entries((result.inputRequests ?? {}) as Readonly<Record<string, Json>>)
    for (const [key, { method, params }] of questions) {
      const answer = person.answer(String(method), (params ?? {}) as Json)
      if (answer === undefined) return yield* new Refusal({ ...refusal, data: undefined })
      inputResponses[key] = answer
    }
    retry = {
      ...params,
      ...questions.length > 0 && { inputResponses },
      ...result.requestState !== undefined && { requestState: result.requestState }
    }
  }
})
