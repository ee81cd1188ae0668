/**
 * What a session says unasked, until somebody listens: a client over HTTP may have no stream open for a while.
 */
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { Unrelated } from "@effect-mcp/core/ServerEndpoint"

export type Listener = (message: Unrelated) => void

export class Outbox {
  readonly #max: number
  readonly #onDrop: (message: Unrelated) => void
  readonly #listeners: Array<Listener> = []
  /** By what makes a later message say no more than an earlier one. */
  #waiting: Map<string, Unrelated> | undefined
  #isReady: boolean

  constructor(max: number, isReady: boolean, onDrop: (message: Unrelated) => void) {
    this.#max = max
    this.#isReady = isReady
    this.#onDrop = onDrop
  }

  get isHeard(): boolean {
    return this.#listeners.length > 0
  }

  /** The client is ready to be spoken to (INIT-8). */
  ready(): void {
    if (this.#isReady) return
    this.#isReady = true
    this.#flush()
  }

  /** LHTTP-15: of several listeners, the one that came last gets the messages. */
  listen(listener: Listener): () => void {
    this.#listeners.push(listener)
    this.#flush()
    return () => {
      const index = this.#listeners.indexOf(listener)
      if (index >= 0) this.#listeners.splice(index, 1)
    }
  }

  /** A change that was told and not heard is not told twice. */
  tell(notification: JsonRpc.Notification): void {
    const { method, params } = notification
    this.#push(typeof params?.uri === "string" ? `${method} ${params.uri}` : method, notification)
  }

  /** Every one of these counts. */
  put(message: Unrelated, id: JsonRpc.Id): void {
    this.#push(`${message.method} #${id}`, message)
  }

  /** A message that waits and means nothing any more. `false`: it has left. */
  takeBack(method: string, id: JsonRpc.Id): boolean {
    return this.#waiting?.delete(`${method} #${id}`) ?? false
  }

  clear(): void {
    this.#listeners.length = 0
    this.#waiting = undefined
  }

  #push(key: string, message: Unrelated): void {
    const listener = this.#isReady ? this.#listeners.at(-1) : undefined
    if (listener !== undefined) return listener(message)
    this.#waiting ??= new Map()
    this.#waiting.set(key, message)
    if (this.#waiting.size <= this.#max) return
    const [oldest] = this.#waiting
    if (oldest === undefined) return
    this.#waiting.delete(oldest[0])
    this.#onDrop(oldest[1])
  }

  #flush(): void {
    if (!this.#isReady || this.#waiting === undefined) return
    // A listener may give up in the middle of it, and the rest waits for the next.
    for (const [key, message] of this.#waiting) {
      const listener = this.#listeners.at(-1)
      if (listener === undefined) return
      this.#waiting.delete(key)
      listener(message)
    }
    this.#waiting = undefined
  }
}
