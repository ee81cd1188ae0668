import * as McpError from "@effect-mcp/core/McpError"

/** Messages of the newest revision, and of those before it, in which every member is there. */

const _meta = {
  "com.example/trace": "t1",
  "io.modelcontextprotocol/serverInfo": { name: "notes", version: "1.0.0" },
  "io.modelcontextprotocol/subscriptionId": 7
}

const requestMeta = {
  progressToken: 1,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "com.example/trace": "t1",
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "desk", version: "1.0.0" },
  "io.modelcontextprotocol/logLevel": "info"
}

const partMeta = { "com.example/part": 1 }

const icons = [{ src: "https://notes.example/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }]

const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" }

const implementation = {
  name: "notes",
  version: "1.0.0",
  title: "Notes",
  description: "Keeps notes",
  icons,
  websiteUrl: "https://notes.example"
}

const part = { annotations, _meta: partMeta }

export const text = { type: "text", text: "Hello", ...part }
export const image = { type: "image", data: "AQID", mimeType: "image/png", ...part }
export const audio = { type: "audio", data: "AQIDBA==", mimeType: "audio/wav", ...part }
export const resourceLink = {
  type: "resource_link",
  uri: "notes://today",
  name: "today",
  title: "Today",
  description: "The note of today",
  mimeType: "text/markdown",
  size: 12,
  icons,
  ...part
}
export const textContents = { uri: "notes://today", text: "# Today", mimeType: "text/markdown", _meta: partMeta }
export const blobContents = { uri: "notes://photo", blob: "AQID", mimeType: "image/png", _meta: partMeta }
export const embedded = { type: "resource", resource: textContents, ...part }
export const unknownContent = { type: "chart", points: [1, 2], ...part }

export const content = [
  text,
  image,
  audio,
  resourceLink,
  embedded,
  { ...embedded, resource: blobContents },
  unknownContent
]

const toolUse = { type: "tool_use", id: "c1", name: "add", input: { a: 1 }, _meta: partMeta }
const toolResult = {
  type: "tool_result",
  toolUseId: "c1",
  content,
  structuredContent: { sum: 3 },
  isError: true,
  _meta: partMeta
}

const samplingContent = [text, image, audio, toolUse, toolResult, { ...toolResult, content: [], structuredContent: 3 }]

export const tool = {
  name: "add",
  title: "Add",
  description: "Adds",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { a: { type: "number" }, rest: true, nothing: false },
    required: ["a"],
    additionalProperties: false,
    if: { properties: { a: { const: 1 } } }
  },
  outputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { sum: { type: "number" }, rest: true },
    required: ["sum"],
    $defs: { n: { type: "number" } }
  },
  annotations: {
    title: "Add",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false
  },
  icons,
  execution: { taskSupport: "optional" },
  _meta: partMeta
}

export const tools = [
  tool,
  { ...tool, outputSchema: { type: "array", items: { type: "number" } } },
  { ...tool, outputSchema: { $ref: "#/$defs/n", $defs: { n: { type: "object" } } } },
  { name: "ping", inputSchema: { type: "object" }, title: "Ping" }
]

const listed = {
  title: "Today",
  description: "The note of today",
  mimeType: "text/markdown",
  icons,
  annotations,
  _meta: partMeta
}

const any = { _meta, resultType: "complete" }
const cacheable = { ...any, ttlMs: 1000, cacheScope: "public" }
const page = { ...cacheable, nextCursor: "2" }
const retry = { inputResponses: { q: { action: "decline" } }, requestState: "s" }

