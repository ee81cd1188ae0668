/** What is put on the screen. */
import type { Asker } from "@effect-mcp/client/Handlers"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"

export const show = (text: string) =>
  Effect.flatMap(Terminal.Terminal, (terminal) => Effect.orDie(terminal.display(`${text}\n`)))

/** A text of the server. What is no character could move the cursor, and so make it look like a text of this program. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")

/** ELI-14: who is asking. It is what the server says of itself, and nobody has checked it. */
export const introduce = ({ server }: Asker, wants: string, message: string) => {
  const name = server?.title ?? server?.name ?? "A server that has no name"
  return show(`\n── ${plain(name)} ${wants}\n   ${plain(message)}`)
}
