import { assert, describe, it } from "@effect/vitest"
import * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { PrimitiveSchemaDefinition } from "@effect-mcp/core/schema/ElicitationSchema"

const titled = [{ const: "s", title: "Small" }, { const: "l", title: "Large" }]

const cases: ReadonlyArray<readonly [PrimitiveSchemaDefinition, ReadonlyArray<ElicitationForm.Choice> | undefined]> = [
  [{ type: "string" }, undefined],
  [{ type: "string", format: "email" }, undefined],
  [{ type: "integer" }, undefined],
  [{ type: "boolean" }, undefined],
  [{ type: "string", enum: ["a"] }, [{ value: "a", title: "a" }]],
  [{ type: "string", enum: ["a", "b"], enumNames: ["A"] }, [{ value: "a", title: "A" }, { value: "b", title: "b" }]],
  [{ type: "string", oneOf: titled }, [{ value: "s", title: "Small" }, { value: "l", title: "Large" }]],
  [{ type: "array", items: { type: "string", enum: ["a"] } }, [{ value: "a", title: "a" }]],
  [{ type: "array", items: { anyOf: titled } }, [{ value: "s", title: "Small" }, { value: "l", title: "Large" }]]
]

describe("ElicitationForm.choices", () => {
  it("ELI-8, ELI-9: are the same in each way that a form has for them", () => {
    for (const [definition, expected] of cases) {
      assert.deepStrictEqual(ElicitationForm.choices(definition), expected)
      const form = { type: "object", properties: { field: definition } } as const
      for (const { value } of expected ?? []) {
        const answer = definition.type === "array" ? [value] : value
        assert.deepStrictEqual(ElicitationForm.problems(form, { field: answer }), [])
      }
      if (expected !== undefined) {
        const wrong = definition.type === "array" ? ["Small"] : "Small"
        assert.lengthOf(ElicitationForm.problems(form, { field: wrong }), 1)
      }
    }
  })
})
