import { assert, describe, it } from "@effect/vitest"
import { type SamplingMessage, toolUseProblem } from "../../src/schema/Sampling.ts"

const text = { type: "text", text: "x" } as const
const use = (id: string) => ({ type: "tool_use", id, name: "a", input: {} }) as const
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] }) as const

type Turn = readonly [role: SamplingMessage["role"], content: SamplingMessage["content"]]

const problem = (...turns: ReadonlyArray<Turn>) => toolUseProblem(turns.map(([role, content]) => ({ role, content })))

describe("toolUseProblem", () => {
  const alone = "Results of tools stand in a message of the user, with nothing else in it"
  const unmatched = "The uses of tools and their results do not match"
  const rows: ReadonlyArray<readonly [why: string, turns: ReadonlyArray<Turn>, problem: string | undefined]> = [
    ["nothing", [], undefined],
    ["no tools", [["user", text], ["user", [text, text]], ["assistant", []]], undefined],
    ["a use and its result", [["assistant", use("1")], ["user", result("1")], ["assistant", text]], undefined],
    [
      "several, in another order",
      [["assistant", [text, use("1"), use("2")]], ["user", [result("2"), result("1")]]],
      undefined
    ],
    ["one after the other", [
      ["assistant", use("1")],
      ["user", result("1")],
      ["assistant", use("1")],
      ["user", result("1")]
    ], undefined],
    ["SAMP-8: a result beside a text", [["assistant", use("1")], ["user", [result("1"), text]]], alone],
    ["SAMP-8: a result of the assistant", [["assistant", use("1")], ["assistant", result("1")]], alone],
    ["SAMP-9: a use at the end", [["assistant", use("1")]], "The results of a tool are missing"],
    ["SAMP-9: a text before the result", [["assistant", use("1")], ["user", text], ["user", result("1")]], unmatched],
    ["SAMP-9: a result of another use", [["assistant", use("1")], ["user", result("2")]], unmatched],
    ["SAMP-9: a result too few", [["assistant", [use("1"), use("2")]], ["user", result("1")]], unmatched],
    ["SAMP-9: a result too many", [["assistant", use("1")], ["user", [result("1"), result("2")]]], unmatched],
    [
      "SAMP-9: a result twice in the place of another",
      [["assistant", [use("1"), use("2")]], ["user", [result("1"), result("1")]]],
      unmatched
    ],
    ["SAMP-9: a result of nothing", [["user", result("1")]], unmatched]
  ]

  for (const [why, turns, expected] of rows) it(why, () => assert.strictEqual(problem(...turns), expected))
})
