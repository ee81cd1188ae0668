import { assert, describe, it } from "@effect/vitest"
import * as Content from "@effect-mcp/core/Content"
import type * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { start } from "./support.ts"

class Full extends Schema.TaggedError<Full>()("Full", { until: Schema.DateFromString }) {
  override get message() {
    return "The hall is full"
  }
}

class Closed extends Schema.TaggedError<Closed>()("Closed", { message: Schema.String }) {}

const Book = Tool.make("book", { output: { seat: Schema.Finite }, failure: Schema.Union([Full, Closed]) })

/** A logger that keeps what the server's own loggers print. */
const kept = () => {
  const lines: Array<{ readonly message: unknown; readonly cause: string }> = []
  const logger = Logger.make<unknown, void>(({ cause, message }) => {
    lines.push({ message, cause: Cause.pretty(cause) })
  })
  return { lines, layer: Logger.layer([logger]) }
}

const failing = (failure: Effect.Effect<{ readonly seat: number }, Tool.Failure<typeof Book>>) =>
  Effect.gen(function*() {
    const peer = yield* start(McpServer.tool(Book, () => failure), { sendServerInfo: false })
    return yield* peer.request("tools/call", { name: "book" })
  })

const resultOf = (response: JsonRpc.Response) => {
  assert(response._tag === "Success")
  return response.result
}

describe("failures of tools", () => {
  it.effect("TOOL-19, ERR-17: ToolFailure is a result the model reads", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(resultOf(yield* failing(Effect.fail(new Tool.ToolFailure({ message: "No seat left" })))), {
        resultType: "complete",
        content: [{ type: "text", text: "No seat left" }],
        isError: true
      })
      const content = [Content.text("a"), Content.text("b")]
      assert.deepStrictEqual(resultOf(yield* failing(Effect.fail(new Tool.ToolFailure({ message: "x", content })))), {
        resultType: "complete",
        content,
        isError: true
      })
    }))

  it.effect("TOOL-19: a declared failure is a result that also carries the failure, encoded", () =>
    Effect.gen(function*() {
      const full = new Full({ until: new Date(0) })
      assert.deepStrictEqual(resultOf(yield* failing(Effect.fail(full))), {
        resultType: "complete",
        content: [{ type: "text", text: "The hall is full" }],
        isError: true,
        _meta: { "dev.effect-mcp/failure": { _tag: "Full", until: "1970-01-01T00:00:00.000Z" } }
      })
      assert.deepStrictEqual(resultOf(yield* failing(Effect.fail(new Closed({ message: "Until May" })))), {
        resultType: "complete",
        content: [{ type: "text", text: "Until May" }],
        isError: true,
        _meta: { "dev.effect-mcp/failure": { _tag: "Closed", message: "Until May" } }
      })
    }))

  it.effect("ERR-1, ERR-9: an error of the protocol from a handler keeps its code, message and data", () =>
    Effect.gen(function*() {
      for (
        const [error, object] of [
          [
            new McpError.Application({ code: 4290, message: "Quota", data: { limit: 0 } }),
            { code: 4290, message: "Quota", data: { limit: 0 } }
          ],
          [new McpError.InvalidParams({ message: "Bad", data: null }), { code: -32602, message: "Bad", data: null }],
          [new McpError.InternalError({ message: "Oops" }), { code: -32603, message: "Oops" }],
          [
            new McpError.ResourceNotFound({ uri: "a://b" }),
            { code: -32602, message: "Resource not found: a://b", data: { uri: "a://b" } }
          ],
          [
            new McpError.MissingClientCapability({ message: "m", requiredCapabilities: { sampling: {} } }),
            { code: -32021, message: "m", data: { requiredCapabilities: { sampling: {} } } }
          ]
        ] as const
      ) {
        const response = yield* failing(Effect.fail(error))
        assert(response._tag === "Failure")
        assert.deepStrictEqual(response.error, object)
      }
    }))
})

const secret = "postgres://root:hunter2@db"

