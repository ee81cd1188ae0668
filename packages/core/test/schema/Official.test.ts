import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as SchemaAST from "effect/SchemaAST"
import { readFileSync } from "node:fs"
import { isObject, overTheWire, schemaByName } from "./modules.ts"

interface Definition {
  readonly $ref?: string
  readonly properties?: Record<string, Definition>
  readonly required?: ReadonlyArray<string>
}

type Definitions = Record<string, Definition>

const mapObject = (value: Record<string, unknown>, f: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, f(item)]))

const mapDeep = (value: unknown, f: (value: Record<string, unknown>) => Record<string, unknown>): unknown =>
  Array.isArray(value) ?
    value.map((item) => mapDeep(item, f)) :
    isObject(value) ?
    mapObject(f(value), (item) => mapDeep(item, f)) :
    value

/**
 * The generated JSON Schemas say `integer` where their source says `number` next to other primitive types, and leave
 * `null` out of "any JSON value". Both are put right here.
 */
const load = (revision: string): Definitions => {
  const text = readFileSync(new URL(`../fixtures/schema/${revision}.json`, import.meta.url), "utf8")
  const document = mapDeep(JSON.parse(text), (node) => {
    const type = node["type"]
    if (!Array.isArray(type) || !type.includes("boolean")) return node
    return { ...node, type: type.map((name) => name === "integer" ? "number" : name) }
  })
  assert(isObject(document) && isObject(document["$defs"]))
  const { JSONValue: value, ...definitions } = document["$defs"]
  return value === undefined
    ? definitions as Definitions
    : { ...definitions, JSONValue: {} } as Definitions
}

const compile = (definitions: Definitions) => {
  const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
  const ajv = new Ajv2020({ strict: false, formats: { byte: base64, uri: true, "uri-template": true } })
  ajv.addSchema({ $id: "mcp", $defs: definitions })
  return (definition: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`mcp#/$defs/${definition}`)
    assert(validate !== undefined, `no definition ${definition}`)
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
}

const newest = load("2026-07-28")
const validateNewest = compile(newest)
const legacy = load("2025-11-25")
const validateLegacy = compile(legacy)

const metaDefaults: Record<string, Record<string, unknown>> = {
  RequestMetaObject: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}
  },
  SubscriptionsListenResultMetaObject: { "io.modelcontextprotocol/subscriptionId": 1 }
}

/** Members which the revision requires, but which an optional member of the model stands for. */
const requiredMembers: Record<string, unknown> = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  requestId: 1,
  elicitationId: "e1"
}

const answers = (responses: unknown): unknown =>
  isObject(responses) ? mapObject(responses, () => ({ action: "decline" })) : responses

/** Turns a value of the model into what one revision writes: adds what it requires, drops what only the model has. */
const toRevision = (definition: Definition, value: unknown): unknown => {
  const known = mapDeep(value, (node) =>
    typeof node["type"] === "string" && node["type"].startsWith("x-") ?
      { type: "text", text: "" } :
      "inputResponses" in node
      ? { ...node, inputResponses: answers(node["inputResponses"]) }
      : node)
  if (!isObject(known)) return known
  const out: Record<string, unknown> = { ...known }
  for (const name of definition.required ?? []) {
    if (name in requiredMembers) out[name] ??= requiredMembers[name]
  }
  if (typeof out["ttlMs"] === "number") out["ttlMs"] = Math.abs(out["ttlMs"])
  if (out["nextCursor"] === null) delete out["nextCursor"]
  const meta = definition.properties?.["_meta"]?.$ref?.replace("#/$defs/", "") ?? ""
  if (meta in metaDefaults) out["_meta"] = { ...(isObject(out["_meta"]) ? out["_meta"] : {}), ...metaDefaults[meta] }
  return out
}

/** Definitions of 2026-07-28 that belong to the envelope, to errors, or to no message of their own. */
const elsewhere = new Set([
  "BaseMetadata",
  "ClientNotification",
  "ClientRequest",
  "ClientResult",
  "Error",
  "Icons",
  "InternalError",
  "InvalidParamsError",
  "InvalidRequestError",
  "JSONArray",
  "JSONObject",
  "JSONValue",
  "MetaObject",
  "MethodNotFoundError",
  "MultiSelectEnumSchema",
  "Notification",
  "NotificationMetaObject",
  "ParseError",
  "Request",
  "RequestMetaObject",
  "ResourceRequestParams",
  "Result",
  "ResultMetaObject",
  "ResultType",
  "ServerNotification",
  "ServerResult",
  "SingleSelectEnumSchema",
  "SubscriptionsListenResultMetaObject"
])

const isEnvelope = (name: string, definition: Definition) =>
  definition.properties?.["jsonrpc"] !== undefined || /^JSONRPC|Response$|Error$/.test(name) && name !== "InputResponse"

const requiredKeys = (ast: SchemaAST.Objects): ReadonlyArray<PropertyKey> =>
  ast.propertySignatures.filter((signature) => !SchemaAST.isOptional(signature.type)).map(({ name }) => name)

/** Members of a definition that the model lets be absent, although the newest revision requires them. */
const lenient = new Set(["_meta", "resultType", "ttlMs", "cacheScope", "requestId"])

