/** The steps as tests of a pair. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Layer from "effect/Layer"
import { type Change, changes } from "./changes.ts"
import { type Difference, differences } from "./differences.ts"
import * as officialClient from "./officialClient.ts"
import * as ourClient from "./ourClient.ts"
import { nameOf, type Pair } from "./pairs.ts"
import { Peer } from "./peer.ts"
import type { Step } from "./step.ts"
import { steps } from "./steps.ts"
import * as v1Client from "./v1Client.ts"

const clients = { ours: ourClient, official: officialClient, v1: v1Client }

const connected = (pair: Pair): Layer.Layer<Peer> => clients[pair.client].layer(pair)

const isOne = (wanted: Step["client"], library: string): boolean =>
  wanted === undefined || wanted === library || (wanted === "notOurs" && library !== "ours")

/** Revisions are dates, and compare as such. */
const isBetween = (from: string | undefined, revision: string, until: string | undefined): boolean =>
  (from === undefined || revision >= from) && (until === undefined || revision <= until)

/** Whether a pair goes through steps like this one, for what is asked in it. */
const isOfPair = ({ asks, shows }: Step, pair: Pair): boolean => {
  switch (asks) {
    case "nobody":
      return pair.answers === "nobody" || !pair.asks
    case "somebody":
      return pair.asks && (pair.answers === "manual" || (pair.answers === "handlers" && (pair.all || shows === true)))
    default:
      return pair.answers === "handlers" && (pair.all || shows === true)
  }
}

/** Whether a pair could go through a step, as far as it is known. */
export const isInRevision = (step: Step, pair: Pair): boolean =>
  (step.only ?? pair.transport) === pair.transport && isOne(step.client, pair.client) &&
  isOne(step.server, pair.server) && isBetween(step.from, pair.revision, step.until) &&
  isOfPair(step, pair) && (pair.sessions || step.remembers !== true)

export const appliesTo = (step: Step, pair: Pair): boolean =>
  isInRevision(step, pair) && changeOf(step, pair)?.expected !== "nothing"

/** What the revision of a pair makes of a step. */
export const changeOf = (step: Step, pair: Pair): Change | undefined =>
  changes.find((change) =>
    change.step === step.title && isBetween(undefined, pair.revision, change.until) &&
    isOne(change.client, pair.client) &&
    isOne(change.server, pair.server) && (change.sessions ?? pair.sessions) === pair.sessions &&
    (change.only ?? pair.transport) === pair.transport
  )

export const expectedOf = (step: Step, pair: Pair): unknown => {
  const change = changeOf(step, pair)
  return change === undefined ? step.expected : change.expected
}

export const differenceOf = (step: Step, pair: Pair): Difference | undefined =>
  differences.find((difference) =>
    difference.step === step.title && difference.library === pair[difference.side] &&
    (difference.only ?? pair.transport) === pair.transport &&
    isBetween(difference.from, pair.revision, difference.until)
  )

/** Tests each pair step by step. */
export const test = (pairs: ReadonlyArray<Pair>): void => {
  for (const pair of pairs) {
    describe(nameOf(pair), () => {
      layer(connected(pair), { excludeTestServices: true, timeout: "30 seconds" })((it) => {
        it.effect("settle on that revision (INIT-3, ERA-6)", () =>
          Effect.map(Peer, ({ discovered }) => assert.strictEqual(discovered.revision, pair.revision)))

        for (const step of steps) {
          if (!appliesTo(step, pair)) continue
          it.effect(step.title, () =>
            Effect.gen(function*() {
              const known = differenceOf(step, pair)
              const observed = yield* step.run
              const isFine = known?.sometimes === true && Equal.equals(observed, expectedOf(step, pair))
              const difference = isFine ? undefined : known
              const expected = difference === undefined ? expectedOf(step, pair) : difference.observed
              assert.deepStrictEqual(observed, expected, difference?.reason)
              const complaints = (yield* Peer).complaints()
              const { complaint } = difference ?? {}
              if (complaint === undefined) return assert.deepStrictEqual(complaints, [])
              assert.isNotEmpty(complaints)
              assert.deepStrictEqual(complaints.filter((text) => !text.startsWith(complaint)), [])
            }))
        }
      })
    })
  }
}
