/** What the program of the matrix gives under each revision: the newest in full, and what the older ones change. */
import * as Revision from "@effect-mcp/core/Revision"
import * as contract from "./contract.ts"
import type { Results } from "./program.ts"

const json = (value: unknown) => ({ type: "text", text: JSON.stringify(value) })

const notIn = (what: string, revision: Revision.Revision) => ({ error: "NotInRevision", what, revision })

const sound = { type: "audio", data: "AQ==", mimeType: "audio/wav" }
const soundInWords = { type: "text", text: "[audio: audio/wav, 1 byte]" }

const image = { type: "image", data: "AA==", mimeType: "image/png" }

const link = {
  type: "resource_link",
  uri: "notes://today",
  name: "today",
  title: "Today",
  mimeType: "text/markdown"
}

const blocks = (options: { readonly image: object; readonly sound: object; readonly link: object }) => ({
  content: [
    { type: "text", text: "a text", annotations: { audience: ["assistant"], priority: 0.5 } },
    options.image,
    options.sound,
    options.link,
    { type: "resource", resource: { uri: "notes://dot", mimeType: "image/png", blob: "Ag==" } }
  ],
  _meta: { "com.example/blocks": 5 }
})

const review = (answer: object) => ({
  description: "A review",
  messages: [
    { role: "user", content: { type: "text", text: "Review 1 + 1, kindly" } },
    { role: "assistant", content: answer }
  ]
})

const steps = (message: (n: number) => object) => [
  ...[1, 2, 3].map((n) => ({ progress: n, total: 3, ...message(n) })),
  "stepped"
]

const icons = [contract.icon]

const sum = { sum: 1, count: 1, when: "1970-01-01T00:00:00.000Z" }

const degrees = { type: "text", text: "It is 21 degrees" }

const tool = { name: "sum", description: "Adds, and says how many there were", takes: true, tellsOutput: true }

const resource = { uri: "notes://today", name: "today", description: "What is on", mimeType: "text/markdown" }

const dot = { uri: "notes://dot", name: "dot", mimeType: "image/png" }

const template = { uriTemplate: "notes://{year}/{month}", name: "day", mimeType: "text/plain" }

const prompt = {
  name: "review",
  description: "Reviews code",
  arguments: [{ name: "code", required: true }, { name: "tone", required: false }]
}

const capabilities = ["completions", "logging", "prompts", "resources", "tools"]

const server = { info: { name: "matrix", version: "1.0.0" }, instructions: "Ask for anything", capabilities }

const newest: Results = {
  server: {
    ...server,
    info: {
      ...server.info,
      title: "The matrix",
      description: "Serves everything",
      websiteUrl: "https://example.com/"
    }
  },
  whoAsks: `matrix-client under ${Revision.latest}`,
  tools: ["sum", "range", "rendered", "guarded", "blocks", "steps", "chatty", "sleep", "asleep", "who-asks"],
  tool: { ...tool, title: "Sum", annotations: { readOnlyHint: true }, icons, _meta: { "com.example/kind": "sum" } },
  structured: { sum: 6.5, count: 3, when: new Date(0) },
  structuredRaw: { content: [json(sum)], structuredContent: sum },
  list: [0, 1, 2],
  listRaw: { content: [json([0, 1])], structuredContent: [0, 1] },
  rendered: { degrees: 21 },
  renderedRaw: { content: [degrees], structuredContent: { degrees: 21 } },
  failure: { denied: "safe", until: 7 },
  noFailure: { opened: true },
  badArguments: true,
  unknownTool: { error: "InvalidParams" },
  blocks: blocks({ image: { ...image, _meta: { "com.example/n": 1 } }, sound, link }),
  progress: steps((n) => ({ message: `step ${n}` })),
  logs: [["warning", "a warning"], ["error", "an error"]],
  moreLogs: [["debug", "a detail"], ["info", "a fact"], ["warning", "a warning"], ["error", "an error"]],
  resources: [
    {
      ...resource,
      title: "Today",
      annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" },
      icons
    },
    dot
  ],
  templates: [{ ...template, title: "Any month" }],
  text: { contents: [{ uri: "notes://today", mimeType: "text/markdown", text: "# Today" }] },
  blob: { contents: [{ uri: "notes://dot", mimeType: "image/png", blob: "AQI=" }] },
  template: { contents: [{ uri: "notes://2025/may", mimeType: "text/plain", text: "may of 2026" }] },
  unknownResource: { error: "ResourceNotFound" },
  prompts: { ...prompt, title: "Review", icons },
  prompt: review(sound),
  pages: [3, ["c"], undefined],
  badCursor: { error: "InvalidParams" },
  completion: { values: ["kind"], total: 1, hasMore: false },
  completionByAnother: ["may", "may of 2025"],
  cancellation: { stillAsleep: false },
  ping: notIn("ping", Revision.latest),
  discover: true,
  subscribe: notIn("resources/subscribe", Revision.latest),
  setLevel: notIn("logging/setLevel", Revision.latest)
}

