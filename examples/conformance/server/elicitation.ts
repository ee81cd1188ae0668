/** Tools that have the person fill in a form. */
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** What the person did, in words. */
const told = (outcome: Elicitation.Outcome<unknown>): string =>
  outcome._tag === "Accept"
    ? `action=accept, content=${JSON.stringify(outcome.content)}`
    : `action=${outcome._tag.toLowerCase()}`

const Person = Tool.make("test_elicitation", {
  description: "Asks the person who they are",
  input: { message: Schema.String.annotate({ description: "What the person reads" }) }
})

const PersonLive = McpServer.tool(Person, ({ message }) =>
  Effect.gen(function*() {
    const outcome = yield* Elicitation.form({
      message,
      schema: {
        username: Schema.String.annotate({ description: "User's response" }),
        email: Schema.String.annotate({ description: "User's email address" })
      }
    })
    return `User response: ${told(outcome)}`
  }))

const Defaults = Tool.make("test_elicitation_sep1034_defaults", {
  description: "Asks with a form that is filled in already"
})

const DefaultsLive = McpServer.tool(Defaults, () =>
  Effect.gen(function*() {
    const outcome = yield* Elicitation.form({
      message: "Please check what we know of you",
      schema: {
        name: Schema.String.annotate({ default: "John Doe" }),
        age: Schema.Int.annotate({ default: 30 }),
        score: Schema.Finite.annotate({ default: 95.5 }),
        status: Schema.Literals(["active", "inactive", "pending"]).annotate({ default: "active" }),
        verified: Schema.Boolean.annotate({ default: true })
      }
    })
    return `Elicitation completed: ${told(outcome)}`
  }))

const Enums = Tool.make("test_elicitation_sep1330_enums", {
  description: "Asks with every form that a choice can have"
})

const choices = Form.make({
  untitledSingle: Form.select(["option1", "option2", "option3"]),
  titledSingle: Form.select({ value1: "First Option", value2: "Second Option", value3: "Third Option" }),
  untitledMulti: Form.multiSelect(["option1", "option2", "option3"]),
  titledMulti: Form.multiSelect({ value1: "First Choice", value2: "Second Choice", value3: "Third Choice" })
})

/** `enumNames` is deprecated, and no schema becomes it: a form can be written down as it is on the wire. */
const choicesWithLegacy = Form.raw({
  ...choices.requestedSchema,
  properties: {
    ...choices.requestedSchema.properties,
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"]
    }
  }
})

const EnumsLive = McpServer.tool(Enums, () =>
  Effect.gen(function*() {
    const outcome = yield* Elicitation.form({ message: "Please choose", schema: choicesWithLegacy })
    return `Elicitation completed: ${told(outcome)}`
  }))

export const layer = Layer.mergeAll(PersonLive, DefaultsLive, EnumsLive)
