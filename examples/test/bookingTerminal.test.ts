/** The handlers of the booking example's client, at a terminal that is none. */
import * as McpClient from "@effect-mcp/client/McpClient"
import type * as McpError from "@effect-mcp/core/McpError"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import * as Interaction from "@effect-mcp/server/Interaction"
import type { InteractionError } from "@effect-mcp/server/InteractionError"
import type { McpRequest } from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as McpTest from "@effect-mcp/testing/McpTest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Terminal from "effect/Terminal"
import * as handlers from "../booking/terminal/handlers.ts"

const keys: Record<string, string> = { "\r": "enter", "\t": "tab", "↓": "down", " ": "space", "⌫": "backspace" }

/** A terminal at which some keys are pressed, and which then is closed. */
const fake = Effect.fnUntraced(function*(typed: string) {
  const queue = yield* Queue.make<Terminal.UserInput, Cause.Done>()
  for (const input of typed) {
    const key = { name: keys[input] ?? input, ctrl: false, meta: false, shift: false }
    Queue.offerUnsafe(queue, { input: input in keys && input !== " " ? Option.none() : Option.some(input), key })
  }
  Queue.endUnsafe(queue)
  let screen = ""
  const terminal = Terminal.make({
    columns: Effect.succeed(100),
    rows: Effect.succeed(40),
    size: Effect.die("not asked for"),
    readInput: Effect.succeed(queue),
    readLine: Effect.die("not asked for"),
    display: (text) => Effect.sync(() => screen += text)
  })
  // oxlint-disable-next-line no-control-regex
  const colours = /\u001b(\[[0-9;?]*[A-Za-z]|[78])/g
  return { layer: Layer.succeed(Terminal.Terminal, terminal), screen: () => screen.replaceAll(colours, "") }
})

type Question = Effect.Effect<unknown, Tool.ToolFailure | McpError.McpError | InteractionError, McpRequest>

/** Has a tool ask, while somebody types. */
const play = Effect.fnUntraced(function*(typed: string, question: Question) {
  const { layer, screen } = yield* fake(typed)
  const Ask = Tool.make("ask")
  const Features = McpServer.tool(Ask, () => Effect.map(question, (answer) => JSON.stringify(answer)))
  const Client = McpTest.layer(Features, {
    server: { name: "asker", title: "The\u001b[2J Asker" },
    client: handlers.make({ sampling: true, folder: undefined })
  }).pipe(Layer.provide([NodeServices.layer, layer]))
  const answer = yield* McpClient.McpClient.use((client) => client.callTool("ask")).pipe(Effect.provide(Client))
  const [text] = answer.content
  return { answer: text?.type === "text" ? JSON.parse(text.text) : undefined, screen: screen() }
})

const fields = {
  name: Schema.String.check(Schema.isMinCodePoints(2)).annotate({ title: "Name", description: "All of it" }),
  age: Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 120 })),
  height: Schema.optionalKey(Schema.Finite),
  smokes: Schema.Boolean.annotate({ default: true }),
  married: Schema.optionalKey(Schema.Boolean),
  size: Form.select({ s: "Small", l: "Large" }).annotate({ default: "l" }),
  colour: Schema.optionalKey(Schema.Literals(["red", "blue"])),
  extras: Form.multiSelect(["tea", "coffee", "milk"], { minItems: 1 }).annotate({ default: ["coffee"] }),
  born: Form.Date,
  mail: Schema.optionalKey(Form.Email),
  note: Schema.optionalKey(Schema.String.annotate({ default: "none" }))
}

const form = Elicitation.form({ message: "Who are\u001b[1A you?", schema: fields })

describe("a form at the terminal", () => {
  it.effect("ELI-10, ELI-12, ELI-14: every kind of field, with its default, and checked as it is typed", () =>
    Effect.gen(function*() {
      const keys = [
        "\r", // Fill in the form
        "A\rda\r", // One character is too short.
        "7\r⌫70\r", // Seven is too young.
        "\r", // The height is left out.
        "\r", // Yes
        "↓↓\r", // No, which comes after "No answer" and "Yes"
        "\r", // Large
        "\r", // No answer
        "↓↓ \r", // Tea beside coffee
        "2000-02-30\r⌫⌫29\r", // There is no such day.
        "\r", // No address
        "!\r", // The default, and more
        "\r" // Send
      ]
      const { answer, screen } = yield* play(keys.join(""), form)
      assert.deepStrictEqual(answer, {
        _tag: "Accept",
        content: {
          name: "Ada",
          age: 70,
          smokes: true,
          married: false,
          size: "l",
          extras: ["tea", "coffee"],
          born: "2000-02-29",
          note: "none!"
        }
      })
      // What a server says cannot move the cursor.
      assert.include(screen, "── The [2J Asker asks you:\n   Who are [1A you?\n")
      for (const said of ["Name (All of it)", "is shorter than 2 characters", "born (like 2000-01-31)"]) {
        assert.include(screen, said)
      }
    }))
})

