/**
 * Revision 2026-07-28 between our packages and the official SDK, as real processes and sockets: our server with the
 * official client, and the official server with our client, over stdio and HTTP.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { differences } from "./support/differences.ts"
import * as officialClient from "./support/officialClient.ts"
import * as ourClient from "./support/ourClient.ts"
import { Peer } from "./support/peer.ts"
import type { Library } from "./support/process.ts"
import { type Step, steps } from "./support/steps.ts"

interface Pair {
  readonly client: Library
  readonly server: Library
  readonly transport: "stdio" | "http"
  /** The argument of the server. */
  readonly mode: string
}

const pairs: ReadonlyArray<Pair> = [
  { client: "official", server: "ours", transport: "stdio", mode: "stdio" },
  { client: "official", server: "ours", transport: "http", mode: "http" },
  { client: "official", server: "ours", transport: "http", mode: "http-portable" },
  { client: "ours", server: "official", transport: "stdio", mode: "stdio" },
  { client: "ours", server: "official", transport: "http", mode: "http" }
]

const connected = ({ client, mode, server, transport }: Pair): Layer.Layer<Peer> =>
  (client === "ours" ? ourClient : officialClient).layer(server, transport, mode)

const appliesTo = (step: Step, pair: Pair): boolean =>
  (step.only ?? pair.transport) === pair.transport && (step.client ?? pair.client) === pair.client

const differenceOf = (step: Step, pair: Pair) =>
  differences.find((difference) =>
    difference.step === step.title && pair[difference.side] === "official" &&
    (difference.only ?? pair.transport) === pair.transport
  )

describe.each(pairs)("$client client, $server server, $mode", (pair) => {
  layer(connected(pair), { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    for (const step of steps) {
      if (!appliesTo(step, pair)) continue
      it.effect(step.title, () =>
        Effect.gen(function*() {
          const difference = differenceOf(step, pair)
          const expected = difference === undefined ? step.expected : difference.observed
          assert.deepStrictEqual(yield* step.run, expected, difference?.reason)
          const complaints = (yield* Peer).complaints()
          const { complaint } = difference ?? {}
          if (complaint === undefined) return assert.deepStrictEqual(complaints, [])
          assert.isNotEmpty(complaints)
          assert.deepStrictEqual(complaints.filter((text) => !text.startsWith(complaint)), [])
        }))
    }
  })
})

describe("the known differences", () => {
  it("are of steps there are, in pairs there are", () => {
    const stale = differences.filter((difference) =>
      !pairs.some((pair) => steps.some((step) => appliesTo(step, pair) && differenceOf(step, pair) === difference))
    )
    assert.deepStrictEqual(stale, [])
  })

  it("differ", () => {
    for (const { observed, step } of differences) {
      assert.notDeepEqual(observed, steps.find(({ title }) => title === step)?.expected)
    }
  })
})
