/** What the published `server-filesystem` has, each tool used in a directory of its own. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as contract from "../fixtures/contract.ts"
import { call, type Check, textOf } from "./check.ts"
import { type Json, Peer } from "./peer.ts"

export const program = path.join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
)

const lines = "one\nzwei\n三\nfour\n"

/** Fills a directory. */
export const fill = (directory: string): void => {
  fs.mkdirSync(path.join(directory, "sub"))
  fs.writeFileSync(path.join(directory, "lines.txt"), lines)
  fs.writeFileSync(path.join(directory, "sub", "größe.md"), contract.mixed)
  fs.writeFileSync(path.join(directory, "pixel.png"), Buffer.from(contract.png, "base64"))
  fs.writeFileSync(path.join(directory, "sound.wav"), "RIFF")
  fs.writeFileSync(path.join(directory, "some.bin"), Buffer.from([0, 255]))
}

export const tools = [
  "read_file",
  "read_text_file",
  "read_media_file",
  "read_multiple_files",
  "write_file",
  "edit_file",
  "create_directory",
  "list_directory",
  "list_directory_with_sizes",
  "directory_tree",
  "move_file",
  "search_files",
  "get_file_info",
  "list_allowed_directories"
]

/** The text of a result, which is its structured content too. */
const text = (name: string, args: Json) =>
  Effect.map(call(name, args), (result) => {
    const text = textOf(result)
    const { content } = result.structuredContent as Json
    return text === content ? text : { text, content }
  })

