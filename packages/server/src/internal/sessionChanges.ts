/**
 * Tells sessions of what has changed. One subscription of the bus serves all of them.
 */
import type * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as Method from "@effect-mcp/core/Method"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LegacySession } from "./legacySession.ts"
import type { Registry } from "./registry.ts"

/** The lists a fact is about. */
const lists = {
  ToolsChanged: { capability: "tools", method: Method.toolsListChanged.name },
  PromptsChanged: { capability: "prompts", method: Method.promptsListChanged.name },
  ResourcesChanged: { capability: "resources", method: Method.resourcesListChanged.name }
} as const

type List = keyof typeof lists

const isList = (tag: string): tag is List => Object.hasOwn(lists, tag)

export class SessionChanges {
  readonly #registry: Registry
  readonly #sessions = new Set<LegacySession>()
  readonly #byUri = new Map<string, Set<LegacySession>>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  add(session: LegacySession): void {
    this.#sessions.add(session)
    for (const uri of session.data.subscriptions) this.subscribed(session, uri, true)
  }

  delete(session: LegacySession): void {
    this.#sessions.delete(session)
    for (const uri of session.data.subscriptions) this.subscribed(session, uri, false)
  }

  subscribed(session: LegacySession, uri: string, isOn: boolean): void {
    const sessions = this.#byUri.get(uri)
    if (!isOn) {
      if (sessions?.delete(session) === true && sessions.size === 0) this.#byUri.delete(uri)
    } else if (sessions === undefined) this.#byUri.set(uri, new Set([session]))
    else sessions.add(session)
  }

  /** Reads the bus for as long as the scope is open. */
  get run(): Effect.Effect<void, never, Scope.Scope> {
    const read = (isFirst: boolean): Effect.Effect<void> =>
      Effect.scoped(Effect.gen({ self: this }, function*() {
        const events = yield* this.#registry.options.bus.subscribe((fact) => this.#concerns(fact))
        // What was missed while nobody read is told as a change of everything, when nothing more can be missed.
        if (!isFirst) this.#everything()
        yield* Stream.runForEach(events, (event) => Effect.sync(() => this.#take(event)))
      })).pipe(Effect.catchTag("SlowSubscriber", () => read(false)))
    return Effect.asVoid(Effect.forkScoped(read(true), { startImmediately: true }))
  }

  #concerns(fact: ChangeBus.Fact): boolean {
    if (this.#sessions.size === 0) return false
    return isList(fact._tag) || fact._tag === "ResourceUpdated" && this.#byUri.size > 0
  }

  #take(event: ChangeBus.Event): void {
    if (event._tag === "Resync") return this.#everything()
    const { fact } = event
    if (isList(fact._tag)) return this.#listChanged(fact._tag)
    if (fact._tag === "ResourceUpdated") this.#updated(fact.uri)
  }

  #everything(): void {
    for (const list of Object.keys(lists)) if (isList(list)) this.#listChanged(list)
    for (const [uri, sessions] of this.#byUri) for (const session of sessions) tellUpdated(session, uri)
  }

  #listChanged(list: List): void {
    const { capability, method } = lists[list]
    for (const session of this.#sessions) if (session.isToldOf(capability)) session.tell(method)
  }

  /** RES-8: who subscribed to a resource is told of what lies below it too. */
  #updated(uri: string): void {
    const told = new Set<LegacySession>()
    const tell = (subscribed: string): void => {
      for (const session of this.#byUri.get(subscribed) ?? []) {
        if (told.has(session)) continue
        told.add(session)
        tellUpdated(session, uri)
      }
    }
    tell(uri)
    // Who subscribed to the folder has not shown a right to see what is in it.
    if (isConditional(this.#registry, uri)) return
    // A folder is written with a slash at its end, or without.
    for (let end = uri.lastIndexOf("/"); end > 0; end = uri.lastIndexOf("/", end - 1)) {
      tell(uri.slice(0, end + 1))
      tell(uri.slice(0, end))
    }
  }
}

const isConditional = ({ resources, resourceTemplates }: Registry, uri: string): boolean =>
  resources.get(uri)?.visibility !== undefined ||
  resourceTemplates.entries.some((template) => template.visibility !== undefined && template.match(uri) !== undefined)

const tellUpdated = (session: LegacySession, uri: string): void => session.tell(Method.resourceUpdated.name, { uri })
