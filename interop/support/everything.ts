/** What the published `server-everything` has, each thing used. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { gunzipSync } from "node:zlib"
import * as contract from "../fixtures/contract.ts"
import { call, type Check, heard, textOf, texts } from "./check.ts"
import { type Json, Peer } from "./peer.ts"

export const program = path.join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js"
)

const docs = path.join(path.dirname(program), "docs")
const documents = fs.readdirSync(docs)
const document = (name: string) => `demo://resource/static/document/${name}`
const content = (name: string) => fs.readFileSync(path.join(docs, name), "utf8")

const tools = [
  "echo",
  "get-annotated-message",
  "get-env",
  "get-resource-links",
  "get-resource-reference",
  "get-structured-content",
  "get-sum",
  "get-tiny-image",
  "gzip-file-as-resource",
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-long-running-operation",
  "get-roots-list"
]

/** The tools for clients that a person can be asked through, which there are none of before 2025-06-18. */
const forms = ["trigger-elicitation-request", "trigger-url-elicitation"]

const conditional = ["trigger-sampling-request", "simulate-research-query"]

/** A text of a server that tells the time, without it. */
const timeless = (text: unknown) => String(text).replace(/ at .*$/, "")

const decoded = (blob: unknown) => Buffer.from(String(blob), "base64")

const ofResource = ({ blob, mimeType, text, uri }: Json): Json => ({
  uri,
  mimeType,
  text: timeless(text ?? decoded(blob).toString())
})

const read = (uri: string) =>
  Effect.map(
    Peer.use((peer) => peer.read(uri)),
    ({ contents }) => (contents as ReadonlyArray<Json>).map(ofResource)
  )

const names = (list: "tools" | "resources" | "resourceTemplates" | "prompts", key: string) =>
  Effect.map(Peer.use((peer) => peer.all(list)), (items) => items.map((item) => item[key]))

const messages = (name: string, args?: { readonly [name: string]: string }) =>
  Effect.map(
    Peer.use((peer) => peer.get(name, args)),
    ({ messages }) =>
      (messages as ReadonlyArray<{ readonly role: string; readonly content: Json }>).map(({ content, role }) =>
        content.type === "resource"
          ? { role, resource: ofResource(content.resource as Json) }
          : { role, text: content.text }
      )
  )

const complete = (
  ref: Parameters<Peer["Service"]["complete"]>[0],
  name: string,
  value: string,
  known?: { readonly [name: string]: string }
) =>
  Effect.map(
    Peer.use((peer) => peer.complete(ref, { name, value }, known)),
    ({ completion }) => (completion as Json).values
  )

const prompt = (name: string) => ({ type: "ref/prompt", name }) as const

const template = (kind: string) =>
  ({ type: "ref/resource", uri: `demo://resource/dynamic/${kind}/{resourceId}` }) as const

const isLog = (word: string) => ({ method, params }: Json): boolean =>
  method === "notifications/message" && String((params as Json).data).includes(word)

const isUpdate = ({ method }: Json): boolean => method === "notifications/resources/updated"

/** The JSON at the end of a text. */
const jsonIn = (text: string | undefined): unknown => JSON.parse(text?.slice(text.indexOf("{")) ?? "")

/** Lists: everything there is. */
const lists: ReadonlyArray<Check> = [
  {
    title: "introduces itself",
    run: Peer.use(({ discovered }) =>
      Effect.succeed([discovered.info, discovered.instructions, discovered.capabilities])
    ),
    expected: [
      { name: "mcp-servers/everything", title: "Everything Reference Server", version: "2.0.0" },
      content("instructions.md"),
      ["completions", "logging", "prompts", "resources", "tasks", "tools"]
    ]
  },
  {
    title: "lists the tools that suit the client",
    from: "2025-06-18",
    run: names("tools", "name"),
    expected: [...tools, ...forms, ...conditional]
  },
  { title: "lists the resources", run: names("resources", "uri"), expected: documents.map(document) },
  {
    title: "lists the templates",
    run: names("resourceTemplates", "uriTemplate"),
    expected: [template("text").uri, template("blob").uri]
  },
  {
    title: "lists the prompts",
    run: names("prompts", "name"),
    expected: ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"]
  },
  { title: "answers a ping", run: Peer.use((peer) => peer.ping), expected: {} }
]

