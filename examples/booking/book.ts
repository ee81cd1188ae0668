/**
 * The tool, in a straight line. No revision is named: a client up to 2025-11-25 is asked by requests while this waits; one
 * of 2026-07-28 gets each question as a result, and when it comes back with the answer all of this runs again from the
 * top, with everything that was answered before answered at once.
 */
import * as Interaction from "@effect-mcp/server/Interaction"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Effect from "effect/Effect"
import { Book, SoldOut } from "./contract.ts"
import { Hold, Hotel } from "./Hotel.ts"
import * as questions from "./questions.ts"
import * as receipt from "./receipt.ts"

const book = Effect.fnUntraced(function*() {
  const hotel = yield* Hotel
  const stay = yield* questions.stay
  // One hold, however often this runs. Should a round be sent twice all the same, the hotel knows the key.
  const hold = yield* Interaction.once("hold", { success: Hold, failure: SoldOut }, (key) => hotel.hold(stay, key))
  // The hold of a guest who never answers lapses: not every question has an answer.
  return yield* finish(stay, hold).pipe(Effect.tapError(() => hotel.release(hold.number)))
})

const finish = Effect.fnUntraced(function*(stay: questions.Stay, hold: typeof Hold.Type) {
  const hotel = yield* Hotel
  const { arrival, nights, room } = stay
  const { departure, euros, number } = hold

  // Both in one round.
  const { draft, folder } = yield* Interaction.all({ draft: questions.draft(stay), folder: questions.folder })

  const summary = `${number}: a ${room} from ${arrival} to ${departure} (${nights} nights), ${euros} €.`
  const { note, pay } = yield* questions.confirm(summary, draft)
  const payment = pay === "online" ? yield* questions.payOnline(number) : pay

  // Nothing is asked any more: this is the last round, and what it does is not done again.
  yield* hotel.confirm(stay, number)
  const reservation = { number, room, arrival, departure, euros, note, payment }
  const file = yield* receipt.write(folder, reservation)
  return file === undefined ? reservation : { ...reservation, receipt: file }
})

export const BookLive = McpServer.tool(Book, book, { needs: ["elicitation"] })
