/** What the client and the server of the matrix share. */
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as Schema from "effect/Schema"

export const icon = { src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["16x16"] }

export class Denied extends Schema.TaggedError<Denied>("interop/matrix/Denied")("Denied", {
  what: Schema.String,
  until: Schema.Finite
}) {}

export const Sum = Tool.make("sum", {
  title: "Sum",
  description: "Adds, and says how many there were",
  input: { numbers: Schema.Array(Schema.Finite) },
  output: { sum: Schema.Finite, count: Schema.Int, when: Schema.DateFromString },
  annotations: { readOnlyHint: true },
  icons: [icon],
  meta: { "com.example/kind": "sum" }
})

/** An output that is no object. */
export const Range = Tool.make("range", { input: { to: Schema.Int }, output: Schema.Array(Schema.Int) })

/** An output that the model reads in words. */
export const Rendered = Tool.make("rendered", {
  output: { degrees: Schema.Finite },
  render: ({ degrees }) => `It is ${degrees} degrees`
})

export const Guarded = Tool.make("guarded", {
  input: { what: Schema.String },
  output: { opened: Schema.Boolean },
  failure: Denied
})

export const Blocks = Tool.make("blocks", { description: "Every kind of content" })

export const Steps = Tool.make("steps", { input: { count: Schema.Int } })

export const Chatty = Tool.make("chatty", {})

export const Sleep = Tool.make("sleep", { input: { key: Schema.String } })

export const Asleep = Tool.make("asleep", { input: { key: Schema.String } })

export const WhoAsks = Tool.make("who-asks", {})

export const Today = Resource.make("notes://today", {
  name: "today",
  title: "Today",
  description: "What is on",
  mimeType: "text/markdown",
  icons: [icon],
  annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-01T00:00:00Z" }
})

export const Dot = Resource.make("notes://dot", { name: "dot", mimeType: "image/png" })

export const Day = ResourceTemplate.make("notes://{year}/{month}", {
  name: "day",
  title: "Any month",
  mimeType: "text/plain",
  parameters: { year: Schema.FiniteFromString, month: Schema.String }
})

export const Review = Prompt.make("review", {
  title: "Review",
  description: "Reviews code",
  icons: [icon],
  arguments: { code: Schema.String, tone: Schema.optional(Schema.String) }
})

/** More prompts, so that the list has pages. */
export const More = ["a", "b", "c"].map((name) => Prompt.make(name, {}))

export const pageSize = 3
