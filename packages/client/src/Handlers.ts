/**
 * What a client does for a server that asks: to fill in a form, to open an address, to have a model answer, to name its
 * roots.
 *
 * A client declares the capabilities it has handlers for, and nothing else. Handlers are given to `McpClient.layer`, which
 * then requires the services they need. The same handlers answer under every revision: a server up to 2025-11-25 sends
 * requests of its own, and one of 2026-07-28 asks in the place of an answer, whereupon the client sends its request once
 * more, with what was asked for.
 *
 * @since 0.1.0
 */
import type * as ElicitationForm from "@effect-mcp/core/ElicitationForm"
import type { McpError } from "@effect-mcp/core/McpError"
import type { Revision } from "@effect-mcp/core/Revision"
import type { Implementation } from "@effect-mcp/core/schema/Common"
import type * as ElicitationModel from "@effect-mcp/core/schema/Elicitation"
import type * as Roots from "@effect-mcp/core/schema/Roots"
import type * as SamplingModel from "@effect-mcp/core/schema/Sampling"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"

/**
 * Who is asking, for a person to see (ELI-14). What a server says of itself is not checked by anybody (META-15).
 *
 * @category models
 * @since 0.1.0
 */
export interface Asker {
  readonly server: Implementation | undefined
  readonly revision: Revision
}

/**
 * A handler: from what the server asks to the answer.
 *
 * **Details**
 *
 * Each question has a fiber of its own, which is interrupted when the server takes the question back (CAN-4), when the
 * request it was asked for is given up, and when the client closes.
 *
 * Up to 2025-11-25 an `McpError` is what the server gets; a defect is logged, and the server gets `-32603`. Since 2026-07-28
 * there is no way to tell the server (MRTR-13): the request that needs the answer is not sent again, and fails with
 * `InputNotGiven`, which has the `McpError` as its `cause`; a defect is logged. Other questions of the same round are then
 * interrupted.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<Params, Answer, out R> = (params: Params, asker: Asker) => Effect.Effect<Answer, McpError, R>

/**
 * The values of a form, by field.
 *
 * @category models
 * @since 0.1.0
 */
export type FormValues = ElicitationForm.Values

/**
 * What a person did with a form (ELI-11).
 *
 * **Details**
 *
 * - `accept`: the values. A field that is left out has the default of its schema, if that has one (ELI-10). What does not
 *   fit the form is not sent (ELI-12).
 * - `decline`: the person refused.
 * - `cancel`: the person looked away.
 *
 * @category models
 * @since 0.1.0
 */
export type FormAnswer =
  | { readonly action: "accept"; readonly content?: FormValues | undefined }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

/**
 * What a person did with an address: `accept` means the consent to open it, and no more (ELI-16).
 *
 * @category models
 * @since 0.1.0
 */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel"
}

/**
 * Accepts a form, with the values of its fields, or an address.
 *
 * **Example** (A form that is filled in)
 *
 * ```ts
 * import * as Handlers from "@effect-mcp/client/Handlers"
 * import * as McpClient from "@effect-mcp/client/McpClient"
 * import * as Effect from "effect/Effect"
 *
 * const Client = McpClient.layer({ name: "example", version: "1.0.0" }, {
 *   elicitation: {
 *     form: ({ message }) => Effect.succeed(message === "How many?" ? Handlers.accept({ count: 3 }) : Handlers.decline)
 *   }
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const accept: {
  (): { readonly action: "accept" }
  (content: FormValues): FormAnswer
} = (content?: FormValues): { readonly action: "accept"; readonly content?: FormValues } =>
  content === undefined ? { action: "accept" } : { action: "accept", content }

/**
 * Refuses a form or an address.
 *
 * @category constructors
 * @since 0.1.0
 */
export const decline: { readonly action: "decline" } = { action: "decline" }

/**
 * Looks away from a form or an address.
 *
 * @category constructors
 * @since 0.1.0
 */
export const cancel: { readonly action: "cancel" } = { action: "cancel" }

/**
 * How a server may ask the person: a client has at least one of both (ELI-1).
 *
 * @category models
 * @since 0.1.0
 */
export interface Elicitation<out R = never> {
  /** Fills in a form. From 2025-06-18 on. */
  readonly form?: Handler<ElicitationModel.ElicitRequestFormParams, FormAnswer, R> | undefined
  /** Opens an address, after the person has seen it and agreed (ELI-19, ELI-20). From 2025-11-25 on. */
  readonly url?: Handler<ElicitationModel.ElicitRequestURLParams, UrlAnswer, R> | undefined
}

/**
 * How a server may ask a model. A person who refuses is `McpError.UserRejected` (ERR-13, MRTR-13).
 *
 * @category models
 * @since 0.1.0
 */
export interface Sampling<out R = never> {
  readonly createMessage: Handler<SamplingModel.CreateMessageRequestParams, SamplingModel.CreateMessageResult, R>
  /** Whether the model may be given tools. By default it may not, and a request that has them is refused (SAMP-7). */
  readonly tools?: boolean | undefined
  /** Whether `includeContext` is obeyed. By default it is not (SAMP-12). */
  readonly context?: boolean | undefined
}

/**
 * The roots as an effect, with a stream of anything that tells when they have changed (ROOT-3). Since 2026-07-28 no change is
 * told: a server asks when it needs to know.
 *
 * @category models
 * @since 0.1.0
 */
export interface DynamicRoots<out R = never> {
  readonly list: Effect.Effect<ReadonlyArray<Roots.Root>, McpError, R>
  readonly changes?: Stream.Stream<unknown, never, R> | undefined
}

/**
 * The directories and files a server should keep to (ROOT-1): a list, one that changes, or an effect. Their addresses
 * start with `file://`.
 *
 * @category models
 * @since 0.1.0
 */
export type RootsOption<R = never> =
  | ReadonlyArray<Roots.Root>
  | SubscriptionRef.SubscriptionRef<ReadonlyArray<Roots.Root>>
  | DynamicRoots<R>

/**
 * The handlers of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Handlers<out R = never> {
  /** Answers questions to the person. */
  readonly elicitation?: Elicitation<R> | undefined
  /** Answers questions to a model. */
  readonly sampling?: Sampling<R> | undefined
  /** Names the roots. */
  readonly roots?: RootsOption<R> | undefined
}

type ServicesOf<H> = H extends (...args: never) => Effect.Effect<unknown, unknown, infer R> ? Known<R>
  : H extends Effect.Effect<unknown, unknown, infer R> ? Known<R>
  : H extends Stream.Stream<unknown, unknown, infer R> ? Known<R>
  : never

/** Where no options are given, nothing is known of the services, and none is needed. */
type Known<R> = unknown extends R ? never : R

type Member<T, K extends string> = T extends { readonly [Key in K]?: infer V } ? V : never

/**
 * The services that the handlers among some options need.
 *
 * @category models
 * @since 0.1.0
 */
export type Services<Options> =
  | ServicesOf<Member<Member<Options, "elicitation">, "form" | "url">>
  | ServicesOf<Member<Member<Options, "sampling">, "createMessage">>
  | ServicesOf<Member<Member<Options, "roots">, "list" | "changes">>
