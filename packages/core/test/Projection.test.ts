import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Projection from "@effect-mcp/core/Projection"
import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import { overTheWire } from "./support/check.ts"
import * as complete from "./support/completeMessages.ts"
import { legacy } from "./support/officialRevisions.ts"

const value = (result: JsonRpc.JsonObject | JsonRpc.Prepared): JsonRpc.JsonObject =>
  result instanceof JsonRpc.Prepared ? result.value : result

const params = (method: string, params: JsonRpc.JsonObject) => (revision: Revision.Revision) =>
  Projection.params(revision, method)(params)

const result = (method: string, result: JsonRpc.JsonObject) => (revision: Revision.Revision) =>
  value(Projection.result(revision, method)(result))

/** What becomes of something under 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25. */
type Row = readonly [title: string, (revision: Revision.Revision) => unknown, ...expected: ReadonlyArray<unknown>]

const rows = (table: ReadonlyArray<Row>) => {
  for (const [title, project, ...expected] of table) {
    it(title, () => {
      assert.lengthOf(expected, legacy.length)
      legacy.forEach((revision, i) => {
        const projected = overTheWire(project(revision))
        assert.deepStrictEqual(projected, expected[i], revision)
        assert.deepStrictEqual(Object.keys(Object(projected)), Object.keys(Object(expected[i])), revision)
      })
    })
  }
}

/** The value in all four revisions. */
const all = (expected: unknown) => [expected, expected, expected, expected] as const

const tool = (members: object) => (revision: Revision.Revision) => {
  const { tools } = result("tools/list", { tools: [{ name: "add", inputSchema: { type: "object" }, ...members }] })(
    revision
  )
  assert(Array.isArray(tools))
  const { inputSchema, name: _, ...rest } = tools[0]
  return "inputSchema" in members ? inputSchema : rest
}

const block = (block: object) => (revision: Revision.Revision) => {
  const { content } = result("tools/call", { content: [block] })(revision)
  assert(Array.isArray(content))
  assert.lengthOf(content, 1)
  return content[0]
}

const field = (field: object) => (revision: Revision.Revision) => {
  const form = { message: "?", requestedSchema: { type: "object", properties: { it: field } } }
  const { requestedSchema } = params("elicitation/create", form)(revision)
  return Object(requestedSchema).properties.it
}

const text = (text: string) => ({ type: "text", text })

const annotations = { audience: ["user"], priority: 0.5 }
const dated = { ...annotations, lastModified: "2026-01-01T00:00:00Z" }
const icons = [{ src: "https://notes.example/icon.png" }]

