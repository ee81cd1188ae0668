/**
 * The steps that every pair of a client and a server goes through: each gives a value, which has to be the one that is
 * expected. How an error is worded is the server's own business, and so is no part of a value.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as contract from "../fixtures/contract.ts"
import { questionSteps } from "./questionSteps.ts"
import { sessionSteps } from "./sessionSteps.ts"
import { type Json, Peer, type Refusal } from "./peer.ts"
import { call, named, names, pick, plain, refusal, result, type Step, text, use } from "./step.ts"

const { broken, logo, today } = contract.notes

const lists: ReadonlyArray<Step> = [
  {
    title: "calls a tool whose argument is a header too, before it has seen the list (HDR-18)",
    only: "http",
    run: result(call("route", { region: "München" })),
    expected: text("to München")
  },
  {
    title: "discovers the server (DISC-1)",
    shows: true,
    run: use(({ discovered }) => Effect.succeed(pick(discovered, "capabilities", "info", "instructions"))),
    expected: {
      capabilities: ["completions", "logging", "prompts", "resources", "tools"],
      info: contract.info,
      instructions: contract.instructions
    }
  },
  {
    title: "is told every revision the server speaks (DISC-2)",
    from: contract.revision,
    shows: true,
    run: use(({ discovered }) => Effect.succeed(discovered.supportedVersions)),
    expected: [contract.revision]
  },
  {
    title: "lists the tools, in order",
    shows: true,
    run: Effect.map(
      use((peer) => peer.all("tools")),
      (tools) => names(tools.filter(({ name }) => !contract.officialTools.includes(String(name))))
    ),
    expected: named(contract.tools)
  },
  {
    title: "lists what a tool is",
    shows: true,
    run: Effect.map(use((peer) => peer.all("tools")), (tools) => {
      const tool = tools.find(({ name }) => name === "add") ?? {}
      const input = tool.inputSchema as Json
      const output = (tool.outputSchema ?? {}) as Json
      return {
        ...pick(tool, "title", "description", "annotations"),
        input: pick(input, "type", "properties", "required"),
        output: pick(output, "type", "properties", "required")
      }
    }),
    expected: {
      ...contract.add,
      input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
      output: {
        type: "object",
        properties: { sum: { type: "number" }, "größe": { type: "string" } },
        required: ["sum", "größe"]
      }
    }
  },
  {
    title: "lists the resources",
    shows: true,
    run: Effect.map(
      use((peer) => peer.all("resources")),
      (resources) => resources.map((resource) => pick(resource, "uri", "name", "title", "mimeType"))
    ),
    expected: [today, logo, broken, ...contract.numbered, contract.notes.asking]
      .map((resource) => pick(resource, "uri", "name", "title", "mimeType"))
  },
  {
    title: "lists the resource templates",
    run: Effect.map(
      use((peer) => peer.all("resourceTemplates")),
      (templates) => templates.map((template) => pick(template, "uriTemplate", "name", "description", "mimeType"))
    ),
    expected: [contract.file]
  },
  {
    title: "lists the prompts",
    shows: true,
    run: use((peer) => peer.all("prompts")),
    expected: [
      { ...contract.review, arguments: [{ name: "code", required: true }, { name: "language", required: false }] },
      { name: contract.greeting.name },
      contract.asking
    ]
  },
  {
    title: "reads a list page by page (PAGE-1..2)",
    run: use((peer) =>
      Effect.gen(function*() {
        const pages = []
        let cursor: string | undefined
        do {
          const page = yield* peer.page("resources", cursor)
          pages.push((page.resources as ReadonlyArray<Json>).map(({ name }) => name))
          cursor = page.nextCursor as string | undefined
        } while (cursor !== undefined)
        return pages
      })
    ),
    expected: [["today", "logo", "broken"], ["1", "2", "3"], ["4", "asking"]]
  },
  {
    title: "refuses a cursor that is none (PAGE-6)",
    run: refusal(use((peer) => peer.page("resources", "☃"))),
    expected: { code: -32602 }
  }
]

const calls: ReadonlyArray<Step> = [
  {
    title: "calls a tool with any text",
    run: result(call("echo", { value: contract.mixed })),
    expected: text(contract.mixed)
  },
  { title: "calls a tool without arguments", run: result(call("murmur")), expected: text("murmured") },
  {
    title: "gets structured output, and text beside it (TOOL-16)",
    shows: true,
    run: result(call("add", { a: 0.1, b: 1e21 })),
    expected: {
      ...text(JSON.stringify({ sum: 1e21, "größe": contract.mixed })),
      structuredContent: { sum: 1e21, "größe": contract.mixed }
    }
  },
  {
    title: "gets an image with annotations",
    shows: true,
    run: result(call("picture")),
    expected: {
      content: [
        {
          type: "image",
          data: contract.png,
          mimeType: "image/png",
          annotations: { audience: ["user"], priority: 0.5 }
        },
        { type: "text", text: "a pixel" }
      ]
    }
  },
  ...["eu-central", "München — 東京", " ", "", "=?base64?SGk=?="].map((region): Step => ({
    title: `calls a tool whose argument is a header too: ${JSON.stringify(region)} (HDR-4, HDR-5, HDR-10)`,
    only: "http",
    run: result(call("route", { region })),
    expected: text(`to ${region}`)
  })),
  {
    title: "names the server in results (META-14)",
    run: Effect.map(
      call("echo", { value: "" }),
      ({ _meta }) => pick(_meta as Json, "io.modelcontextprotocol/serverInfo")
    ),
    expected: { "io.modelcontextprotocol/serverInfo": contract.info }
  },
  {
    title: "reads a text",
    run: result(use((peer) => peer.read(today.uri))),
    expected: { contents: [{ uri: today.uri, mimeType: today.mimeType, text: today.text }] }
  },
  {
    title: "reads a blob",
    run: result(use((peer) => peer.read(logo.uri))),
    expected: { contents: [{ uri: logo.uri, mimeType: logo.mimeType, blob: logo.blob }] }
  },
  {
    title: "reads a resource of a template",
    run: result(use((peer) => peer.read("files:///docs/intro.md"))),
    expected: { contents: [{ uri: "files:///docs/intro.md", mimeType: "text/plain", text: "docs and intro.md" }] }
  },
  {
    title: "reads a resource of a template whose parameter is encoded",
    run: result(use((peer) => peer.read("files:///docs/z%C3%BCrich%2F1.md"))),
    expected: {
      contents: [{ uri: "files:///docs/z%C3%BCrich%2F1.md", mimeType: "text/plain", text: "docs and zürich/1.md" }]
    }
  },
  {
    title: "gets a prompt with arguments",
    run: result(use((peer) => peer.get("review", { code: contract.mixed, language: "Türkçe" }))),
    expected: {
      description: contract.review.description,
      messages: [
        { role: "user", content: { type: "text", text: contract.reviewText(contract.mixed, "Türkçe") } },
        { role: "assistant", content: { type: "image", data: contract.png, mimeType: "image/png" } }
      ]
    }
  },
  {
    title: "gets a prompt without an optional argument",
    run: Effect.map(use((peer) => peer.get("review", { code: "1" })), ({ messages }) => (messages as Array<Json>)[0]),
    expected: { role: "user", content: { type: "text", text: contract.reviewText("1", undefined) } }
  },
  {
    title: "gets a prompt whose name fits in no header (HDR-4, HDR-6)",
    run: result(use((peer) => peer.get(contract.greeting.name))),
    expected: { messages: [{ role: "user", content: { type: "text", text: contract.greeting.text } }] }
  },
  {
    title: "completes an argument of a prompt",
    run: result(use((peer) => peer.complete({ type: "ref/prompt", name: "review" }, { name: "language", value: "T" }))),
    expected: { completion: { values: contract.languages, total: 3, hasMore: false } }
  },
  {
    title: "completes a parameter of a template",
    run: result(
      use((peer) =>
        peer.complete({ type: "ref/resource", uri: contract.file.uriTemplate }, { name: "folder", value: "s" })
      )
    ),
    expected: { completion: { values: ["src"], total: 1, hasMore: false } }
  },
  {
    title: "completes a parameter by another that is known (COMP-3)",
    shows: true,
    run: result(
      use((peer) =>
        peer.complete({ type: "ref/resource", uri: contract.file.uriTemplate }, { name: "name", value: "zü" }, {
          folder: "docs"
        })
      )
    ),
    expected: { completion: { values: ["zürich.md"], total: 1, hasMore: false } }
  },
  {
    title: "completes an argument that nobody completes with nothing",
    run: Effect.map(
      use((peer) => peer.complete({ type: "ref/prompt", name: "review" }, { name: "code", value: "x" })),
      ({ completion }) => (completion as Json).values
    ),
    expected: []
  }
]

interface Telling {
  readonly progress?: boolean
  readonly log?: boolean
  /** Has a call that pauses go on as soon as so much has been told. */
  readonly proceedAfter?: number
}

