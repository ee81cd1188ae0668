/**
 * A list whose items can leave it, or go to its end, from any place and at once.
 *
 * A `Map` with items that are deleted and set again has the same order, but its first item is slow to find: the places of
 * those that left are walked over until the map is rebuilt.
 */
export interface Link<A> {
  readonly value: A
  previous: Link<A> | undefined
  next: Link<A> | undefined
  linked: boolean
}

export const make = <A>(value: A): Link<A> => ({ value, previous: undefined, next: undefined, linked: false })

export class Links<A> {
  first: Link<A> | undefined = undefined
  #last: Link<A> | undefined = undefined

  /** Puts a link at the end, where it may be already. */
  toEnd(link: Link<A>): void {
    if (link === this.#last) return
    this.remove(link)
    link.linked = true
    link.previous = this.#last
    if (this.#last === undefined) this.first = link
    else this.#last.next = link
    this.#last = link
  }

  /** Takes a link out, which may be out already. */
  remove(link: Link<A>): void {
    if (!link.linked) return
    if (link.previous === undefined) this.first = link.next
    else link.previous.next = link.next
    if (link.next === undefined) this.#last = link.previous
    else link.next.previous = link.previous
    link.previous = undefined
    link.next = undefined
    link.linked = false
  }
}
