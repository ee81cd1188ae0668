/**
 * The keys of questions: given by their author, by their place in `Interaction.all`, or by their order.
 */
import * as Context from "effect/Context"
import type { Question } from "./dialogue.ts"

/** The keys of code that asks one question after the other. */
export class Keys {
  /** The keys in use where nothing else is said are those of the handler. */
  static readonly Current = Context.Reference<Keys | undefined>("@effect-mcp/server/Interaction/keys", {
    defaultValue: () => undefined
  })

  readonly #path: string | undefined
  #count = 0

  /** Without a path, those of the handler itself. */
  constructor(path?: string) {
    this.#path = path
  }

  /** The keys of code inside of this. Its first question has the name of the code itself. */
  inside(name: string): Keys {
    return new Keys(this.of(name))
  }

  /** A name, among those of the code that uses it. */
  of(name: string): string {
    return this.#path === undefined ? name : `${this.#path}/${name}`
  }

  /** The number does not tell the kinds apart, so that another kind in the same place is seen to be another question. */
  take({ key }: Pick<Question<unknown, unknown>, "key">): { readonly key: string; readonly isNumbered: boolean } {
    if (key !== undefined) return { key, isNumbered: false }
    const own = `input-${++this.#count}`
    if (this.#path === undefined) return { key: own, isNumbered: true }
    return { key: this.#count === 1 ? this.#path : `${this.#path}/${own}`, isNumbered: true }
  }
}

/** The keys of code inside of some other, or of the handler. */
export const inside = (keys: Keys | undefined, name: string): Keys => keys?.inside(name) ?? new Keys(name)