/** Runs a call, and gives all it tells in the order in which it comes. */
const told = (name: string, args: Json, options: Telling) =>
  use((peer) => {
    const events: Array<unknown> = []
    const push = (event: unknown) => {
      if (events.push(event) === options.proceedAfter) Effect.runFork(peer.call("proceed"))
    }
    return peer.call(name, args, {
      ...options.progress && { onProgress: (progress) => push(pick(progress, "progress", "total", "message")) },
      ...options.log && { onLog: (message) => push(pick(message, "level", "data")), logLevel: "warning" }
    }).pipe(Effect.map((result) => [...events, plain(result)]))
  })

const countTo = (total: number) =>
  Array.from({ length: total }, (_, index) => ({ progress: index + 1, total, message: `№ ${index + 1}` }))

/** How many messages come for a call, whether the client makes something of them or not. */
const messagesOf = (name: string, args: Json, options?: { readonly progress: true }) =>
  use((peer) =>
    Effect.gen(function*() {
      const before = peer.arrived()
      yield* peer.call(name, args, options && { onProgress: () => {} })
      peer.complaints()
      return peer.arrived() - before
    })
  )

const atOnce = 200

/** Later calls end earlier, by groups. */
const interleaved = use((peer) =>
  Effect.forEach(
    Array.from({ length: atOnce }, (_, n) => n),
    (n) => Effect.map(peer.call("later", { value: `№ ${n}`, delay: 10 * (9 - (n % 10)) }), plain),
    { concurrency: "unbounded" }
  )
)