interface Change {
  /** The last revision that has it so. */
  readonly until: Revision.Revision
  /** What the revision lacks, or has instead. */
  readonly what: string
  readonly results: Partial<Results>
}

/** From the newest to the oldest: each is a change to what stands above it. */
export const changes: ReadonlyArray<Change> = [
  {
    until: "2025-11-25",
    what: "A session, with what needs one (PING-1, RES-8, LOG-3).",
    results: { ping: "done", subscribe: {}, setLevel: {} }
  },
  {
    until: "2025-11-25",
    what: "Structured content is an object: anything else is in the text alone (TOOL-15, TOOL-17).",
    results: { listRaw: { content: [json([0, 1])] } }
  },
  {
    until: "2025-06-18",
    what: "No icons, and of the server its names only (INIT-13, TOOL-4, RES-2, PROMPT-1).",
    results: {
      server: { ...server, info: { ...server.info, title: "The matrix" } },
      tool: { ...tool, title: "Sum", annotations: { readOnlyHint: true }, _meta: { "com.example/kind": "sum" } },
      resources: [
        {
          ...resource,
          title: "Today",
          annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" }
        },
        dot
      ],
      prompts: { ...prompt, title: "Review" }
    }
  },
  {
    until: "2025-03-26",
    what: "No structured content: the text has it all (TOOL-4, TOOL-17).",
    results: { structuredRaw: { content: [json(sum)] } }
  },
  {
    until: "2025-03-26",
    what: "A tool that puts its output in words gives the words, and a program cannot read them.",
    results: { renderedRaw: { content: [degrees] } }
  },
  {
    until: "2025-03-26",
    what: "No titles, no `_meta` inside of lists and content, no date of a resource (INIT-13, META-19, RES-13).",
    results: {
      server,
      tool: { ...tool, tellsOutput: false, annotations: { readOnlyHint: true, title: "Sum" } },
      resources: [{ ...resource, annotations: { audience: ["user"], priority: 1 } }, dot],
      templates: [template],
      prompts: prompt
    }
  },
  {
    until: "2025-03-26",
    what: "A link to a resource is a text (TOOL-13).",
    results: {
      blocks: blocks({
        image,
        sound,
        link: { type: "text", text: "[resource link: Today (today), text/markdown] notes://today" }
      })
    }
  },
  {
    until: "2025-03-26",
    what: "A completion is not told what is known already (COMP-3).",
    results: { completionByAnother: ["may"] }
  },
  {
    until: "2024-11-05",
    what: "Completion is no capability (COMP-1).",
    results: { server: { ...server, capabilities: capabilities.filter((name) => name !== "completions") } }
  },
  {
    until: "2024-11-05",
    what: "A tool has no annotations (TOOL-4).",
    results: { tool: { ...tool, tellsOutput: false } }
  },
  {
    until: "2024-11-05",
    what: "A sound is a text (TOOL-13).",
    results: {
      blocks: blocks({
        image,
        sound: soundInWords,
        link: { type: "text", text: "[resource link: Today (today), text/markdown] notes://today" }
      }),
      prompt: review(soundInWords)
    }
  },
  {
    until: "2024-11-05",
    what: "Progress has no message (PROG-4).",
    results: { progress: steps(() => ({})) }
  }
]

/** What the program gives under a revision. */
export const expected = (revision: Revision.Revision): Results => {
  const older = changes.filter(({ until }) => revision <= until)
  return Object.assign(
    { ...newest, whoAsks: `matrix-client under ${revision}` },
    // The one method that the legacy era lacks.
    older.length > 0 && { discover: notIn("server/discover", revision) },
    older.some(({ results }) => "renderedRaw" in results) &&
      { rendered: notIn("Structured output of the tool rendered", revision) },
    ...older.map(({ results }) => results)
  )
}
