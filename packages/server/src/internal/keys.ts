/**
 * The keys of questions: given by their author, by their place in `Interaction.all`, or by their order.
 */
import * as Context from "effect/Context"
import type { Question } from "./dialogue.ts"

const kinds = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots"
} as const

/** The keys of code that asks one question after the other. */
export class Keys {
  /** The keys in use where nothing else is said are those of the request. */
  static readonly Current = Context.Reference<Keys | undefined>("@effect-mcp/server/Interaction/keys", {
    defaultValue: () => undefined
  })

  readonly #prefix: string
  #count = 0

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The keys of code inside of this. Its first question has the name of the code itself. */
  inside(name: string): Keys {
    return new Keys(this.#prefix === "" ? name : `${this.#prefix}/${name}`)
  }

  take({ key, method }: Pick<Question<unknown, unknown>, "key" | "method">): {
    readonly key: string
    readonly isNumbered: boolean
  } {
    if (key !== undefined) return { key, isNumbered: false }
    const count = ++this.#count
    const prefix = this.#prefix
    if (prefix !== "" && count === 1) return { key: prefix, isNumbered: true }
    const own = `${kinds[method]}-${count}`
    return { key: prefix === "" ? own : `${prefix}/${own}`, isNumbered: true }
  }
}

/** The keys of code inside of some other, or of the request. */
export const inside = (keys: Keys | undefined, name: string): Keys => keys?.inside(name) ?? new Keys(name)