describe("2026-07-28", () => {
  for (const [name, { $ref, ...own }] of Object.entries(newest)) {
    const definition = newest[$ref?.replace("#/$defs/", "") ?? ""] ?? own
    if (elsewhere.has(name) || isEnvelope(name, definition)) continue

    it.effect(`what ${name} generates is valid by the official schema`, () =>
      Effect.gen(function*() {
        const schema = schemaByName.get(name)
        assert(schema !== undefined, `${name} is not in the model`)
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(schema), (value) =>
          Effect.sync(() => {
            const sent = toRevision(definition, overTheWire(value))
            assert.isUndefined(validateNewest(name, name === "InputResponses" ? answers(sent) : sent))
            return true
          }), { runs: 60, size: 4 })
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
      }))

    const properties = definition.properties
    if (properties === undefined) continue

    it(`${name} has every member of the official schema, and requires the same ones`, () => {
      const ast = schemaByName.get(name)?.ast
      assert(ast !== undefined)
      if (!SchemaAST.isObjects(ast)) return
      const names = ast.propertySignatures.map((signature) => signature.name)
      assert.deepStrictEqual(Object.keys(properties).filter((member) => !names.includes(member)), [])
      assert.sameMembers(
        requiredKeys(ast).filter((member) => typeof member !== "string" || !lenient.has(member)),
        (definition.required ?? []).filter((member) => !lenient.has(member))
      )
    })
  }
})

/** What only older revisions have, and what newer ones have changed. */
const legacyMessages: ReadonlyArray<readonly [name: string, definition: string, requirements: string]> = [
  ["InitializeRequestParams", "InitializeRequestParams", "INIT-1"],
  ["InitializeResult", "InitializeResult", "INIT-5"],
  ["InitializedNotificationParams", "NotificationParams", "INIT-6"],
  ["ClientCapabilities", "ClientCapabilities", "INIT-11"],
  ["ServerCapabilities", "ServerCapabilities", "INIT-12"],
  ["Implementation", "Implementation", "INIT-13"],
  ["PingRequestParams", "RequestParams", "PING-1"],
  ["EmptyResult", "Result", "PING-1"],
  ["SetLevelRequestParams", "SetLevelRequestParams", "LOG-3"],
  ["SubscribeRequestParams", "SubscribeRequestParams", "RES-8"],
  ["UnsubscribeRequestParams", "UnsubscribeRequestParams", "RES-8"],
  ["RootsListChangedNotificationParams", "NotificationParams", "ROOT-3"],
  ["CancelledNotificationParams", "CancelledNotificationParams", "CAN-1"],
  ["ToolExecution", "ToolExecution", "TOOL-4"],
  ["TaskMetadata", "TaskMetadata", "TOOL-4"],
  ["CallToolRequestParams", "CallToolRequestParams", "TOOL-11"],
  ["ElicitRequestFormParams", "ElicitRequestFormParams", "ELI-4"],
  ["ElicitRequestURLParams", "ElicitRequestURLParams", "ELI-15"],
  ["ElicitResult", "ElicitResult", "ELI-11"],
  ["ElicitationCompleteNotificationParams", "ElicitationCompleteNotification/properties/params", "ELI-17"],
  ["CreateMessageResult", "CreateMessageResult", "SAMP-5"],
  ["ListRootsResult", "ListRootsResult", "ROOT-2"]
]

/** Structured content was an object up to this revision (TOOL-15). */
const withObjects = (value: unknown): unknown =>
  mapDeep(
    value,
    ({ structuredContent, ...node }) => isObject(structuredContent) ? { ...node, structuredContent } : node
  )

describe("2025-11-25", () => {
  for (const [name, path, requirements] of legacyMessages) {
    it.effect(`what ${name} generates is valid by the official schema (${requirements})`, () =>
      Effect.gen(function*() {
        const schema = schemaByName.get(name)
        assert(schema !== undefined, `${name} is not in the model`)
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(schema), (value) =>
          Effect.sync(() => {
            const sent = withObjects(toRevision(legacy[path] ?? {}, overTheWire(value)))
            assert.isUndefined(validateLegacy(path, sent))
            return true
          }), { runs: 60, size: 4 })
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
      }))

    const definition = legacy[path]
    if (definition?.properties === undefined) continue
    const members = Object.keys(definition.properties)

    it(`${name} has every member of the official schema (${requirements})`, () => {
      const ast = schemaByName.get(name)?.ast
      assert(ast !== undefined && SchemaAST.isObjects(ast))
      const names = ast.propertySignatures.map((signature) => signature.name)
      assert.deepStrictEqual(members.filter((member) => !names.includes(member)), [])
    })
  }

  it("no member of any definition is missing, of the tasks that are not in the model apart", () => {
    const missing = Object.entries(legacy).flatMap(([name, definition]) => {
      const ast = schemaByName.get(name)?.ast
      if (ast === undefined || !SchemaAST.isObjects(ast) || definition.properties === undefined) return []
      const names = ast.propertySignatures.map((signature) => signature.name)
      return Object.keys(definition.properties).filter((member) => !names.includes(member)).map((member) =>
        `${name}.${member}`
      )
    })
    assert.deepStrictEqual(missing.filter((member) => !/^\w+Request\./.test(member)), [])
  })
})
