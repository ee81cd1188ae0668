/** A server for the Markdown files of a folder, whatever transport it is served over. */
import * as Content from "@effect-mcp/core/Content"
import * as McpError from "@effect-mcp/core/McpError"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as UriTemplate from "@effect-mcp/core/UriTemplate"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Progress from "@effect-mcp/server/Progress"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Explain, File, type Match, Outline, Search } from "./contract.ts"
import { Docs } from "./Docs.ts"
import * as markdown from "./markdown.ts"

const SearchLive = McpServer.tool(Search, ({ limit = 20, text }) =>
  Effect.gen(function*() {
    const docs = yield* Docs
    const paths = yield* docs.list
    const matches: Array<typeof Match.Type> = []
    let files = 0
    for (const chunk of Arr.chunksOf(paths, 4)) {
      const found = yield* Effect.forEach(chunk, (path) =>
        docs.read(path).pipe(
          Effect.map((content) => markdown.matches(path, content, text)),
          // A file that is gone since it was listed has no match.
          Effect.orElseSucceed(() => [])
        ), { concurrency: "unbounded" })
      matches.push(...found.flat())
      files += chunk.length
      yield* Progress.report({ progress: files, total: paths.length, message: `Read ${chunk.at(-1)}` })
    }
    return { files, matches: matches.slice(0, limit) }
  }))

const OutlineLive = McpServer.tool(Outline, ({ path }) =>
  Effect.gen(function*() {
    const docs = yield* Docs
    return { headings: markdown.headings(yield* docs.read(path)) }
  }))

/** Completes a path with those of the folder that begin with what was typed. */
const completePath = (typed: string) =>
  Effect.gen(function*() {
    const docs = yield* Docs
    const paths = yield* docs.list
    return paths.filter((path) => path.startsWith(typed))
  })

const FileLive = McpServer.resourceTemplate(File, ({ path }, uri) =>
  Effect.gen(function*() {
    const docs = yield* Docs
    return yield* docs.read(path)
  }).pipe(Effect.mapError(() => new McpError.ResourceNotFound({ uri }))), { complete: { path: completePath } })

const ExplainLive = McpServer.prompt(Explain, ({ audience = "a newcomer", path }) =>
  Effect.gen(function*() {
    const docs = yield* Docs
    const content = yield* docs.read(path)
    return [
      Prompt.user(Content.resource(
        Content.contents(UriTemplate.expand(File.template, { path }), content, { mimeType: "text/markdown" })
      )),
      Prompt.user(`Explain this document to ${audience}.`)
    ]
  }).pipe(Effect.mapError(({ message }) => new McpError.InvalidParams({ message }))), {
  complete: { path: completePath }
})

export const info = { name: "docs", version: "1.0.0" }

export const features = Layer.mergeAll(SearchLive, OutlineLive, FileLive, ExplainLive)

/** Fails with `NotAFolder` for a folder that cannot be read. */
export const layer = (dir: string) =>
  McpServer.layer({ ...info, instructions: "Search the documents first, then read those that match." }, features).pipe(
    Layer.provide(Docs.layer(dir))
  )
