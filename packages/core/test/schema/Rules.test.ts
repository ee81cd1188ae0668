import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ClientCapabilities, ServerCapabilities } from "../../src/schema/Capabilities.ts"
import { decodeOpen, Implementation } from "../../src/schema/Common.ts"
import { type ContentBlock, UnknownContent } from "../../src/schema/Content.ts"
import { LoggingLevel } from "../../src/schema/Logging.ts"
import { CallToolResult, Tool } from "../../src/schema/Tools.ts"
import { schemaByName } from "./modules.ts"

type Row = readonly [why: string, schema: string, value: unknown]

const text = { type: "text", text: "a" }
const image = { type: "image", data: "AAEC", mimeType: "image/png" }
const tool = { name: "add", inputSchema: { type: "object" } }
const form = (property: unknown) => ({
  message: "m",
  requestedSchema: { type: "object", properties: { field: property } }
})

const accepted: ReadonlyArray<Row> = [
  ["RPC-2", "RequestId", ""],
  ["RPC-2", "RequestId", 0],
  ["PROG-1", "ProgressToken", 0],
  ["PROG-3", "ProgressNotificationParams", { progressToken: 1, progress: 0.5, total: 1.5, message: "m" }],
  ["PAGE-3", "PaginatedRequestParams", { cursor: "" }],
  ["PAGE-3", "ListToolsResult", { tools: [], nextCursor: "" }],
  ["PAGE-3", "ListToolsResult", { tools: [], nextCursor: null }],
  ["a negative age", "ListToolsResult", { tools: [], ttlMs: -1, cacheScope: "public" }],
  ["TOOL-3", "Tool", tool],
  ["TOOL-4", "Tool", { ...tool, execution: { taskSupport: "optional" } }],
  ["TOOL-9", "Tool", { ...tool, outputSchema: { type: "array", items: {} } }],
  ["TOOL-11", "CallToolRequestParams", { name: "add" }],
  ["TOOL-12", "CallToolResult", { content: [] }],
  ["TOOL-13", "CallToolResult", { content: [text, image, { ...image, type: "audio" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ type: "resource_link", uri: "a:b", name: "n" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ type: "resource", resource: { uri: "a:b", blob: "AA==" } }] }],
  ["TOOL-13", "CallToolResult", { content: [{ type: "video", data: 1 }, text] }],
  ["TOOL-15", "CallToolResult", { content: [], structuredContent: null }],
  ["TOOL-15", "CallToolResult", { content: [], structuredContent: 0 }],
  ["TOOL-15", "CallToolResult", { content: [], structuredContent: "" }],
  ["TOOL-15", "CallToolResult", { content: [], structuredContent: [] }],
  ["TOOL-15", "CallToolResult", { content: [], structuredContent: false }],
  ["RES-4", "ReadResourceResult", { contents: [{ uri: "a:b", text: "" }, { uri: "a:c", blob: "" }] }],
  ["RES-13", "Annotations", { audience: ["user", "assistant"], priority: 0, lastModified: "2025-01-12T15:00:58Z" }],
  ["RES-13", "Annotations", { priority: 1 }],
  ["PROMPT-2", "GetPromptRequestParams", { name: "p", arguments: { a: "1" } }],
  ["PROMPT-3", "GetPromptResult", { messages: [{ role: "assistant", content: text }] }],
  ["COMP-2", "CompleteRequestParams", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
  ["COMP-3", "CompleteRequestParams", {
    ref: { type: "ref/resource", uri: "a:{b}" },
    argument: { name: "a", value: "" },
    context: { arguments: { c: "d" } }
  }],
  ["COMP-4", "CompleteResult", { completion: { values: Array.from({ length: 100 }, String), total: 200 } }],
  ["LOG-2", "LoggingMessageNotificationParams", { level: "notice", data: null }],
  ["ELI-4", "ElicitRequestParams", form({ type: "string" })],
  ["ELI-6", "ElicitRequestParams", form({ type: "string", format: "email", minLength: 1, default: "a@b.c" })],
  ["ELI-7", "ElicitRequestParams", form({ type: "integer", minimum: 0, maximum: 9, default: 1 })],
  ["ELI-7", "ElicitRequestParams", form({ type: "boolean", default: false })],
  ["ELI-8", "ElicitRequestParams", form({ type: "string", enum: ["a"], default: "a" })],
  ["ELI-8", "ElicitRequestParams", form({ type: "string", oneOf: [{ const: "a", title: "A" }] })],
  ["ELI-8", "ElicitRequestParams", form({ type: "array", items: { type: "string", enum: ["a"] }, maxItems: 1 })],
  ["ELI-8", "ElicitRequestParams", form({ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } })],
  ["ELI-9", "ElicitRequestParams", form({ type: "string", enum: ["a"], enumNames: ["A"] })],
  ["ELI-11", "ElicitResult", { action: "accept", content: { a: "", b: 1.5, c: false, d: ["x"] } }],
  ["ELI-11", "ElicitResult", { action: "cancel" }],
  ["ELI-15", "ElicitRequestParams", { mode: "url", message: "m", url: "https://a.example/b", elicitationId: "1" }],
  ["ELI-15", "ElicitRequestParams", { mode: "url", message: "m", url: "https://a.example/b" }],
  ["ELI-17", "ElicitationCompleteNotificationParams", { elicitationId: "1" }],
  ["ICON-1", "Icon", { src: "data:,", sizes: ["48x48", "any"], theme: "dark" }],
  ["INIT-11", "ClientCapabilities", {
    roots: { listChanged: true },
    sampling: {},
    elicitation: {},
    tasks: { list: {} }
  }],
  ["INIT-12", "ServerCapabilities", { logging: {}, completions: {}, tools: { listChanged: false }, other: 1 }],
  ["INIT-13", "Implementation", {
    name: "n",
    version: "1",
    websiteUrl: "https://a.example",
    icons: [{ src: "data:," }]
  }],
  ["SAMP-5", "CreateMessageResult", { role: "assistant", content: text, model: "m", stopReason: "other" }],
  ["SAMP-6", "SamplingMessage", { role: "user", content: text }],
  ["SAMP-6", "SamplingMessage", {
    role: "assistant",
    content: [text, { type: "tool_use", id: "1", name: "n", input: {} }]
  }],
  ["SAMP-6", "SamplingMessage", { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [] }] }],
  ["ROOT-2", "ListRootsResult", { roots: [{ uri: "file:///a", name: "a" }] }],
  ["SUB-1", "SubscriptionsListenRequestParams", { notifications: { taskIds: ["1"] } }],
  ["CAN-1", "CancelledNotificationParams", {}],
  ["MRTR-3", "InputRequiredResult", { resultType: "input_required", requestState: "" }],
  ["MRTR-4", "InputRequest", { method: "roots/list" }],
  ["MRTR-19", "InputResponses", { unknown: { any: "thing" } }]
]

