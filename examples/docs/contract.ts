/** What the example offers: contracts that the server implements and the client calls. */
import * as Prompt from "@effect-mcp/core/Prompt"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as Schema from "effect/Schema"

export class NoSuchFile extends Schema.TaggedError<NoSuchFile>()("NoSuchFile", { path: Schema.String }) {
  override get message(): string {
    return `There is no Markdown file ${JSON.stringify(this.path)}`
  }
}

const FilePath = Schema.String.annotate({
  description: "Path of a Markdown file below the folder, like guide/start.md"
})

export const Match = Schema.Struct({ path: Schema.String, line: Schema.Int, text: Schema.String })

export const Search = Tool.make("search", {
  title: "Search the docs",
  description: "Find the lines of the Markdown files that contain a text, whatever its case",
  input: {
    text: Schema.NonEmptyString.annotate({ description: "The text to look for" }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({ description: "By default 20" })
    )
  },
  output: { files: Schema.Int, matches: Schema.Array(Match) },
  // The model reads lines as grep prints them; programs read the structured output.
  render: ({ files, matches }) =>
    matches.length === 0
      ? `No match in ${files} files`
      : matches.map(({ line, path, text }) => `${path}:${line}: ${text}`).join("\n"),
  annotations: { readOnlyHint: true }
})

export const Heading = Schema.Struct({ level: Schema.Int, title: Schema.String, line: Schema.Int })

export const Outline = Tool.make("outline", {
  title: "Outline of a file",
  description: "List the headings of a Markdown file",
  input: { path: FilePath },
  output: { headings: Schema.Array(Heading) },
  failure: NoSuchFile,
  annotations: { readOnlyHint: true }
})

export const File = ResourceTemplate.make("docs:///{+path}", {
  name: "file",
  title: "A Markdown file",
  description: "Any Markdown file of the folder",
  mimeType: "text/markdown",
  parameters: { path: Schema.String }
})

export const Explain = Prompt.make("explain", {
  title: "Explain a file",
  description: "Explain what a Markdown file says",
  arguments: {
    path: FilePath,
    audience: Schema.optionalKey(Schema.String.annotate({ description: "For whom, like beginners" }))
  }
})
