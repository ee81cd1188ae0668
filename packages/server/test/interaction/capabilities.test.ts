/** What a client has not declared is not asked of it (MRTR-5, ELI-2, SAMP-7, META-13). */
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import type * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Roots from "@effect-mcp/server/Roots"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type Json, type Params, start } from "../support.ts"
import { type AnyRevision, asking, errorOf, everything, play, playTool, revisions, textOf } from "./support.ts"

interface Case {
  readonly question: Effect.Effect<unknown, Effect.Error<typeof Roots.list>, Effect.Services<typeof Roots.list>>
  readonly required: Params
  /** Capabilities that are not enough. */
  readonly without: ReadonlyArray<Params>
  readonly enough: Params
  readonly since: AnyRevision
}

const message = { messages: "hello", maxTokens: 10 }

const cases: Record<Interaction.Capability, Case> = {
  elicitation: {
    question: Elicitation.form({ message: "Who?", schema: { name: Schema.String } }),
    required: { elicitation: { form: {} } },
    without: [{}, { elicitation: { url: {} } }, { sampling: {}, roots: {} }],
    // ELI-1.
    enough: { elicitation: {} },
    since: "2025-06-18"
  },
  "elicitation.url": {
    question: Elicitation.url({ message: "Go", url: "https://example.com/" }),
    required: { elicitation: { url: {} } },
    without: [{}, { elicitation: {} }, { elicitation: { form: {} } }],
    enough: { elicitation: { url: {} } },
    since: "2025-11-25"
  },
  sampling: {
    question: Sampling.createMessage(message),
    required: { sampling: {} },
    without: [{}, { elicitation: {}, roots: {} }],
    enough: { sampling: {} },
    since: "2024-11-05"
  },
  "sampling.tools": {
    question: Sampling.createMessage({ ...message, tools: [Tool.make("t")], toolChoice: "auto" }),
    required: { sampling: { tools: {} } },
    without: [{}, { sampling: {} }, { sampling: { context: {} } }],
    enough: { sampling: { tools: {} } },
    since: "2025-11-25"
  },
  "sampling.context": {
    question: Sampling.createMessage({ ...message, includeContext: "thisServer" }),
    required: { sampling: { context: {} } },
    without: [{}],
    enough: { sampling: { context: {} } },
    since: "2024-11-05"
  },
  roots: {
    question: Roots.list,
    required: { roots: {} },
    without: [{}, { sampling: {}, elicitation: {} }],
    enough: { roots: {} },
    since: "2024-11-05"
  }
}

const has = (revision: AnyRevision, since: AnyRevision) => revisions.indexOf(revision) >= revisions.indexOf(since)

describe("a question that the client has not declared", () => {
  for (const [name, { enough, question, required, since, without }] of Object.entries(cases)) {
    for (const revision of revisions) {
      it.effect(`MRTR-5, ROOT-5, trap 13, B16: ${name} under ${revision} fails in the handler, and nothing is sent`, () =>
        Effect.gen(function*() {
          const caught = question.pipe(
            Effect.as("answered"),
            Effect.catchTag(
              "MissingClientCapability",
              (error) => Effect.succeed(JSON.stringify(error.requiredCapabilities))
            )
          )
          const { endpoint } = yield* start(asking(caught))
          const lacking = has(revision, since) ? without : [...without, everything]
          for (const capabilities of lacking) {
            // A client of 2025-06-18 declares elicitation as a whole.
            if (revision === "2025-06-18" && name === "elicitation" && "elicitation" in capabilities) continue
            const played = yield* playTool(endpoint, revision, "ask", { capabilities })
            assert.deepStrictEqual([JSON.parse(textOf(played)), played.asked], [required, []])
          }
          if (has(revision, since)) {
            const played = yield* playTool(endpoint, revision, "ask", { capabilities: enough })
            assert.deepStrictEqual([textOf(played), played.asked.length], ["answered", 1])
          }
        }))
    }
  }

  it.effect("SAMP-12: includeContext needs nothing but sampling before 2025-11-25", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.as(cases["sampling.context"].question, "answered")))
      for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
        const played = yield* playTool(endpoint, revision, "ask", { capabilities: { sampling: {} } })
        assert.strictEqual(textOf(played), "answered")
      }
    }))
})