const rejected: ReadonlyArray<Row> = [
  ["RPC-2", "RequestId", null],
  ["RPC-2", "RequestId", 1.5],
  ["PROG-1", "ProgressToken", null],
  ["PROG-3", "ProgressNotificationParams", { progressToken: 1, progress: "1" }],
  ["META-19", "CallToolRequestParams", { name: "a", _meta: [] }],
  ["META-19", "Tool", { ...tool, _meta: null }],
  ["PAGE-2", "PaginatedRequestParams", { cursor: 1 }],
  ["CACHE-1", "ListToolsResult", { tools: [], cacheScope: "shared" }],
  ["CACHE-1", "ListToolsResult", { tools: [], ttlMs: "1" }],
  ["TOOL-3", "Tool", { name: "a" }],
  ["TOOL-3", "Tool", { ...tool, name: 1 }],
  ["TOOL-3", "Tool", { name: "a", inputSchema: { type: "string" } }],
  ["TOOL-8", "Tool", { name: "a", inputSchema: null }],
  ["TOOL-8", "Tool", { name: "a", inputSchema: {} }],
  ["TOOL-11", "CallToolRequestParams", { name: "a", arguments: [] }],
  ["TOOL-11", "CallToolRequestParams", { arguments: {} }],
  ["TOOL-12", "CallToolResult", {}],
  ["TOOL-12", "CallToolResult", { content: text }],
  ["TOOL-13", "CallToolResult", { content: [{ type: "text" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ text: "a" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ ...image, data: "AAE" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ ...image, data: "AA-_" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ ...image, type: "audio", data: "A===" }] }],
  ["TOOL-13", "CallToolResult", { content: [{ type: "resource", resource: { uri: "a:b" } }] }],
  ["RES-2", "Resource", { uri: "a:b" }],
  ["RES-3", "ResourceTemplate", { name: "n" }],
  ["RES-4", "ReadResourceResult", { contents: [{ uri: "a:b" }] }],
  ["RES-4", "ReadResourceResult", { contents: [{ uri: "a:b", blob: "?" }] }],
  ["RES-13", "Annotations", { priority: 1.1 }],
  ["RES-13", "Annotations", { priority: -0.1 }],
  ["RES-13", "Annotations", { audience: ["system"] }],
  ["PROMPT-2", "GetPromptRequestParams", { name: "p", arguments: { a: 1 } }],
  ["PROMPT-3", "GetPromptResult", { messages: [{ role: "system", content: text }] }],
  ["PROMPT-3", "GetPromptResult", { messages: [{ role: "user", content: [text] }] }],
  ["COMP-2", "CompleteRequestParams", { ref: { type: "ref/tool", name: "p" }, argument: { name: "a", value: "" } }],
  ["COMP-4", "CompleteResult", { completion: { values: Array.from({ length: 101 }, String) } }],
  ["LOG-2", "LoggingMessageNotificationParams", { level: "info" }],
  ["LOG-2", "SetLevelRequestParams", { level: "warn" }],
  ["ELI-4", "ElicitRequestParams", { message: "m" }],
  ["ELI-4", "ElicitRequestParams", { ...form({ type: "string" }), mode: "other" }],
  ["ELI-5", "ElicitRequestParams", form({ type: "object", properties: {} })],
  ["ELI-5", "ElicitRequestParams", form({ type: "array", items: { type: "object" } })],
  ["ELI-5", "ElicitRequestParams", form({ type: "array", items: { type: "array", items: { type: "string" } } })],
  ["ELI-6", "ElicitRequestParams", form({ type: "string", format: "ipv4" })],
  ["ELI-8", "ElicitRequestParams", form({ type: "string", enum: [1] })],
  ["ELI-8", "ElicitRequestParams", form({ type: "string", oneOf: [{ const: "a" }] })],
  ["ELI-11", "ElicitResult", { action: "reject" }],
  ["ELI-11", "ElicitResult", { action: "accept", content: { a: { b: 1 } } }],
  ["ELI-11", "ElicitResult", { action: "accept", content: { a: null } }],
  ["ELI-15", "ElicitRequestParams", { mode: "url", message: "m", url: "nowhere" }],
  ["ELI-15", "ElicitRequestParams", { mode: "url", message: "m" }],
  ["ICON-1", "Icon", { mimeType: "image/png" }],
  ["ICON-1", "Icon", { src: "data:,", theme: "sepia" }],
  ["INIT-1", "InitializeRequestParams", { protocolVersion: "2025-11-25", capabilities: {} }],
  ["INIT-11", "ClientCapabilities", { sampling: true }],
  ["INIT-11", "ClientCapabilities", { extensions: { "a/b": true } }],
  ["INIT-12", "ServerCapabilities", { tools: { listChanged: "yes" } }],
  ["INIT-13", "Implementation", { name: "n" }],
  ["SAMP-3", "CreateMessageRequestParams", { messages: [] }],
  ["SAMP-3", "CreateMessageRequestParams", { messages: [], maxTokens: 1.5 }],
  ["SAMP-3", "CreateMessageRequestParams", { messages: [], maxTokens: 1, includeContext: "some" }],
  ["SAMP-6", "SamplingMessage", { role: "user", content: { type: "video" } }],
  ["SAMP-10", "ToolChoice", { mode: "any" }],
  ["SAMP-11", "ModelPreferences", { costPriority: 2 }],
  ["ROOT-2", "ListRootsResult", { roots: [{ uri: "https://a.example" }] }],
  ["SUB-1", "SubscriptionsListenRequestParams", {}],
  ["MRTR-3", "InputRequiredResult", { resultType: "input_required" }],
  ["MRTR-3", "InputRequiredResult", { resultType: "complete", requestState: "" }],
  ["MRTR-4", "InputRequest", { method: "tools/call", params: {} }],
  ["MRTR-19", "InputResponses", { a: 1 }],
  ["DISC-2", "DiscoverResult", { capabilities: {} }]
]

