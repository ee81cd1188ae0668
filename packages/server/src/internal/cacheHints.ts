/**
 * Cache hints as an author writes them and as the wire has them (CACHE-1).
 */
import * as Duration from "effect/Duration"
import type * as Cache from "../features/Cache.ts"
import type { CacheHint } from "./registry.ts"

const none: CacheHint = { ttlMs: 0, cacheScope: "private" }

/** An integer that JSON can hold, also for a duration without an end. */
const millis = (ttl: Duration.Input): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(Duration.toMillis(ttl))))

export const make = (hint: Cache.CacheHint | undefined, base: CacheHint = none): CacheHint => ({
  ttlMs: hint?.ttl === undefined ? base.ttlMs : millis(hint.ttl),
  cacheScope: hint?.scope ?? base.cacheScope
})

export const all = (
  options: Cache.CacheOptions | undefined
): { readonly [K in keyof Cache.CacheOptions]-?: CacheHint } => ({
  discover: make(options?.discover),
  tools: make(options?.tools),
  prompts: make(options?.prompts),
  resources: make(options?.resources),
  resourceTemplates: make(options?.resourceTemplates),
  read: make(options?.read)
})
