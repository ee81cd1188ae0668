/**
 * The directories and files that the client lets a server work on (ROOT-1).
 *
 * @since 0.1.0
 */
import type * as McpError from "@effect-mcp/core/McpError"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as RootsModel from "@effect-mcp/core/schema/Roots"
import * as Effect from "effect/Effect"
import type { InteractionError } from "./InteractionError.ts"
import { ask } from "./internal/ask.ts"
import { reader } from "./internal/answers.ts"
import type { McpRequest } from "./McpRequest.ts"

/**
 * How the roots are asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What the answer is kept under between rounds, where the order of questions does not tell. */
  readonly key?: string | undefined
}

const read = reader(decodeOpen(RootsModel.ListRootsResult))

/**
 * The roots of the client.
 *
 * **Details**
 *
 * A client that does not declare `roots` is `MissingClientCapability`, and nothing is sent.
 *
 * **Gotchas**
 *
 * Roots are guidance and no protection: what a server may do on its machine is for the machine to say (ROOT-5). They may
 * be gone by the time they are used.
 *
 * **Example** (All roots, or none)
 *
 * ```ts
 * import * as Roots from "@effect-mcp/server/Roots"
 * import * as Effect from "effect/Effect"
 *
 * const folders = Roots.list.pipe(
 *   Effect.map((roots) => roots.map(({ uri }) => uri)),
 *   Effect.catchTag("MissingClientCapability", () => Effect.succeed([]))
 * )
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const list: Effect.Effect<
  ReadonlyArray<RootsModel.Root>,
  McpError.McpError | InteractionError,
  McpRequest
> = Effect.suspend(() => listWith({}))

/**
 * The roots of the client, as {@link list}, with options.
 *
 * @category questions
 * @since 0.1.0
 */
export const listWith = (
  options: Options
): Effect.Effect<ReadonlyArray<RootsModel.Root>, McpError.McpError | InteractionError, McpRequest> =>
  ask({
    method: "roots/list",
    params: {},
    needs: ["roots"],
    key: options.key,
    name: "Roots.list",
    trace: new Error(),
    read: (answer) => Effect.map(read(answer), ({ roots }) => roots)
  })