describe("tools", () => {
  const hints = { annotations: { readOnlyHint: true } }
  const outputSchema = { type: "object", properties: {} }
  const sum = { sum: 3 }
  rows([
    ["TOOL-4: annotations are there from 2025-03-26 on", tool(hints), {}, hints, hints, hints],
    [
      "TOOL-4: title is there from 2025-06-18 on, and before that in the annotations",
      tool({ title: "Add" }),
      {},
      { annotations: { title: "Add" } },
      { title: "Add" },
      { title: "Add" }
    ],
    [
      "TOOL-4: a title that the annotations have already stays",
      tool({ title: "Add", annotations: { title: "Sum" } }),
      {},
      { annotations: { title: "Sum" } },
      { title: "Add", annotations: { title: "Sum" } },
      { title: "Add", annotations: { title: "Sum" } }
    ],
    ["TOOL-4, META-19: _meta is there from 2025-06-18 on", tool({ _meta: { a: 1 } }), {}, {}, { _meta: { a: 1 } }, {
      _meta: { a: 1 }
    }],
    ["TOOL-4, ICON-1: icons are there from 2025-11-25 on", tool({ icons }), {}, {}, {}, { icons }],
    ["TOOL-4: execution is there in 2025-11-25 only", tool({ execution: { taskSupport: "optional" } }), {}, {}, {}, {
      execution: { taskSupport: "optional" }
    }],
    ["TOOL-4: outputSchema is there from 2025-06-18 on", tool({ outputSchema }), {}, {}, { outputSchema }, {
      outputSchema
    }],
    [
      "TOOL-9: outputSchema is that of an object, or is not there",
      tool({ outputSchema: { type: "array" } }),
      ...all({})
    ],
    [
      "TOOL-9: outputSchema says itself that it is that of an object",
      tool({ outputSchema: { $ref: "#/$defs/a" } }),
      ...all({})
    ],
    [
      "TOOL-9: keywords that the older schemas do not name are valid, and stay",
      tool({ inputSchema: complete.tool.inputSchema }),
      ...all({
        ...complete.tool.inputSchema,
        properties: { a: { type: "number" }, rest: {}, nothing: { not: {} } }
      })
    ],
    [
      "TOOL-9: what never was a schema is left out",
      tool({ inputSchema: { type: "object", $schema: 1, required: true, properties: { a: {} } } }),
      ...all({ type: "object", properties: { a: {} } })
    ],
    [
      "TOOL-15, TOOL-17: structured content is there from 2025-06-18 on, and a text before",
      result("tools/call", { content: [], structuredContent: sum }),
      { content: [text("{\"sum\":3}")] },
      { content: [text("{\"sum\":3}")] },
      { content: [], structuredContent: sum },
      { content: [], structuredContent: sum }
    ],
    [
      "TOOL-17: where there is a text, there is no other",
      result("tools/call", { content: [text("three")], structuredContent: sum }),
      { content: [text("three")] },
      { content: [text("three")] },
      { content: [text("three")], structuredContent: sum },
      { content: [text("three")], structuredContent: sum }
    ],
    [
      "TOOL-17: an image is no text",
      result("tools/call", { content: [{ type: "image", data: "", mimeType: "image/png" }], structuredContent: [1] }),
      ...all({ content: [{ type: "image", data: "", mimeType: "image/png" }, text("[1]")] })
    ],
    ...[null, 0, "", false, []].map((structuredContent): Row => [
      `TOOL-15, TOOL-17, trap 19: ${JSON.stringify(structuredContent)} is structured content, but no object`,
      result("tools/call", { content: [], structuredContent }),
      ...all({ content: [text(JSON.stringify(structuredContent))] })
    ]),
    [
      "a task is there in 2025-11-25 only",
      params("tools/call", { name: "add", task: { ttl: 1 } }),
      { name: "add" },
      { name: "add" },
      { name: "add" },
      { name: "add", task: { ttl: 1 } }
    ],
    [
      "arguments are not looked into",
      params("tools/call", { name: "add", arguments: { title: "a", resultType: "b", _meta: { icons } } }),
      ...all({ name: "add", arguments: { title: "a", resultType: "b", _meta: { icons } } })
    ]
  ])
})

describe("content", () => {
  const audio = { type: "audio", data: "AQIDBA==", mimeType: "audio/wav" }
  const audioText = text("[audio: audio/wav, 4 bytes]")
  const link = { type: "resource_link", uri: "notes://today", name: "today" }
  const described = { ...link, title: "Today", description: "The note of today", mimeType: "text/markdown", size: 3 }
  const linkText = text("[resource link: Today (today), text/markdown] notes://today\nThe note of today")
  const embedded = (members: object) => ({ type: "resource", resource: { uri: "notes://a", text: "A", ...members } })
  const chart = { type: "chart", points: [1] }
  rows([
    ["TOOL-13: audio is there from 2025-03-26 on, and words before", block(audio), audioText, audio, audio, audio],
    [
      "TOOL-13: words keep the annotations of what they stand for",
      block({ ...audio, annotations: dated, _meta: { a: 1 } }),
      { ...audioText, annotations },
      { ...audio, annotations },
      { ...audio, annotations: dated, _meta: { a: 1 } },
      { ...audio, annotations: dated, _meta: { a: 1 } }
    ],
    [
      "TOOL-13: a resource link is there from 2025-06-18 on, and words before",
      block(described),
      linkText,
      linkText,
      described,
      described
    ],
    [
      "TOOL-13: the words for the least of a link",
      block(link),
      text("[resource link: today] notes://today"),
      text("[resource link: today] notes://today"),
      link,
      link
    ],
    [
      "ICON-1: a resource link has icons from 2025-11-25 on",
      block({ ...link, icons }),
      text("[resource link: today] notes://today"),
      text("[resource link: today] notes://today"),
      link,
      { ...link, icons }
    ],
    ["TOOL-13: content of an unknown kind is said in words", block(chart), ...all(text(JSON.stringify(chart)))],
    [
      "META-19: content has metadata from 2025-06-18 on",
      block({ ...text("a"), _meta: { a: 1 } }),
      text("a"),
      text("a"),
      { ...text("a"), _meta: { a: 1 } },
      { ...text("a"), _meta: { a: 1 } }
    ],
    [
      "META-19: and so have the contents of a resource in it",
      block(embedded({ _meta: { a: 1 } })),
      embedded({}),
      embedded({}),
      embedded({ _meta: { a: 1 } }),
      embedded({ _meta: { a: 1 } })
    ],
    [
      "RES-13: annotations have lastModified from 2025-06-18 on",
      block({ ...text("a"), annotations: dated }),
      { ...text("a"), annotations },
      { ...text("a"), annotations },
      { ...text("a"), annotations: dated },
      { ...text("a"), annotations: dated }
    ],
    [
      "TOOL-13: the block of a prompt is said in words too",
      result("prompts/get", { messages: [{ role: "user", content: audio }] }),
      { messages: [{ role: "user", content: audioText }] },
      ...[1, 2, 3].map(() => ({ messages: [{ role: "user", content: audio }] }))
    ]
  ])
})

