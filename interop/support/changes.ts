/**
 * What a revision makes of a step. A step that is not here gives the same under every revision.
 */
import * as Revision from "@effect-mcp/core/Revision"
import * as contract from "../fixtures/contract.ts"
import type { Transport } from "./pairs.ts"
import { questionSteps as steps, titles, withForm } from "./questionSteps.ts"
import type { Step } from "./step.ts"

export interface Change {
  /** The title of the step. */
  readonly step: string
  /** The last revision it is so in. Of several that hold the first does, so that the oldest stand before the newer. */
  readonly until: Revision.Revision
  readonly client?: Step["client"]
  readonly server?: Step["server"]
  readonly only?: Transport
  readonly sessions?: boolean
  readonly reason: string
  /** What the step gives instead, or `nothing` when there is no such step. */
  readonly expected: unknown
}

const legacy: Revision.Revision = "2025-11-25"

const { revision: modern } = contract

const { description, annotations, title } = contract.add

const input = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] }

const withoutTitle = <A extends { readonly title?: string }>({ title: _title, ...others }: A) => others

const untitled = {
  resources: [
    contract.notes.today,
    contract.notes.logo,
    contract.notes.broken,
    ...contract.numbered,
    contract.notes.asking
  ]
    .map((resource) =>
      "mimeType" in resource
        ? { uri: resource.uri, name: resource.name, mimeType: resource.mimeType }
        : { uri: resource.uri, name: resource.name }
    ),
  prompts: [
    {
      ...withoutTitle(contract.review),
      arguments: [{ name: "code", required: true }, { name: "language", required: false }]
    },
    { name: contract.greeting.name },
    contract.asking
  ]
}

/** ELI-6..9: no defaults but for yes or no, no list of several, and titles in the older way. */
const { properties: { cups, drink, extras: _extras, name, email, strength: _strength, sugar }, required } =
  contract.form.requestedSchema
const without = <A extends { readonly default: unknown }>({ default: _default, ...field }: A) => field
const olderForm = (message: string) => ({
  form: {
    message,
    requestedSchema: {
      type: "object",
      properties: {
        name,
        email,
        drink: without(drink),
        size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Größe L"] },
        cups: without(cups),
        strength: { type: "number" },
        sugar,
        extras: { type: "string", description: "Any of these, separated by commas: milk, honey, lemon" }
      },
      required
    }
  }
})

const server = "ours"

export const changes: ReadonlyArray<Change> = [
  {
    step: "is told every revision the server speaks (DISC-2)",
    until: modern,
    server,
    reason: "Ours serves all of them.",
    expected: Revision.all.toReversed()
  },
  {
    step: "names the server in results (META-14)",
    until: legacy,
    reason: "Only the handshake names the server.",
    expected: "nothing"
  },
  {
    step: "is sent no logs that it did not ask for",
    until: legacy,
    reason: "A level is that of the session, and before there is one the server chooses (LOG-3).",
    expected: "nothing"
  },
  {
    step: "refuses an unknown resource (RES-5)",
    until: legacy,
    reason: "What is not found has a code of its own (ERR-11).",
    expected: { code: -32002, data: { uri: "notes://nope" } }
  },
  ...steps
    .filter(({ asks }) => asks === "nobody")
    .map(({ title: step }): Change => ({
      step,
      until: legacy,
      reason: "No code says what is missing, and the result of the tool does in words (ERR-3).",
      expected: { got: { isError: true }, shown: [] }
    })),
  // What follows is left out by our server only. The official ones send what they have, whatever the revision is.
  {
    step: "discovers the server (DISC-1)",
    until: legacy,
    server,
    sessions: false,
    reason: "Without a session there is nobody to remember the level of logs (LOG-3).",
    expected: {
      capabilities: ["completions", "prompts", "resources", "tools"],
      info: contract.info,
      instructions: contract.instructions
    }
  },
  {
    step: "discovers the server (DISC-1)",
    until: "2024-11-05",
    server,
    reason: "Completion is no capability (COMP-1), and nothing has a title (INIT-13).",
    expected: {
      capabilities: ["logging", "prompts", "resources", "tools"],
      info: withoutTitle(contract.info),
      instructions: contract.instructions
    }
  },
  {
    step: "discovers the server (DISC-1)",
    until: "2025-03-26",
    server,
    reason: "Nothing has a title (INIT-13).",
    expected: {
      capabilities: ["completions", "logging", "prompts", "resources", "tools"],
      info: withoutTitle(contract.info),
      instructions: contract.instructions
    }
  },
  {
    step: titles.isTold,
    until: legacy,
    server: "official",
    reason: "The library makes up the id, and does not tell it.",
    expected: "nothing"
  },
  ...Object.entries(withForm(olderForm, { ...contract.entered, sugar: contract.filledIn.sugar }))
    .map(([step, expected]): Change => ({
      step,
      until: "2025-06-18",
      server,
      reason: "Fields are of fewer kinds (ELI-6..9).",
      expected
    })),
  {
    step: "lists what a tool is",
    until: "2024-11-05",
    server,
    reason: "A tool has a name, a description and an input (TOOL-4).",
    expected: { description, input, output: {} }
  },
  {
    step: "lists what a tool is",
    until: "2025-03-26",
    server,
    reason: "Titles are among the annotations, and there is no structured output (TOOL-4).",
    expected: { description, annotations: { title, ...annotations }, input, output: {} }
  },
  {
    step: "lists the resources",
    until: "2025-03-26",
    server,
    reason: "Nothing has a title (RES-2).",
    expected: untitled.resources
  },
  {
    step: "lists the prompts",
    until: "2025-03-26",
    server,
    reason: "Nothing has a title (PROMPT-1).",
    expected: untitled.prompts
  },
  {
    step: "gets structured output, and text beside it (TOOL-16)",
    until: "2025-03-26",
    server,
    reason: "There is the text only (TOOL-16, TOOL-17).",
    expected: { content: [{ type: "text", text: JSON.stringify({ sum: 1e21, "größe": contract.mixed }) }] }
  },
  {
    step: "completes a parameter by another that is known (COMP-3)",
    until: "2025-03-26",
    client: "ours",
    reason: "What is known already cannot be said.",
    expected: { completion: { values: [], total: 0, hasMore: false } }
  },
  {
    step: "tells progress in order, before the result (PROG-2..3)",
    until: "2024-11-05",
    server,
    reason: "Progress has no message (PROG-4).",
    expected: [
      ...Array.from({ length: 5 }, (_, index) => ({ progress: index + 1, total: 5 })),
      { content: [{ type: "text", text: "counted" }] }
    ]
  }
]
