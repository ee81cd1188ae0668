import * as Extension from "@effect-mcp/core/Extension"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import type { CallToolRequestParams, CallToolResult } from "@effect-mcp/core/schema/Tools"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"

const now = Method.defineRequest({
  name: "com.example/now",
  sender: "client",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ zone: Schema.String }),
  result: Schema.Struct({ now: Schema.String })
})

const ticked = Method.defineNotification({
  name: "com.example/ticked",
  sender: "server",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ at: Schema.String })
})

export const aRequestHasItsNameParamsAndResult: Types.Equals<
  typeof now,
  Method.RequestDefinition<"com.example/now", { readonly zone: string }, { readonly now: string }>
> = true

export const aNotificationHasItsNameAndParams: Types.Equals<
  typeof ticked,
  Method.NotificationDefinition<"com.example/ticked", { readonly at: string }>
> = true

export const theMethodsOfTheProtocolAreTyped: Types.Equals<
  typeof Method.toolsCall,
  Method.RequestDefinition<"tools/call", CallToolRequestParams, CallToolResult>
> = true

export const anyMethod: ReadonlyArray<Method.Definition> = [now, ticked, Method.toolsCall, Method.progress]

// @ts-expect-error a method exists in published revisions
Method.defineRequest({ ...now, sender: "client", revisions: new Set(["2027-01-01"]) })

// @ts-expect-error what goes over the wire is not transformed
Method.defineNotification({ name: "a", sender: "server", revisions: new Set(), params: Schema.DateFromString })

// @ts-expect-error a method is sent by a client, a server, or both
Method.defineNotification({ name: "a", sender: "proxy", revisions: new Set(), params: Schema.Struct({}) })

// Extensions

const jobs = Extension.make("com.example/jobs", {
  methods: [now, ticked],
  serverSettings: Schema.Struct({ max: Schema.Int })
})

export const anExtensionKnowsItsSettings: Types.Equals<
  typeof jobs,
  Extension.Extension<"com.example/jobs", { readonly max: number }>
> = true

export const anyExtension: ReadonlyArray<Extension.Any> = [jobs]

export const settingsAreAnyObjectByDefault: Extension.Enabled = Extension.forClient(jobs, { anything: [1] })

// @ts-expect-error EXT-1: the settings are those the extension says
Extension.forServer(jobs, { maximum: 1 })

// Errors

const Quota = McpError.application(4290, Schema.Struct({ limit: Schema.Finite }))

export const theDataOfAnErrorIsTyped: Types.Equals<
  ReturnType<typeof Quota.data>,
  Option.Option<{ readonly limit: number }>
> = true

// @ts-expect-error the data of an error is what its schema says
Quota.make("Used up", { limit: "10" })

// @ts-expect-error ERR-7: a resource that is not found is named by its URI, and has no code to choose
export const notFoundWithACode = new McpError.ResourceNotFound({ uri: "a:b", code: -32002 })
