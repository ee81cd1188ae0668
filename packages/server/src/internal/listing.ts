/**
 * One ordered list of features: lookup by key, pages prepared once, and cursors that survive changes.
 */
import * as Cursor from "@effect-mcp/core/Cursor"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import type { Visibility } from "../Visibility.ts"

/** Anything that stands in a list. */
export interface Entry {
  readonly key: string
  /** The place in the list: the order in which features were made, whenever their layers finish. */
  readonly order: number
  readonly definition: JsonRpc.JsonObject
  readonly visibility: Visibility | undefined
  /** The services the feature was built with. */
  readonly context: Context.Context<never>
}

export interface ListingOptions {
  readonly pageSize: number
  /** For how many combinations of conditions pages are kept. */
  readonly variants: number
  /** Told apart from the numbers other processes order by. */
  readonly run: number
  /** What every page carries beside its items. */
  readonly common: () => JsonRpc.JsonObject
}

/** What a request sees of a list under one combination of conditions: its pages, as far as they were asked for. */
interface Variant<E> {
  readonly entries: ReadonlyArray<E>
  readonly pages: Array<JsonRpc.Prepared | undefined>
}

const byPlace = Order.mapInput(Order.Number, (entry: Entry) => entry.order)

export class Listing<E extends Entry> {
  readonly name: string
  readonly #member: string
  readonly #options: ListingOptions
  readonly #byKey = new Map<string, E>()
  #sorted: ReadonlyArray<E> | undefined
  #conditions: ReadonlyMap<Visibility, Context.Context<never>> | undefined
  /** By the conditions that hold, least recently used first. */
  readonly #variants = new Map<string, Variant<E>>()

  constructor(name: string, member: string, options: ListingOptions) {
    this.name = name
    this.#member = member
    this.#options = options
  }

  get size(): number {
    return this.#byKey.size
  }

  get(key: string): E | undefined {
    return this.#byKey.get(key)
  }

  set(entry: E): void {
    this.#byKey.set(entry.key, entry)
    this.#changed()
  }

  delete(key: string): boolean {
    const deleted = this.#byKey.delete(key)
    if (deleted) this.#changed()
    return deleted
  }

  #changed(): void {
    this.#sorted = undefined
    this.#conditions = undefined
    this.#variants.clear()
  }

  get entries(): ReadonlyArray<E> {
    return this.#sorted ??= Arr.sort(this.#byKey.values(), byPlace)
  }

  /** The conditions that features of this list depend on, with the services to evaluate them in. */
  get conditions(): ReadonlyMap<Visibility, Context.Context<never>> {
    if (this.#conditions === undefined) {
      const conditions = new Map<Visibility, Context.Context<never>>()
      for (const { context, visibility } of this.entries) {
        if (visibility !== undefined && !conditions.has(visibility)) conditions.set(visibility, context)
      }
      this.#conditions = conditions
    }
    return this.#conditions
  }

  /** A page for a request under which `isVisible` conditions hold. PAGE-6: an unknown cursor is an error. */
  page(
    cursor: string | undefined,
    isVisible: (condition: Visibility) => boolean
  ): Result.Result<JsonRpc.Prepared, McpError.InvalidParams> {
    const variant = this.#variant(isVisible)
    // PAGE-3: the empty string is a cursor too, though none of ours.
    if (cursor === undefined) return Result.succeed(this.#page(variant, 0))
    const after = Cursor.decode(this.name, cursor)
    if (Option.isNone(after)) {
      return Result.fail(
        new McpError.InvalidParams({ message: `Not a cursor of ${this.name}: start again without one` })
      )
    }
    const place = this.#placeOf(after.value, variant)
    if (place === undefined) {
      return Result.fail(
        new McpError.InvalidParams({
          message: `The ${this.name} have changed since this cursor: start again without one`
        })
      )
    }
    const start = variant.entries.findIndex((entry) => entry.order > place)
    return Result.succeed(this.#page(variant, start === -1 ? variant.entries.length : start))
  }

  /**
   * The place after which a page starts, by the item it follows. An item that is gone has left its place, which only
   * means something to the process that gave it. One that is hidden from this request is as good as gone: whether it
   * exists must not be found out with a cursor.
   */
  #placeOf({ key, place, run }: Cursor.Position, { entries }: Variant<E>): number | undefined {
    return entries.find((entry) => entry.key === key)?.order ?? (run === this.#options.run ? place : undefined)
  }

  #variant(isVisible: (condition: Visibility) => boolean): Variant<E> {
    let key = ""
    for (const condition of this.conditions.keys()) key += isVisible(condition) ? "1" : "0"
    const known = this.#variants.get(key)
    if (known !== undefined) {
      // With one variant, the most common case, there is no order to keep.
      if (this.#variants.size > 1) {
        this.#variants.delete(key)
        this.#variants.set(key, known)
      }
      return known
    }
    const oldest = this.#variants.keys().next()
    if (this.#variants.size >= this.#options.variants && !oldest.done) this.#variants.delete(oldest.value)
    const entries = this.entries.filter(({ visibility }) => visibility === undefined || isVisible(visibility))
    const variant: Variant<E> = { entries, pages: [] }
    this.#variants.set(key, variant)
    return variant
  }

  /** Only pages that start where a walk from the beginning has them are kept: cursors come from peers. */
  #page(variant: Variant<E>, start: number): JsonRpc.Prepared {
    const { pageSize } = this.#options
    if (start % pageSize !== 0) return this.#build(variant, start)
    return variant.pages[start / pageSize] ??= this.#build(variant, start)
  }

  #build({ entries }: Variant<E>, start: number): JsonRpc.Prepared {
    const end = start + this.#options.pageSize
    const items = entries.slice(start, end)
    const last = items.at(-1)
    return new JsonRpc.Prepared({
      ...this.#options.common(),
      [this.#member]: items.map((entry) => entry.definition),
      ...(entries.length > end && last !== undefined
        ? { nextCursor: Cursor.encode(this.name, { key: last.key, place: last.order, run: this.#options.run }) }
        : undefined)
    })
  }
}
