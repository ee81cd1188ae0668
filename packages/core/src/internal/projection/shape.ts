/**
 * The words in which it is said what a part of a message looks like under an older revision, and what makes a function of
 * them for one revision. Members that no row names are left alone: the objects of the protocol are open.
 */
import { isJsonObject, type JsonObject } from "../../JsonRpc.ts"
import * as Revision from "../../Revision.ts"

/** Gives back the very value it was given where nothing changes, and `undefined` where nothing is left of it. */
export type Transform = (value: unknown) => unknown

/** The revisions that have something: from one on, up to one, both included. */
export interface Range {
  readonly since?: Revision.Revision | undefined
  readonly until?: Revision.Revision | undefined
}

/** A member of an object, or a kind of a union: when there is one, and what is inside. */
export interface Member extends Range {
  readonly shape?: Shape | undefined
}

export type Members = Readonly<Record<string, Member>>

/** What becomes of a whole object in some revisions, before its members are looked at. */
export interface Rewrite extends Range {
  readonly rewrite: (value: JsonObject) => unknown
}

export interface ObjectShape {
  readonly _tag: "Object"
  readonly members: Members
  readonly rewrites: ReadonlyArray<Rewrite>
}

export type Shape =
  | ObjectShape
  | { readonly _tag: "Items"; readonly of: Shape; readonly orOne: boolean }
  | { readonly _tag: "Values"; readonly of: Shape }
  | { readonly _tag: "Kinds"; readonly kinds: Members; readonly otherwise: (value: JsonObject) => unknown }
  | { readonly _tag: "Until"; readonly until: Revision.Revision; readonly of: Shape }
  | { readonly _tag: "Value"; readonly transform: Transform }

/** The params and the result of methods, by name; the members that all messages share are not repeated. */
export type Feature = Readonly<
  Record<string, { readonly params?: ObjectShape | undefined; readonly result?: ObjectShape | undefined }>
>

/** All revisions have it. */
export const always = (shape: Shape): Member => ({ shape })

/** This revision and all newer ones have it. */
export const since = (revision: Revision.Revision, shape?: Shape): Member => ({ since: revision, shape })

/** No other revision has it. */
export const only = (revision: Revision.Revision, shape?: Shape): Member => ({
  since: revision,
  until: revision,
  shape
})

/** Rewrites an object up to a revision. */
export const upTo = (revision: Revision.Revision, rewrite: Rewrite["rewrite"]): Rewrite => ({
  until: revision,
  rewrite
})

/** Rewrites an object from one revision up to another. */
export const between = (
  since: Revision.Revision,
  until: Revision.Revision,
  rewrite: Rewrite["rewrite"]
): Rewrite => ({ since, until, rewrite })

/** An object with these members, and any others. */
export const object = (members: Members, ...rewrites: ReadonlyArray<Rewrite>): ObjectShape => ({
  _tag: "Object",
  members,
  rewrites
})

/** An array. */
export const items = (of: Shape): Shape => ({ _tag: "Items", of, orOne: false })

/** One of a kind, or an array of them. */
export const oneOrMany = (of: Shape): Shape => ({ _tag: "Items", of, orOne: true })

/** An object whose member names are not the protocol's. */
export const values = (of: Shape): Shape => ({ _tag: "Values", of })

/**
 * An object whose `type` says what it is. What a revision does not have goes through `otherwise`, which gives a value of
 * a kind that it has.
 */
export const kinds = (kinds: Members, otherwise: (value: JsonObject) => unknown): Shape => ({
  _tag: "Kinds",
  kinds,
  otherwise
})

/** What is looked into up to a revision, and left alone under newer ones. */
export const until = (revision: Revision.Revision, of: Shape): Shape => ({ _tag: "Until", until: revision, of })

/** Anything else. */
export const value = (transform: Transform): Shape => ({ _tag: "Value", transform })

/** What is left out where it is not what it has to be. */
export const where = (is: (value: unknown) => boolean): Shape => value((u) => is(u) ? u : undefined)