describe("resources, prompts, completion, roots", () => {
  const resource = (members: object) => result("resources/list", { resources: [{ uri: "a:b", name: "b", ...members }] })
  const resources = (members: object) => ({ resources: [{ uri: "a:b", name: "b", ...members }] })
  const template = (members: object) => ({ resourceTemplates: [{ uriTemplate: "a:{b}", name: "b", ...members }] })
  const prompt = (members: object) => ({ prompts: [{ name: "a", ...members }] })
  const newer = { title: "B", _meta: { a: 1 } }
  const ref = { type: "ref/prompt", name: "a" }
  const argument = { name: "a", value: "" }
  rows([
    [
      "RES-2, RES-13, META-19, ICON-1: the members of a resource",
      resource({ size: 3, annotations: dated, icons, ...newer }),
      resources({ size: 3, annotations }),
      resources({ size: 3, annotations }),
      resources({ size: 3, annotations: dated, ...newer }),
      resources({ size: 3, annotations: dated, icons, ...newer })
    ],
    [
      "META-19, ICON-1: the members of a resource template",
      result("resources/templates/list", template({ annotations: dated, icons, ...newer })),
      template({ annotations }),
      template({ annotations }),
      template({ annotations: dated, ...newer }),
      template({ annotations: dated, icons, ...newer })
    ],
    [
      "META-19: the contents of a resource have metadata from 2025-06-18 on",
      result("resources/read", { contents: [{ uri: "a:b", text: "", _meta: {} }] }),
      { contents: [{ uri: "a:b", text: "" }] },
      { contents: [{ uri: "a:b", text: "" }] },
      { contents: [{ uri: "a:b", text: "", _meta: {} }] },
      { contents: [{ uri: "a:b", text: "", _meta: {} }] }
    ],
    [
      "PROMPT-1, ICON-1: the members of a prompt",
      result("prompts/list", prompt({ icons, ...newer })),
      prompt({}),
      prompt({}),
      prompt(newer),
      prompt({ icons, ...newer })
    ],
    [
      "PROMPT-1: the arguments of a prompt have a title from 2025-06-18 on",
      result("prompts/list", prompt({ arguments: [{ name: "b", title: "B" }] })),
      prompt({ arguments: [{ name: "b" }] }),
      prompt({ arguments: [{ name: "b" }] }),
      prompt({ arguments: [{ name: "b", title: "B" }] }),
      prompt({ arguments: [{ name: "b", title: "B" }] })
    ],
    [
      "COMP-3: a completion has a context from 2025-06-18 on",
      params("completion/complete", { ref: { ...ref, title: "A" }, argument, context: { arguments: {} } }),
      { ref, argument },
      { ref, argument },
      { ref: { ...ref, title: "A" }, argument, context: { arguments: {} } },
      { ref: { ...ref, title: "A" }, argument, context: { arguments: {} } }
    ],
    [
      "META-19: a root has metadata from 2025-06-18 on",
      result("roots/list", { roots: [{ uri: "file:///", _meta: {} }] }),
      { roots: [{ uri: "file:///" }] },
      { roots: [{ uri: "file:///" }] },
      { roots: [{ uri: "file:///", _meta: {} }] },
      { roots: [{ uri: "file:///", _meta: {} }] }
    ],
    [
      "a cursor is a string or is not there, and the empty one is a string",
      (revision) => [null, ""].map((nextCursor) => result("tools/list", { tools: [], nextCursor })(revision)),
      ...all([{ tools: [] }, { tools: [], nextCursor: "" }])
    ]
  ])
})

