/**
 * Progress of the request that is being answered.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { stateOf } from "./internal/requestState.ts"
import { McpRequest } from "./McpRequest.ts"

/**
 * How far the work has come.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  /** Increases with every report. */
  readonly progress: number
  /** The value at which the work is done, if it is known. */
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * Tells the client how far the work has come. Without a client that asked for it, it does nothing.
 *
 * **Details**
 *
 * Values have to increase (PROG-3): one that does not is dropped. After the answer nothing is sent (PROG-2). The effect
 * waits while the client reads more slowly than the handler reports.
 *
 * **Example** (Two steps)
 *
 * ```ts
 * import * as Progress from "@effect-mcp/server/Progress"
 * import * as Effect from "effect/Effect"
 *
 * const work = Effect.gen(function*() {
 *   yield* Progress.report({ progress: 1, total: 2, message: "half way" })
 *   yield* Progress.report({ progress: 2, total: 2 })
 * })
 * ```
 *
 * @category reporting
 * @since 0.1.0
 */
export const report = (progress: Progress): Effect.Effect<void, never, McpRequest> =>
  Effect.flatMap(McpRequest, (request) => {
    const { progressToken } = request
    const state = stateOf(request)
    if (progressToken === undefined) return Effect.void
    if (state !== undefined) {
      if (!(progress.progress > state.lastProgress) || !Number.isFinite(progress.progress)) return Effect.void
      state.lastProgress = progress.progress
    }
    return request.notify("notifications/progress", {
      progressToken,
      progress: progress.progress,
      // JSON has no other numbers.
      ...(Number.isFinite(progress.total) ? { total: progress.total } : undefined),
      ...(progress.message === undefined ? undefined : { message: progress.message })
    })
  })