describe("who does not want to", () => {
  for (
    const [what, keys, expected] of [
      ["declines", "↓\r", "Decline"],
      ["has no time", "↓↓\r", "Cancel"],
      ["changes their mind at the end", "\rAda\r↓↓\r", "Decline"],
      ["presses Ctrl-C, which ends the input", "\rAd", "Cancel"]
    ] as const
  ) {
    it.effect(`ELI-11: ${what}`, () =>
      Effect.gen(function*() {
        const schema = { name: Schema.String }
        const { answer } = yield* play(keys, Elicitation.form({ message: "Who are you?", schema }))
        assert.deepStrictEqual(answer, { _tag: expected })
      }))
  }

  it.effect("ELI-14: who changes an answer finds the others as they were", () =>
    Effect.gen(function*() {
      const schema = { name: Schema.String, nights: Schema.Int }
      const keys = ["\r", "Ada\r", "2\r", "↓\r", " L.\r", "\r", "\r"].join("")
      const { answer } = yield* play(keys, Elicitation.form({ message: "Who are you?", schema }))
      assert.deepStrictEqual(answer, { _tag: "Accept", content: { name: "Ada L.", nights: 2 } })
    }))
})

describe("an address at the terminal", () => {
  it.effect("ELI-20: is shown whole, with its host, before the person agrees", () =>
    Effect.gen(function*() {
      const { answer, screen } = yield* play(
        "\r",
        Elicitation.url({ message: "Pay", url: "https://pay.example/a?b=c" })
      )
      assert.deepStrictEqual(answer, { _tag: "Accept" })
      assert.include(screen, "   Pay\n   Host:    pay.example\n   Address: https://pay.example/a?b=c\n")
      assert.notInclude(screen, "Careful")
    }))

  it.effect("ELI-20: that is not what it looks like is warned of", () =>
    Effect.gen(function*() {
      const { answer, screen } = yield* play("↓\r", Elicitation.url({ message: "Pay", url: "http://pаy.example/" }))
      assert.deepStrictEqual(answer, { _tag: "Decline" })
      assert.include(screen, "Host:    xn--py-7kc.example\n")
      assert.strictEqual(screen.split("Careful").length, 3)
    }))
})

describe("a request to the model at the terminal", () => {
  const sampling = Effect.map(
    Sampling.createMessage({ messages: "Greet me", systemPrompt: "Be kind", maxTokens: 3 }),
    Sampling.textOf
  )

  it.effect("SAMP-4, SAMP-13: is shown, and so is the answer, which may be changed", () =>
    Effect.gen(function*() {
      const { answer, screen } = yield* play("y!\ry", sampling)
      assert.strictEqual(answer, "Good afternoon, we!")
      assert.include(screen, "wants to ask your model:\n   Be kind (at most 3 tokens)\n   user: Greet me\n")
    }))

  for (const [when, keys] of [["before", "n"], ["after", "y\rn"]] as const) {
    it.effect(`SAMP-13: may be refused ${when} the model has answered`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(play(keys, sampling))
        assert(error._tag === "McpClientError" && error.reason._tag === "InputNotGiven")
        assert.strictEqual(error.reason.cause?._tag, "UserRejected")
      }))
  }
})

describe("several questions in one round", () => {
  it.effect("come to the person one after the other", () =>
    Effect.gen(function*() {
      const both = Interaction.all({
        text: Effect.map(Sampling.createMessage({ messages: "Greet me", maxTokens: 1 }), Sampling.textOf),
        person: Elicitation.form({ message: "Who are you?", schema: { name: Schema.String } })
      })
      const { answer } = yield* play("y\ry\rAda\r\r", both)
      assert.deepStrictEqual(answer, { text: "Good", person: { _tag: "Accept", content: { name: "Ada" } } })
    }))
})
