/** What a step is, and what its values are made with. */
import type * as Revision from "@effect-mcp/core/Revision"
import * as Effect from "effect/Effect"
import type { Transport } from "./pairs.ts"
import { type Json, Peer, type Refusal } from "./peer.ts"
import type { Library } from "./process.ts"

export interface Step {
  readonly title: string
  /** The transports it makes a difference for. By default all. */
  readonly only?: Transport
  /** The clients it can be seen with. By default all. */
  readonly client?: Library | "notOurs"
  /** The servers that can do it. By default all. */
  readonly server?: Library | "notOurs"
  /** The first revision that has it, and the last. By default all have. */
  readonly from?: Revision.Revision
  readonly until?: Revision.Revision
  /** Whether the server has to remember something of the client. */
  readonly remembers?: true
  /** Whether it shows what a revision is, so that pairs which do not go through all steps go through it. */
  readonly shows?: true
  /** Whether the server asks something that there is somebody to answer, or nobody. By default it asks nothing. */
  readonly asks?: "somebody" | "nobody"
  readonly run: Effect.Effect<unknown, Refusal, Peer>
  readonly expected: unknown
}

export const use = <A>(f: (peer: Peer["Service"]) => Effect.Effect<A, Refusal>) => Peer.use(f)

export const call = (name: string, args?: Json) => use((peer) => peer.call(name, args))

/** A result without what every result has or may have. */
export const plain = ({ _meta, cacheScope: _scope, resultType: _type, ttlMs: _ttl, ...result }: Json): Json => result

export const result = <R>(request: Effect.Effect<Json, Refusal, R>) => Effect.map(request, plain)

/** The code and data of the error a request ends with. */
export const refusal = <R>(request: Effect.Effect<Json, Refusal, R>) =>
  Effect.match(request, {
    onFailure: ({ code, data }) => data === undefined ? { code } : { code, data },
    onSuccess: (result) => ({ unexpected: plain(result) })
  })

export const text = (text: string) => ({ content: [{ type: "text", text }] })

export const named = (names: ReadonlyArray<string>) => names.map((name) => ({ name }))

export const names = (items: ReadonlyArray<Json>) => items.map(({ name }) => ({ name }))

/** Some members of an object; those that are not there are left out. */
export const pick = (object: Json, ...members: ReadonlyArray<string>): Json =>
  Object.fromEntries(members.flatMap((member) => member in object ? [[member, object[member]]] : []))
