/** What is asked of a published server, and what it has to give for it. */
import * as Effect from "effect/Effect"
import { type CallOptions, type Json, Peer, type Refusal } from "./peer.ts"

export interface Check {
  readonly title: string
  /** The first revision that it can be done in. By default all. */
  readonly from?: string
  readonly run: Effect.Effect<unknown, Refusal, Peer>
  readonly expected: unknown
}

export const call = (name: string, args: Json = {}, options?: CallOptions) =>
  Peer.use((peer) => peer.call(name, args, options))

/** The texts of a result, among blocks that may be others. */
export const texts = ({ content }: Json): ReadonlyArray<string> =>
  (content as ReadonlyArray<{ readonly text?: string }>).flatMap(({ text }) => text === undefined ? [] : [text])

/** The only text of a result. */
export const textOf = (result: Json): string => texts(result).join()

/** Waits for so many notifications of a kind. */
export const heard = (count: number, isWanted: (notification: Json) => boolean) =>
  Peer.use((peer) =>
    Effect.gen(function*() {
      const all: Array<Json> = []
      for (let tries = 0; all.length < count && tries < 500; tries++) {
        all.push(...peer.heard().filter(isWanted))
        if (all.length < count) yield* Effect.sleep(10)
      }
      return all
    })
  )
