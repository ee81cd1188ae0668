/**
 * The end of what a process has said for people to read, to be shown with an error.
 */
export class Tail {
  readonly #max: number
  #text = ""

  constructor(max: number) {
    this.#max = max
  }

  add(text: string): void {
    this.#text += text
    // Cut only now and then: cutting copies.
    if (this.#text.length > 2 * this.#max) this.#text = this.text
  }

  get text(): string {
    return this.#text.slice(-this.#max)
  }
}