const megabyte = "ß".repeat(512 * 1024)

const echoed = (options: { readonly asEvents: boolean }) =>
  use((peer) => peer.call("echo", { value: megabyte }, options.asEvents ? { onProgress: () => {} } : {})).pipe(
    Effect.map(({ content }) => {
      const { text } = (content as [{ readonly text: string }])[0]
      return { length: text.length, same: text === megabyte }
    })
  )

const waiting = (key: string) =>
  Effect.map(call("waiting", { key }), ({ content }) => (content as [{ readonly text: string }])[0].text)

const until = (key: string, state: contract.Waiting) =>
  Effect.repeat(Effect.tap(waiting(key), Effect.sleep(10)), { until: (current) => current === state })

/** Cancels a call that would never end: what the handler saw, and what came after that. */
const cancelled = (key: string, silent: boolean) =>
  Effect.gen(function*() {
    const peer = yield* Peer
    const reported = yield* Deferred.make<void>()
    let reports = 0
    const fiber = yield* Effect.forkChild(peer.call("wait", { key, silent }, {
      onProgress: () => {
        if (++reports === 3) Deferred.doneUnsafe(reported, Effect.void)
      }
    }))
    yield* silent ? until(key, "running") : Deferred.await(reported)
    yield* Fiber.interrupt(fiber)
    const handler = yield* until(key, "interrupted")
    // What was on its way when the server was told is before the answer that says that it knows.
    const arrived = peer.arrived()
    const seen = reports
    yield* Effect.sleep(200)
    // On stdio, what a cancelled request still sent is nobody's.
    peer.complaints()
    return { handler, messagesAfter: peer.arrived() - arrived, reportsAfter: reports - seen }
  })