describe("lifecycle and progress", () => {
  const client = (capabilities: object) => (revision: Revision.Revision) =>
    params("initialize", { capabilities })(revision).capabilities
  const server = (capabilities: object) => (revision: Revision.Revision) =>
    result("initialize", { capabilities })(revision).capabilities
  const named = { name: "a", version: "1" }
  const titled = { ...named, title: "A" }
  const whole = { ...titled, description: "B", icons, websiteUrl: "https://a.example" }
  const common = { experimental: { a: {} }, roots: { listChanged: true } }
  rows([
    [
      "INIT-11, EXT-6: the capabilities of a client",
      client({
        ...common,
        sampling: { context: {}, tools: {}, other: {} },
        elicitation: { form: {}, url: {}, other: {} },
        tasks: {},
        extensions: {},
        other: {}
      }),
      { ...common, sampling: { other: {} }, extensions: {}, other: {} },
      { ...common, sampling: { other: {} }, extensions: {}, other: {} },
      { ...common, sampling: { other: {} }, elicitation: { other: {} }, extensions: {}, other: {} },
      {
        ...common,
        sampling: { context: {}, tools: {}, other: {} },
        elicitation: { form: {}, url: {}, other: {} },
        tasks: {},
        extensions: {},
        other: {}
      }
    ],
    [
      "INIT-11, ELI-1: who can only be sent to a URL cannot be asked with a form",
      client({ elicitation: { url: {} } }),
      {},
      {},
      {},
      { elicitation: { url: {} } }
    ],
    ["INIT-11, ELI-1: no mode means forms", client({ elicitation: {} }), {}, {}, { elicitation: {} }, {
      elicitation: {}
    }],
    [
      "INIT-12, EXT-6: the capabilities of a server",
      server({ logging: {}, completions: {}, tasks: {}, extensions: {}, other: {} }),
      { logging: {}, extensions: {}, other: {} },
      { logging: {}, completions: {}, extensions: {}, other: {} },
      { logging: {}, completions: {}, extensions: {}, other: {} },
      { logging: {}, completions: {}, tasks: {}, extensions: {}, other: {} }
    ],
    [
      "INIT-13, ICON-1: what a client says of itself",
      (revision) => params("initialize", { clientInfo: whole })(revision).clientInfo,
      named,
      named,
      titled,
      whole
    ],
    [
      "INIT-13, ICON-1: what a server says of itself",
      (revision) => result("initialize", { serverInfo: whole })(revision).serverInfo,
      named,
      named,
      titled,
      whole
    ],
    [
      "PROG-4: progress has a message from 2025-03-26 on",
      params("notifications/progress", { progressToken: 0, progress: 0, message: "a" }),
      { progressToken: 0, progress: 0 },
      ...[1, 2, 3].map(() => ({ progressToken: 0, progress: 0, message: "a" }))
    ]
  ])
})

describe("elicitation", () => {
  const same = (field: object) => [field, field, field, field] as const
  const titled = { title: "A", description: "B" }
  const oneOf = [{ const: "r", title: "Red" }, { const: "g", title: "Green" }]
  const names = { enum: ["r", "g"], enumNames: ["Red", "Green"] }
  const several = { type: "array", minItems: 1, maxItems: 2, default: ["r"] }
  const severalText = (list: string) => `Any of these, separated by commas: ${list}`
  const choice = { ...several, items: { type: "string", enum: ["r", "g"] } }
  const titledChoice = { ...several, ...titled, items: { anyOf: oneOf } }
  // 2024-11-05 and 2025-03-26 do not ask; what would be said then is what is said next.
  const old = (older: unknown, newer: unknown) => [older, older, older, newer] as const
  const string = { type: "string", minLength: 1, maxLength: 2, format: "email", ...titled }
  const number = { type: "integer", minimum: 1, maximum: 2, ...titled }
  rows([
    [
      "ELI-6: a text has a default from 2025-11-25 on",
      field({ ...string, default: "a" }),
      ...old(string, {
        ...string,
        default: "a"
      })
    ],
    [
      "ELI-7: a number has a default from 2025-11-25 on",
      field({ ...number, default: 1 }),
      ...old(number, {
        ...number,
        default: 1
      })
    ],
    [
      "ELI-7: yes or no has a default from the start",
      field({ type: "boolean", default: false }),
      ...same({
        type: "boolean",
        default: false
      })
    ],
    [
      "ELI-8: a choice without titles",
      field({ type: "string", enum: ["r"], default: "r" }),
      ...old({ type: "string", enum: ["r"] }, { type: "string", enum: ["r"], default: "r" })
    ],
    [
      "ELI-8, ELI-9: a choice with titles has enumNames before 2025-11-25",
      field({ type: "string", ...titled, oneOf, default: "r" }),
      ...old({ type: "string", ...titled, ...names }, { type: "string", ...titled, oneOf, default: "r" })
    ],
    ["ELI-9: a choice of the older kind", field({ type: "string", ...names }), ...same({ type: "string", ...names })],
    [
      "ELI-5, ELI-8: a choice of several is a text before 2025-11-25",
      field(choice),
      ...old({ type: "string", description: severalText("r, g") }, choice)
    ],
    [
      "ELI-5, ELI-8: and so is one with titles",
      field(titledChoice),
      ...old(
        { type: "string", title: "A", description: `B\n${severalText("r (Red), g (Green)")}` },
        titledChoice
      )
    ],
    [
      "ELI-4: a form says that it is one from 2025-11-25 on",
      params("elicitation/create", {
        mode: "form",
        message: "?",
        requestedSchema: { $schema: "a", type: "object", properties: {} },
        task: { ttl: 1 }
      }),
      ...old({ message: "?", requestedSchema: { type: "object", properties: {} } }, {
        mode: "form",
        message: "?",
        requestedSchema: { $schema: "a", type: "object", properties: {} },
        task: { ttl: 1 }
      })
    ],
    [
      "ELI-11: several values are one text before 2025-11-25",
      result("elicitation/create", { action: "accept", content: { a: ["r", "g"], b: 1, c: true, d: "x" } }),
      ...old(
        { action: "accept", content: { a: "r, g", b: 1, c: true, d: "x" } },
        { action: "accept", content: { a: ["r", "g"], b: 1, c: true, d: "x" } }
      )
    ]
  ])
})

