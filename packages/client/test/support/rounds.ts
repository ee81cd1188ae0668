/**
 * A server of the modern era that asks before it answers, for tests of the client alone.
 */
import type { Outgoing } from "@effect-mcp/core/ClientTransport"
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type * as McpClientError from "@effect-mcp/core/McpClientError"
import * as Effect from "effect/Effect"
import * as Handlers from "../../src/Handlers.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Scripted from "./scripted.ts"

/** An answer to each of the three methods. */
export const answer: JsonObject = { resultType: "complete", content: [], contents: [], messages: [] }

/** A result that asks for input. */
export const required = (inputRequests?: JsonObject, more?: JsonObject): JsonObject => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? undefined : { inputRequests }),
  ...more
})

/** Replies to the requests in their turn, and at the end with an answer. */
export const inTurn = (...replies: ReadonlyArray<Scripted.Reply>): Scripted.Script => {
  let turn = 0
  return () => replies[turn++] ?? answer
}

export const form = (message = "Who?", properties: JsonObject = { a: { type: "string" } }): JsonObject => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties } }
})

export const url: JsonObject = {
  method: "elicitation/create",
  params: { mode: "url", message: "Look", url: "https://example.com" }
}

export const sampling = (more?: JsonObject): JsonObject => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10, ...more }
})

export const roots: JsonObject = { method: "roots/list" }

export const message = { role: "assistant", content: { type: "text", text: "Ho" }, model: "m" } as const

/** Handlers for whatever can be asked. */
export const everything = {
  elicitation: {
    form: () => Effect.succeed(Handlers.accept({ a: "b" })),
    url: () => Effect.succeed(Handlers.accept())
  },
  sampling: { createMessage: () => Effect.succeed(message), tools: true, context: true },
  roots: [{ uri: "file:///a", name: "A" }]
} satisfies McpClient.Options

/** What was sent after the discovery. */
export const requests = ({ sent }: Scripted.Scripted): ReadonlyArray<Outgoing> =>
  sent.filter(({ message }) => message.method !== "server/discover")

/** The params of what was sent, without `_meta`. */
export const params = (transport: Scripted.Scripted): ReadonlyArray<JsonObject> =>
  requests(transport).map(({ message }) => {
    const { _meta, ...params } = message.params ?? {}
    return params
  })

export const capabilities = (request: Outgoing | undefined): unknown =>
  Scripted.metaOf(request)["io.modelcontextprotocol/clientCapabilities"]

/** The reason of an error of the client's own side. */
export const reason = (error: { readonly _tag: string } | McpClientError.McpClientError) =>
  "reason" in error ? error.reason : undefined