/** The checks of a server that was given a directory. */
export const checks = (directory: string): ReadonlyArray<Check> => {
  const at = (...names: ReadonlyArray<string>) => path.join(directory, ...names)
  const onDisk = (...names: ReadonlyArray<string>) => Effect.sync(() => fs.readFileSync(at(...names), "utf8"))
  const media = (name: string) =>
    Effect.map(call("read_media_file", { path: at(name) }), ({ content, structuredContent }) => [
      content,
      JSON.stringify((structuredContent as Json).content) === JSON.stringify(content)
    ])
  return [
    {
      title: "introduces itself",
      run: Peer.use(({ discovered }) => Effect.succeed([discovered.info, discovered.capabilities])),
      expected: [{ name: "secure-filesystem-server", version: "0.2.0" }, ["tools"]]
    },
    {
      title: "lists the tools",
      run: Effect.map(Peer.use((peer) => peer.all("tools")), (tools) => tools.map(({ name }) => name)),
      expected: tools
    },
    {
      title: "list_allowed_directories: takes the roots of the client",
      run: Effect.repeat(
        Effect.tap(call("list_allowed_directories"), Effect.sleep(10)),
        { until: (result) => textOf(result).endsWith(`\n${directory}`), times: 500 }
      ).pipe(Effect.map(textOf)),
      expected: `Allowed directories:\n${directory}`
    },
    { title: "read_file", run: text("read_file", { path: at("lines.txt") }), expected: lines },
    {
      title: "read_text_file, all of it, its head and its tail",
      run: Effect.all([
        text("read_text_file", { path: at("sub", "größe.md") }),
        text("read_text_file", { path: at("lines.txt"), head: 2 }),
        text("read_text_file", { path: at("lines.txt"), tail: 2 })
      ]),
      expected: [contract.mixed, "one\nzwei", "four\n"]
    },
    {
      title: "read_text_file, outside of what is allowed",
      run: Effect.map(
        call("read_text_file", { path: "/etc/hostname" }),
        (result) => [result.isError, textOf(result).includes("Access denied")]
      ),
      expected: [true, true]
    },
    {
      title: "read_media_file: an image, a sound, and anything else",
      run: Effect.all([media("pixel.png"), media("sound.wav"), media("some.bin")]),
      expected: [
        [[{ type: "image", data: contract.png, mimeType: "image/png" }], true],
        [[{ type: "audio", data: Buffer.from("RIFF").toString("base64"), mimeType: "audio/wav" }], true],
        [[{
          type: "resource",
          resource: { uri: pathToFileURL(at("some.bin")).href, mimeType: "application/octet-stream", blob: "AP8=" }
        }], true]
      ]
    },
    {
      title: "read_multiple_files, one of which is not there",
      run: Effect.map(
        call("read_multiple_files", { paths: [at("lines.txt"), at("nope.txt")] }),
        (result) => textOf(result).split("\n---\n").map((part) => part.split("\n")[0]?.replace(/Error.*/, "Error"))
      ),
      expected: [`${at("lines.txt")}:`, `${at("nope.txt")}: Error`]
    },
    {
      title: "write_file",
      run: Effect.all([
        text("write_file", { path: at("new.txt"), content: "alt\n" }),
        text("write_file", { path: at("new.txt"), content: `neu ${contract.mixed}\n` }),
        onDisk("new.txt")
      ]),
      expected: [
        ...Array(2).fill(`Successfully wrote to ${at("new.txt")}`),
        `neu ${contract.mixed}\n`
      ]
    },
    {
      title: "edit_file, to see it and to do it",
      run: Effect.gen(function*() {
        const edit = { path: at("lines.txt"), edits: [{ oldText: "zwei", newText: "two" }] }
        const diff = String(yield* text("edit_file", { ...edit, dryRun: true })).split("\n")
        const before = yield* onDisk("lines.txt")
        yield* text("edit_file", edit)
        return [diff.filter((line) => /^[-+]\w/.test(line)), before, yield* onDisk("lines.txt")]
      }),
      expected: [["-zwei", "+two"], lines, lines.replace("zwei", "two")]
    },
    {
      title: "create_directory, with those above it",
      run: Effect.map(
        text("create_directory", { path: at("a", "b") }),
        (text) => [text, fs.statSync(at("a", "b")).isDirectory()]
      ),
      expected: [`Successfully created directory ${at("a", "b")}`, true]
    },
    {
      title: "list_directory",
      run: Effect.map(text("list_directory", { path: directory }), (text) => String(text).split("\n").toSorted()),
      expected: [
        "[DIR] a",
        "[DIR] sub",
        ...["lines.txt", "new.txt", "pixel.png", "some.bin", "sound.wav"].map((name) => `[FILE] ${name}`)
      ]
    },
    {
      title: "list_directory_with_sizes",
      run: Effect.map(
        text("list_directory_with_sizes", { path: at("sub"), sortBy: "size" }),
        (text) => String(text).split("\n").map((line) => line.replace(/ +/g, " "))
      ),
      expected: [
        `[FILE] größe.md ${Buffer.byteLength(contract.mixed)} B`,
        "",
        "Total: 1 files, 0 directories",
        `Combined size: ${Buffer.byteLength(contract.mixed)} B`
      ]
    },
    {
      title: "directory_tree",
      run: Effect.map(
        text("directory_tree", { path: directory, excludePatterns: ["*.*"] }),
        (text) => JSON.parse(String(text))
      ),
      expected: [
        { name: "a", type: "directory", children: [{ name: "b", type: "directory", children: [] }] },
        { name: "sub", type: "directory", children: [{ name: "größe.md", type: "file" }] }
      ]
    },
    {
      title: "move_file",
      run: Effect.map(
        text("move_file", { source: at("new.txt"), destination: at("a", "b", "moved.txt") }),
        () => [fs.existsSync(at("new.txt")), fs.existsSync(at("a", "b", "moved.txt"))]
      ),
      expected: [false, true]
    },
    {
      title: "search_files, and finds some, and none",
      run: Effect.all([
        text("search_files", { path: directory, pattern: "**/*.md" }),
        text("search_files", { path: directory, pattern: "**/*.ts" })
      ]),
      expected: [at("sub", "größe.md"), "No matches found"]
    },
    {
      title: "get_file_info",
      run: Effect.map(
        text("get_file_info", { path: at("some.bin") }),
        (text) => String(text).split("\n").filter((line) => /^(size|isFile|isDirectory):/.test(line))
      ),
      expected: ["size: 2", "isDirectory: false", "isFile: true"]
    }
  ]
}
