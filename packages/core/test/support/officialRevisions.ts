import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { assert } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"

/** The revisions of the legacy era. */
export const legacy = Revision.all.filter((revision) => Revision.era(revision) === "legacy")

type Node = Readonly<Record<string, unknown>>

const isNode = (u: unknown): u is Node => typeof u === "object" && u !== null && !Array.isArray(u)

const mapDeep = (value: unknown, f: (node: Node, path: ReadonlyArray<string>) => Node, path: ReadonlyArray<string>) => {
  const map = (value: unknown, path: ReadonlyArray<string>): unknown =>
    Array.isArray(value) ?
      value.map((item) => map(item, path)) :
      isNode(value) ?
      Object.fromEntries(Object.entries(f(value, path)).map(([key, item]) => [key, map(item, [...path, key])])) :
      value
  return map(value, path)
}

/** The generated schemas say `integer` where their source says `number` next to other primitive types. */
const corrected = (node: Node): Node => {
  const { type } = node
  if (!Array.isArray(type) || !type.includes("boolean")) return node
  return { ...node, type: type.map((name: unknown) => name === "integer" ? "number" : name) }
}

const isParams = (path: ReadonlyArray<string>) => path.at(-1) === "params" || path.at(-1)?.endsWith("Params") === true

/** What may stand in an object beside what the schema names. */
const addedTo = (path: ReadonlyArray<string>, properties: Node): Node => {
  if (isParams(path)) return { _meta: {} }
  // EXT-6: extensions are told of in all revisions.
  if (path.at(-1)?.endsWith("Capabilities") === true) return { extensions: {} }
  return "method" in properties ? { jsonrpc: {}, id: {} } : {}
}

/**
 * What the schemas have as an open object is closed, but for JSON Schemas of tools and what `allOf` joins. `_meta` is in the params of all
 * revisions, and the older ones have the envelope apart.
 */
const closed = (node: Node, path: ReadonlyArray<string>): Node => {
  if (!isNode(node.properties) || node.additionalProperties !== undefined || node.type !== "object") return node
  if (path[0] === "Error" || path.includes("allOf")) return node
  if (path.includes("inputSchema") || path.includes("outputSchema") || path.at(-1) === "_meta") return node
  const properties = { ...addedTo(path, node.properties), ...node.properties }
  return { ...node, properties, additionalProperties: false }
}

const formats = {
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  uri: true,
  "uri-template": true
} as const

type Validate = (definition: string, value: unknown) => string | undefined

/** Marks every member that the schema names, for the validator to say that it has met it. */
const marked = (node: Node, path: ReadonlyArray<string>): Node => {
  if (!isNode(node.properties)) return node
  const place = path.filter((step) => step !== "properties").join("/")
  return {
    ...node,
    properties: Object.fromEntries(
      Object.entries(node.properties).map(([name, schema]) => [
        name,
        isNode(schema) ? { ...schema, met: `${place}/${name}` } : schema
      ])
    )
  }
}

const marks = (definitions: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  mapDeep(definitions, (node) => {
    if (typeof node.met === "string") found.push(node.met)
    return node
  }, [])
  return found
}

interface Official {
  readonly definitions: Node
  /** The members that the schema names, as `Tool/annotations`. */
  readonly members: ReadonlyArray<string>
  /** Those that `validateClosed` has met. */
  readonly met: ReadonlySet<string>
  /** What is wrong with a value by the official schema. */
  readonly validate: Validate
  /** The same, where a member that the schema does not name is wrong too. */
  readonly validateClosed: Validate
}

const load = (revision: Revision.Revision): Official => {
  const text = readFileSync(new URL(`../fixtures/schema/${revision}.json`, import.meta.url), "utf8")
  const document = mapDeep(JSON.parse(text), corrected, [])
  assert(isNode(document))
  const name = "$defs" in document ? "$defs" : "definitions"
  const definitions = document[name]
  assert(isNode(definitions))
  const met = new Set<string>()
  const validator = (definitions: unknown): Validate => {
    const ajv = new (name === "$defs" ? Ajv2020 : Ajv)({ strict: false, formats })
    ajv.addKeyword({
      keyword: "met",
      validate: (place: string) => {
        met.add(place)
        return true
      }
    })
    ajv.addSchema({ $id: "mcp", [name]: definitions })
    return (definition, value) => {
      const validate = ajv.getSchema(`mcp#/${name}/${definition}`)
      assert(validate !== undefined, `no definition ${definition} in ${revision}`)
      return validate(value) === true ? undefined : `${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`
    }
  }
  const markedDefinitions = mapDeep(definitions, marked, [])
  return {
    definitions,
    members: marks(markedDefinitions),
    met,
    validate: validator(definitions),
    validateClosed: validator(mapDeep(markedDefinitions, closed, []))
  }
}

const officials = new Map(legacy.map((revision) => [revision, load(revision)]))

/** The official schema of a legacy revision. */
export const official = (revision: Revision.Revision): Official => {
  const found = officials.get(revision)
  assert(found !== undefined)
  return found
}

/** The definition of the request or notification with a method. */
export const definitionOf = (revision: Revision.Revision, method: string): string => {
  const found = Object.entries(official(revision).definitions).find(([, node]) =>
    isNode(node) && isNode(node.properties) && isNode(node.properties.method) && node.properties.method.const === method
  )
  assert(found !== undefined, `${method} is not in the schema of ${revision}`)
  return found[0]
}

const results: Readonly<Record<string, string>> = {
  "initialize": "InitializeResult",
  "ping": "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "logging/setLevel": "EmptyResult",
  "roots/list": "ListRootsResult",
  "sampling/createMessage": "CreateMessageResult",
  "elicitation/create": "ElicitResult"
}

/** The definition of the result of a request. */
export const resultDefinitionOf = (method: string): string => {
  const found = results[method]
  assert(found !== undefined, `no result of ${method}`)
  return found
}

/** The methods of a revision, whichever side sends them. */
export const methodsOf = (revision: Revision.Revision) => ({
  requests: [...Method.core.requests.values()].filter(({ revisions }) => revisions.has(revision)),
  notifications: [...Method.core.notifications.values()].filter(({ revisions }) => revisions.has(revision))
})