export const fields = {
  name: {
    type: "string",
    title: "Name",
    description: "Yours",
    minLength: 1,
    maxLength: 9,
    format: "email",
    default: "a@b.example"
  },
  age: { type: "integer", title: "Age", description: "Yours", minimum: 0, maximum: 150, default: 18 },
  height: { type: "number", title: "Height", description: "Yours", minimum: 0, maximum: 3, default: 1.8 },
  sure: { type: "boolean", title: "Sure", description: "Are you?", default: true },
  color: { type: "string", title: "Colour", description: "Any", enum: ["r", "g"], default: "r" },
  titled: {
    type: "string",
    title: "Colour",
    description: "Any",
    oneOf: [{ const: "r", title: "Red" }, { const: "g", title: "Green" }],
    default: "r"
  },
  older: {
    type: "string",
    title: "Colour",
    description: "Any",
    enum: ["r", "g"],
    enumNames: ["Red", "Green"],
    default: "g"
  },
  colors: {
    type: "array",
    title: "Colours",
    description: "Any",
    minItems: 1,
    maxItems: 2,
    items: { type: "string", enum: ["r", "g"] },
    default: ["r"]
  },
  titledColors: {
    type: "array",
    title: "Colours",
    minItems: 1,
    maxItems: 2,
    items: { anyOf: [{ const: "r", title: "Red" }, { const: "g", title: "Green" }] },
    default: ["r"]
  }
}

const form = {
  mode: "form",
  message: "Who?",
  requestedSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: fields,
    required: ["name"]
  },
  task: { ttl: 1 },
  _meta: requestMeta
}

export const url = {
  mode: "url",
  message: "Sign in",
  url: "https://notes.example/signin",
  elicitationId: "e1",
  task: { ttl: 1 },
  _meta: requestMeta
}

const clientCapabilities = {
  experimental: { x: { y: 1 } },
  extensions: { "com.example/x": {} },
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } }
}

const serverCapabilities = {
  experimental: { x: { y: 1 } },
  extensions: { "com.example/x": {} },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } }
}

const paged = { cursor: "1", _meta: requestMeta }
const uri = { uri: "notes://today", _meta: requestMeta }
const plain = { _meta: requestMeta }

