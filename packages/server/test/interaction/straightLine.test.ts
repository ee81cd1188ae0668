/** Questions asked in a straight line: the author cannot tell how they are asked. */
import { assert, describe, it } from "@effect/vitest"
import * as Roots from "@effect-mcp/server/Roots"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import { start } from "../support.ts"
import { asking, playTool, revisions, textOf } from "./support.ts"

describe("straight line", () => {
  const handler = Effect.gen(function*() {
    const roots = yield* Roots.list
    const first = yield* Sampling.createMessage({ messages: "one", maxTokens: 10 })
    const second = yield* Sampling.createMessage({ messages: Sampling.textOf(first), maxTokens: 10 })
    return `${roots[0]?.uri} ${Sampling.textOf(second)}`
  })

  for (const revision of revisions) {
    it.effect(`MRTR-1, SAMP-2, ROOT-2: three questions under ${revision}`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(asking(handler))
        const played = yield* playTool(endpoint, revision, "ask")
        assert.strictEqual(textOf(played), "file:///work re: re: one")
        assert.deepStrictEqual(played.asked.map(({ method }) => method), [
          "roots/list",
          "sampling/createMessage",
          "sampling/createMessage"
        ])
        assert.strictEqual(played.rounds.length, revision === "2026-07-28" ? 3 : 0)
      }))
  }
})
