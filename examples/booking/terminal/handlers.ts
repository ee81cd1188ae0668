/** Answers of the person at the terminal, to whatever the server asks. */
import type * as Handlers from "@effect-mcp/client/Handlers"
import * as Semaphore from "effect/Semaphore"
import { form } from "./form.ts"
import { createMessage } from "./sampling.ts"
import { url } from "./url.ts"

export interface Options {
  /** Whether the server may ask the model. */
  readonly sampling: boolean
  /** The folder the server may know of, as a `file:` address (ROOT-4). */
  readonly folder: string | undefined
}

/** What is left out is not declared, and the server does not ask for it. */
export const make = ({ folder, sampling }: Options) => {
  // What is asked together comes at once, and there is one keyboard.
  const { withPermit } = Semaphore.makeUnsafe(1)
  return {
    elicitation: {
      form: (params, asker) => withPermit(form(params, asker)),
      url: (params, asker) => withPermit(url(params, asker))
    },
    sampling: sampling
      ? { createMessage: (params, asker) => withPermit(createMessage(params, asker)) }
      : undefined,
    roots: folder === undefined ? undefined : [{ uri: folder }]
  } satisfies Handlers.Handlers<unknown>
}
