/**
 * What cannot be answered without asking first, each in one way to ask. Every handler is a straight line: in 2026-07-28 it
 * is run again with the answer of its client, in earlier revisions it waits for it.
 *
 * The suite looks for its questions under keys of its own. Without a `key`, a question has one by its order.
 */
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Roots from "@effect-mcp/server/Roots"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

/** A tool whose person said no fails, and the model reads why. */
const failure = Schema.Union([Elicitation.Declined, Elicitation.Cancelled])

const Person = Tool.make("test_input_required_result_elicitation", { description: "Asks the person", failure })

const PersonLive = McpServer.tool(Person, () =>
  Effect.gen(function*() {
    const { name } = yield* Elicitation.formOrFail({
      key: "user_name",
      message: "What is your name?",
      schema: { name: Schema.String }
    })
    return `Hello, ${name}!`
  }))

const Model = Tool.make("test_input_required_result_sampling", { description: "Asks the model" })

const ModelLive = McpServer.tool(Model, () =>
  Effect.gen(function*() {
    const answer = yield* Sampling.createMessage({
      key: "capital_question",
      messages: "What is the capital of France?",
      maxTokens: 100
    })
    return Sampling.textOf(answer)
  }))

const Folders = Tool.make("test_input_required_result_list_roots", { description: "Asks for the roots" })

const FoldersLive = McpServer.tool(Folders, () =>
  Effect.gen(function*() {
    const roots = yield* Roots.listWith({ key: "client_roots" })
    return `The roots are ${roots.map(({ name, uri }) => name ?? uri).join(", ")}`
  }))

const Remember = Tool.make("test_input_required_result_request_state", {
  description: "Remembers what it did before it asked",
  failure
})

const RememberLive = McpServer.tool(Remember, () =>
  Effect.gen(function*() {
    // Drawn in the first round, and the same in the second.
    const order = yield* Interaction.once("order", { success: Schema.Int }, Random.nextIntBetween(1, 1_000_000))
    const { ok } = yield* Elicitation.formOrFail({
      key: "confirm",
      message: "Please confirm",
      schema: { ok: Schema.Boolean }
    })
    return `state-ok: order ${order} is ${ok ? "confirmed" : "off"}`
  }))

const Several = Tool.make("test_input_required_result_multiple_inputs", {
  description: "Asks the person, the model and for the roots at once",
  failure
})

const SeveralLive = McpServer.tool(Several, () =>
  Effect.gen(function*() {
    // The names are the keys.
    const { client_roots, greeting, user_name } = yield* Interaction.all({
      user_name: Elicitation.formOrFail({ message: "What is your name?", schema: { name: Schema.String } }),
      greeting: Sampling.createMessage({ messages: "Generate a greeting", maxTokens: 50 }),
      client_roots: Roots.list
    })
    return `${user_name.name}: ${Sampling.textOf(greeting)} (${client_roots.length} roots)`
  }))

const Rounds = Tool.make("test_input_required_result_multi_round", {
  description: "Asks one thing after the other",
  failure
})

const RoundsLive = McpServer.tool(Rounds, () =>
  Effect.gen(function*() {
    const { name } = yield* Elicitation.formOrFail({
      key: "step1",
      message: "Step 1: What is your name?",
      schema: { name: Schema.String }
    })
    const { color } = yield* Elicitation.formOrFail({
      key: "step2",
      message: "Step 2: What is your favorite color?",
      schema: { color: Schema.String }
    })
    return `${name} likes ${color}`
  }))

const Tampered = Tool.make("test_input_required_result_tampered_state", {
  description: "Is not run again with a state that was changed on the way",
  failure
})

const TamperedLive = McpServer.tool(Tampered, () =>
  Effect.gen(function*() {
    const { ok } = yield* Elicitation.formOrFail({
      key: "confirm",
      message: "Please confirm",
      schema: { ok: Schema.Boolean }
    })
    return ok ? "Confirmed" : "Not confirmed"
  }))

const Capabilities = Tool.make("test_input_required_result_capabilities", {
  description: "Asks the person, or the model of a client that has no forms",
  failure
})

const CapabilitiesLive = McpServer.tool(Capabilities, () =>
  Effect.gen(function*() {
    const name = yield* Elicitation.formOrFail({
      message: "What shall the project be called?",
      schema: { name: Schema.String }
    }).pipe(
      Effect.map(({ name }) => name),
      Effect.catchTag("MissingClientCapability", () =>
        Sampling.createMessage({ messages: "Make up a name for a project", maxTokens: 20 }).pipe(
          Effect.map(Sampling.textOf)
        ))
    )
    return `The project is called ${name}`
  }))

const Context = Prompt.make("test_input_required_result_prompt", { description: "A prompt that asks the person first" })

const ContextLive = McpServer.prompt(Context, () =>
  Effect.gen(function*() {
    const answer = yield* Elicitation.form({
      key: "user_context",
      message: "What context should the prompt use?",
      schema: { context: Schema.String }
    })
    return answer._tag === "Accept" ? `The context is: ${answer.content.context}` : "There is no context."
  }))

export const layer = Layer.mergeAll(
  PersonLive,
  ModelLive,
  FoldersLive,
  RememberLive,
  SeveralLive,
  RoundsLive,
  TamperedLive,
  CapabilitiesLive,
  ContextLive
)
