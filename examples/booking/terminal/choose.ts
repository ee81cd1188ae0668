/** One of a few things to do. */
import * as Prompt from "effect/cli/Prompt"

/** Each thing leads to another prompt. */
export const choose = <A>(
  message: string,
  things: Readonly<Record<string, () => Prompt.Prompt<A>>>
): Prompt.Prompt<A> =>
  Prompt.Select({
    message,
    choices: Object.entries(things).map(([title, value]) => ({ title, value }))
  }).pipe(Prompt.flatMap((next) => next()))