describe("the answer to a form of an older revision", () => {
  const oneOf = [{ const: "r", title: "Red" }, { const: "g", title: "Green" }, { const: "b,w", title: "Black, white" }]
  const properties = {
    plain: { type: "array", items: { type: "string", enum: ["r", "g"] } },
    titled: { type: "array", items: { anyOf: oneOf } },
    text: { type: "string" }
  }
  const asked = { message: "?", requestedSchema: { type: "object", properties } }
  const read = (revision: Revision.Revision, content: unknown) =>
    Projection.answer(revision, "elicitation/create", asked)({ action: "accept", content }).content

  it("ELI-8, ELI-11: one text is several values again", () => {
    const table: ReadonlyArray<readonly [text: unknown, plain: unknown, titled: unknown]> = [
      ["r, g", ["r", "g"], ["r", "g"]],
      [" r,g ,", ["r", "g"], ["r", "g"]],
      ["", [], []],
      ["Red, g", ["Red", "g"], ["r", "g"]],
      ["Black, white", ["Black", "white"], ["b,w"]],
      ["b,w", ["b", "w"], ["b,w"]],
      ["x", ["x"], ["x"]],
      [["r"], ["r"], ["r"]],
      [1, 1, 1]
    ]
    for (const [text, plain, titled] of table) {
      assert.deepStrictEqual(read("2025-06-18", { plain: text, titled: text, text }), { plain, titled, text })
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        assert.deepStrictEqual(read(revision, { plain: text, titled: text }), { plain: text, titled: text })
      }
    }
  })

  it("what is written for an older peer is read back", () => {
    const content = { plain: ["r", "g"], titled: ["g"], text: "r, g" }
    const answer = { action: "accept", content }
    const sent = value(Projection.result("2025-06-18", "elicitation/create")(answer))
    assert.deepStrictEqual(Projection.answer("2025-06-18", "elicitation/create", asked)(sent), answer)
  })

  it("what has no several values is given back as it is", () => {
    const answers = [{ action: "decline" }, { action: "accept", content: { text: "a, b" } }, { content: [1] }]
    for (const answer of answers) {
      for (const revision of Revision.all) {
        assert.strictEqual(Projection.answer(revision, "elicitation/create", asked)(answer), answer)
        assert.strictEqual(Projection.answer(revision, "elicitation/create", complete.url)(answer), answer)
        assert.strictEqual(Projection.answer(revision, "roots/list", asked)(answer), answer)
      }
    }
  })
})

