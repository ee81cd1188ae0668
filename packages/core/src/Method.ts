/**
 * The table of methods: name × direction × revisions × schemas. A missing entry *is* the version gate: no other module
 * compares dates to decide whether a method exists.
 *
 * @since 0.1.0
 */
import type { Definition, NotificationDefinition, RequestDefinition, Side, Table } from "./method/Definition.ts"
import * as Notifications from "./method/Notifications.ts"
import * as Requests from "./method/Requests.ts"
import type * as Revision from "./Revision.ts"

export * from "./method/Definition.ts"
export * from "./method/Notifications.ts"
export * from "./method/Requests.ts"

/**
 * Makes a table of methods. A later definition of a name replaces an earlier one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (definitions: Iterable<Definition>): Table => {
  const requests = new Map<string, RequestDefinition>()
  const notifications = new Map<string, NotificationDefinition>()
  for (const definition of definitions) {
    if (definition.kind === "request") requests.set(definition.name, definition)
    else notifications.set(definition.name, definition)
  }
  return { requests, notifications }
}

/**
 * The methods of the protocol itself, of all revisions. The experimental tasks of 2025-11-25 are not among them.
 *
 * @category constants
 * @since 0.1.0
 */
export const core: Table = make([
  Requests.initialize,
  Requests.ping,
  Requests.discover,
  Requests.listen,
  Requests.toolsList,
  Requests.toolsCall,
  Requests.resourcesList,
  Requests.resourceTemplatesList,
  Requests.resourcesRead,
  Requests.resourcesSubscribe,
  Requests.resourcesUnsubscribe,
  Requests.promptsList,
  Requests.promptsGet,
  Requests.complete,
  Requests.setLevel,
  Requests.rootsList,
  Requests.createMessage,
  Requests.elicit,
  Notifications.initialized,
  Notifications.cancelled,
  Notifications.progress,
  Notifications.message,
  Notifications.toolsListChanged,
  Notifications.promptsListChanged,
  Notifications.resourcesListChanged,
  Notifications.resourceUpdated,
  Notifications.subscriptionsAcknowledged,
  Notifications.rootsListChanged,
  Notifications.elicitationComplete
])

/**
 * A table with more methods, those of an extension for instance.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extend = (table: Table, definitions: Iterable<Definition>): Table =>
  make([...table.requests.values(), ...table.notifications.values(), ...definitions])

/**
 * Finds a request that `sender` may send under a revision.
 *
 * **Example** (The version gate)
 *
 * ```ts
 * import * as Method from "@effect-mcp/core/Method"
 *
 * Method.request(Method.core, "ping", "2025-11-25", "client") // the definition
 * Method.request(Method.core, "ping", "2026-07-28", "client") // undefined
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const request = (
  table: Table,
  name: string,
  revision: Revision.Revision,
  sender: Side
): RequestDefinition | undefined => {
  const definition = table.requests.get(name)
  return definition?.sentBy[sender].has(revision) === true ? definition : undefined
}

/**
 * Finds a notification that `sender` may send under a revision.
 *
 * @category getters
 * @since 0.1.0
 */
export const notification = (
  table: Table,
  name: string,
  revision: Revision.Revision,
  sender: Side
): NotificationDefinition | undefined => {
  const definition = table.notifications.get(name)
  return definition?.sentBy[sender].has(revision) === true ? definition : undefined
}