interface Complete {
  readonly params: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly results: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export const requests: Readonly<Record<string, Complete>> = {
  "initialize": {
    params: [{
      protocolVersion: "2025-11-25",
      capabilities: clientCapabilities,
      clientInfo: implementation,
      _meta: requestMeta
    }],
    results: [{
      ...any,
      protocolVersion: "2025-11-25",
      capabilities: serverCapabilities,
      serverInfo: implementation,
      instructions: "Ask"
    }]
  },
  "ping": { params: [plain], results: [any] },
  "tools/list": { params: [paged], results: [{ ...page, tools }, { ...page, tools: [], nextCursor: null }] },
  "tools/call": {
    params: [{ name: "add", arguments: { a: 1 }, task: { ttl: 1 }, ...retry, _meta: requestMeta }],
    results: [
      { ...any, content, structuredContent: { sum: 3 }, isError: true },
      ...[null, 0, "", false, [], [1], { sum: 3 }].map((structuredContent) => ({
        ...any,
        content: [],
        structuredContent
      }))
    ]
  },
  "resources/list": {
    params: [paged],
    results: [{ ...page, resources: [{ uri: "notes://today", name: "today", size: 12, ...listed }] }]
  },
  "resources/templates/list": {
    params: [paged],
    results: [{ ...page, resourceTemplates: [{ uriTemplate: "notes://{day}", name: "day", ...listed }] }]
  },
  "resources/read": {
    params: [{ ...uri, ...retry }],
    results: [{ ...cacheable, contents: [textContents, blobContents] }]
  },
  "resources/subscribe": { params: [uri], results: [any] },
  "resources/unsubscribe": { params: [uri], results: [any] },
  "prompts/list": {
    params: [paged],
    results: [{
      ...page,
      prompts: [{
        name: "review",
        title: "Review",
        description: "Reviews",
        arguments: [{ name: "code", title: "Code", description: "What to review", required: true }],
        icons,
        _meta: partMeta
      }]
    }]
  },
  "prompts/get": {
    params: [{ name: "review", arguments: { code: "1" }, ...retry, _meta: requestMeta }],
    results: [{
      ...any,
      description: "Reviews",
      messages: content.map((content) => ({ role: "user", content }))
    }]
  },
  "completion/complete": {
    params: [
      {
        ref: { type: "ref/prompt", name: "review", title: "Review" },
        argument: { name: "code", value: "1" },
        context: { arguments: { language: "ts" } },
        _meta: requestMeta
      },
      { ref: { type: "ref/resource", uri: "notes://{day}" }, argument: { name: "day", value: "to" } }
    ],
    results: [{ ...any, completion: { values: ["today"], total: 1, hasMore: false } }]
  },
  "logging/setLevel": { params: [{ level: "info", _meta: requestMeta }], results: [any] },
  "roots/list": {
    params: [plain],
    results: [{ _meta, roots: [{ uri: "file:///home", name: "Home", _meta: partMeta }] }]
  },
  "sampling/createMessage": {
    params: [{
      messages: [
        ...samplingContent.map((content) => ({ role: "user", content, _meta: partMeta })),
        { role: "assistant", content: samplingContent, _meta: partMeta },
        { role: "user", content: [] }
      ],
      maxTokens: 100,
      modelPreferences: {
        hints: [{ name: "small" }],
        costPriority: 0.1,
        speedPriority: 0.2,
        intelligencePriority: 0.3
      },
      systemPrompt: "Be brief",
      includeContext: "none",
      temperature: 0.5,
      stopSequences: ["."],
      metadata: { x: 1 },
      tools,
      toolChoice: { mode: "auto" },
      task: { ttl: 1 },
      _meta: requestMeta
    }],
    results: [...samplingContent, samplingContent, [text], []].map((content) => ({
      _meta,
      role: "assistant",
      content,
      model: "small",
      stopReason: "toolUse"
    }))
  },
  "elicitation/create": {
    params: [form, url],
    results: [
      { _meta, action: "accept", content: { name: "a", age: 1, height: 1.5, sure: true, colors: ["r", "g"] } },
      { _meta, action: "decline" },
      { _meta, action: "cancel" }
    ]
  }
}

export const notifications: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> = {
  "notifications/initialized": [{ _meta }],
  "notifications/cancelled": [{ _meta, requestId: 1, reason: "Enough" }],
  "notifications/progress": [{ _meta, progressToken: 1, progress: 1.5, total: 2, message: "Half" }],
  "notifications/message": [{ _meta, level: "info", logger: "notes", data: { x: null } }, {
    level: "info",
    data: null
  }],
  "notifications/tools/list_changed": [{ _meta }],
  "notifications/prompts/list_changed": [{ _meta }],
  "notifications/resources/list_changed": [{ _meta }],
  "notifications/resources/updated": [{ _meta, uri: "notes://today" }],
  "notifications/roots/list_changed": [{ _meta }],
  "notifications/elicitation/complete": [{ _meta, elicitationId: "e1" }]
}

const message = "No"
const data = { x: 1 }

export const errors: ReadonlyArray<McpError.McpError> = [
  new McpError.ParseError({ message, data }),
  new McpError.InvalidRequest({ message, data }),
  new McpError.MethodNotFound({ message, data }),
  new McpError.InvalidParams({ message, data }),
  new McpError.InternalError({ message, data }),
  new McpError.HeaderMismatch({ message, data }),
  new McpError.MissingClientCapability({ message, requiredCapabilities: { elicitation: {} } }),
  new McpError.UnsupportedProtocolVersion({ message, supported: ["2026-07-28"], requested: "2027-01-01" }),
  new McpError.ResourceNotFound({ uri: "notes://today" }),
  new McpError.UrlElicitationRequired({ message, elicitations: [url] }),
  new McpError.UserRejected({ message, data }),
  new McpError.Application({ code: 4290, message, data }),
  new McpError.Unrecognized({ code: -32099, message, data })
]