/** Whether a revision is in a range. */
export const has = ({ since, until }: Range, revision: Revision.Revision): boolean =>
  (since === undefined || Revision.order(revision, since) >= 0) &&
  (until === undefined || Revision.order(revision, until) <= 0)

const leaveOut: Transform = () => undefined

/** What a shape makes of values under a revision, or `undefined` if it leaves all of them alone. */
export const compile = (shape: Shape, revision: Revision.Revision): Transform | undefined => {
  switch (shape._tag) {
    case "Object":
      return compileObject(shape, revision)
    case "Items": {
      const of = compile(shape.of, revision)
      if (of === undefined) return undefined
      const { orOne } = shape
      return (u) => Array.isArray(u) ? mapItems(u, of) : orOne ? of(u) : u
    }
    case "Values": {
      const of = compile(shape.of, revision)
      return of === undefined ? undefined : (u) => isJsonObject(u) ? mapValues(u, of) : u
    }
    case "Kinds":
      return compileKinds(shape.kinds, shape.otherwise, revision)
    case "Until":
      return has(shape, revision) ? compile(shape.of, revision) : undefined
    case "Value":
      return shape.transform
  }
}

const compileMember = (member: Member, revision: Revision.Revision): Transform | undefined =>
  has(member, revision) ? member.shape && compile(member.shape, revision) : leaveOut

const compileObject = ({ members, rewrites }: ObjectShape, revision: Revision.Revision): Transform | undefined => {
  const steps = new Map<string, Transform>()
  for (const [name, member] of Object.entries(members)) {
    const transform = compileMember(member, revision)
    if (transform !== undefined) steps.set(name, transform)
  }
  const first = rewrites.filter((row) => has(row, revision)).map(({ rewrite }) => rewrite)
  if (first.length === 0) return steps.size === 0 ? undefined : (u) => isJsonObject(u) ? mapMembers(u, steps) : u
  return (u) => {
    let rewritten = u
    for (const rewrite of first) {
      if (isJsonObject(rewritten)) rewritten = rewrite(rewritten)
    }
    return isJsonObject(rewritten) ? mapMembers(rewritten, steps) : rewritten
  }
}

const compileKinds = (
  members: Members,
  otherwise: (value: JsonObject) => unknown,
  revision: Revision.Revision
): Transform => {
  const kinds = new Map<unknown, Transform | undefined>()
  for (const [type, member] of Object.entries(members)) {
    if (has(member, revision)) kinds.set(type, compileMember(member, revision))
  }
  const known = (u: unknown): unknown => {
    const transform = isJsonObject(u) ? kinds.get(u.type) : undefined
    return transform === undefined ? u : transform(u)
  }
  return (u) => isJsonObject(u) && typeof u.type === "string" && !kinds.has(u.type) ? known(otherwise(u)) : known(u)
}

/** By the members that are there, of which there are fewer than of those that could be. */
const mapMembers = (from: JsonObject, steps: ReadonlyMap<string, Transform>): JsonObject => {
  let to: Record<string, unknown> | undefined
  for (const name in from) {
    const transform = steps.get(name)
    const before = from[name]
    if (transform === undefined || before === undefined) continue
    const after = transform(before)
    if (after === before) continue
    to ??= { ...from }
    if (after === undefined) delete to[name]
    else to[name] = after
  }
  return to ?? from
}

const mapItems = (from: ReadonlyArray<unknown>, transform: Transform): ReadonlyArray<unknown> => {
  let to: Array<unknown> | undefined
  for (let i = 0; i < from.length; i++) {
    const after = transform(from[i])
    if (to === undefined) {
      if (after === from[i]) continue
      to = from.slice(0, i)
    }
    if (after !== undefined) to.push(after)
  }
  return to ?? from
}

const mapValues = (from: JsonObject, transform: Transform): JsonObject => {
  let changed = false
  const to: Array<readonly [string, unknown]> = []
  for (const [key, before] of Object.entries(from)) {
    const after = transform(before)
    changed ||= after !== before
    if (after !== undefined) to.push([key, after])
  }
  // Names are a peer's or an author's: `fromEntries` keeps even `__proto__` a plain member.
  return changed ? Object.fromEntries(to) : from
}
