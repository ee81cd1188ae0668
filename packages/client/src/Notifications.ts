/**
 * What a server of the legacy era tells unasked.
 *
 * @since 0.1.0
 */
import type * as Method from "@effect-mcp/core/Method"

/**
 * A notification by the definition of its method.
 *
 * @category models
 * @since 0.1.0
 */
export type Of<Definition> = Definition extends Method.NotificationDefinition<infer Name, infer Params>
  ? { readonly method: Name; readonly params: Params }
  : never

/**
 * A notification that belongs to no request: something has changed, a log message that no request asked for, or the end
 * of a visit to an address (ELI-17).
 *
 * @category models
 * @since 0.1.0
 */
export type Notification = Of<
  | typeof Method.toolsListChanged
  | typeof Method.promptsListChanged
  | typeof Method.resourcesListChanged
  | typeof Method.resourceUpdated
  | typeof Method.message
  | typeof Method.elicitationComplete
>
