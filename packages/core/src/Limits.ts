/**
 * The one table of limits: what bounds the memory, the time and the work that a peer can cause.
 *
 * Every limit of every package is a row of {@link table} with its name, unit, default and what happens when it is
 * hit. Code that enforces a limit reads it from the {@link Limits} reference, so that an application can change it in
 * one place, with {@link layer}.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { rows } from "./internal/limits.ts"

/**
 * What a limit counts.
 *
 * @category models
 * @since 0.1.0
 */
export type Unit =
  | "attempts"
  | "bytes"
  | "characters"
  | "completions"
  | "events"
  | "keys"
  | "levels"
  | "messages"
  | "milliseconds"
  | "page sets"
  | "pages"
  | "requests"
  | "rounds"
  | "sessions"
  | "streams"
  | "items"

/**
 * One limit: what it bounds, where, and what a peer or a user sees when it is hit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row<Name extends string = string> {
  readonly name: Name
  readonly unit: Unit
  readonly default: number
  /** The sides that enforce it. */
  readonly sides: ReadonlyArray<"server" | "client">
  /** What happens when it is hit. */
  readonly error: string
  readonly description: string
}

/**
 * The name of a limit.
 *
 * @category models
 * @since 0.1.0
 */
export type Name = keyof typeof rows

/**
 * A value for every limit, in the unit of its row.
 *
 * @category models
 * @since 0.1.0
 */
export type Values = { readonly [K in Name]: number }

/**
 * Every limit, by name.
 *
 * **Example** (Reading a default)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 *
 * Limits.table.jsonDepth.default // => 64
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export const table: { readonly [K in Name]: Row<K> } = rows

/**
 * The default of every limit.
 *
 * @category models
 * @since 0.1.0
 */
export const defaults: Values = {
  messageBytes: rows.messageBytes.default,
  sseEventBytes: rows.sseEventBytes.default,
  jsonDepth: rows.jsonDepth.default,
  jsonKeys: rows.jsonKeys.default,
  inFlightRequests: rows.inFlightRequests.default,
  batchMessages: rows.batchMessages.default,
  inFlightNotifications: rows.inFlightNotifications.default,
  sessions: rows.sessions.default,
  sessionIdle: rows.sessionIdle.default,
  sessionStreams: rows.sessionStreams.default,
  sessionLifetime: rows.sessionLifetime.default,
  eventLogEvents: rows.eventLogEvents.default,
  eventLogBytes: rows.eventLogBytes.default,
  eventLogTotalBytes: rows.eventLogTotalBytes.default,
  eventLogAge: rows.eventLogAge.default,
  closeTimeout: rows.closeTimeout.default,
  streamBuffer: rows.streamBuffer.default,
  sessionSize: rows.sessionSize.default,
  sessionSubscriptions: rows.sessionSubscriptions.default,
  changeBusBuffer: rows.changeBusBuffer.default,
  pageSize: rows.pageSize.default,
  pages: rows.pages.default,
  visibilityVariants: rows.visibilityVariants.default,
  completionValues: rows.completionValues.default,
  headerBytes: rows.headerBytes.default,
  uriBytes: rows.uriBytes.default,
  toolSchemas: rows.toolSchemas.default,
  eraCache: rows.eraCache.default,
  stderrTail: rows.stderrTail.default,
  shutdownGrace: rows.shutdownGrace.default,
  drainTimeout: rows.drainTimeout.default,
  keepAlive: rows.keepAlive.default,
  requestDeadline: rows.requestDeadline.default,
  requestDeadlineMax: rows.requestDeadlineMax.default,
  askDeadline: rows.askDeadline.default,
  inputRounds: rows.inputRounds.default,
  requestStateSize: rows.requestStateSize.default,
  requestStateTtl: rows.requestStateTtl.default,
  nonces: rows.nonces.default,
  discoverTimeout: rows.discoverTimeout.default,
  reconnectAttempts: rows.reconnectAttempts.default,
  closeStdinTimeout: rows.closeStdinTimeout.default,
  terminateTimeout: rows.terminateTimeout.default
}

/**
 * The limits in force.
 *
 * **Details**
 *
 * A reference: without {@link layer} it has the {@link defaults}.
 *
 * **Example** (Reading a limit)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const { pageSize } = yield* Limits.Limits
 *   return pageSize
 * })
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export const Limits: Context.Reference<Values> = Context.Reference("@effect-mcp/core/Limits", {
  defaultValue: () => defaults
})

/**
 * A value for a limit that is not a positive integer, or a name that is no limit.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidLimit extends Schema.Error<InvalidLimit>("@effect-mcp/core/Limits/InvalidLimit")({
  _tag: Schema.tag("InvalidLimit"),
  limit: Schema.String,
  value: Schema.Unknown
}) {
  override get message(): string {
    return isName(this.limit)
      ? `the limit "${this.limit}" must be a positive integer of ${table[this.limit].unit}, got ${String(this.value)}`
      : `there is no limit called "${this.limit}"`
  }
}

/**
 * A limit that was hit.
 *
 * **Details**
 *
 * `actual` is present when it is known how much there was; a peer that sends without an end is stopped before that.
 *
 * **Example** (The message)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 *
 * new Limits.LimitExceeded({ limit: "jsonDepth", max: 64 }).message
 * // => "more than 64 levels (the limit jsonDepth: Nesting of objects and arrays in a message). Limits.layer({ jsonDepth: ... }) raises it"
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class LimitExceeded extends Schema.Error<LimitExceeded>("@effect-mcp/core/Limits/LimitExceeded")({
  _tag: Schema.tag("LimitExceeded"),
  limit: Schema.Literals(Object.values(rows).map((row) => row.name)),
  max: Schema.Finite,
  actual: Schema.optionalKey(Schema.Finite)
}) {
  /** What the limit counts. */
  get unit(): Unit {
    return table[this.limit].unit
  }

  override get message(): string {
    const what = this.actual === undefined
      ? `more than ${this.max} ${this.unit}`
      : `${this.actual} ${this.unit}, more than ${this.max}`
    return `${what} (the limit ${this.limit}: ${
      table[this.limit].description.replace(/\.$/, "")
    }). Limits.layer({ ${this.limit}: ... }) raises it`
  }
}

/**
 * Whether a string is the name of a limit.
 *
 * @category guards
 * @since 0.1.0
 */
export const isName = (name: string): name is Name => Object.hasOwn(rows, name)

/**
 * Changes some of the limits, and keeps what is in force for the others.
 *
 * **Details**
 *
 * Each value is a positive integer in the unit of its row. An invalid one fails the layer, so that a wrong
 * configuration is seen at the start and not at the first big message.
 *
 * **Example** (Bigger messages)
 *
 * ```ts
 * import * as Limits from "@effect-mcp/core/Limits"
 *
 * const BigMessages = Limits.layer({ messageBytes: 16 * 1024 * 1024 })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  overrides: { readonly [K in Name]?: number | undefined }
): Layer.Layer<never, InvalidLimit> => Layer.effect(Limits, override(overrides))

const override = Effect.fnUntraced(function*(overrides: { readonly [K in Name]?: number | undefined }) {
  const values: { [K in Name]: number } = { ...(yield* Limits) }
  for (const [limit, value] of Object.entries(overrides)) {
    // `exactOptionalPropertyTypes` lets an explicit `undefined` in, which is how an absent option is passed on.
    if (value === undefined) continue
    if (!isName(limit) || !Number.isSafeInteger(value) || value <= 0) {
      return yield* new InvalidLimit({ limit, value })
    }
    values[limit] = value
  }
  return values
})