describe("sampling", () => {
  const image = { type: "image", data: "AQID", mimeType: "image/png" }
  const audio = { type: "audio", data: "AQIDBA==", mimeType: "audio/wav" }
  const call = { type: "tool_use", id: "c1", name: "add", input: { a: 1 } }
  const answer = { type: "tool_result", toolUseId: "c1", content: [text("one"), audio], structuredContent: { b: 1 } }
  const failed = { type: "tool_result", toolUseId: "c1", content: [], structuredContent: 0, isError: true }
  const link = { type: "resource_link", uri: "a:b", name: "b" }
  const callText = text("[tool call c1: add] {\"a\":1}")
  const answerText = text("[tool result for call c1]\none\n[audio: audio/wav, 4 bytes]")
  const failedText = text("[tool error for call c1]\n0")
  const turn = (...content: ReadonlyArray<unknown>) => ({
    role: "user",
    content: content.length === 1 ? content[0] : content
  })
  const asked = (...messages: ReadonlyArray<unknown>) => params("sampling/createMessage", { messages })
  const said = (content: unknown) => (revision: Revision.Revision) =>
    result("sampling/createMessage", { role: "assistant", content, model: "a" })(revision).content
  const old = (older: unknown, newer: unknown) => [older, older, older, newer] as const
  const { tools } = result("tools/list", { tools: complete.tools })("2025-11-25")
  rows([
    [
      "SAMP-6: a turn has several blocks from 2025-11-25 on, and was several turns before",
      asked(turn(text("a"), image), turn(text("b"))),
      ...old({ messages: [turn(text("a")), turn(image), turn(text("b"))] }, {
        messages: [turn(text("a"), image), turn(text("b"))]
      })
    ],
    [
      "SAMP-6: a turn without blocks was no turn",
      asked({ role: "user", content: [] }),
      ...old({ messages: [] }, {
        messages: [{ role: "user", content: [] }]
      })
    ],
    [
      "SAMP-6: calls of tools are there from 2025-11-25 on, and words before",
      asked(turn(call)),
      ...old({
        messages: [turn(callText)]
      }, { messages: [turn(call)] })
    ],
    [
      "SAMP-6: and so are their results",
      asked(turn(answer)),
      ...old({ messages: [turn(answerText)] }, {
        messages: [turn(answer)]
      })
    ],
    [
      "SAMP-6, TOOL-15, TOOL-17: the result of a tool that is no object is in its content",
      asked(turn(failed)),
      ...old({ messages: [turn(failedText)] }, {
        messages: [turn({ type: "tool_result", toolUseId: "c1", content: [text("0")], isError: true })]
      })
    ],
    [
      "SAMP-6: audio is there from 2025-03-26 on",
      asked(turn(audio)),
      { messages: [turn(text("[audio: audio/wav, 4 bytes]"))] },
      ...[1, 2, 3].map(() => ({ messages: [turn(audio)] }))
    ],
    [
      "SAMP-6: what a model is not told is said in words",
      asked(turn(link)),
      ...all({
        messages: [turn(text("[resource link: b] a:b"))]
      })
    ],
    [
      "META-19: a turn has metadata from 2025-11-25 on",
      asked({ ...turn(text("a")), _meta: { a: 1 } }),
      ...old({ messages: [turn(text("a"))] }, { messages: [{ ...turn(text("a")), _meta: { a: 1 } }] })
    ],
    [
      "SAMP-3: tools and the choice of them are there from 2025-11-25 on",
      params("sampling/createMessage", { messages: [], tools: complete.tools, toolChoice: {}, task: {} }),
      ...old({ messages: [] }, { messages: [], tools, toolChoice: {}, task: {} })
    ],
    ["SAMP-6: an answer of one block in a list is that block", said([image]), ...old(image, [image])],
    [
      "SAMP-6: an answer of several is one text",
      said([text("a"), image, call]),
      ...old(
        text("a\n[image: image/png, 3 bytes]\n[tool call c1: add] {\"a\":1}"),
        [text("a"), image, call]
      )
    ],
    ["SAMP-6: an answer of nothing is an empty text", said([]), ...old(text(""), [])],
    ["SAMP-6: a call of a tool is words", said(call), ...old(callText, call)]
  ])
})

