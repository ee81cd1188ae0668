/** The features of the example server, in memory. */
import * as McpClient from "@effect-mcp/client/McpClient"
import * as McpTest from "@effect-mcp/testing/McpTest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { Explain, File, NoSuchFile, Outline, Search } from "../docs/contract.ts"
import { Docs } from "../docs/Docs.ts"
import * as docs from "../docs/server.ts"

const start = "# Start\n\nHello World\n\n```sh\n# no heading\n```\n\n## Next ##\n\nhello again\n"

/** A folder to serve, and a secret beside it. */
const folder = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const parent = yield* fs.makeTempDirectoryScoped({ prefix: "docs-" })
  const dir = path.join(parent, "public")
  const write = (file: string, text: string) =>
    fs.makeDirectory(path.dirname(path.join(parent, file)), { recursive: true }).pipe(
      Effect.andThen(fs.writeFileString(path.join(parent, file), text))
    )
  yield* write("secret.md", "a secret")
  yield* write("elsewhere/secret.md", "a secret")
  yield* write("public/README.md", "# Readme\r\n\r\nhello\r\n")
  yield* write("public/guide/start.md", start)
  yield* write("public/guide/größe 1.md", "# Größe")
  yield* write("public/notes.txt", "a secret")
  yield* write("public/.hidden.md", "a secret")
  yield* write("public/.git/config.md", "a secret")
  yield* write("public/node_modules/package/README.md", "a secret")
  yield* write("public/folder.md/notes.txt", "a secret")
  yield* fs.symlink(path.join(parent, "secret.md"), path.join(dir, "escape.md"))
  yield* fs.symlink(path.join(parent, "elsewhere"), path.join(dir, "elsewhere"))
  yield* fs.symlink(path.join(dir, "notes.txt"), path.join(dir, "text.md"))
  yield* fs.symlink(path.join(dir, ".git/config.md"), path.join(dir, "config.md"))
  yield* fs.symlink(path.join(dir, "guide/start.md"), path.join(dir, "alias.md"))
  return dir
})

const Client = Layer.unwrap(
  Effect.map(folder, (dir) => McpTest.layer(docs.features.pipe(Layer.provide(Docs.layer(dir)))))
).pipe(Layer.provide(NodeServices.layer))

layer(Client)("the docs server", (it) => {
  it.effect("searches, and says how far it has come", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const events = yield* Stream.runCollect(client.callWithProgress(Search, { text: "HELLO" }))
      assert.deepStrictEqual(
        events.map((event) => event._tag === "Progress" ? event.progress.progress : event.result),
        [4, {
          files: 4,
          matches: [
            { path: "README.md", line: 3, text: "hello" },
            { path: "alias.md", line: 3, text: "Hello World" },
            { path: "alias.md", line: 11, text: "hello again" },
            { path: "guide/start.md", line: 3, text: "Hello World" },
            { path: "guide/start.md", line: 11, text: "hello again" }
          ]
        }]
      )
    }))

  it.effect("gives no more matches than were asked for, and lines to the model", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const { content } = yield* client.callTool("search", { text: "hello", limit: 2 })
      assert.deepStrictEqual(content, [{ type: "text", text: "README.md:3: hello\nalias.md:3: Hello World" }])
    }))

  it.effect("outlines a file, code left out", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual(yield* client.call(Outline, { path: "guide/start.md" }), {
        headings: [{ level: 1, title: "Start", line: 1 }, { level: 2, title: "Next", line: 9 }]
      })
      const failure = yield* Effect.flip(client.call(Outline, { path: "nothing.md" }))
      assert.deepStrictEqual(failure, new NoSuchFile({ path: "nothing.md" }))
    }))

  it.effect("completes paths with the files that can be read", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const values = (value: string) =>
        Effect.map(client.complete(File, { name: "path", value }), ({ completion }) => completion.values)
      assert.deepStrictEqual(yield* values(""), ["README.md", "alias.md", "guide/größe 1.md", "guide/start.md"])
      assert.deepStrictEqual(yield* values("guide/s"), ["guide/start.md"])
      assert.deepStrictEqual(yield* values("../"), [])
    }))

  it.effect("reads files", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const { contents } = yield* client.read(File, { path: "guide/größe 1.md" })
      assert.deepStrictEqual(contents, [
        { uri: "docs:///guide/gr%C3%B6%C3%9Fe%201.md", mimeType: "text/markdown", text: "# Größe" }
      ])
    }))

  it.effect("explains a file", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const { messages } = yield* client.get(Explain, { path: "README.md" })
      assert.deepStrictEqual(messages.map(({ content }) => content.type), ["resource", "text"])
      const error = yield* Effect.flip(client.get(Explain, { path: "nothing.md" }))
      assert.strictEqual(error._tag, "InvalidParams")
    }))

  describe("RES-12: keeps inside the folder", () => {
    for (
      const uri of [
        "docs:///../secret.md",
        "docs:///guide/../../secret.md",
        "docs:///%2e%2e/secret.md",
        "docs:///..%2fsecret.md",
        "docs:///%2e%2e%2fsecret.md",
        "docs:///%252e%252e/secret.md",
        "docs:///..\\secret.md",
        "docs:///..%5csecret.md",
        "docs:////etc/motd.md",
        "docs:///C:%5Csecret.md",
        "docs:///README.md%00.md",
        "docs:///escape.md",
        "docs:///elsewhere/secret.md",
        "docs:///text.md",
        "docs:///config.md",
        "docs:///notes.txt",
        "docs:///folder.md",
        "docs:///.hidden.md",
        "docs:///.git/config.md",
        "docs:///node_modules/package/README.md",
        "docs:///"
      ]
    ) {
      it.effect(uri, () =>
        Effect.gen(function*() {
          const client = yield* McpClient.McpClient
          const error = yield* Effect.flip(client.readResource(uri))
          assert.strictEqual(error._tag, "ResourceNotFound")
        }))
    }

    it.effect("and so do the tools", () =>
      Effect.gen(function*() {
        const client = yield* McpClient.McpClient
        for (const path of ["../secret.md", "..\\secret.md", "/etc/motd.md", "escape.md", "elsewhere/secret.md"]) {
          assert.deepStrictEqual(yield* Effect.flip(client.call(Outline, { path })), new NoSuchFile({ path }))
        }
        assert.deepStrictEqual((yield* client.call(Search, { text: "secret" })).matches, [])
      }))
  })
})
