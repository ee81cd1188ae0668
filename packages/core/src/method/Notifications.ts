/**
 * The notifications of the protocol.
 *
 * @since 0.1.0
 */
import { revisions } from "../internal/availability.ts"
import * as Cancellation from "../schema/Cancellation.ts"
import * as Elicitation from "../schema/Elicitation.ts"
import * as Logging from "../schema/Logging.ts"
import * as Params from "../schema/Params.ts"
import * as Progress from "../schema/Progress.ts"
import * as Resources from "../schema/Resources.ts"
import * as Subscriptions from "../schema/Subscriptions.ts"
import { defineNotification } from "./Definition.ts"

/**
 * Says that the client has read the answer to `initialize` (INIT-6).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25.
 *
 * @category notifications
 * @since 0.1.0
 */
export const initialized = defineNotification({
  name: "notifications/initialized",
  sender: "client",
  revisions: revisions.legacy,
  params: Params.NotificationParams
})

/**
 * Gives up a request that the sender made (CAN-1).
 *
 * **Details**
 *
 * All revisions, both sides. Since 2026-07-28 a client sends it where there is no stream to close (CAN-2), and a server
 * only to end `subscriptions/listen` (CAN-3).
 *
 * @category notifications
 * @since 0.1.0
 */
export const cancelled = defineNotification({
  name: "notifications/cancelled",
  sender: "both",
  revisions: revisions.all,
  params: Cancellation.CancelledNotificationParams
})

/**
 * Tells how far a request has come (PROG-2).
 *
 * **Details**
 *
 * All revisions. Both sides send it up to 2025-11-25, only the server since 2026-07-28 (PROG-6).
 *
 * @category notifications
 * @since 0.1.0
 */
export const progress = defineNotification({
  name: "notifications/progress",
  sender: "both",
  revisions: revisions.all,
  clientRevisions: revisions.legacy,
  params: Progress.ProgressNotificationParams
})

/**
 * Carries a log message (LOG-1).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 only on the stream of a request that named a level (META-16).
 *
 * @category notifications
 * @since 0.1.0
 */
export const message = defineNotification({
  name: "notifications/message",
  sender: "server",
  revisions: revisions.all,
  params: Logging.LoggingMessageNotificationParams
})

/**
 * Says that the list of tools has changed (TOOL-23).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 only on a stream of `subscriptions/listen` whose filter asks for it (SUB-2).
 *
 * @category notifications
 * @since 0.1.0
 */
export const toolsListChanged = defineNotification({
  name: "notifications/tools/list_changed",
  sender: "server",
  revisions: revisions.all,
  params: Params.NotificationParams
})

/**
 * Says that the list of prompts has changed (PROMPT-6).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 only on a stream of `subscriptions/listen` whose filter asks for it (SUB-2).
 *
 * @category notifications
 * @since 0.1.0
 */
export const promptsListChanged = defineNotification({
  name: "notifications/prompts/list_changed",
  sender: "server",
  revisions: revisions.all,
  params: Params.NotificationParams
})

/**
 * Says that the list of resources has changed (RES-10).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 only on a stream of `subscriptions/listen` whose filter asks for it (SUB-2).
 *
 * @category notifications
 * @since 0.1.0
 */
export const resourcesListChanged = defineNotification({
  name: "notifications/resources/list_changed",
  sender: "server",
  revisions: revisions.all,
  params: Params.NotificationParams
})

/**
 * Says that a resource has changed (RES-8).
 *
 * **Details**
 *
 * All revisions. Since 2026-07-28 only on a stream of `subscriptions/listen` whose filter names the resource (SUB-2).
 *
 * @category notifications
 * @since 0.1.0
 */
export const resourceUpdated = defineNotification({
  name: "notifications/resources/updated",
  sender: "server",
  revisions: revisions.all,
  params: Resources.ResourceUpdatedNotificationParams
})

/**
 * Says which part of its filter a subscription is given, before anything else on its stream (SUB-3).
 *
 * **Details**
 *
 * Since 2026-07-28.
 *
 * @category notifications
 * @since 0.1.0
 */
export const subscriptionsAcknowledged = defineNotification({
  name: "notifications/subscriptions/acknowledged",
  sender: "server",
  revisions: revisions.modern,
  params: Subscriptions.SubscriptionsAcknowledgedNotificationParams
})

/**
 * Says that the folders of the client have changed (ROOT-3).
 *
 * **Details**
 *
 * Revisions 2024-11-05 to 2025-11-25.
 *
 * @category notifications
 * @since 0.1.0
 */
export const rootsListChanged = defineNotification({
  name: "notifications/roots/list_changed",
  sender: "client",
  revisions: revisions.legacy,
  params: Params.NotificationParams
})

/**
 * Says that a page the user was sent to has done its work (ELI-17).
 *
 * **Details**
 *
 * Only revision 2025-11-25.
 *
 * @category notifications
 * @since 0.1.0
 */
export const elicitationComplete = defineNotification({
  name: "notifications/elicitation/complete",
  sender: "server",
  revisions: revisions.legacyFrom("2025-11-25"),
  params: Elicitation.ElicitationCompleteNotificationParams
})
