/**
 * How long and for whom answers may be cached.
 *
 * @since 0.1.0
 */
import type { CacheScope } from "@effect-mcp/core/schema/Params"
import type * as Duration from "effect/Duration"

/**
 * How long and for whom an answer may be cached (CACHE-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface CacheHint {
  /** How long an answer stays fresh. By default not at all. */
  readonly ttl?: Duration.Input | undefined
  /** `private` answers are for their client only. By default they are. */
  readonly scope?: CacheScope | undefined
}

/**
 * The hints of a server: for each list, for what it says of itself, and for resources that say nothing else.
 *
 * @category models
 * @since 0.1.0
 */
export interface CacheOptions {
  readonly discover?: CacheHint | undefined
  readonly tools?: CacheHint | undefined
  readonly prompts?: CacheHint | undefined
  readonly resources?: CacheHint | undefined
  readonly resourceTemplates?: CacheHint | undefined
  readonly read?: CacheHint | undefined
}
