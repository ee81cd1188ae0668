/**
 * What everything of one server shares.
 */
import type * as Limits from "@effect-mcp/core/Limits"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Closing } from "./closing.ts"
import type { KeepAlive } from "./keepAlive.ts"

/** What the operator is told. */
export interface Tell {
  /** A message could not be written. */
  readonly unprintable: (method: string, cause: unknown) => void
  /** A peer did not read its stream. */
  readonly overflow: (method: string) => void
  /** The log of events does not work. */
  readonly logFailed: (cause: Cause.Cause<unknown> | string) => void
  /** A stream that was resumed could not go on. */
  readonly resumeFailed: (cause: Cause.Cause<unknown>) => void
  /** Something failed that nobody could foresee. */
  readonly defect: (cause: Cause.Cause<unknown>) => void
}

/** What all exchanges of a server share. */
export interface Shared {
  readonly limits: Limits.Values
  /** The calls of the server that have not ended. A stream that stays open is none of them. */
  readonly inFlight: { count: number }
  /** The streams of sessions that have begun. */
  readonly streams: { count: number }
  readonly keepAlive: KeepAlive | undefined
  readonly closing: Closing
  /** Starts an effect at once. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly tell: Tell
}
