import { assert, describe, it } from "@effect/vitest"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { checked, start } from "./support.ts"

const features = Layer.mergeAll(
  McpServer.tool(Tool.make("ok", { output: Schema.NullOr(Schema.String) }), () => Effect.succeed(null)),
  McpServer.tool(Tool.make("told", { input: { n: Schema.Finite } }), () =>
    Effect.gen(function*() {
      yield* Progress.report({ progress: 1, total: 2, message: "half" })
      yield* Effect.logWarning("careful", { n: 1 })
      return yield* new Tool.ToolFailure({ message: "failed" })
    })),
  McpServer.resource(Resource.make("r://r", { mimeType: "text/plain" }), Effect.succeed("r")),
  McpServer.resourceTemplate(
    ResourceTemplate.make("t://{x}", { name: "t", parameters: { x: Schema.String } }),
    ({ x }, uri) =>
      x === "gone" ? Effect.fail(new McpError.ResourceNotFound({ uri })) : Effect.succeed(new Uint8Array(2))
  ),
  McpServer.prompt(Prompt.make("p", { arguments: { x: Schema.String } }), ({ x }) => Effect.succeed(x), {
    complete: { x: () => Effect.succeed(["a"]) }
  })
)

describe("on the wire", () => {
  it.effect("RPC-10, TOOL-12, RES-4, PROMPT-3, COMP-4, CACHE-1, PROG-3: every message of a full run fits the official schema", () =>
    Effect.gen(function*() {
      checked.clear()
      const peer = yield* start(features, { instructions: "i", title: "T", websiteUrl: "https://example.com" })
      const meta = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" }
      for (
        const [method, params] of [
          ["server/discover", {}],
          ["tools/list", {}],
          ["tools/call", { name: "ok" }],
          ["tools/call", { name: "told", arguments: { n: 1 } }],
          ["tools/call", { name: "told", arguments: { n: "one" } }],
          ["resources/list", {}],
          ["resources/templates/list", {}],
          ["resources/read", { uri: "r://r" }],
          ["resources/read", { uri: "t://x" }],
          ["prompts/list", {}],
          ["prompts/get", { name: "p", arguments: { x: "y" } }],
          ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } }]
        ] as const
      ) {
        const result = yield* peer.result(method, params, { meta })
        assert.strictEqual(result.resultType, "complete", method)
      }
      for (
        const [method, params] of [
          ["tools/call", { name: "nope" }],
          ["tools/list", { cursor: "nope" }],
          ["resources/read", { uri: "t://gone" }],
          ["prompts/get", { name: "p" }],
          ["initialize", {}],
          ["nope", {}]
        ] as const
      ) {
        yield* peer.error(method, params, { meta })
      }
      // The harness checks each message; this says that it did.
      assert.deepStrictEqual(Object.fromEntries(checked), {
        JSONRPCResultResponse: 12,
        JSONRPCErrorResponse: 6,
        DiscoverResultResponse: 1,
        ListToolsResultResponse: 1,
        CallToolResultResponse: 3,
        ListResourcesResultResponse: 1,
        ListResourceTemplatesResultResponse: 1,
        ReadResourceResultResponse: 2,
        ListPromptsResultResponse: 1,
        GetPromptResultResponse: 1,
        CompleteResultResponse: 1,
        ProgressNotification: 1,
        LoggingMessageNotification: 1
      })
    }))

  it.effect("RPC-5, STATE-2: the id comes back with its type, also 0 and the empty string", () =>
    Effect.gen(function*() {
      const peer = yield* start(features)
      for (const id of [0, -1, Number.MAX_SAFE_INTEGER, "", "0", "a b"]) {
        const response = yield* peer.request("tools/list", {}, { id })
        assert.strictEqual(response.id, id)
      }
    }))
})
