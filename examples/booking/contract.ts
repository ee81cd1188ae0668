/** What the example offers: one tool, with everything that may keep it from booking. */
import * as Refusal from "@effect-mcp/core/Refusal"
import * as Tool from "@effect-mcp/core/Tool"
import * as Schema from "effect/Schema"

export class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { room: Schema.String, night: Schema.String }) {
  override get message(): string {
    return `There is no ${this.room} left for the night of ${this.night}`
  }
}

export const Book = Tool.make("book", {
  title: "Book a room",
  description: "Book a room at the Hotel Example. The guest is asked for the details, and has to confirm them",
  output: {
    number: Schema.String,
    room: Schema.String,
    arrival: Schema.String,
    departure: Schema.String,
    euros: Schema.Int,
    note: Schema.String,
    payment: Schema.Literals(["at the desk", "online"]),
    receipt: Schema.optionalKey(Schema.String.annotate({ description: "The file it was written to" }))
  },
  failure: Schema.Union([SoldOut, Refusal.Declined, Refusal.Cancelled]),
  annotations: { destructiveHint: false }
})
