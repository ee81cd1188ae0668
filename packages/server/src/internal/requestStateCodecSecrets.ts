/**
 * Where the secrets of a `RequestStateCodec` come from, and what is asked of them.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

export type Secrets = readonly [Redacted.Redacted, ...Array<Redacted.Redacted>]

export const minLength = 32

const variable = "MCP_REQUEST_STATE_KEYS"

const advice = `Take random ones, such as "openssl rand -base64 32" prints`

/** The place of the first one that is too short, from 1 on. */
export const positionOfShort = (secrets: Secrets): number | undefined => {
  const index = secrets.findIndex((secret) => Redacted.value(secret).length < minLength)
  return index < 0 ? undefined : index + 1
}

export const tooShort = (source: string, position: number): string =>
  `${source}: secret ${position} has fewer than ${minLength} characters. ${advice}`

const split = (text: Redacted.Redacted): Secrets => {
  const [first = "", ...rest] = Redacted.value(text).split(",").map((secret) => secret.trim())
  return [Redacted.make(first), ...rest.map((secret) => Redacted.make(secret))]
}

const fail = (message: string): Effect.Effect<never, Config.ConfigError> =>
  Effect.fail(new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.InvalidValue({ message }))))

/** The secrets of the variable, if it is set. */
export const configured: Effect.Effect<Secrets | undefined, Config.ConfigError> = Effect.gen(function*() {
  const text = yield* Config.option(Config.Redacted(variable))
  if (Option.isNone(text)) return undefined
  const secrets = split(text.value)
  const position = positionOfShort(secrets)
  return position === undefined ? secrets : yield* fail(tooShort(variable, position))
})

export const missing = fail(
  `${variable} is not set. Set it to a secret of at least ${minLength} characters. ${advice}`
)

/** What is said where the variable is not set, and a secret was made up. */
export const madeUp =
  `${variable} is not set, so the requestState of requests is sealed with a key that only this process has. After a ` +
  "restart, and on other nodes, a client cannot go on with a request it was asked something for. Set the variable to a " +
  `secret of at least ${minLength} characters, the same on every node. ${advice}`
