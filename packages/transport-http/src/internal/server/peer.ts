/**
 * Who waits for an answer, and may go away before it is there.
 */
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

/** What has to know that the peer of a connection is gone. */
export interface Peer {
  /** The peer is gone. Called once at most. */
  readonly gone: () => void
}

/** Goes on when a fiber has ended, at once if it has already: then nothing waits for anything. */
export const settled = <A, E>(
  fiber: Fiber.Fiber<A, E>,
  next: (exit: Exit.Exit<A, E>) => Peer | undefined
): Peer | undefined => {
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return next(exit)
  const later = new Later()
  fiber.addObserver((exit) => later.settle(next(exit)))
  return later
}

/** The peer of something that is not known yet. */
class Later implements Peer {
  #isGone = false
  #peer: Peer | undefined

  settle(peer: Peer | undefined): void {
    this.#peer = peer
    if (this.#isGone) peer?.gone()
  }

  gone(): void {
    this.#isGone = true
    this.#peer?.gone()
  }
}