describe("unhandled", () => {
  const { question } = cases["sampling.tools"]
  const features = Layer.mergeAll(
    asking(Effect.as(question, "answered")),
    McpServer.prompt(Prompt.make("ask", {}), () => Effect.as(question, "answered")),
    McpServer.resource(Resource.make("ask://one"), Effect.as(question, "answered")),
    McpServer.resourceTemplate(
      ResourceTemplate.make("ask://many/{n}", { name: "many", parameters: { n: Schema.String } }),
      () => Effect.as(question, "answered")
    )
  )
  const requests: ReadonlyArray<readonly [string, Params]> = [
    ["tools/call", { name: "ask" }],
    ["prompts/get", { name: "ask" }],
    ["resources/read", { uri: "ask://one" }],
    ["resources/read", { uri: "ask://many/1" }]
  ]

  it.effect("ERR-3, META-13: -32021 with what is required, in 2026-07-28", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      for (const [method, params] of requests) {
        const error = errorOf(
          yield* play(endpoint, "2026-07-28", method, params, { capabilities: { sampling: {} } })
        )
        assert.strictEqual(error.code, -32021)
        assert.deepStrictEqual(error.data, { requiredCapabilities: { sampling: { tools: {} } } })
      }
    }))

  for (const revision of revisions.slice(0, -1)) {
    it.effect(`a result with isError for tools, and an error that names it for others, under ${revision}`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(features)
        for (const [method, params] of requests) {
          const played = yield* play(endpoint, revision, method, params, { capabilities: { roots: {} } })
          if (method === "tools/call") {
            assert(played.response._tag === "Success")
            assert.isTrue((played.response.result as Json).isError)
            assert.include(textOf(played), "sampling.tools")
          } else {
            const error = errorOf(played)
            assert.strictEqual(error.code, -32600)
            assert.include(error.message, "sampling.tools")
          }
        }
      }))
  }
})

describe("what a handler says that it needs", () => {
  const never = Effect.die(new Error("The handler was run"))
  const needs = { needs: ["elicitation.url", "sampling.tools", "sampling", "roots"] } as const
  const features = Layer.mergeAll(
    asking(never, needs),
    McpServer.prompt(Prompt.make("ask", {}), () => never, needs),
    McpServer.resource(Resource.make("ask://one"), never, needs),
    McpServer.resourceTemplate(
      ResourceTemplate.make("ask://many/{n}", { name: "many", parameters: { n: Schema.String } }),
      () => never,
      needs
    )
  )

  it.effect("META-13: is looked at before it is run, and all that is missing is told", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(features)
      for (
        const [method, params] of [
          ["tools/call", { name: "ask" }],
          ["prompts/get", { name: "ask" }],
          ["resources/read", { uri: "ask://one" }],
          ["resources/read", { uri: "ask://many/1" }]
        ] as const
      ) {
        const played = yield* play(endpoint, "2026-07-28", method, params, {
          capabilities: { elicitation: {}, sampling: {} }
        })
        assert.deepStrictEqual(errorOf(played).data, {
          requiredCapabilities: { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }
        })
      }
      const legacy = yield* playTool(endpoint, "2025-06-18", "ask", { capabilities: { roots: {} } })
      assert.include(textOf(legacy), "revision 2025-06-18 does not have elicitation.url, sampling.tools")
    }))

  it.effect("a client that has it all gets the handler", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.succeed("run"), needs))
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask")), "run")
    }))
})

describe("a session that nobody has declared anything in", () => {
  it.effect("case 55: without a session nothing can be asked, and that is told at once", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(asking(Effect.as(Roots.list, "answered")))
      const session = endpoint.legacy?.stateless("2025-11-25")
      assert(session !== undefined)
      const outcome = session.classify({ _tag: "Request", id: 1, method: "tools/call", params: { name: "ask" } })
      assert(outcome._tag === "Request")
      const { response } = session.call(outcome, {
        transport: "test",
        context: yield* Effect.context<never>(),
        principal: undefined,
        mirrored: undefined,
        emit: () => {},
        drained: Effect.void,
        ask: () => assert.fail("asked")
      })
      assert(response !== undefined)
      assert.include(textOf({ response }), "roots")
    }))
})
