/**
 * Questions to the person at the client: a form to fill in, or an address to visit (ELI-3).
 *
 * They are asked in a straight line, under every revision. What the person did is an {@link Outcome}; who wants nothing
 * but the answer takes {@link formOrFail}.
 *
 * @since 0.1.0
 */
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import { Cancelled, Declined } from "@effect-mcp/core/Refusal"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import * as ElicitationModel from "@effect-mcp/core/schema/Elicitation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Form from "./Form.ts"
import type { InteractionError } from "./InteractionError.ts"
import { misfit, reader } from "./internal/answers.ts"
import { ask, newId } from "./internal/ask.ts"
import { missing } from "./internal/clientCapabilities.ts"
import { stateOf } from "./internal/requestState.ts"
import { McpRequest } from "./McpRequest.ts"

/**
 * What the person did (ELI-11).
 *
 * **Details**
 *
 * - `Accept`: filled in the form, which is the `content`; or agreed to open the address, which has none and says nothing
 *   of what happened there (ELI-16).
 * - `Decline`: refused.
 * - `Cancel`: looked away.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome<A> = Accept<A> | Decline | Cancel

/**
 * The person said yes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accept<out A> {
  readonly _tag: "Accept"
  readonly content: A
}

/**
 * The person said no.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decline {
  readonly _tag: "Decline"
}

/**
 * The person said nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cancel {
  readonly _tag: "Cancel"
}

export {
  /**
   * The person said nothing, where an answer was needed.
   *
   * @category errors
   * @since 0.1.0
   */
  Cancelled,
  /**
   * The person said no, where an answer was needed.
   *
   * @category errors
   * @since 0.1.0
   */
  Declined
} from "@effect-mcp/core/Refusal"

/**
 * A form.
 *
 * @category models
 * @since 0.1.0
 */
export interface FormOptions<S extends Form.Source> {
  /** What the person reads. */
  readonly message: string
  /** The fields: strings, numbers, yes or no, and choices. See `Form`. */
  readonly schema: Form.Flat<S>
  /** What the answer is kept under between rounds, where the order of questions does not tell. */
  readonly key?: string | undefined
}

const readResult = reader(decodeOpen(ElicitationModel.ElicitResult))

/**
 * Asks the person to fill in a form.
 *
 * **Details**
 *
 * The answer is checked and decoded (ELI-12); one that does not fit is `InvalidParams`. A client that does not declare
 * forms is `MissingClientCapability`, and nothing is sent.
 *
 * **Gotchas**
 *
 * Never ask for passwords, keys or payment data in a form; send the person to an address with {@link url} (ELI-13).
 *
 * **Example** (One question)
 *
 * ```ts
 * import * as Elicitation from "@effect-mcp/server/Elicitation"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const nights = Effect.gen(function*() {
 *   const answer = yield* Elicitation.form({ message: "How many nights?", schema: { nights: Schema.Int } })
 *   return answer._tag === "Accept" ? answer.content.nights : 1
 * })
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const form = <const S extends Form.Source>(
  options: FormOptions<S>
): Effect.Effect<
  Outcome<Form.Type<S>>,
  McpError.McpError | InteractionError,
  McpRequest | Form.Services<S>
> => {
  const trace = new Error()
  const { key, message, schema } = options
  const { decode, requestedSchema } = Form.make(schema)
  return ask({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema },
    needs: ["elicitation"],
    key,
    name: `Elicitation.form ${JSON.stringify(message)}`,
    trace,
    read: (answer) =>
      Effect.flatMap(
        readResult(answer),
        ({ action, content }): Effect.Effect<Outcome<Form.Type<S>>, McpError.InvalidParams, Form.Services<S>> =>
          action === "accept"
            ? Effect.mapBoth(decode(content ?? {}), { onFailure: misfit, onSuccess: accepted })
            : Effect.succeed(refusals[action])
      )
  })
}

const refusals = { decline: { _tag: "Decline" }, cancel: { _tag: "Cancel" } } as const

const accepted = <A>(content: A): Accept<A> => ({ _tag: "Accept", content })

/**
 * Asks the person to fill in a form, and fails where the person does not.
 *
 * **Example** (A tool that fails as its person does)
 *
 * ```ts
 * import * as Refusal from "@effect-mcp/core/Refusal"
 * import * as Tool from "@effect-mcp/core/Tool"
 * import * as Elicitation from "@effect-mcp/server/Elicitation"
 * import * as McpServer from "@effect-mcp/server/McpServer"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Greet = Tool.make("greet", { failure: Schema.Union([Refusal.Declined, Refusal.Cancelled]) })
 *
 * const GreetLive = McpServer.tool(Greet, () =>
 *   Elicitation.formOrFail({ message: "Who are you?", schema: { name: Schema.String } }).pipe(
 *     Effect.map(({ name }) => `Hello, ${name}!`)
 *   ))
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const formOrFail = <const S extends Form.Source>(
  options: FormOptions<S>
): Effect.Effect<
  Form.Type<S>,
  Declined | Cancelled | McpError.McpError | InteractionError,
  McpRequest | Form.Services<S>
> => Effect.flatMap(form(options), orFail(options.message))

const orFail = (question: string) => <A>(outcome: Outcome<A>): Effect.Effect<A, Declined | Cancelled> => {
  switch (outcome._tag) {
    case "Accept":
      return Effect.succeed(outcome.content)
    case "Decline":
      return Effect.fail(new Declined({ question }))
    case "Cancel":
      return Effect.fail(new Cancelled({ question }))
  }
}

/**
 * An address.
 *
 * @category models
 * @since 0.1.0
 */
