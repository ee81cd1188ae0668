/**
 * Lines on their way out: one write for all that is produced in one tick, and a bound on what waits for a peer that
 * does not read.
 *
 * A line costs a push into an array. The queue itself never refuses one: who produces lines asks {@link Output.isFull}
 * before it makes more.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** A line that is printed when it is its turn. */
interface Later {
  readonly print: () => string
  readonly size: number
}

/** Characters that are joined into one write: a pipe takes no more at once anyway. */
const writeSize = 256 * 1024

export class Output {
  readonly #maxSize: number
  readonly #maxLines: number
  #lines: Array<string | Later> = []
  #first = 0
  // Characters that wait, those of the write that is under way included.
  #size = 0
  #writing = 0
  #taken = 0
  // Lines that are not printed yet, whose size is not known.
  #unprinted = 0
  #state: "open" | "ending" | "closed" = "open"
  #wakeWriter: (() => void) | undefined
  #waiting: Array<() => void> = []

  constructor(maxSize: number, maxLines: number) {
    this.#maxSize = maxSize
    this.#maxLines = maxLines
  }

  /** Whether the peer has to read before more should be produced. */
  get isFull(): boolean {
    return this.#size >= this.#maxSize || this.#unprinted > 0 || this.#lines.length - this.#first >= this.#maxLines
  }

  /** Whether the peer is gone. */
  get isClosed(): boolean {
    return this.#state === "closed"
  }

  /** Grows with every write that the peer has taken. */
  get progress(): number {
    return this.#taken
  }

  /** Whether a write is under way that the peer has not taken. */
  get isBusy(): boolean {
    return this.#writing > 0
  }

  /** Sends a line. `onLeave` is told when it is handed to the system. */
  write(line: string, onLeave?: () => void): void {
    if (this.#state !== "open") return
    this.#size += line.length
    this.#push(
      onLeave === undefined ? line : {
        size: line.length,
        print: () => {
          onLeave()
          return line
        }
      }
    )
  }

  /** Sends a line that is printed when there is room for it: until then it needs no memory of its own. */
  writeLater(print: () => string): void {
    if (this.#state !== "open") return
    if (!this.isFull) return this.write(print())
    this.#unprinted++
    this.#push({ print, size: 0 })
  }

  #push(line: string | Later): void {
    this.#lines.push(line)
    const wake = this.#wakeWriter
    if (wake === undefined) return
    this.#wakeWriter = undefined
    wake()
  }

  /** Waits until {@link isFull} is over. */
  readonly drained: Effect.Effect<void> = Effect.suspend(() =>
    this.isFull && this.#state !== "closed"
      ? Effect.callback<void>((resume) => {
        const wake = () => resume(Effect.void)
        this.#waiting.push(wake)
        return Effect.sync(() => {
          this.#waiting = this.#waiting.filter((other) => other !== wake)
        })
      })
      : Effect.void
  )

  /** No more lines will come. {@link stream} ends when those that wait have left. */
  end(): void {
    if (this.#state === "open") this.#state = "ending"
    this.#wakeWriter?.()
  }

  /** The peer is gone: whatever waits is dropped, and whatever comes. */
  close(): void {
    this.#state = "closed"
    this.#lines = []
    this.#first = 0
    this.#size = 0
    this.#unprinted = 0
    this.#wakeWaiting()
    this.#wakeWriter?.()
  }

  /** The text, one write an element. A pull means that the write before has been taken. */
  readonly stream: Stream.Stream<string> = Stream.fromPull(Effect.sync(() => this.#pull))

  readonly #pull: Pull.Pull<readonly [string]> = Effect.suspend(() => {
    this.#size -= this.#writing
    this.#taken += this.#writing
    this.#writing = 0
    if (this.#waiting.length > 0 && this.#hasRoom()) this.#wakeWaiting()
    if (this.#first < this.#lines.length) return Effect.sync(this.#take)
    return this.#state === "open" ? this.#next : Cause.done()
  })

  readonly #next: Pull.Pull<readonly [string]> = Effect.callback<void>((resume) => {
    this.#wakeWriter = () => resume(Effect.void)
    return Effect.sync(() => {
      this.#wakeWriter = undefined
    })
  }).pipe(
    // The first line wakes the writer, which then lets the rest of the tick come first.
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.suspend(() => this.#pull))
  )

  readonly #take = (): readonly [string] => {
    const lines = this.#lines
    let text = ""
    while (this.#first < lines.length && text.length < writeSize) {
      const line = lines[this.#first++]
      if (typeof line === "string") {
        text += line + "\n"
        this.#writing += line.length
      } else if (line !== undefined) {
        const printed = line.print()
        text += printed + "\n"
        this.#writing += printed.length
        // One that was not counted before is counted from now on.
        if (line.size === 0) {
          this.#size += printed.length
          this.#unprinted--
        }
      }
    }
    if (this.#first === lines.length) {
      this.#lines = []
      this.#first = 0
    } else if (this.#first >= 1024) {
      this.#lines = lines.slice(this.#first)
      this.#first = 0
    }
    return [text]
  }

  /** Those who wait are woken when half of the room is free, so that they do not wait again for the next line. */
  #hasRoom(): boolean {
    return !this.isFull && this.#size <= this.#maxSize / 2 &&
      this.#lines.length - this.#first <= this.#maxLines / 2
  }

  #wakeWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
