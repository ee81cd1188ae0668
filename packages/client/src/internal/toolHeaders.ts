/**
 * The arguments of tools that HTTP mirrors into headers, as far as the lists seen so far tell (HDR-10, HDR-14).
 */
import type { Mirror } from "@effect-mcp/core/ClientTransport"
import type * as Limits from "@effect-mcp/core/Limits"
import * as ParameterHeader from "@effect-mcp/core/ParameterHeader"
import type { ListToolsResult, Tool } from "@effect-mcp/core/schema/Tools"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

type Spec = ReadonlyArray<ParameterHeader.ParameterHeader>

export interface ToolHeaders {
  readonly get: (name: string) => Spec | undefined
  /** Learns from a page, and leaves out the tools that break the rules. */
  readonly filter: (page: ListToolsResult) => Effect.Effect<ListToolsResult>
}

/** For transports without headers, which may ignore the annotations. */
export const none: ToolHeaders = { get: () => undefined, filter: Effect.succeed }

export const make = ({ jsonDepth, toolSchemas }: Limits.Values): ToolHeaders => {
  const specs = new Map<string, Spec>()
  const learn = (tool: Tool): string | undefined => {
    const spec = ParameterHeader.scan(tool.inputSchema, { maxDepth: jsonDepth })
    // Inserted anew, so that the oldest stands first.
    specs.delete(tool.name)
    if (Result.isFailure(spec)) return spec.failure.message
    if (spec.success.length > 0) specs.set(tool.name, spec.success)
    if (specs.size > toolSchemas) specs.delete(specs.keys().next().value ?? tool.name)
    return undefined
  }
  return {
    get: (name) => specs.get(name),
    filter: (page) => {
      const hidden: Array<Hidden> = []
      const tools = page.tools.filter((tool) => {
        const reason = learn(tool)
        if (reason !== undefined) hidden.push({ tool: tool.name, reason })
        return reason === undefined
      })
      return hidden.length === 0 ? Effect.succeed(page) : Effect.as(report(hidden), { ...page, tools })
    }
  }
}

interface Hidden {
  readonly tool: string
  readonly reason: string
}

/** A server must not be able to fill the log with one page. */
const reported = 20

const report = (hidden: ReadonlyArray<Hidden>): Effect.Effect<void> => {
  const others = hidden.length - reported
  return Effect.andThen(
    // The texts are the server's, so that they are left to the logger to write.
    Effect.forEach(
      hidden.slice(0, reported),
      (why) => Effect.annotateLogs(Effect.logWarning("A tool was left out of tools/list"), { ...why }),
      { discard: true }
    ),
    others > 0 ? Effect.logWarning(`${others} more tools were left out of tools/list`) : Effect.void
  )
}

/** What a call of a tool mirrors. */
export const mirror = (spec: Spec | undefined, args: unknown): Mirror["params"] =>
  spec === undefined || spec.length === 0 ? [] : ParameterHeader.values(spec, args)

/** Whether two calls mirror the same. */
export const same = (one: Mirror["params"], other: Mirror["params"]): boolean =>
  one.length === other.length &&
  one.every(([header, value], index) => header === other[index]?.[0] && value === other[index][1])
