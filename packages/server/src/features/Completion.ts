/**
 * Completion of the arguments of prompts and the parameters of resource templates.
 *
 * @since 0.1.0
 */
import type * as McpError from "@effect-mcp/core/McpError"
import type * as Effect from "effect/Effect"

/**
 * Completes one argument: `value` is what was typed so far, `context` the arguments that are already known.
 *
 * @category models
 * @since 0.1.0
 */
export type Completer<R> = (
  value: string,
  context: Readonly<Record<string, string>>
) => Effect.Effect<ReadonlyArray<string>, McpError.McpError, R>

/**
 * Completers by the names of arguments.
 *
 * @category models
 * @since 0.1.0
 */
export interface Completers {
  readonly [name: string]: Completer<unknown> | undefined
}

declare const NoArgumentId: unique symbol

/**
 * What a feature requires that has a completer for an argument it does not have. Nothing provides it, so that a server
 * with such a feature does not compile.
 *
 * @category models
 * @since 0.1.0
 */
export interface NoArgument<out Name> {
  readonly [NoArgumentId]: Name
}

/**
 * What completers require, given the names that there are. Without completers, `C` is the index signature.
 *
 * @category models
 * @since 0.1.0
 */
export type CompleterRequirements<C, Names> = string extends keyof C ? never
  : CompleterServices<C> | MissingArguments<Exclude<keyof C, Names>>

/**
 * The requirement for names that are none, if there are any.
 *
 * @category models
 * @since 0.1.0
 */
export type MissingArguments<Names> = [Names] extends [never] ? never : NoArgument<Names>

/**
 * The services that some completers need.
 *
 * @category models
 * @since 0.1.0
 */
export type CompleterServices<C> = { [K in keyof C]: NonNullable<C[K]> extends Completer<infer R> ? R : never }[keyof C]