const chicago = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 }

const plainTools: ReadonlyArray<Check> = [
  {
    title: "echo",
    run: Effect.map(call("echo", { message: contract.mixed }), textOf),
    expected: `Echo: ${contract.mixed}`
  },
  {
    title: "get-annotated-message",
    run: Effect.map(
      call("get-annotated-message", { messageType: "error", includeImage: true }),
      ({ content }) => (content as ReadonlyArray<Json>).map(({ annotations, type }) => ({ annotations, type }))
    ),
    expected: [
      { type: "text", annotations: { priority: 1, audience: ["user", "assistant"] } },
      { type: "image", annotations: { priority: 0.5, audience: ["user"] } }
    ]
  },
  {
    title: "get-env",
    run: Effect.map(call("get-env"), (result) => (JSON.parse(textOf(result)) as Json).INTEROP),
    expected: contract.languages[2]
  },
  {
    title: "get-resource-links",
    run: Effect.map(call("get-resource-links", { count: 2 }), ({ content }) => content),
    expected: [
      { type: "text", text: "Here are 2 resource links to resources available in this server:" },
      ...[["Blob", 1], ["Text", 2]].map(([kind, id]) => ({
        type: "resource_link",
        uri: `demo://resource/dynamic/${String(kind).toLowerCase()}/${id}`,
        name: `${kind} Resource ${id}`,
        description: `Resource ${id}: plaintext resource`,
        mimeType: "text/plain"
      }))
    ]
  },
  ...(["Text", "Blob"] as const).map((resourceType): Check => ({
    title: `get-resource-reference: ${resourceType}`,
    run: Effect.map(
      call("get-resource-reference", { resourceType, resourceId: 7 }),
      ({ content }) =>
        (content as ReadonlyArray<Json>).flatMap(({ resource }) => resource ? [ofResource(resource as Json)] : [])
    ),
    expected: [{
      uri: `demo://resource/dynamic/${resourceType.toLowerCase()}/7`,
      mimeType: "text/plain",
      text: `Resource 7: This is a ${resourceType === "Text" ? "plaintext resource" : "base64 blob"} created`
    }]
  })),
  {
    title: "get-structured-content",
    run: Effect.map(
      call("get-structured-content", { location: "Chicago" }),
      (result) => [result.structuredContent, JSON.parse(textOf(result))]
    ),
    expected: [chicago, chicago]
  },
  {
    title: "get-structured-content, of a place it does not know",
    run: Effect.map(call("get-structured-content", { location: "Graz" }), (result) => [
      result.isError,
      textOf(result).includes("location")
    ]),
    expected: [true, true]
  },
  {
    title: "get-sum",
    run: Effect.map(call("get-sum", { a: 1.5, b: -2 }), textOf),
    expected: "The sum of 1.5 and -2 is -0.5."
  },
  {
    title: "get-tiny-image",
    run: Effect.map(
      call("get-tiny-image"),
      ({ content }) =>
        (content as ReadonlyArray<Json>).map(({ data, mimeType, type }) =>
          type === "image" ? [mimeType, decoded(data).subarray(1, 4).toString()] : type
        )
    ),
    expected: ["text", ["image/png", "PNG"], "text"]
  },
  {
    title: "trigger-long-running-operation",
    run: Effect.suspend(() => {
      const progress: Array<unknown> = []
      const onProgress = ({ progress: done, total }: Json) => void progress.push([done, total])
      return Effect.map(
        call("trigger-long-running-operation", { duration: 0.3, steps: 3 }, { onProgress }),
        (result) => [...progress, textOf(result)]
      )
    }),
    expected: [[1, 3], [2, 3], [3, 3], "Long running operation completed. Duration: 0.3 seconds, Steps: 3."]
  },
  {
    title: "gzip-file-as-resource, embedded",
    run: Effect.map(
      call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }),
      ({ content }) =>
        (content as ReadonlyArray<{ readonly resource: Json }>).map(({ resource: { blob, mimeType, uri } }) => ({
          uri,
          mimeType,
          text: gunzipSync(decoded(blob)).toString()
        }))
    ),
    expected: [{ uri: "demo://resource/session/a.gz", mimeType: "application/gzip", text: "hello" }]
  },
  {
    title: "gzip-file-as-resource, linked: the list changes, and the resource can be read",
    run: Effect.gen(function*() {
      const peer = yield* Peer
      peer.heard()
      const { content } = yield* call("gzip-file-as-resource", { name: "b.gz", data: "data:text/plain,later" })
      const [link] = content as [Json]
      const { contents } = yield* peer.read(String(link.uri))
      return {
        type: link.type,
        text: gunzipSync(decoded((contents as [Json])[0].blob)).toString(),
        told: (yield* heard(1, ({ method }) => method === "notifications/resources/list_changed")).length > 0,
        listed: (yield* names("resources", "uri")).includes(link.uri)
      }
    }),
    expected: { type: "resource_link", text: "later", told: true, listed: true }
  }
]

