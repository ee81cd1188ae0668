/**
 * What a client checks of a request for sampling before its handler sees it.
 */
import type {
  CreateMessageRequestParams,
  SamplingMessage,
  SamplingMessageContentBlock
} from "@effect-mcp/core/schema/Sampling"
import type { Sampling } from "../Handlers.ts"

/** Why the request is refused, if it is. */
export const problemOf = (
  { messages, toolChoice, tools }: CreateMessageRequestParams,
  { tools: mayHaveTools }: Sampling<unknown>
): string | undefined =>
  (tools !== undefined || toolChoice !== undefined) && mayHaveTools !== true
    ? "The client has not declared sampling.tools" // SAMP-7
    : toolProblem(messages)

const blocks = ({ content }: SamplingMessage): ReadonlyArray<SamplingMessageContentBlock> =>
  Array.isArray(content) ? content : [content as SamplingMessageContentBlock]

/** ERR-13, SAMP-8, SAMP-9: the use of a tool is followed by its results, and they stand alone. */
const toolProblem = (messages: ReadonlyArray<SamplingMessage>): string | undefined => {
  let open: ReadonlySet<string> = new Set()
  for (const message of messages) {
    const content = blocks(message)
    const results = content.filter((block) => block.type === "tool_result").map((block) => block.toolUseId)
    if (results.length > 0 && (message.role !== "user" || results.length < content.length)) {
      return "Results of tools stand in a message of the user, with nothing else in it"
    }
    if (results.length !== open.size || !results.every((id) => open.has(id))) {
      return "The uses of tools and their results do not match"
    }
    open = new Set(content.filter((block) => block.type === "tool_use").map((block) => block.id))
  }
  return open.size > 0 ? "The results of a tool are missing" : undefined
}