describe("every message", () => {
  const keep = { "com.example/a": 1, traceparent: "00-a-b-01", "io.modelcontextprotocol/related-task": { taskId: "t" } }
  const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "a", version: "1" },
    "io.modelcontextprotocol/serverInfo": { name: "a", version: "1" },
    "io.modelcontextprotocol/logLevel": "info",
    "io.modelcontextprotocol/subscriptionId": 0
  }
  const methods = [...Method.core.requests.keys(), ...Method.core.notifications.keys(), "com.example/own"]
  for (const revision of legacy) {
    it(`META-19: _meta loses the keys of the modern era under ${revision}, and no other`, () => {
      for (const method of methods) {
        const _meta = { progressToken: 0, ...keep, ...modern }
        const expected = { _meta: { progressToken: 0, ...keep } }
        assert.deepStrictEqual(params(method, { _meta })(revision), expected)
        assert.deepStrictEqual(result(method, { _meta })(revision), expected)
        assert.deepStrictEqual(params(method, { _meta: modern })(revision), {})
        assert.deepStrictEqual(result(method, { _meta: modern })(revision), {})
      }
    })

    it(`trap 14: no result has a resultType under ${revision}`, () => {
      for (const method of methods) assert.deepStrictEqual(result(method, { resultType: "complete" })(revision), {})
    })

    it(`there are no cache hints, no questions in results and no answers in params under ${revision}`, () => {
      for (const { cacheable, multiRound, name } of Method.core.requests.values()) {
        const hints = { ttlMs: 0, cacheScope: "private" }
        const questions = { inputRequests: {}, requestState: "" }
        const answers = { inputResponses: {}, requestState: "" }
        assert.deepStrictEqual(result(name, hints)(revision), cacheable ? {} : hints)
        assert.deepStrictEqual(result(name, questions)(revision), multiRound ? {} : questions)
        assert.deepStrictEqual(params(name, answers)(revision), multiRound ? {} : answers)
      }
    })
  }

  const examples = [
    ...Object.entries(complete.requests).flatMap(([method, { params, results }]) => [
      ...params.map((value) => [method, Projection.params, value] as const),
      ...results.map((value) => [method, Projection.result, value] as const)
    ]),
    ...Object.entries(complete.notifications).flatMap(([method, params]) =>
      params.map((value) => [method, Projection.params, value] as const)
    )
  ]

  it("nothing changes under 2026-07-28", () => {
    for (const [method, project, value] of examples) assert.strictEqual(project("2026-07-28", method)(value), value)
    const prepared = new JsonRpc.Prepared({ resultType: "complete", tools: [] })
    assert.strictEqual(Projection.result("2026-07-28", "tools/list")(prepared), prepared)
  })

  it("what has been projected is not changed again, nor copied, and what it was made of is as it was", () => {
    for (const revision of legacy) {
      for (const [method, project, original] of examples) {
        const before = JSON.stringify(original)
        const once = value(project(revision, method)(original))
        assert.strictEqual(JSON.stringify(original), before)
        assert.strictEqual(project(revision, method)(once), once, `${method} ${revision}`)
      }
    }
  })

  it("a plain text of a tool, and a list of plain tools, are given back as they are", () => {
    const plain = { content: [text("a"), text("b")], isError: false, other: [1] }
    const list = new JsonRpc.Prepared({
      tools: [{ name: "a", inputSchema: { type: "object", properties: { b: {} } } }]
    })
    for (const revision of legacy) {
      assert.strictEqual(Projection.result(revision, "tools/call")(plain), plain)
      assert.strictEqual(Projection.result(revision, "tools/list")(list), list)
    }
  })

  it("a prepared list is projected once for each revision", () => {
    const list = new JsonRpc.Prepared({ tools: [complete.tool], resultType: "complete" })
    const projected = legacy.map((revision) => Projection.result(revision, "tools/list")(list))
    assert.strictEqual(new Set(projected).size, legacy.length)
    legacy.forEach((revision, i) => {
      assert.instanceOf(projected[i], JsonRpc.Prepared)
      assert.strictEqual(Projection.result(revision, "tools/list")(list), projected[i])
      assert.deepStrictEqual(value(projected[i]!), result("tools/list", list.value)(revision))
    })
  })

  it("a method's projection is made once", () => {
    for (const revision of Revision.all) {
      assert.strictEqual(Projection.params(revision, "tools/call"), Projection.params(revision, "tools/call"))
      assert.strictEqual(Projection.result(revision, "tools/call"), Projection.result(revision, "tools/call"))
      assert.strictEqual(Projection.result(revision, "a/b"), Projection.result(revision, "c/d"))
    }
  })

  it("members that no revision names survive, wherever they are", () => {
    const own = { "x-own": { title: 1 } }
    for (const revision of legacy) {
      for (const [method, project, example] of examples) {
        const projected = value(project(revision, method)({ ...example, ...own }))
        assert.deepStrictEqual(projected["x-own"], own["x-own"])
      }
    }
    const nested: ReadonlyArray<readonly [string, JsonRpc.JsonObject]> = [
      ["tools/list", { tools: [{ name: "a", inputSchema: { type: "object", ...own }, ...own }] }],
      ["prompts/get", { messages: [{ role: "user", content: { ...text("a"), annotations: own, ...own }, ...own }] }],
      ["resources/read", { contents: [{ uri: "a:b", text: "", ...own }] }],
      ["initialize", { serverInfo: own, capabilities: { tools: own, ...own } }]
    ]
    for (const revision of legacy) {
      for (const [method, value] of nested) assert.strictEqual(Projection.result(revision, method)(value), value)
    }
  })

  it("whatever is not what the protocol says passes, and nothing breaks", () => {
    const junk = [null, 0, "a", [null, [0], {}], { type: 1 }, { type: "text", content: [[]], _meta: 1 }]
    let turn = 0
    for (const [method, project, example] of examples) {
      const projections = legacy.map((revision) => project(revision, method))
      for (const broken of brokenBy(junk, example)) {
        if (!JsonRpc.isJsonObject(broken)) continue
        // Each revision in its turn: all of them for each would take seconds.
        const projected = value(projections[turn++ % projections.length]!(broken))
        assert.isTrue(JsonRpc.isJsonObject(projected))
      }
    }
  })
})

