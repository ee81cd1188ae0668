/** What the server of the matrix serves: the same under every revision, and over every transport. */
import * as Content from "@effect-mcp/core/Content"
import * as Limits from "@effect-mcp/core/Limits"
import * as Prompt from "@effect-mcp/core/Prompt"
import type * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as contract from "./contract.ts"

/** The calls of `sleep` that are running. */
const sleeping = new Set<string>()

const tools = Layer.mergeAll(
  McpServer.tool(
    contract.Sum,
    ({ numbers }) =>
      Effect.succeed({ sum: numbers.reduce((a, b) => a + b, 0), count: numbers.length, when: new Date(0) })
  ),
  McpServer.tool(contract.Range, ({ to }) => Effect.succeed(Array.from({ length: to }, (_, n) => n))),
  McpServer.tool(contract.Rendered, () => Effect.succeed({ degrees: 21 })),
  McpServer.tool(contract.Guarded, ({ what }) =>
    what === "door"
      ? Effect.succeed({ opened: true })
      : Effect.fail(new contract.Denied({ what, until: 7 }))),
  McpServer.tool(contract.Blocks, () =>
    Effect.succeed(Tool.reply({
      content: [
        Content.text("a text", { annotations: { audience: ["assistant"], priority: 0.5 } }),
        Content.image("AA==", "image/png", { meta: { "com.example/n": 1 } }),
        Content.audio("AQ==", "audio/wav"),
        Content.resourceLink({ uri: "notes://today", name: "today", title: "Today", mimeType: "text/markdown" }),
        Content.resource(Content.contents("notes://dot", new Uint8Array([2]), { mimeType: "image/png" }))
      ],
      meta: { "com.example/blocks": 5 }
    }))),
  McpServer.tool(contract.Steps, ({ count }) =>
    Effect.gen(function*() {
      for (let n = 1; n <= count; n++) yield* Progress.report({ progress: n, total: count, message: `step ${n}` })
      return "stepped"
    })),
  McpServer.tool(contract.Chatty, () =>
    Effect.gen(function*() {
      yield* Effect.logDebug("a detail")
      yield* Effect.logInfo("a fact")
      yield* Effect.logWarning("a warning")
      yield* Effect.logError("an error")
      return "said"
    })),
  McpServer.tool(contract.Sleep, ({ key }) =>
    Effect.acquireUseRelease(
      Effect.sync(() => sleeping.add(key)),
      () => Effect.never,
      () => Effect.sync(() => sleeping.delete(key))
    )),
  McpServer.tool(contract.Asleep, ({ key }) => Effect.sync(() => String(sleeping.has(key)))),
  McpServer.tool(
    contract.WhoAsks,
    () => Effect.map(McpRequest.McpRequest, ({ clientInfo, revision }) => `${clientInfo?.name} under ${revision}`)
  )
)

const others = Layer.mergeAll(
  McpServer.resource(contract.Today, Effect.succeed("# Today")),
  McpServer.resource(contract.Dot, Effect.succeed(new Uint8Array([1, 2]))),
  McpServer.resourceTemplate(contract.Day, ({ month, year }) => Effect.succeed(`${month} of ${year + 1}`), {
    complete: {
      month: (typed, { year }) =>
        Effect.succeed(["may", "march", ...year === undefined ? [] : [`may of ${year}`]]
          .filter((month) => month.startsWith(typed)))
    }
  }),
  McpServer.prompt(contract.Review, ({ code, tone }) =>
    Effect.succeed({
      description: "A review",
      messages: [
        Prompt.user(`Review ${code}, ${tone ?? "kindly"}`),
        Prompt.assistant(Content.audio("AQ==", "audio/wav"))
      ]
    }), { complete: { tone: (typed) => Effect.succeed(["kind", "keen"].filter((tone) => tone.startsWith(typed))) } }),
  ...contract.More.map((prompt) => McpServer.prompt(prompt, () => Effect.succeed(prompt.name)))
)

/** A server that serves these revisions, by default all. */
export const server = (revisions?: ReadonlyArray<Revision.Revision>) =>
  McpServer.layer(
    {
      name: "matrix",
      title: "The matrix",
      version: "1.0.0",
      description: "Serves everything",
      websiteUrl: "https://example.com/",
      instructions: "Ask for anything",
      revisions
    },
    Layer.mergeAll(tools, others)
  ).pipe(Layer.provide(Limits.layer({ pageSize: contract.pageSize })))