/** The tools that make the server speak unasked, or ask. */
const talkingTools: ReadonlyArray<Check> = [
  {
    title: "toggle-simulated-logging",
    run: Effect.gen(function*() {
      const peer = yield* Peer
      yield* peer.setLevel("debug")
      peer.heard()
      const started = yield* Effect.map(call("toggle-simulated-logging"), textOf)
      const logs = yield* heard(1, isLog("level"))
      const stopped = yield* Effect.map(call("toggle-simulated-logging"), textOf)
      return [started.split(" ")[0], logs.length, stopped.split(" ")[0]]
    }),
    expected: ["Started", 1, "Stopped"]
  },
  {
    title: "toggle-subscriber-updates",
    run: Effect.gen(function*() {
      const peer = yield* Peer
      const uri = document("features.md")
      yield* peer.subscribe(uri)
      peer.heard()
      yield* call("toggle-subscriber-updates")
      const updates = yield* heard(1, isUpdate)
      yield* peer.unsubscribe(uri)
      const stopped = yield* Effect.map(call("toggle-subscriber-updates"), textOf)
      return [updates, stopped.split(" ")[0]]
    }),
    expected: [
      [{ method: "notifications/resources/updated", params: { uri: document("features.md") } }],
      "Stopped"
    ]
  },
  {
    title: "get-roots-list",
    run: Effect.map(call("get-roots-list"), (result) => textOf(result).split("\n\n").slice(0, 3)),
    expected: [
      "Current MCP Roots (2 total):",
      ...contract.roots.map(({ name, uri }, index) => `${index + 1}. ${name ?? "Unnamed Root"}\n   URI: ${uri}`)
    ]
  },
  {
    title: "trigger-sampling-request",
    run: Effect.map(
      call("trigger-sampling-request", { prompt: "How many?", maxTokens: 10 }),
      (result) => jsonIn(textOf(result))
    ),
    expected: contract.sampled
  },
  {
    title: "trigger-elicitation-request, with every kind of field that has a default",
    from: "2025-06-18",
    run: Effect.map(call("trigger-elicitation-request"), (result) => jsonIn(texts(result)[2])),
    expected: {
      action: "accept",
      content: {
        name: contract.entered.name,
        email: contract.entered.email,
        firstLine: "It was a dark and stormy night.",
        integer: 42,
        number: 3.14,
        untitledSingleSelectEnum: "Monica",
        untitledMultipleSelectEnum: ["Guitar"],
        titledSingleSelectEnum: "hero-1",
        titledMultipleSelectEnum: ["fish-1"],
        legacyTitledEnum: "pet-1"
      }
    }
  },
  {
    title: "trigger-url-elicitation, asked",
    from: "2025-11-25",
    run: Effect.map(
      call("trigger-url-elicitation", { url: "https://example.com/", elicitationId: "e1" }),
      (result) => jsonIn(texts(result)[1])
    ),
    expected: { action: "accept" }
  },
  {
    title: "trigger-url-elicitation, as an error",
    from: "2025-11-25",
    run: Effect.match(call("trigger-url-elicitation", { url: "https://example.com/", errorPath: true }), {
      onFailure: ({ code, data }) => ({
        code,
        asks: (data as { readonly elicitations: ReadonlyArray<Json> }).elicitations.map(({ mode, url }) => ({
          mode,
          url
        }))
      }),
      onSuccess: (result) => ({ unexpected: result })
    }),
    expected: { code: -32042, asks: [{ mode: "url", url: "https://modelcontextprotocol.io" }] }
  },
  {
    title: "simulate-research-query, which wants to be a task",
    run: Effect.map(
      call("simulate-research-query", { topic: "tea" }),
      (result) => [result.isError, textOf(result).includes("requires task augmentation")]
    ),
    expected: [true, true]
  }
]

