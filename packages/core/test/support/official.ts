import { assert } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { overTheWire } from "./check.ts"

const text = readFileSync(new URL("../fixtures/schema/2026-07-28.json", import.meta.url), "utf8")

const formats = {
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  uri: (uri: string) => URL.canParse(uri),
  "uri-template": true
} as const

const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
ajv.addSchema({ ...JSON.parse(text), $id: "mcp" })

/** Asserts that a value is, as JSON, what the official schema of 2026-07-28 says. */
export const assertOfficial = (
  definition: "Tool" | "Prompt" | "Resource" | "ResourceTemplate" | "ContentBlock" | "PromptMessage",
  value: unknown
): void => {
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`)
  assert(validate !== undefined)
  assert.isTrue(validate(overTheWire(value)), ajv.errorsText(validate.errors))
}

/** A validator for one JSON Schema, which itself has to be valid. */
export const validator = (schema: object): (value: unknown) => boolean => {
  const validate = new Ajv2020({ strict: false }).compile(schema)
  return (value) => validate(value) === true
}
