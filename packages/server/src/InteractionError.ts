/**
 * What can go wrong with a question to the client on the server's own side: the author's code asks where or how it may
 * not, or a limit is hit. What the client does wrong, or cannot do, is `McpError`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Two questions were open at the same time, and one of them has no key: which of them comes first is then left to chance,
 * and the answers would be mixed up. In 2026-07-28 no question is open for long: the first one ends the round. Of two that
 * are not asked in the same moment, the one that changes its place is `AskedDifferently` there.
 *
 * @category errors
 * @since 0.1.0
 */
export class KeyNeeded extends Schema.TaggedError<KeyNeeded>("@effect-mcp/server/InteractionError/KeyNeeded")(
  "KeyNeeded",
  { question: Schema.String, open: Schema.String }
) {
  override get message(): string {
    return `${this.question} was asked while ${this.open} was open. ` +
      "Ask one after the other, put both into Interaction.all, or give each of them a `key`"
  }
}

/**
 * A key was used for two questions, or for two effects, of one request.
 *
 * @category errors
 * @since 0.1.0
 */
export class KeyInUse extends Schema.TaggedError<KeyInUse>("@effect-mcp/server/InteractionError/KeyInUse")(
  "KeyInUse",
  { key: Schema.String }
) {
  override get message(): string {
    return `The key ${JSON.stringify(this.key)} is used twice in one request. Give each question and effect its own`
  }
}

/**
 * A handler that was run again asked something else under a key than in the round before. Its answer was not used.
 *
 * @category errors
 * @since 0.1.0
 */
export class AskedDifferently
  extends Schema.TaggedError<AskedDifferently>("@effect-mcp/server/InteractionError/AskedDifferently")(
    "AskedDifferently",
    { key: Schema.String, question: Schema.String }
  )
{
  override get message(): string {
    return `${this.question} (key ${
      JSON.stringify(this.key)
    }) is not what was asked under this key in an earlier round. ` +
      "What a handler asks has to follow from its arguments, from earlier answers, and from what Interaction.once remembers"
  }
}

/**
 * What a request has to remember between its rounds is more than the limit `requestStateSize`.
 *
 * @category errors
 * @since 0.1.0
 */
export class StateTooLarge extends Schema.TaggedError<StateTooLarge>(
  "@effect-mcp/server/InteractionError/StateTooLarge"
)("StateTooLarge", {
  /** Characters. */
  size: Schema.Int,
  max: Schema.Int,
  /** The entries that take the most room, with their characters before sealing. */
  largest: Schema.Array(Schema.Struct({ key: Schema.String, size: Schema.Int }))
}) {
  override get message(): string {
    const entries = this.largest.map(({ key, size }) => `${JSON.stringify(key)} (${size})`).join(", ")
    return `The state of the request has ${this.size} characters, and may have ${this.max} (the limit requestStateSize). ` +
      `The largest entries: ${entries}. Remember a reference instead of the thing itself`
  }
}

/**
 * A request has asked for input in as many rounds as it may.
 *
 * @category errors
 * @since 0.1.0
 */
export class TooManyRounds
  extends Schema.TaggedError<TooManyRounds>("@effect-mcp/server/InteractionError/TooManyRounds")("TooManyRounds", {
    max: Schema.Int
  })
{
  override get message(): string {
    return `The request has asked for input in ${this.max} rounds already (the limit inputRounds). ` +
      "Ask several things at once with Interaction.all, or raise the limit with Limits.layer"
  }
}

/**
 * Something was asked, or done once, where no handler runs that can: only those of `tools/call`, `prompts/get` and
 * `resources/read` can (MRTR-2), and a middleware around them cannot.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotInteractive
  extends Schema.TaggedError<NotInteractive>("@effect-mcp/server/InteractionError/NotInteractive")("NotInteractive", {
    question: Schema.String,
    where: Schema.String
  })
{
  override get message(): string {
    return `${this.question} was asked ${this.where}. Only the handlers of tools, prompts and resources can ask (MRTR-2)`
  }
}

/**
 * A question was asked where its handler cannot be interrupted: while a resource is acquired, in a finalizer, in an
 * uninterruptible region, or after the handler has ended. It is a defect, under every revision.
 *
 * @category errors
 * @since 0.1.0
 */
export class Uninterruptible
  extends Schema.TaggedError<Uninterruptible>("@effect-mcp/server/InteractionError/Uninterruptible")(
    "Uninterruptible",
    { question: Schema.String, where: Schema.String, place: Schema.String }
  )
{
  override get message(): string {
    return `${this.question} was asked ${this.where}, ${this.place}. Asking ends the round by interrupting the handler, ` +
      "so that it has to be done before what must not be interrupted"
  }
}

/**
 * What an effect that is run once came to has no encoding, or what is remembered of it does not fit the schemas.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidOutcome
  extends Schema.TaggedError<InvalidOutcome>("@effect-mcp/server/InteractionError/InvalidOutcome")("InvalidOutcome", {
    key: Schema.String,
    problem: Schema.String
  })
{
  override get message(): string {
    return `The outcome of ${JSON.stringify(this.key)} does not fit the schemas of Interaction.once: ${this.problem}`
  }
}

/**
 * Why a question failed on the server's own side.
 *
 * @category models
 * @since 0.1.0
 */
export type Reason =
  | KeyNeeded
  | KeyInUse
  | AskedDifferently
  | StateTooLarge
  | TooManyRounds
  | NotInteractive
  | Uninterruptible
  | InvalidOutcome

/**
 * A question to the client, or what is remembered between questions, failed on the server's own side, for one `reason`.
 *
 * **Details**
 *
 * Every handler may fail with it: the whole of it is in the server's log, and the client gets `-32603`. With the reason
 * `Uninterruptible` it is a defect and no failure.
 *
 * **Example** (Catching one reason)
 *
 * ```ts
 * import * as Roots from "@effect-mcp/server/Roots"
 * import * as Effect from "effect/Effect"
 *
 * const roots = Roots.list.pipe(
 *   Effect.catchReason("InteractionError", "TooManyRounds", () => Effect.succeed([]))
 * )
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class InteractionError extends Schema.Error<InteractionError>("@effect-mcp/server/InteractionError")({
  _tag: Schema.tag("InteractionError"),
  reason: Schema.Union([
    KeyNeeded,
    KeyInUse,
    AskedDifferently,
    StateTooLarge,
    TooManyRounds,
    NotInteractive,
    Uninterruptible,
    InvalidOutcome
  ])
}) {
  override get message(): string {
    return this.reason.message
  }
}

/**
 * Makes an {@link InteractionError}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (reason: Reason): InteractionError => new InteractionError({ reason })

/**
 * Tells whether a value is an {@link InteractionError}.
 *
 * @category guards
 * @since 0.1.0
 */
export const isInteractionError = (u: unknown): u is InteractionError => u instanceof InteractionError
