/**
 * Requests to the client's language model (SAMP-2).
 *
 * @since 0.1.0
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as SamplingModel from "@effect-mcp/core/schema/Sampling"
import type * as Wire from "@effect-mcp/core/schema/Tools"
import type * as Tool from "@effect-mcp/core/Tool"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InteractionError } from "./InteractionError.ts"
import { reader } from "./internal/answers.ts"
import { ask } from "./internal/ask.ts"
import type { Capability } from "./internal/clientCapabilities.ts"
import type { McpRequest } from "./McpRequest.ts"

/**
 * What the model is asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The conversation so far. A text stands for one message of the user. */
  readonly messages: string | ReadonlyArray<SamplingModel.SamplingMessage>
  /** The most tokens the model may write (SAMP-4). */
  readonly maxTokens: number
  /** Which model is wanted. The choice is the client's (SAMP-11). */
  readonly modelPreferences?: SamplingModel.ModelPreferences | undefined
  readonly systemPrompt?: string | undefined
  /** Deprecated by the protocol, and needs `sampling.context` from 2025-11-25 on (SAMP-12). */
  readonly includeContext?: "none" | "thisServer" | "allServers" | undefined
  readonly temperature?: number | undefined
  readonly stopSequences?: ReadonlyArray<string> | undefined
  readonly metadata?: JsonObject | undefined
  /** The tools the model may ask for, by contract or as they stand on the wire. Needs `sampling.tools` (SAMP-7). */
  readonly tools?: ReadonlyArray<Tool.Any | Wire.Tool> | undefined
  /** Whether the model may, must or must not ask for tools (SAMP-10). Needs `sampling.tools`. */
  readonly toolChoice?: SamplingModel.ToolChoice["mode"] | undefined
  /** What the answer is kept under between rounds, where the order of questions does not tell. */
  readonly key?: string | undefined
}

const readParams = decodeOpen(SamplingModel.CreateMessageRequestParams)

const read = reader(decodeOpen(SamplingModel.CreateMessageResult))

/**
 * Has the client's model answer. The person there may look at it, change it, and refuse it (SAMP-13).
 *
 * **Details**
 *
 * A client that does not declare `sampling`, or `sampling.tools` where tools are given, is `MissingClientCapability`, and
 * nothing is sent. A person who refuses is `UserRejected` up to revision 2025-11-25; in 2026-07-28 the client gives up
 * the request and does not come back (MRTR-13). Messages that no client may take (SAMP-8, SAMP-9) are `InvalidParams`.
 *
 * **Example** (A summary)
 *
 * ```ts
 * import * as Sampling from "@effect-mcp/server/Sampling"
 * import * as Effect from "effect/Effect"
 *
 * const summary = (text: string) =>
 *   Sampling.createMessage({ messages: `Summarize in one sentence: ${text}`, maxTokens: 200 }).pipe(
 *     Effect.map(Sampling.textOf)
 *   )
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const createMessage = (
  options: Options
): Effect.Effect<SamplingModel.CreateMessageResult, McpError.McpError | InteractionError, McpRequest> => {
  const trace = new Error()
  return Effect.suspend(() => {
    const params = paramsOf(options)
    const readable = readParams(params)
    const problem = Result.isFailure(readable)
      ? readable.failure.message
      : SamplingModel.toolUseProblem(readable.success.messages)
    return problem === undefined
      ? ask({ method: "sampling/createMessage", params, needs: needs(options), key: options.key, name, trace, read })
      : Effect.fail(new McpError.InvalidParams({ message: `Not a request to a model: ${problem}` }))
  })
}

const name = "Sampling.createMessage"

const needs = ({ includeContext = "none", toolChoice, tools }: Options): ReadonlyArray<Capability> => [
  tools === undefined && toolChoice === undefined ? "sampling" : "sampling.tools",
  ...(includeContext === "none" ? [] : ["sampling.context" as const])
]

const paramsOf = ({ key: _, messages, toolChoice, tools, ...options }: Options): JsonObject => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return {
    messages: typeof messages === "string" ? [userText(messages)] : messages,
    ...Object.fromEntries(given),
    ...(tools === undefined
      ? undefined
      : { tools: tools.map((tool) => "definition" in tool ? tool.definition : tool) }),
    ...(toolChoice === undefined ? undefined : { toolChoice: { mode: toolChoice } })
  }
}

const userText = (text: string): SamplingModel.SamplingMessage => ({ role: "user", content: { type: "text", text } })

export {
  /**
   * The blocks of an answer: its texts, and what it uses tools for.
   *
   * **Example** (What the model wants to use)
   *
   * ```ts
   * import * as Sampling from "@effect-mcp/server/Sampling"
   * import * as Effect from "effect/Effect"
   *
   * const uses = Sampling.createMessage({ messages: "What is the weather?", maxTokens: 100, toolChoice: "auto" }).pipe(
   *   Effect.map((answer) => Sampling.blocksOf(answer).flatMap((block) => block.type === "tool_use" ? [block.name] : []))
   * )
   * ```
   *
   * @category getters
   * @since 0.1.0
   */
  blocksOf
} from "@effect-mcp/core/schema/Sampling"

/**
 * The text of an answer: its blocks of text, one after the other.
 *
 * @category getters
 * @since 0.1.0
 */
export const textOf = (answer: Pick<SamplingModel.CreateMessageResult, "content">): string =>
  SamplingModel.blocksOf(answer).flatMap((block) => block.type === "text" ? [block.text] : []).join("\n")