export interface UrlOptions {
  /** What the person reads: why to go there. */
  readonly message: string
  /** Where to go. */
  readonly url: URL | string
  /**
   * What the client is told later by {@link complete}, in revision 2025-11-25. By default a random one, which nobody else
   * knows.
   */
  readonly elicitationId?: string | undefined
  /** What the answer is kept under between rounds, where the order of questions does not tell. */
  readonly key?: string | undefined
}

/**
 * Asks the person to visit an address. From revision 2025-11-25 on; before, it is `MissingClientCapability`.
 *
 * **Details**
 *
 * `Accept` says that the person agreed to go there, and not what came of it (ELI-16): that is for the server to find out
 * where the address leads. An address that is none is `InvalidParams` (ELI-15).
 *
 * **Gotchas**
 *
 * Put nothing of the person and no credentials into the address, and make sure that who opens it is who was asked
 * (ELI-21, ELI-22). It is not for authorizing the client itself (ELI-24).
 *
 * **Example** (Linking an account)
 *
 * ```ts
 * import * as Elicitation from "@effect-mcp/server/Elicitation"
 *
 * const link = Elicitation.url({ message: "Link your calendar", url: "https://calendar.example/link" })
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const url = (
  options: UrlOptions
): Effect.Effect<Outcome<void>, McpError.McpError | InteractionError, McpRequest> => {
  const trace = new Error()
  const { key, message } = options
  return Effect.flatMap(paramsOf(options), (params) =>
    ask({
      method: "elicitation/create",
      params,
      needs: ["elicitation.url"],
      key,
      name: `Elicitation.url ${JSON.stringify(message)}`,
      trace,
      read: (answer) =>
        Effect.map(readResult(answer), ({ action }) => action === "accept" ? accepted(undefined) : refusals[action])
    }))
}

const readParams = decodeOpen(ElicitationModel.ElicitRequestURLParams)

/** ELI-15, ELI-18: one revision has an id, for what it is told later. */
const paramsOf = Effect.fnUntraced(function*({ elicitationId, message, url }: UrlOptions) {
  const { revision } = yield* McpRequest
  const id = revision === "2025-11-25" ? { elicitationId: elicitationId ?? (yield* newId) } : undefined
  const params = { mode: "url", message, url: String(url), ...id }
  const readable = readParams(params)
  return Result.isSuccess(readable)
    ? params
    : yield* new McpError.InvalidParams({ message: `Not an address to visit: ${readable.failure.message}` })
})

/**
 * Asks the person to visit an address, and fails where the person does not agree to.
 *
 * @category questions
 * @since 0.1.0
 */
export const urlOrFail = (
  options: UrlOptions
): Effect.Effect<void, Declined | Cancelled | McpError.McpError | InteractionError, McpRequest> =>
  Effect.flatMap(url(options), orFail(options.message))

/**
 * Has the person visit an address before the request can be served: the client comes back with the same request.
 *
 * **Details**
 *
 * Under 2025-11-25 it fails with `UrlElicitationRequired` (`-32042`, ERR-12), under 2026-07-28 it is a question
 * (ELI-18). Either way the handler is run again from the top, so that what the visit came to is looked up before:
 *
 * **Example** (Only with a linked account)
 *
 * ```ts
 * import * as Elicitation from "@effect-mcp/server/Elicitation"
 * import * as Effect from "effect/Effect"
 *
 * declare const linkedAccount: Effect.Effect<string | undefined>
 *
 * const account = Effect.gen(function*() {
 *   const before = yield* linkedAccount
 *   if (before !== undefined) return before
 *   yield* Elicitation.urlRequired({ message: "Link your account", url: "https://shop.example/link" })
 *   return yield* linkedAccount
 * })
 * ```
 *
 * @category questions
 * @since 0.1.0
 */
export const urlRequired = (
  options: UrlOptions
): Effect.Effect<void, Declined | Cancelled | McpError.McpError | InteractionError, McpRequest> =>
  Effect.flatMap(McpRequest, (request) => {
    // What was visited is not asked again, and must not have counted among what is asked then.
    if (request.revision !== "2025-11-25") return urlOrFail({ ...options, key: options.key ?? `visit ${options.url}` })
    const undeclared = missing(request, ["elicitation.url"])
    return undeclared !== undefined ? Effect.fail(undeclared) : Effect.flatMap(
      paramsOf(options),
      (elicitation) =>
        Effect.fail(new McpError.UrlElicitationRequired({ message: options.message, elicitations: [elicitation] }))
    )
  })

/**
 * Tells the client that what the person did at an address has come to its end, by the id that {@link url} was given.
 *
 * **Details**
 *
 * Only revision 2025-11-25 has it (ELI-17); under any other it does nothing. It may be called after the request has been
 * answered, in the context of its handler.
 *
 * @category questions
 * @since 0.1.0
 */
export const complete = (elicitationId: string): Effect.Effect<void, never, McpRequest> =>
  Effect.flatMap(McpRequest, (request) => {
    const { name, sentBy } = Method.elicitationComplete
    if (!sentBy.server.has(request.revision)) return Effect.void
    const state = stateOf(request)
    return state?.ended === true && state.session !== undefined
      ? Effect.sync(() => state.session?.tell(name, { elicitationId }))
      : request.notify(name, { elicitationId })
  })