/** The values with one part of it, at any depth, being something else. */
const brokenBy = function*(junk: ReadonlyArray<unknown>, whole: unknown): Generator<unknown> {
  yield* junk
  if (typeof whole !== "object" || whole === null) return
  for (const [key, part] of Object.entries(whole)) {
    for (const broken of brokenBy(junk, part)) {
      yield Array.isArray(whole) ? whole.with(Number(key), broken) : { ...whole, [key]: broken }
    }
  }
}

describe("errors", () => {
  const message = "No"
  const code = (error: McpError.McpError, revision: Revision.Revision) => Projection.error(revision, error).code
  const codes = (error: McpError.McpError) => legacy.map((revision) => code(error, revision))

  it("RES-5, ERR-11: a resource that is not there is -32002 with its URI, and -32602 since 2026-07-28", () => {
    const error = new McpError.ResourceNotFound({ uri: "notes://today" })
    for (const revision of legacy) {
      assert.deepStrictEqual(Projection.error(revision, error), {
        code: -32002,
        message: "Resource not found: notes://today",
        data: { uri: "notes://today" }
      })
    }
    assert.strictEqual(code(error, "2026-07-28"), -32602)
  })

  it("ERR-12, ERR-7: -32042 is there in 2025-11-25 only", () => {
    const error = new McpError.UrlElicitationRequired({ message, elicitations: [complete.url] })
    assert.deepStrictEqual(codes(error), [-32600, -32600, -32600, -32042])
    assert.strictEqual(code(error, "2026-07-28"), -32603)
    // The code alone does not make it one.
    assert.deepStrictEqual(codes(new McpError.Unrecognized({ code: -32042, message })), [
      -32600,
      -32600,
      -32600,
      -32600
    ])
    for (const revision of Revision.all) {
      assert.deepStrictEqual(Projection.error(revision, error).data, { elicitations: [complete.url] })
    }
  })

  it("INIT-15: the codes of 2026-07-28 become older ones, with message and data", () => {
    const requiredCapabilities = { elicitation: {} }
    const versions = { supported: ["2025-11-25"], requested: "2027-01-01" }
    const table = [
      [new McpError.HeaderMismatch({ message, data: 1 }), -32600, 1],
      [new McpError.MissingClientCapability({ message, requiredCapabilities }), -32600, { requiredCapabilities }],
      [new McpError.UnsupportedProtocolVersion({ message, ...versions }), -32602, versions],
      [new McpError.Unrecognized({ code: -32022, message, data: 2 }), -32602, 2]
    ] as const
    for (const [error, code, data] of table) {
      for (const revision of legacy) assert.deepStrictEqual(Projection.error(revision, error), { code, message, data })
    }
  })

  it("all others are the same everywhere, and those of 2026-07-28 as McpError has them", () => {
    for (const error of complete.errors) {
      assert.deepStrictEqual(Projection.error("2026-07-28", error), McpError.toErrorObject(error, "modern"))
    }
    const same = [-32700, -32600, -32601, -32602, -32603, -1, 4290, -32099]
    const errors = complete.errors.filter((error) => same.includes(McpError.toErrorObject(error, "legacy").code))
    assert.lengthOf(errors, same.length)
    for (const error of errors) {
      for (const revision of legacy) {
        assert.deepStrictEqual(Projection.error(revision, error), McpError.toErrorObject(error, "legacy"))
      }
    }
  })
})
