/** What the tool asks: the guest, the guest's model, and the guest's files. */
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import * as Roots from "@effect-mcp/server/Roots"
import * as Sampling from "@effect-mcp/server/Sampling"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A form that does not change is made once: a mistake in it is then found when the server starts. */
const Stay = Form.make({
  guest: Schema.String.check(Schema.isMinCodePoints(1)).annotate({ title: "Name of the guest" }),
  email: Form.Email.annotate({ title: "E-mail", description: "Where the confirmation goes" }),
  arrival: Form.Date.annotate({ title: "Day of arrival" }),
  nights: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })).annotate({ title: "Nights", default: 2 }),
  room: Form.select({ single: "Single, 80 €", double: "Double, 120 €", suite: "Suite, 300 €" }).annotate({
    title: "Room",
    default: "double"
  }),
  breakfast: Schema.Boolean.annotate({ title: "Breakfast", default: true }),
  wishes: Schema.optionalKey(Schema.String.annotate({ title: "Anything else?" }))
})

export type Stay = Form.Type<typeof Stay>

export const stay = Elicitation.formOrFail({ message: "When do you come, and to what room?", schema: Stay })

/** A note to the hotel, by the guest's model if there is one. */
export const draft = ({ breakfast, guest, wishes = "none" }: Stay) =>
  Sampling.createMessage({
    systemPrompt: "You write short and polite notes to hotels.",
    messages: `Write a note for ${guest}. Breakfast: ${breakfast ? "yes" : "no"}. Wishes: ${wishes}.`,
    maxTokens: 100
  }).pipe(
    Effect.map(Sampling.textOf),
    // Before anything is sent, and under every revision.
    Effect.catchTag("MissingClientCapability", () => Effect.succeed(`Wishes: ${wishes}.`))
  )

/** The folder that the client works in, if it says so. */
export const folder = Roots.list.pipe(
  Effect.map((roots) => roots[0]?.uri),
  Effect.catchTag("MissingClientCapability", () => Effect.succeed(undefined))
)

/** The last word. The form depends on what was answered before, so that it is made here. */
export const confirm = (summary: string, note: string) =>
  Elicitation.formOrFail({
    message: `${summary} Shall it be booked?`,
    schema: {
      // Optional, since a client of 2025-06-18 is told of no default.
      note: Schema.optionalKey(Schema.String.annotate({ title: "Note to the hotel", default: note })),
      pay: Form.select({ "at the desk": "At the desk", online: "Online, now" }).annotate({
        title: "How do you pay?",
        default: "at the desk"
      })
    }
  }).pipe(Effect.map((answer) => ({ ...answer, note: answer.note ?? note })))

/**
 * ELI-13: no form asks for a card. The guest is sent to a page, which has to find out who it is that has opened it
 * (ELI-22). That the guest has agreed to go there says nothing of what happened there (ELI-16).
 */
export const payOnline = (number: string) =>
  Elicitation.url({ message: "Pay for your room", url: `https://pay.hotel.example/${number}` }).pipe(
    Effect.map(({ _tag }) => _tag === "Accept" ? "online" as const : "at the desk" as const),
    Effect.catchTag("MissingClientCapability", () => Effect.succeed("at the desk" as const))
  )
