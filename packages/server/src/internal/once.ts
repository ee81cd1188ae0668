/**
 * An effect that later rounds do not run again, and how its outcome is written down.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as InteractionError from "../InteractionError.ts"
import { dialogue } from "./ask.ts"
import type { Outcome } from "./chain.ts"
import { decoder, encoder } from "./codecs.ts"
import type { Dialogue } from "./dialogue.ts"
import { Keys } from "./keys.ts"

export interface Schemas {
  readonly success: Schema.Constraint
  readonly failure?: Schema.Constraint | undefined
}

type Run = (idempotencyKey: string) => Effect.Effect<unknown, unknown, unknown>

export const once = (name: string, schemas: Schemas, run: Run) =>
  Effect.flatMap(dialogue, (dialogue) =>
    Effect.flatMap(Keys.Current, (keys) => {
      // Side by side, the same name is another effect, as it is another question.
      const key = keys?.of(name) ?? name
      return Effect.flatMap(
        dialogue.outcome(key),
        (outcome) => outcome === undefined ? first(dialogue, key, schemas, run) : again(dialogue, key, schemas, outcome)
      )
    }))

const first = (dialogue: Dialogue, key: string, schemas: Schemas, run: Run) =>
  Effect.flatMap(dialogue.id, (id) =>
    // What was done is also remembered where a question that was asked beside it ends the round.
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.exit(restore(withKeys(key, run(`${id}:${key}`)))),
        (exit) =>
          Effect.andThen(
            Effect.map(outcomeOf(dialogue, key, schemas, exit), (outcome) => dialogue.remember(key, outcome)),
            exit
          )
      )
    ))

/** What is asked inside is not asked any more when the outcome is remembered, and must not count among the others. */
const withKeys = (key: string, effect: ReturnType<Run>): ReturnType<Run> =>
  Effect.provideService(effect, Keys.Current, new Keys(`once:${key}`))

const outcomeOf = (
  dialogue: Dialogue,
  key: string,
  { failure, success }: Schemas,
  exit: Exit.Exit<unknown, unknown>
): Effect.Effect<Outcome | undefined, InteractionError.InteractionError> => {
  if (Exit.isSuccess(exit)) {
    return Effect.matchEffect(encoder(Schema.toCodecJson(success))(exit.value), {
      onFailure: (error) => dialogue.wrong(invalid(key, error)),
      onSuccess: (value) => Effect.succeed(outcome(key, false, value))
    })
  }
  const [reason, ...others] = exit.cause.reasons
  if (failure === undefined || reason === undefined || others.length > 0 || !Cause.isFailReason(reason)) {
    return Effect.succeed(undefined)
  }
  return Effect.match(encoder(Schema.toCodecJson(failure))(reason.error), {
    // Another failure than those that are remembered.
    onFailure: () => undefined,
    onSuccess: (value) => outcome(key, true, value)
  })
}

// What a JSON codec encodes to is JSON, but for `undefined` where anything goes; its type has forgotten that.
const outcome = (key: string, isFailure: boolean, value: unknown): Outcome => ({
  key,
  isFailure,
  value: (value ?? null) as Schema.Json
})

const again = (
  dialogue: Dialogue,
  key: string,
  { failure, success }: Schemas,
  { isFailure, value }: Outcome
): Effect.Effect<unknown, unknown> =>
  Effect.matchEffect(decoder(Schema.toCodecJson(isFailure ? failure ?? Schema.Never : success))(value), {
    onFailure: (error): Effect.Effect<never, unknown> => dialogue.wrong(invalid(key, error)),
    onSuccess: (value): Effect.Effect<unknown, unknown> => isFailure ? Effect.fail(value) : Effect.succeed(value)
  })

const invalid = (key: string, { message }: Schema.SchemaError): InteractionError.InvalidOutcome =>
  new InteractionError.InvalidOutcome({ key, problem: message })
