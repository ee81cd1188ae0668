/**
 * What can be said about a single request of a client: how long it may take, and what happens before its answer is
 * there.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "@effect-mcp/core/JsonRpc"
import type { ClientCapabilities } from "@effect-mcp/core/schema/Capabilities"
import type { LoggingLevel, LoggingMessageNotificationParams } from "@effect-mcp/core/schema/Logging"
import type { ProgressNotificationParams } from "@effect-mcp/core/schema/Progress"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/**
 * How far a request has come. `progress` grows with every report of one request (PROG-3).
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress extends ProgressNotificationParams {}

/**
 * A log message of the server that belongs to one request.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogMessage extends LoggingMessageNotificationParams {}

/**
 * The options every request takes.
 *
 * **Details**
 *
 * The callbacks run in the context of the request, one at a time and in order; the server's stream waits for them. When
 * the request ends they are interrupted, and when one of them dies the request dies with it.
 *
 * A server of 2026-07-28 may ask for input first, so that the request is sent again with what the handlers have answered
 * (MRTR-6). Each of these rounds is a request of its own: its deadlines run anew, and so does its progress.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestOptions<out R = never> {
  /**
   * How long the server may be silent, by default the limit `requestDeadline`. `Duration.infinity` waits for ever, as
   * far as `deadlineMax` lets it. Expiry cancels the request (CAN-8). While a handler has a question of the server to
   * answer, no deadline runs.
   */
  readonly deadline?: Duration.Input | undefined
  /** How long the request may take in all, by default the limit `requestDeadlineMax`, but never less than `deadline`. */
  readonly deadlineMax?: Duration.Input | undefined
  /** Whether progress starts `deadline` anew. By default it does. */
  readonly extendOnProgress?: boolean | undefined
  /** Takes the progress of the request. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<unknown, never, R>) | undefined
  /**
   * Asks for the log messages of this request, from this level on (META-16). By default `info` where `onLog` is given.
   * In the legacy era it is the session that is asked (LOG-3), so that messages which do not say whose they are reach all
   * requests in flight that want them.
   */
  readonly logLevel?: LoggingLevel | undefined
  /** Takes the log messages of the request. */
  readonly onLog?: ((message: LogMessage) => Effect.Effect<unknown, never, R>) | undefined
  /** More members for `_meta`, under prefixes of your own (META-4). Those the protocol reserves are not overwritten. */
  readonly meta?: JsonObject | undefined
}

/**
 * The options of a request for one page of a list.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListOptions<out R = never> extends RequestOptions<R> {
  /** The `nextCursor` of the page before, as it came: the empty string is a cursor too (PAGE-2, PAGE-3). */
  readonly cursor?: string | undefined
}

/**
 * The kinds of result a request takes beside the one of its method: by `resultType`, the schema of the result. The
 * extension that defines them must be on, for the server to know that they are understood (RPC-13). `input_required` is of
 * the protocol itself: a request that takes it gets the questions of the server as they are, and no handler is asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accepted {
  readonly [resultType: string]: Schema.Codec<unknown>
}

/**
 * The options of a request for a method of one's own choice.
 *
 * **Example** (Answering without handlers)
 *
 * ```ts
 * import type { Client } from "@effect-mcp/client/Client"
 * import * as Method from "@effect-mcp/core/Method"
 * import { InputRequiredResult } from "@effect-mcp/core/schema/InputRequired"
 *
 * export const ask = (client: Client) =>
 *   client.request(Method.toolsCall, { name: "book" }, {
 *     accept: { input_required: InputRequiredResult },
 *     capabilities: { elicitation: { form: {} } }
 *   })
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export interface CustomOptions<A extends Accepted, out R = never> extends RequestOptions<R> {
  readonly accept?: A | undefined
  /**
   * What this request declares, in the place of what the handlers of the client can do (META-12): for a program that
   * answers by itself, through `accept`. The extensions that are on stay declared. Without effect in the legacy era, where a
   * session declares once what its handlers can do.
   */
  readonly capabilities?: ClientCapabilities | undefined
}

/**
 * What a call tells while it runs, and at its end: any number of `Progress`, then one `Result`.
 *
 * @category models
 * @since 0.1.0
 */
export type CallEvent<A> =
  | { readonly _tag: "Progress"; readonly progress: Progress }
  | { readonly _tag: "Result"; readonly result: A }