const Defective = Layer.mergeAll(
  McpServer.tool(Tool.make("dies", {}), () => Effect.die(new Error(secret))),
  McpServer.tool(Tool.make("throws", {}), (): Effect.Effect<string> => {
    throw new Error(secret)
  }),
  McpServer.tool(Tool.make("throws-text", {}), (): Effect.Effect<string> => {
    throw secret
  }),
  McpServer.tool(Tool.make("throws-undefined", {}), (): Effect.Effect<string> => {
    throw undefined
  }),
  McpServer.tool(Tool.make("rejects", {}), () => Effect.promise(() => Promise.reject(new Error(secret)))),
  McpServer.tool(
    Tool.make("undeclared", {}),
    // As code without types would: what comes out of JSON may be anything.
    () => Effect.fail(JSON.parse(JSON.stringify({ _tag: "Undeclared", secret })))
  ),
  McpServer.tool(
    Tool.make("renders", {
      output: { n: Schema.Finite },
      render: (): string => {
        throw new Error(secret)
      }
    }),
    () => Effect.succeed({ n: 1 })
  ),
  McpServer.tool(Tool.make("interrupts", {}), () => Effect.interrupt),
  McpServer.tool(Tool.make("finalizer", {}), () => Effect.as(Effect.addFinalizer(() => Effect.die(secret)), "done")),
  McpServer.tool(Tool.make("fine", {}), () => Effect.succeed("fine")),
  McpServer.resource(Resource.make("a://defect"), Effect.die(new Error(secret))),
  McpServer.prompt(Prompt.make("defect", { arguments: { x: Schema.String } }), () => Effect.die(new Error(secret)), {
    complete: { x: () => Effect.die(new Error(secret)) }
  })
)

const debug = { "io.modelcontextprotocol/logLevel": "debug" }

describe("defects", () => {
  for (
    const [method, params] of [
      ...["dies", "throws", "throws-text", "throws-undefined", "rejects", "undeclared", "renders", "interrupts"].map(
        (name) => ["tools/call", { name }] as const
      ),
      ["resources/read", { uri: "a://defect" }],
      ["prompts/get", { name: "defect", arguments: { x: "" } }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "defect" }, argument: { name: "x", value: "" } }]
    ] as const
  ) {
    it.effect(`ERR-1, LOG-8, F11: ${method} ${JSON.stringify(params)} is one -32603 that tells nothing`, () =>
      Effect.gen(function*() {
        const server = kept()
        const sent: Array<JsonRpc.Notification> = []
        const peer = yield* start(Defective).pipe(Effect.provide(server.layer))
        const error = yield* peer.error(method, params, {
          meta: { ...debug, progressToken: 1 },
          onNotification: (notification) => Effect.sync(() => sent.push(notification))
        })
        assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
        assert.deepStrictEqual(sent, [])
        assert.strictEqual(server.lines.length, 1)
        const { cause } = server.lines[0]!
        if (!/undefined|interrupts/.test(JSON.stringify(params))) assert.include(cause, secret)
      }))
  }

  it.effect("F11: a defect of a finalizer is logged, and the answer is given", () =>
    Effect.gen(function*() {
      const server = kept()
      const peer = yield* start(Defective).pipe(Effect.provide(server.layer))
      assert.strictEqual((yield* peer.call("finalizer")).content[0].text, "done")
      assert.include(server.lines[0]!.cause, secret)
    }))

  it.effect("F11: the next 1 000 calls are answered as if nothing had been", () =>
    Effect.gen(function*() {
      const peer = yield* start(Defective).pipe(Effect.provide(kept().layer))
      const names = ["dies", "throws", "throws-text", "throws-undefined", "rejects", "undeclared", "interrupts"]
      const codes = yield* Effect.forEach(
        names,
        (name) => Effect.map(peer.error("tools/call", { name }), (error) => error.code),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(codes, names.map(() => -32603))
      for (let n = 0; n < 1_000; n++) {
        const { content } = yield* peer.call("fine")
        assert.strictEqual(content[0].text, "fine")
      }
    }))
})