const duringCalls: ReadonlyArray<Step> = [
  {
    title: "tells progress in order, before the result (PROG-2..3)",
    shows: true,
    run: told("count", { to: 5, pause: 10_000 }, { progress: true, proceedAfter: 5 }),
    expected: [...countTo(5), text("counted")]
  },
  {
    title: "tells progress that comes together with the result",
    run: told("count", { to: 5, pause: 0 }, { progress: true }),
    expected: [...countTo(5), text("counted")]
  },
  {
    title: "is sent a thousand steps of progress",
    run: messagesOf("count", { to: 1000, pause: 0 }, { progress: true }),
    expected: 1001
  },
  {
    title: "is sent no progress that it did not ask for",
    // Ours asks with every call, so that progress extends its deadline.
    client: "notOurs",
    run: messagesOf("count", { to: 5, pause: 0 }),
    expected: 1
  },
  {
    title: "tells the logs of a request from its own level on (META-16, LOG-6)",
    shows: true,
    remembers: true,
    run: told("chat", {}, { log: true }),
    expected: [{ level: "warning", data: "w" }, { level: "error", data: contract.mixed }, text("chatted")]
  },
  { title: "is sent no logs that it did not ask for", run: messagesOf("chat", {}), expected: 1 },
  {
    title: "passes over a notification it does not know",
    run: told("murmur", {}, { progress: true, log: true }),
    expected: [text("murmured")]
  },
  {
    title: "cancels a call that reports (CAN-2, CAN-4, STDIO-11, HTTP-15)",
    run: cancelled("reporting", false),
    expected: { handler: "interrupted", messagesAfter: 0, reportsAfter: 0 }
  },
  {
    title: "cancels a call that has said nothing yet",
    run: cancelled("silent", true),
    expected: { handler: "interrupted", messagesAfter: 0, reportsAfter: 0 }
  },
  {
    title: "goes on when a request that never was is cancelled (CAN-5)",
    run: use((peer) => Effect.andThen(peer.cancelNothing, peer.call("echo", { value: "still here" }))).pipe(result),
    expected: text("still here")
  },
  {
    title: `answers ${atOnce} calls at once, each with its own`,
    run: interleaved,
    expected: Array.from({ length: atOnce }, (_, n) => text(`№ ${n}`))
  },
  {
    title: "carries 1 MiB there and back",
    run: echoed({ asEvents: false }),
    expected: { length: megabyte.length, same: true }
  },
  {
    title: "carries 1 MiB back after progress",
    run: echoed({ asEvents: true }),
    expected: { length: megabyte.length, same: true }
  }
]

/** A result that says what went wrong, in words that name something. */
const failed = (name: string, args: Json, word: string) =>
  Effect.map(call(name, args), ({ content, isError }) => ({
    isError,
    saysWhat: String((content as [{ readonly text: string }])[0].text).includes(word)
  }))

/** How much of the inside gets out. */
const brokenInside = (request: Effect.Effect<Json, Refusal, Peer>) =>
  Effect.match(request, {
    onFailure: ({ code, message }) => ({ code, tellsSecret: message.includes(contract.secret) }),
    onSuccess: ({ content, isError }) => ({
      isError,
      tellsSecret: JSON.stringify(content).includes(contract.secret)
    })
  })

const errors: ReadonlyArray<Step> = [
  { title: "refuses an unknown tool (TOOL-18)", run: refusal(call("nope")), expected: { code: -32602 } },
  {
    title: "refuses an unknown resource (RES-5)",
    shows: true,
    run: refusal(use((peer) => peer.read("notes://nope"))),
    expected: { code: -32602, data: { uri: "notes://nope" } }
  },
  {
    title: "refuses an unknown prompt (PROMPT-4)",
    run: refusal(use((peer) => peer.get("nope"))),
    expected: { code: -32602 }
  },
  {
    title: "refuses a prompt without its argument (PROMPT-4)",
    run: refusal(use((peer) => peer.get("review", {}))),
    expected: { code: -32602 }
  },
  {
    title: "refuses to complete for an unknown prompt (COMP-5)",
    run: refusal(use((peer) => peer.complete({ type: "ref/prompt", name: "nope" }, { name: "a", value: "" }))),
    expected: { code: -32602 }
  },
  {
    title: "refuses to complete an unknown argument",
    run: refusal(use((peer) => peer.complete({ type: "ref/prompt", name: "review" }, { name: "nope", value: "" }))),
    expected: { code: -32602 }
  },
  {
    title: "tells the failure of a tool as a result (TOOL-19)",
    shows: true,
    run: result(call("fail")),
    expected: { ...text(contract.failure), isError: true }
  },
  {
    title: "tells bad arguments as a result that says which (TOOL-20)",
    shows: true,
    run: failed("add", { a: 1, b: "two" }, "b"),
    expected: { isError: true, saysWhat: true }
  },
  {
    title: "tells nothing of the inside of a tool that broke (TOOL-18)",
    run: brokenInside(call("break")),
    expected: { code: -32603, tellsSecret: false }
  },
  {
    title: "tells nothing of the inside of a resource that broke (ERR-1)",
    run: brokenInside(use((peer) => peer.read(broken.uri))),
    expected: { code: -32603, tellsSecret: false }
  },
  { title: "goes on after all of this", run: result(call("echo", { value: "well" })), expected: text("well") }
]

export const steps: ReadonlyArray<Step> = [
  ...lists,
  ...calls,
  ...duringCalls,
  ...sessionSteps,
  ...questionSteps,
  ...errors
]
