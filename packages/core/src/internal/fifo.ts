/**
 * A queue that can be read at any place. What has left it is not held, and leaving costs the same however long it is.
 */
export class Fifo<A> {
  #items: Array<A | undefined> = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: A): void {
    this.#items.push(item)
  }

  /** The item that was there for `index` items longest. */
  at(index: number): A | undefined {
    return this.#items[this.#head + index]
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }

  shift(): A | undefined {
    const item = this.#items[this.#head]
    if (this.#head === this.#items.length) return undefined
    this.#items[this.#head++] = undefined
    // Moving at most as many as have left since the last move keeps this at one move for each item, on average.
    if (this.#head >= 32 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
