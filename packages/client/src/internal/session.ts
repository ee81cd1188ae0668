/**
 * What a client of the legacy era remembers of its session, and of the requests that are in flight in it.
 */
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Method from "@effect-mcp/core/Method"
import type { LoggingLevel } from "@effect-mcp/core/schema/Logging"
import * as Semaphore from "effect/Semaphore"
import type { Inbox } from "./inbox.ts"
import type { Pending } from "./pending.ts"

export class Session {
  /** Counts the sessions, so that many who find one lost open one new one. */
  epoch = 0
  /** Whether the server has forgotten the session (LHTTP-23). */
  lost = false
  /** The level the server was last asked for (LOG-3). */
  level: LoggingLevel | undefined
  /** The resources the program has subscribed to, which another session has to be asked for again. */
  readonly subscriptions = new Set<string>()
  readonly opening: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  readonly leveling: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  /** By the id of the request, which is its progress token too. */
  readonly inboxes = new Map<JsonRpc.Id, Inbox>()

  /** The session of this epoch is gone. Another one may be open already. */
  lose(epoch: number): void {
    if (epoch === this.epoch) this.lost = true
  }

  opened(): void {
    this.epoch++
    this.lost = false
    this.level = undefined
  }

  get pending(): ReadonlyArray<Pending> {
    return Array.from(this.inboxes.values(), ({ pending }) => pending)
  }

  /** Whether a request in flight wants such a notification. */
  isTaken(message: JsonRpc.Notification): boolean {
    for (const inbox of this.inboxes.values()) if (inbox.takes(message)) return true
    return false
  }

  /** Hands a notification that came outside of any request to those it is for. Gives those that have no room for more. */
  route(message: JsonRpc.Notification): ReadonlyArray<Inbox> {
    if (message.method !== Method.progress.name && message.method !== Method.message.name) return []
    if (message.method === Method.progress.name) {
      const token = message.params?.progressToken
      if (JsonRpc.isId(token)) this.inboxes.get(token)?.push(message)
    } else {
      // A log message does not say whose it is.
      for (const inbox of this.inboxes.values()) inbox.push(message)
    }
    return Array.from(this.inboxes.values()).filter(({ isFull }) => isFull)
  }
}
