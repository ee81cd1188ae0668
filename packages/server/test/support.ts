/**
 * A server under test and a peer that speaks to it in plain messages. Whatever the server sends is checked against the
 * official schema (RPC-10 and every MUST about the shape of a result).
 */
import { assert } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import type { McpClientError } from "@effect-mcp/core/McpClientError"
import type { ErrorObject } from "@effect-mcp/core/McpError"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Meta from "@effect-mcp/core/Meta"
import { McpEndpoint, type ServerEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpServer from "@effect-mcp/server/McpServer"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"

const definitions = () => {
  const file = new URL("../../core/test/fixtures/schema/2026-07-28.json", import.meta.url)
  const { $defs } = JSON.parse(readFileSync(file, "utf8"))
  // The generated schema leaves `null` out of "any JSON value" (TOOL-15 has it), and says `integer` for numbers in unions.
  const text = JSON.stringify({ ...$defs, JSONValue: {} })
  return JSON.parse(
    text.replaceAll(
      /\["(string|boolean|integer)",\s*"(string|boolean|integer)",\s*"integer"/g,
      "[\"$1\",\"$2\",\"number\""
    )
  )
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: "mcp", $defs: definitions() })

const resultDefinitions: Readonly<Record<string, string>> = {
  "server/discover": "DiscoverResultResponse",
  "tools/list": "ListToolsResultResponse",
  "tools/call": "CallToolResultResponse",
  "resources/list": "ListResourcesResultResponse",
  "resources/templates/list": "ListResourceTemplatesResultResponse",
  "resources/read": "ReadResourceResultResponse",
  "prompts/list": "ListPromptsResultResponse",
  "prompts/get": "GetPromptResultResponse",
  "completion/complete": "CompleteResultResponse"
}

/** How many messages were checked against which definition. */
export const checked = new Map<string, number>()

const assertValid = (definition: string, message: unknown): void => {
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`)
  assert(validate !== undefined, `no definition ${definition}`)
  assert(validate(message) === true, `${definition}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(message)}`)
  checked.set(definition, (checked.get(definition) ?? 0) + 1)
}

const wire = (message: JsonRpc.Message): unknown =>
  JSON.parse(JsonRpc.printResponse(message as JsonRpc.Response, ({ cause }) => {
    throw cause
  }))

const assertOfficial = (method: string, response: JsonRpc.Response): void => {
  if (response._tag === "Failure") return assertValid("JSONRPCErrorResponse", wire(response))
  assertValid("JSONRPCResultResponse", wire(response))
  const definition = resultDefinitions[method]
  if (definition !== undefined && JsonRpc.resultValue(response).resultType === "complete") {
    assertValid(definition, wire(response))
  }
}

const notificationDefinitions: Readonly<Record<string, string>> = {
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification"
}

export interface RequestOptions {
  readonly id?: JsonRpc.Id
  /** Put into `_meta`; `undefined` takes a key out. */
  readonly meta?: Record<string, unknown>
  readonly onNotification?: (notification: JsonRpc.Notification) => Effect.Effect<void>
  /** Mirrored beside the body: the name, and arguments by header. */
  readonly name?: string
  readonly params?: ReadonlyArray<readonly [string, string]>
}

export type Params = Record<string, unknown>

export interface Peer {
  readonly endpoint: ServerEndpoint
  readonly request: (
    method: string,
    params?: Params,
    options?: RequestOptions
  ) => Effect.Effect<JsonRpc.Response, McpClientError>
  /** The result of a request that has to succeed. */
  readonly result: (method: string, params?: Params, options?: RequestOptions) => Effect.Effect<Json, McpClientError>
  /** The error of a request that has to fail. */
  readonly error: (
    method: string,
    params?: Params,
    options?: RequestOptions
  ) => Effect.Effect<ErrorObject, McpClientError>
  readonly call: (name: string, args?: unknown, options?: RequestOptions) => Effect.Effect<Json, McpClientError>
  readonly notify: (method: string, params?: Params) => Effect.Effect<void, McpClientError>
}

/** Any JSON, to look into without ceremony. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export const requestMeta = (meta: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({
      [Meta.key.protocolVersion]: "2026-07-28",
      [Meta.key.clientCapabilities]: {},
      ...meta
    }).filter(([, value]) => value !== undefined)
  )

let nextId = 0

export const connect = (endpoint: ServerEndpoint, options?: MemoryTransport.Options): Peer => {
  const transport = MemoryTransport.make(endpoint, options)
  const request: Peer["request"] = (method, params = {}, options = {}) => {
    const message = JsonRpc.request(options.id ?? nextId++, method, { ...params, _meta: requestMeta(options.meta) })
    return transport.send({
      message,
      mirror: { protocolVersion: "2026-07-28", method, name: options.name, params: options.params ?? [] },
      onMessage: (notification) => {
        assert.strictEqual(notification._tag, "Notification")
        const definition = notificationDefinitions[notification.method]
        if (definition !== undefined) assertValid(definition, wire(notification))
        return options.onNotification?.(notification as JsonRpc.Notification) ?? Effect.void
      }
    }).pipe(Effect.tap((response) => {
      assert.strictEqual(response.id, message.id)
      return Effect.sync(() => assertOfficial(method, response))
    }))
  }
  const result: Peer["result"] = (method, params, options) =>
    Effect.map(request(method, params, options), (response) => {
      assert(response._tag === "Success", JSON.stringify(response))
      return wireResult(response)
    })
  return {
    endpoint,
    request,
    result,
    error: (method, params, options) =>
      Effect.map(request(method, params, options), (response) => {
        assert(response._tag === "Failure", JSON.stringify(response))
        return response.error
      }),
    call: (name, args, options) =>
      result("tools/call", args === undefined ? { name } : { name, arguments: args }, options),
    notify: (method, params) => transport.notify(JsonRpc.notification(method, params))
  }
}

const wireResult = (response: JsonRpc.Success): Json => {
  const message = wire(response)
  assert(JsonRpc.isJsonObject(message))
  return message.result
}

/** Builds a server in the surrounding scope and connects to it. */
export const start = <A, E, R>(
  features: Layer.Layer<A, E, R>,
  options?: Partial<McpServer.Options>,
  transport?: MemoryTransport.Options
) =>
  Effect.map(
    Layer.build(McpServer.layer({ name: "test", version: "1.0.0", ...options }, features)),
    (context) => connect(Context.get(context, McpEndpoint), transport)
  )

/** Starts a server whose registry can be changed from outside. */
export const startWithRegistry = <A, E, R>(features: Layer.Layer<A, E, R>, options?: Partial<McpServer.Options>) =>
  Effect.gen(function*() {
    let registry: McpServer.Registry["Service"] | undefined
    const capture = Layer.effectDiscard(Effect.map(McpServer.Registry, (service) => {
      registry = service
    }))
    const peer = yield* start(Layer.merge(features, capture), options)
    assert(registry !== undefined)
    const provide = Effect.provideService(McpServer.Registry, registry)
    return { peer, provide }
  })

export const names = (list: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> =>
  list.map(({ name }) => name)
