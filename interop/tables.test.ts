/** What is known to differ, from one library to the other and from one revision to the next, does. */
import { assert, describe, it } from "@effect/vitest"
import { changes } from "./support/changes.ts"
import { differences } from "./support/differences.ts"
import { pairs } from "./support/pairs.ts"
import { steps } from "./support/steps.ts"
import { appliesTo, changeOf, differenceOf, expectedOf, isInRevision } from "./support/suite.ts"

describe("the known differences", () => {
  it("are of steps there are, in pairs there are", () => {
    const stale = differences.filter((difference) =>
      !pairs.some((pair) => steps.some((step) => appliesTo(step, pair) && differenceOf(step, pair) === difference))
    )
    assert.deepStrictEqual(stale, [])
  })

  it("differ", () => {
    for (const pair of pairs) {
      for (const step of steps) {
        const difference = differenceOf(step, pair)
        if (difference !== undefined && appliesTo(step, pair)) {
          assert.notDeepEqual(difference.observed, expectedOf(step, pair), step.title)
        }
      }
    }
  })
})

describe("the changes between revisions", () => {
  it("are of steps there are, in pairs there are", () => {
    const stale = changes.filter((change) =>
      !pairs.some((pair) => steps.some((step) => isInRevision(step, pair) && changeOf(step, pair) === change))
    )
    assert.deepStrictEqual(stale, [])
  })

  it("change something", () => {
    for (const { expected, step } of changes) {
      assert.notDeepEqual(expected, steps.find(({ title }) => title === step)?.expected)
    }
  })
})