const others: ReadonlyArray<Check> = [
  ...documents.map((name): Check => ({
    title: `reads ${name}`,
    run: Effect.map(Peer.use((peer) => peer.read(document(name))), ({ contents }) => contents),
    expected: [{ uri: document(name), mimeType: "text/markdown", text: content(name) }]
  })),
  {
    title: "reads texts of a template",
    run: read("demo://resource/dynamic/text/12"),
    expected: [{
      uri: "demo://resource/dynamic/text/12",
      mimeType: "text/plain",
      text: "Resource 12: This is a plaintext resource created"
    }]
  },
  {
    title: "reads blobs of a template",
    run: read("demo://resource/dynamic/blob/12"),
    expected: [{
      uri: "demo://resource/dynamic/blob/12",
      mimeType: "text/plain",
      text: "Resource 12: This is a base64 blob created"
    }]
  },
  {
    title: "does not read what no template has",
    run: Effect.match(read("demo://resource/dynamic/text/zero"), {
      onFailure: ({ message }) => message.includes("Unknown resource"),
      onSuccess: () => false
    }),
    expected: true
  },
  {
    title: "completes a parameter of a template",
    run: Effect.all([complete(template("text"), "resourceId", "7"), complete(template("blob"), "resourceId", "x")]),
    expected: [["7"], []]
  },
  {
    title: "simple-prompt",
    run: messages("simple-prompt"),
    expected: [{ role: "user", text: "This is a simple prompt without arguments." }]
  },
  {
    title: "args-prompt",
    run: Effect.all([
      messages("args-prompt", { city: "Graz" }),
      messages("args-prompt", { city: "Austin", state: "TX" })
    ]),
    expected: [
      [{ role: "user", text: "What's weather in Graz?" }],
      [{ role: "user", text: "What's weather in Austin, TX?" }]
    ]
  },
  {
    title: "completable-prompt",
    run: messages("completable-prompt", { department: "Sales", name: "Eve" }),
    expected: [{ role: "user", text: "Please promote Eve to the head of the Sales team." }]
  },
  {
    title: "completes an argument of a prompt",
    run: complete(prompt("completable-prompt"), "department", "S"),
    expected: ["Sales", "Support"]
  },
  {
    title: "completes an argument of a prompt by another",
    from: "2025-06-18",
    run: complete(prompt("completable-prompt"), "name", "D", { department: "Sales" }),
    expected: ["David"]
  },
  {
    title: "resource-prompt",
    run: messages("resource-prompt", { resourceType: "Blob", resourceId: "3" }),
    expected: [
      {
        role: "user",
        text: "This prompt includes the Blob resource with id: 3. Please analyze the following resource:"
      },
      {
        role: "user",
        resource: {
          uri: "demo://resource/dynamic/blob/3",
          mimeType: "text/plain",
          text: "Resource 3: This is a base64 blob created"
        }
      }
    ]
  },
  {
    title: "completes what names a resource",
    run: Effect.all([
      complete(prompt("resource-prompt"), "resourceType", "B"),
      complete(prompt("resource-prompt"), "resourceId", "3")
    ]),
    expected: [["Blob"], ["3"]]
  }
]

export const checks: ReadonlyArray<Check> = [...lists, ...plainTools, ...talkingTools, ...others]

/** Every tool is called, on a connection that has all of them. */
export const called: ReadonlyArray<string> = [...plainTools, ...talkingTools].map(({ title }) =>
  title.split(/[:,]/)[0] ?? ""
)

export const allTools: ReadonlyArray<string> = [...tools, ...forms, ...conditional]