const decode = ([, name, value]: Row) => {
  const schema = schemaByName.get(name)
  assert(schema !== undefined, `${name} is not in the model`)
  return Schema.decodeUnknownResult(schema)(value)
}

describe("what the model accepts", () => {
  for (const row of accepted) {
    it(`${row[0]} ${row[1]} ${JSON.stringify(row[2]).slice(0, 100)}`, () => {
      assert.isTrue(Result.isSuccess(decode(row)))
    })
  }
})

describe("what the model rejects", () => {
  for (const row of rejected) {
    it(`${row[0]} ${row[1]} ${JSON.stringify(row[2]).slice(0, 100)}`, () => {
      assert.isTrue(Result.isFailure(decode(row)))
    })
  }
})

describe("details", () => {
  it("META-19 _meta is on params, results, definitions, content, resource contents and roots", () => {
    const holders = [
      "RequestParams",
      "NotificationParams",
      "EmptyResult",
      "Tool",
      "Resource",
      "ResourceTemplate",
      "Prompt",
      "TextContent",
      "ImageContent",
      "AudioContent",
      "ResourceLink",
      "EmbeddedResource",
      "TextResourceContents",
      "BlobResourceContents",
      "Root",
      "SamplingMessage",
      "ToolUseContent",
      "ToolResultContent"
    ]
    for (const name of holders) {
      const ast = schemaByName.get(name)?.ast
      assert(ast !== undefined && ast._tag === "Objects")
      assert.isTrue(ast.propertySignatures.some((signature) => signature.name === "_meta"), name)
    }
  })

  it("TOOL-15 structured content that is there and falsy differs from none", () => {
    const decode = Schema.decodeUnknownSync(CallToolResult)
    assert.isTrue("structuredContent" in decode({ content: [], structuredContent: null }))
    assert.isFalse("structuredContent" in decode({ content: [] }))
  })

  it("JS-7 unknown keywords of a tool's schemas survive a plain decode, by reference", () => {
    const inputSchema = { type: "object", $defs: { a: { $anchor: "a" } }, if: {}, "x-own": [1] }
    const outputSchema = { oneOf: [{}], "x-own": null }
    const decoded = Schema.decodeUnknownSync(Tool)({ name: "a", inputSchema, outputSchema })
    assert.strictEqual<unknown>(decoded.inputSchema, inputSchema)
    assert.strictEqual<unknown>(decoded.outputSchema, outputSchema)
  })

  it("TOOL-13 a block of an unknown kind is kept as it came, a faulty known one is not taken for one", () => {
    const decode = Schema.decodeUnknownResult(UnknownContent)
    const block = { type: "video", frames: [1] }
    assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(CallToolResult)({ content: [block] })))
    const decoded = decode(block)
    assert.isTrue(Result.isSuccess(decoded) && (decoded.success as unknown) === block)
    assert.isTrue(Result.isFailure(decode({ type: "image" })))
  })

  it("TOOL-13 content is told apart by its type", () => {
    const describe = (block: ContentBlock): string => {
      switch (block.type) {
        case "text":
          return block.text
        case "image":
        case "audio":
          return block.mimeType
        case "resource_link":
          return block.uri
        case "resource":
          return block.resource.uri
        default: {
          const type: string = block.type
          return type
        }
      }
    }
    const { content } = Schema.decodeUnknownSync(CallToolResult)({ content: [text, image, { type: "video" }] })
    assert.deepStrictEqual(content.map(describe), ["a", "image/png", "video"])
  })

  it("TOOL-13 base64 of several megabytes is checked without recursion", () => {
    const schema = schemaByName.get("ImageContent")
    assert(schema !== undefined)
    const data = "AAAA".repeat(2 ** 20)
    assert.isTrue(Schema.is(schema)({ ...image, data }))
    assert.isFalse(Schema.is(schema)({ ...image, data: `${data}AAA%` }))
  })

  it("ELI-8 ELI-9 nothing of a choice is lost in a plain decode", () => {
    const fields = [
      { type: "string", enum: ["a"], enumNames: ["A"], default: "a" },
      { type: "string", enum: ["a"], title: "t" },
      { type: "string", oneOf: [{ const: "a", title: "A" }] },
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, minItems: 1 },
      { type: "array", items: { type: "string", enum: ["a"] }, default: ["a"] }
    ]
    const schema = schemaByName.get("PrimitiveSchemaDefinition")
    assert(schema !== undefined)
    for (const field of fields) assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(schema)(field), field)
  })

  it("LOG-2 levels are listed from the least to the most severe", () => {
    assert.deepStrictEqual([...LoggingLevel.literals].map((level) => level[0]).join(""), "dinwecae")
  })

  it("INIT-11 INIT-12 INIT-13 RPC-21 unknown capabilities and members stay with decodeOpen", () => {
    const values = [
      [ClientCapabilities, { future: { a: 1 }, elicitation: { voice: {} } }],
      [ServerCapabilities, { future: true, tools: { listChanged: true, future: 1 } }],
      [Implementation, { name: "n", version: "1", future: [] }]
    ] as const
    for (const [schema, value] of values) {
      const result = decodeOpen<unknown>(schema)(value)
      assert.isTrue(Result.isSuccess(result) && result.success === value)
    }
  })

  it("decodeOpen explains what is wrong", () => {
    const result = decodeOpen(Implementation)({ name: "n" })
    assert.isTrue(Result.isFailure(result) && result.failure.message.includes("version"))
  })
})
