/**
 * Whether a fiber can be interrupted where it is.
 */
import type * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"

/** Fibers have it, but their public type does not say so. */
export const isUninterruptible = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  Predicate.hasProperty(fiber, "interruptible") && fiber.interruptible === false
