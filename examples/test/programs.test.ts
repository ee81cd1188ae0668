/** The example's programs, as processes. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { kill, printed, start } from "../../scripts/lib/processes.ts"
import { root } from "../../scripts/lib/workspace.ts"
import { run } from "../../test/support/run.ts"
import { Outline } from "../docs/contract.ts"

const node = (file: string, ...args: ReadonlyArray<string>) => [process.execPath, path.join("examples", file), ...args]

const runExample = (file: string, args: ReadonlyArray<string> = [], input = "") => {
  const [command, ...rest] = node(file, ...args)
  return run(command!, rest, { input, timeout: 25_000 })
}

/** Serves over HTTP for as long as the scope is open, on a port that the system chooses. */
const serve = Effect.fnUntraced(function*(name: string) {
  const log = `.tmp/${name}.log`
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => start(node("docs/serve.ts", "--port", "0"), { log })),
    (server) => Effect.sync(() => kill(server))
  )
  const url = yield* Effect.promise(() => printed(server, log, / at (http:\S+)\n/, 20_000))
  return { server, url }
})

const discover = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})

describe("npm start", () => {
  it("talks to the server over both transports, and ends", () => {
    const { status, stderr, stdout } = runExample("start.ts")
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stderr, "")
    for (const transport of ["stdio", "http"]) {
      const said = stdout.split("\n").filter((line) => line.startsWith(`[${transport}] `))
        .map((line) => line.slice(transport.length + 3)).join("\n")
      assert.match(said, /^connected to docs 1\.0\.0, revision 2026-07-28$/m)
      assert.match(said, /^tools: search, outline$/m)
      assert.match(said, /^resource templates: docs:\/\/\/\{\+path\}$/m)
      assert.match(said, /^prompts: explain$/m)
      assert.match(said, /^ {2}… 4 of \d+ files$/m)
      assert.match(said, /^ {2}[\w./-]+\.md:\d+ {2}\S.*effect/im)
      assert.match(said, /^completion: the folder has \d+ files/m)
      assert.match(said, /^outline: README\.md has \d+ headings$/m)
      assert.match(said, /^ {2}# effect-mcp$/m)
      assert.match(said, /^resource: docs:\/\/\/README\.md is text\/markdown$/m)
      assert.match(said, /^prompt: explain gives 2 messages: resource, text$/m)
      assert.match(said, /^refused: There is no Markdown file "no\/such\/file\.md"$/m)
      assert.match(said, /^refused: Resource not found: docs:\/\/\/\.\.\/package\.json$/m)
    }
    assert.match(stdout, /── done\n$/)
  })
})

describe("npm run serve", () => {
  it.live("serves a folder on a port until it is told to end", () =>
    Effect.gen(function*() {
      const { server, url } = yield* serve("serve")
      const outline = Effect.gen(function*() {
        const client = yield* McpClient.McpClient
        return yield* client.call(Outline, { path: "CONTRIBUTING.md" })
      })
      const Client = McpClient.layer({ name: "test", version: "1.0.0" }).pipe(
        Layer.provide(McpHttp.layerClient({ url })),
        Layer.provide(NodeHttpClient.layerUndici)
      )
      const { headings } = yield* Effect.provide(outline, Client)
      assert.strictEqual(headings[0]?.title, "Contributing")

      const exit = new Promise((resolve) => server.once("exit", resolve))
      server.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => exit), 0)
    }))

  it.live("says that the port is taken", () =>
    Effect.gen(function*() {
      const { url } = yield* serve("serve-taken")
      const { status, stderr } = runExample("docs/serve.ts", ["--port", new URL(url).port])
      assert.strictEqual(status, 1)
      assert.match(stderr, /address already in use/)
    }))

  it("--stdio answers on standard output, and ends with its input", () => {
    const { status, stdout } = runExample("docs/serve.ts", ["--stdio", "--dir", root], `${discover}\n`)
    assert.strictEqual(status, 0)
    assert.strictEqual(JSON.parse(stdout).result.capabilities.tools !== undefined, true)
  })

  it.each(["--stdio", "--no-stdio"])("says that the folder is none, with %s", (flag) => {
    const { status, stderr, stdout } = runExample("docs/serve.ts", ["--dir", "/no/such/folder", flag])
    assert.strictEqual(status, 1)
    assert.match(stderr, /Not a folder that can be read: \/no\/such\/folder/)
    assert.strictEqual(stdout, "")
  })

  it("refuses a file as a folder", () => {
    const { status, stderr } = runExample("docs/serve.ts", ["--dir", "package.json"])
    assert.strictEqual(status, 1)
    assert.match(stderr, /not a directory/i)
  })
})

describe("stdio.ts", () => {
  it("answers on standard output, and ends with its input", () => {
    const { status, stdout } = runExample("docs/stdio.ts", [], `${discover}\n`)
    assert.strictEqual(status, 0)
    assert.strictEqual(JSON.parse(stdout).id, 1)
  })

  it("says that the folder is none", () => {
    const { status, stderr, stdout } = runExample("docs/stdio.ts", ["/no/such/folder"])
    assert.strictEqual(status, 1)
    assert.match(stderr, /Not a folder that can be read: \/no\/such\/folder/)
    assert.strictEqual(stdout, "")
  })
})
