/** What the servers of the matrix serve that ask: the same in a straight line under every revision. */
import type * as Revision from "@effect-mcp/core/Revision"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Roots from "@effect-mcp/server/Roots"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** Plans a stay with a form, the roots, and the model twice. `key` is nobody else's. */
export const Plan = Tool.make("plan", {
  input: { key: Schema.String, place: Schema.String },
  output: {
    /** What the effects that run once came to. */
    number: Schema.Int,
    price: Schema.Int,
    guest: Schema.String,
    room: Schema.String,
    nights: Schema.Int,
    folders: Schema.Array(Schema.String),
    invitation: Schema.String
  },
  failure: Schema.Union([Elicitation.Declined, Elicitation.Cancelled])
})

/** What has run for a plan: its handler so many times, and these effects. */
export const Ran = Tool.make("ran", {
  input: { key: Schema.String },
  output: { handler: Schema.Int, effects: Schema.Array(Schema.String) }
})

/** A person that a client cannot ask for. */
export const somebody = { guest: "somebody", room: "s", nights: 1 }

export const question = (place: string): string => `Who is coming to ${place}?`

const Guest = Form.make({
  guest: Schema.String.annotate({ title: "Name" }),
  room: Form.select({ s: "Small", l: "Large" }),
  nights: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 }))
})

const ran = new Map<string, { handler: number; readonly effects: Array<string> }>()

const recordOf = (key: string) => {
  const record = ran.get(key) ?? { handler: 0, effects: [] }
  ran.set(key, record)
  return record
}

const plan = Effect.fnUntraced(function*({ key, place }: Tool.Input<typeof Plan>) {
  const record = recordOf(key)
  record.handler++
  const once = (name: string) =>
    Interaction.once(name, { success: Schema.Int }, Effect.sync(() => record.effects.push(name)))
  const write = (messages: string) => Effect.map(Sampling.createMessage({ messages, maxTokens: 50 }), Sampling.textOf)

  const number = yield* once("number")
  const guest = yield* Elicitation.formOrFail({ message: question(place), schema: Guest }).pipe(
    // ELI-1: before 2025-06-18 nobody can be asked.
    Effect.catchTag("MissingClientCapability", () => Effect.succeed(somebody))
  )
  const roots = yield* Roots.list
  const price = yield* once("price")
  const draft = yield* write(`Invite ${guest.guest}`)
  const invitation = yield* write(`Shorten: ${draft}`)
  yield* once("sent")
  return { ...guest, number, price, folders: roots.map(({ uri }) => uri), invitation }
})

/** A server that serves these revisions, by default all. */
export const server = (revisions?: ReadonlyArray<Revision.Revision>) =>
  McpServer.layer(
    { name: "questions", version: "1.0.0", revisions },
    Layer.mergeAll(
      McpServer.tool(Plan, plan),
      McpServer.tool(Ran, ({ key }) => Effect.sync(() => recordOf(key)))
    )
  )
