/**
 * The nonces of `NonceStore.layerMemory`.
 *
 * They are in a heap, with the next to expire at its top: each has a time of its own, so the order in which they came says
 * nothing. Those that have expired are removed from the top, a bounded number with each claim. One that has expired and was
 * not removed yet counts as forgotten.
 */
export interface Options {
  readonly max: number
  /** Milliseconds that never go back. */
  readonly now: () => number
}

interface Claim {
  readonly nonce: string
  readonly until: number
}

/** How many expired nonces one claim removes at most: enough to overtake any flood, and no stall for the caller. */
const sweep = 256

export class MemoryNonces {
  readonly #options: Options
  readonly #claims = new Map<string, Claim>()
  readonly #heap: Array<Claim> = []

  constructor(options: Options) {
    this.#options = options
  }

  claim(nonce: string, ttl: number): "claimed" | "known" | "full" {
    const now = this.#sweep()
    const known = this.#claims.get(nonce)
    if (known !== undefined && known.until > now) return "known"
    if (this.#heap.length >= this.#options.max) return "full"
    const claim: Claim = { nonce, until: now + ttl }
    this.#claims.set(nonce, claim)
    this.#push(claim)
    return "claimed"
  }

  /** Since it removes at least one if any has expired, nonces that have expired never keep a new one out. */
  #sweep(): number {
    const now = this.#options.now()
    for (let left = sweep; left > 0; left--) {
      const next = this.#heap[0]
      if (next === undefined || next.until > now) break
      this.#pop()
      // A nonce that was claimed again before this has another claim by now.
      if (this.#claims.get(next.nonce) === next) this.#claims.delete(next.nonce)
    }
    return now
  }

  #push(claim: Claim): void {
    const heap = this.#heap
    let place = heap.length
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || parent.until <= claim.until) break
      heap[place] = parent
      place = above
    }
    heap[place] = claim
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      const [below, child] = this.#earlierChild(place)
      if (child === undefined || child.until >= last.until) break
      heap[place] = child
      place = below
    }
    heap[place] = last
  }

  #earlierChild(place: number): readonly [place: number, claim: Claim | undefined] {
    const left = 2 * place + 1
    const first = this.#heap[left]
    const second = this.#heap[left + 1]
    return first !== undefined && second !== undefined && second.until < first.until
      ? [left + 1, second]
      : [left, first]
  }
}
