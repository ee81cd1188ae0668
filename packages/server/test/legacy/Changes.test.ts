/** What sessions are told of changes: lists, and the resources they have subscribed to. */
import { assert, describe, it } from "@effect/vitest"
import * as ChangeBus from "@effect-mcp/core/ChangeBus"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Limits from "@effect-mcp/core/Limits"
import * as Prompt from "@effect-mcp/core/Prompt"
import * as Resource from "@effect-mcp/core/Resource"
import * as ResourceTemplate from "@effect-mcp/core/ResourceTemplate"
import * as Tool from "@effect-mcp/core/Tool"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Visibility from "@effect-mcp/server/Visibility"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { start, startWithRegistry } from "../support.ts"
import {
  exchange,
  initializeParams,
  type Json,
  legacyOf,
  listen,
  methods,
  open,
  openStored,
  over,
  revisions,
  settle,
  until
} from "./support.ts"

const toolsChanged = "notifications/tools/list_changed"
const promptsChanged = "notifications/prompts/list_changed"
const resourcesChanged = "notifications/resources/list_changed"
const updated = "notifications/resources/updated"

const ATool = McpServer.tool(Tool.make("a"), () => Effect.succeed("a"))
const APrompt = McpServer.prompt(Prompt.make("p", {}), () => Effect.succeed("p"))
const isAdmin = Effect.map(
  McpRequest.McpRequest,
  ({ clientCapabilities }) => clientCapabilities.experimental?.["test/admin"] !== undefined
)
const admin = Visibility.make("admin", isAdmin)
const Notes = Layer.mergeAll(
  McpServer.resource(Resource.make("note://one"), Effect.succeed("one")),
  McpServer.resource(Resource.make("note://two"), Effect.succeed("two")),
  McpServer.resource(Resource.make("note://hidden"), Effect.succeed("hidden"), { visibility: admin }),
  McpServer.resource(Resource.make("file:///home"), Effect.succeed("a folder")),
  McpServer.resource(Resource.make("file:///home/a"), Effect.succeed("in it")),
  McpServer.resource(Resource.make("file:///work/"), Effect.succeed("a folder")),
  McpServer.resource(Resource.make("file:///work/hidden"), Effect.succeed("hidden"), { visibility: admin }),
  McpServer.resourceTemplate(
    ResourceTemplate.make("user://{name}", { name: "user", parameters: { name: Schema.String } }),
    ({ name }) => Effect.succeed(name)
  )
)

/** A server on a bus that the test holds. */
const withBus = <A, E, R>(
  effect: (publish: (...uris: ReadonlyArray<string>) => Effect.Effect<void>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const bus = yield* ChangeBus.ChangeBus
    return yield* effect((...uris) =>
      Effect.forEach(uris, (uri) => bus.publish({ _tag: "ResourceUpdated", uri }), { discard: true })
    )
  }).pipe(Effect.provide(ChangeBus.layerMemory))

const uris = (messages: ReadonlyArray<Json>) => messages.map(({ params }) => params?.uri)

describe("changes of lists", () => {
  for (const revision of revisions) {
    it.effect(`TOOL-23, PROMPT-6, RES-10: ${revision} is told of what is added and removed while it runs`, () =>
      Effect.gen(function*() {
        const { peer: { endpoint }, provide } = yield* startWithRegistry(Layer.mergeAll(ATool, APrompt, Notes))
        const peer = yield* open(endpoint, revision)
        const expected: Array<string> = []
        const told = (method: string) =>
          Effect.gen(function*() {
            expected.push(method)
            yield* until(() => peer.unasked.length >= expected.length)
            assert.deepStrictEqual(methods(peer.unasked), expected)
          })
        yield* provide(McpServer.addTool(Tool.make("b"), () => Effect.succeed("b")))
        yield* told(toolsChanged)
        yield* provide(McpServer.remove("tool", "b"))
        yield* told(toolsChanged)
        yield* provide(McpServer.addPrompt(Prompt.make("q", {}), () => Effect.succeed("q")))
        yield* told(promptsChanged)
        yield* provide(McpServer.addResource(Resource.make("note://three"), Effect.succeed("")))
        yield* told(resourcesChanged)
        yield* provide(McpServer.remove("resourceTemplate", "user://{name}"))
        yield* told(resourcesChanged)
      }))
  }

  it.effect("TOOL-23: a feature that lives in a scope is taken back with it", () =>
    Effect.gen(function*() {
      const { peer: { endpoint }, provide } = yield* startWithRegistry(ATool)
      const peer = yield* open(endpoint, "2025-11-25")
      const scope = yield* Scope.make()
      yield* provide(Scope.provide(McpServer.addTool(Tool.make("b"), () => Effect.succeed("b")), scope))
      yield* until(() => peer.unasked.length === 1)
      yield* Scope.close(scope, Exit.void)
      yield* until(() => peer.unasked.length === 2)
      assert.strictEqual((yield* peer.result("tools/list")).tools.length, 1)
    }))

  it.effect("INIT-9: a client is not told of the changes of a list it was not told of", () =>
    Effect.gen(function*() {
      const { peer: { endpoint }, provide } = yield* startWithRegistry(ATool)
      const before = yield* open(endpoint, "2025-11-25")
      assert.notProperty(before.initialized.capabilities, "prompts")
      yield* provide(McpServer.addPrompt(Prompt.make("q", {}), () => Effect.succeed("q")))
      const after = yield* open(endpoint, "2025-11-25")
      yield* provide(McpServer.addPrompt(Prompt.make("r", {}), () => Effect.succeed("r")))
      yield* provide(McpServer.addTool(Tool.make("b"), () => Effect.succeed("b")))
      yield* until(() => after.unasked.length === 2 && before.unasked.length > 0)
      assert.deepStrictEqual(methods(before.unasked), [toolsChanged])
      assert.deepStrictEqual(methods(after.unasked), [promptsChanged, toolsChanged])
    }))

  it.effect("INIT-9, TOOL-23: a list that has become empty is a change, and can still be read", () =>
    Effect.gen(function*() {
      const { peer: { endpoint }, provide } = yield* startWithRegistry(Layer.mergeAll(ATool, APrompt))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* provide(McpServer.remove("tool", "a"))
      yield* until(() => peer.unasked.length > 0)
      assert.deepStrictEqual(methods(peer.unasked), [toolsChanged])
      assert.deepStrictEqual((yield* peer.result("tools/list")).tools, [])
      assert.strictEqual((yield* peer.error("tools/call", { name: "a" })).code, -32602)
      // Who comes later has not been told of any.
      const later = yield* open(endpoint, "2025-11-25")
      assert.strictEqual((yield* later.error("tools/list")).code, -32601)
    }))
})

describe("subscriptions to resources", () => {
  for (const revision of revisions) {
    it.effect(`RES-8: ${revision} is told of the resources it has subscribed to, until it unsubscribes`, () =>
      withBus((publish) =>
        Effect.gen(function*() {
          const { endpoint } = yield* start(Notes)
          const peer = yield* open(endpoint, revision)
          assert.deepStrictEqual(yield* peer.result("resources/subscribe", { uri: "note://one" }), {})
          assert.deepStrictEqual(yield* peer.result("resources/subscribe", { uri: "user://anna" }), {})
          // Twice is as good as once.
          yield* peer.result("resources/subscribe", { uri: "note://one" })
          yield* publish("note://two", "note://one", "user://bob", "user://anna")
          yield* until(() => peer.unasked.length >= 2)
          assert.deepStrictEqual(methods(peer.unasked), [updated, updated])
          assert.deepStrictEqual(uris(peer.unasked), ["note://one", "user://anna"])
          assert.deepStrictEqual(yield* peer.result("resources/unsubscribe", { uri: "note://one" }), {})
          assert.deepStrictEqual(yield* peer.result("resources/unsubscribe", { uri: "note://nope" }), {})
          yield* publish("note://one", "user://anna")
          yield* until(() => peer.unasked.length >= 3)
          assert.deepStrictEqual(uris(peer.unasked.slice(2)), ["user://anna"])
        })
      ))
  }

  it.effect("RES-8: who subscribed to a folder is told of what is in it, once, by the URI of what has changed", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Notes)
        const peer = yield* open(endpoint, "2025-11-25")
        for (const uri of ["file:///home", "file:///home/a", "file:///work/", "note://one"]) {
          yield* peer.result("resources/subscribe", { uri })
        }
        yield* publish(
          "file:///home/a/b",
          "file:///homer",
          "file:///work/x",
          "file:///work",
          "note://one/x",
          "file:///home/"
        )
        yield* until(() => peer.unasked.length >= 4)
        yield* settle
        assert.deepStrictEqual(uris(peer.unasked), [
          "file:///home/a/b",
          "file:///work/x",
          "note://one/x",
          "file:///home/"
        ])
      })
    ))

  it.effect("RES-8, C2: a folder does not tell of what is hidden in it", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Notes)
        const capabilities = { experimental: { "test/admin": {} } }
        const peer = yield* open(endpoint, "2025-11-25")
        const privileged = yield* open(endpoint, "2025-11-25", { capabilities })
        yield* peer.result("resources/subscribe", { uri: "file:///work/" })
        yield* privileged.result("resources/subscribe", { uri: "file:///work/hidden" })
        yield* publish("file:///work/hidden", "file:///work/x")
        yield* until(() => peer.unasked.length > 0 && privileged.unasked.length > 0)
        yield* settle
        assert.deepStrictEqual(uris(peer.unasked), ["file:///work/x"])
        assert.deepStrictEqual(uris(privileged.unasked), ["file:///work/hidden"])
      })
    ))

  it.effect("RES-5, RES-6, ERR-11, C2: what is not there, or is hidden, cannot be subscribed to", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Notes)
      const peer = yield* open(endpoint, "2025-11-25")
      for (const uri of ["note://nope", "note://hidden", "other://x"]) {
        const error = yield* peer.error("resources/subscribe", { uri })
        assert.deepStrictEqual([error.code, error.data], [-32002, { uri }])
      }
      for (const params of [{}, { uri: 1 }]) {
        assert.strictEqual((yield* peer.error("resources/subscribe", params)).code, -32602)
        assert.strictEqual((yield* peer.error("resources/unsubscribe", params)).code, -32602)
      }
      const capabilities = { experimental: { "test/admin": {} } }
      const privileged = yield* open(endpoint, "2025-11-25", { capabilities })
      yield* privileged.result("resources/subscribe", { uri: "note://hidden" })
    }))

  it.effect("C1: a subscription is of one session, and reaches no other", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Notes)
        const one = yield* open(endpoint, "2025-11-25")
        const two = yield* open(endpoint, "2025-03-26")
        const three = yield* open(endpoint, "2025-11-25")
        yield* one.result("resources/subscribe", { uri: "note://one" })
        yield* two.result("resources/subscribe", { uri: "note://two" })
        yield* publish("note://one", "note://two")
        yield* until(() => one.unasked.length > 0 && two.unasked.length > 0)
        yield* settle
        assert.deepStrictEqual([one, two, three].map(({ unasked }) => uris(unasked)), [
          ["note://one"],
          ["note://two"],
          []
        ])
        // One that unsubscribes takes it from nobody else.
        yield* two.result("resources/subscribe", { uri: "note://one" })
        yield* one.result("resources/unsubscribe", { uri: "note://one" })
        yield* publish("note://one")
        yield* until(() => two.unasked.length === 2)
        assert.strictEqual(one.unasked.length, 1)
      })
    ))

  it.effect("sessionSubscriptions: one session has no more than it may, and one that is taken back makes room", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Notes).pipe(Effect.provide(Limits.layer({ sessionSubscriptions: 2 })))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("resources/subscribe", { uri: "user://1" })
      yield* peer.result("resources/subscribe", { uri: "user://2" })
      yield* peer.result("resources/subscribe", { uri: "user://2" })
      const error = yield* peer.error("resources/subscribe", { uri: "user://3" })
      assert.strictEqual(error.code, -32600)
      assert.include(error.message, "sessionSubscriptions")
      yield* (yield* open(endpoint, "2025-11-25")).result("resources/subscribe", { uri: "user://3" })
      yield* peer.result("resources/unsubscribe", { uri: "user://1" })
      yield* peer.result("resources/subscribe", { uri: "user://3" })
    }))

  it.effect("sessionSize: a session remembers no more than it may, of its client and of its subscriptions", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Notes).pipe(Effect.provide(Limits.layer({ sessionSize: 400 })))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("resources/subscribe", { uri: "user://1" })
      const error = yield* peer.error("resources/subscribe", { uri: `user://${"2".repeat(300)}` })
      assert.deepStrictEqual([error.code, error.message.includes("sessionSize")], [-32600, true])
      yield* peer.result("resources/subscribe", { uri: "user://3" })
      const message = JsonRpc.request(
        1,
        "initialize",
        initializeParams("2025-11-25", { clientInfo: { name: "c".repeat(400), version: "1" } })
      )
      const { response, session } = yield* legacyOf(endpoint).open(message, exchange(), "stored")
      assert.isUndefined(session)
      assert.strictEqual(response._tag === "Failure" && response.error.code, -32600)
    }))

  it.effect("uriBytes: a URI that is too long is refused before it is looked at", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Notes).pipe(Effect.provide(Limits.layer({ uriBytes: 20 })))
      const peer = yield* open(endpoint, "2025-11-25")
      yield* peer.result("resources/subscribe", { uri: "user://8901234567890" })
      assert.strictEqual((yield* peer.error("resources/subscribe", { uri: "user://89012345678901" })).code, -32602)
      assert.strictEqual((yield* peer.error("resources/subscribe", { uri: "user://äääääää" })).code, -32602)
    }))

  it.effect("a session that has ended is told nothing, and is kept by nothing", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Notes)
        const one = yield* openStored(endpoint, "2025-11-25")
        const two = yield* openStored(endpoint, "2025-11-25")
        for (const session of [one, two]) yield* over(session).result("resources/subscribe", { uri: "note://one" })
        const first = listen(one)
        const second = listen(two)
        yield* one.close
        yield* publish("note://one")
        yield* until(() => second.heard.length > 0)
        assert.deepStrictEqual(first.heard, [])
      })
    ))
})

describe("who hears it", () => {
  const twoNotes = (publish: (...uris: ReadonlyArray<string>) => Effect.Effect<void>) =>
    Effect.gen(function*() {
      const { endpoint } = yield* start(Notes)
      const session = yield* openStored(endpoint, "2025-11-25")
      for (const uri of ["note://one", "note://two"]) yield* over(session).result("resources/subscribe", { uri })
      return { session, told: (...uris: ReadonlyArray<string>) => Effect.andThen(publish(...uris), settle) }
    })

  it.effect("LHTTP-15: of several listeners the newest hears a message, and no other", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { session, told } = yield* twoNotes(publish)
        const first = listen(session)
        yield* told("note://one")
        const second = listen(session)
        const third = listen(session)
        yield* told("note://two")
        third.stop()
        yield* told("note://one")
        // One that goes though it was not the newest changes nothing for the others.
        first.stop()
        first.stop()
        yield* told("note://two")
        assert.deepStrictEqual([first, second, third].map(({ heard }) => uris(heard)), [
          ["note://one"],
          ["note://one", "note://two"],
          ["note://two"]
        ])
      })
    ))

  it.effect("LHTTP-15: what comes while nobody listens waits, a change only once", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { session, told } = yield* twoNotes(publish)
        yield* told("note://one", "note://two", "note://one", "note://one")
        const first = listen(session)
        assert.deepStrictEqual(uris(first.heard), ["note://one", "note://two"])
        yield* told("note://one")
        first.stop()
        // What was heard is not told again.
        const second = listen(session)
        assert.deepStrictEqual(second.heard, [])
        yield* told("note://two")
        assert.deepStrictEqual([uris(first.heard), uris(second.heard)], [
          ["note://one", "note://two", "note://one"],
          ["note://two"]
        ])
      })
    ))

  it.effect("LHTTP-15: a listener that goes away in the middle leaves the rest to the next", () =>
    Effect.gen(function*() {
      const bus = yield* ChangeBus.ChangeBus
      const { endpoint } = yield* start(Layer.mergeAll(ATool, APrompt, Notes))
      const initialize = JsonRpc.request("i", "initialize", initializeParams("2025-11-25"))
      const { session } = yield* legacyOf(endpoint).open(initialize, exchange(), "stored")
      assert(session !== undefined)
      for (const _tag of ["ToolsChanged", "PromptsChanged", "ResourcesChanged"] as const) yield* bus.publish({ _tag })
      yield* settle
      const heard: Array<string> = []
      const stop = session.listen(({ method }) => {
        heard.push(method)
        stop()
      })
      assert.deepStrictEqual(heard, [])
      session.notify(JsonRpc.notification("notifications/initialized"), exchange())
      assert.deepStrictEqual(heard, [toolsChanged])
      assert.deepStrictEqual(methods(listen(session).heard), [promptsChanged, resourcesChanged])
    }).pipe(Effect.provide(ChangeBus.layerMemory)))

  it.effect("streamBuffer: no more waits than may, the oldest is dropped", () =>
    withBus((publish) =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(Notes).pipe(Effect.provide(Limits.layer({ streamBuffer: 2 })))
        const session = yield* openStored(endpoint, "2025-11-25")
        for (const n of [1, 2, 3]) yield* over(session).result("resources/subscribe", { uri: `user://${n}` })
        yield* publish("user://1", "user://2", "user://3")
        yield* settle
        const { heard } = listen(session)
        assert.deepStrictEqual(uris(heard), ["user://2", "user://3"])
      })
    ))
})

describe("a bus that loses something", () => {
  /** A bus whose events come from the test, each subscription from a queue of its own. */
  const scripted = Effect.gen(function*() {
    const subscriptions: Array<(event: ChangeBus.Event | "slow") => void> = []
    const opened: Array<Deferred.Deferred<void>> = []
    const service = ChangeBus.ChangeBus.of({
      publish: () => Effect.void,
      subscribe: (filter) =>
        Effect.sync(() => {
          const waiting: Array<ChangeBus.Event | "slow"> = []
          let wake = Deferred.makeUnsafe<void>()
          subscriptions.push((event) => {
            if (event !== "slow" && event._tag === "Changed" && !filter(event.fact)) return
            waiting.push(event)
            const before = wake
            wake = Deferred.makeUnsafe()
            Deferred.doneUnsafe(before, Effect.void)
          })
          for (const gate of opened.splice(0)) Deferred.doneUnsafe(gate, Effect.void)
          const next: Effect.Effect<ChangeBus.Event, ChangeBus.SlowSubscriber> = Effect.suspend(() => {
            const event = waiting.shift()
            if (event === undefined) return Effect.andThen(Deferred.await(wake), next)
            return event === "slow" ? Effect.fail(new ChangeBus.SlowSubscriber({ buffer: 1 })) : Effect.succeed(event)
          })
          return Stream.forever(Stream.fromEffect(next))
        })
    })
    return { service, subscriptions }
  })

  for (const loss of ["Resync", "SlowSubscriber"] as const) {
    it.effect(`C1: ${loss} tells each session again of everything it knows of, and goes on`, () =>
      Effect.gen(function*() {
        const { service, subscriptions } = yield* scripted
        const { endpoint } = yield* start(Layer.mergeAll(ATool, Notes)).pipe(
          Effect.provideService(ChangeBus.ChangeBus, service)
        )
        const one = yield* open(endpoint, "2025-11-25")
        const two = yield* open(endpoint, "2025-11-25")
        yield* one.result("resources/subscribe", { uri: "note://one" })
        assert.strictEqual(subscriptions.length, 1)
        subscriptions[0]!(loss === "Resync" ? { _tag: "Resync" } : "slow")
        yield* until(() => one.unasked.length === 3 && two.unasked.length === 2)
        assert.deepStrictEqual(methods(one.unasked).toSorted(), [resourcesChanged, updated, toolsChanged].toSorted())
        assert.deepStrictEqual(methods(two.unasked).toSorted(), [resourcesChanged, toolsChanged].toSorted())
        assert.strictEqual(subscriptions.length, loss === "Resync" ? 1 : 2)
        subscriptions.at(-1)!({ _tag: "Changed", sequence: 9, fact: { _tag: "ResourceUpdated", uri: "note://one" } })
        yield* until(() => one.unasked.length === 4)
        assert.deepStrictEqual([methods(one.unasked).at(-1), two.unasked.length], [updated, 2])
      }))
  }

  it.effect("one subscription of the bus serves every session, and facts nobody waits for are not read", () =>
    Effect.gen(function*() {
      const { service, subscriptions } = yield* scripted
      const { endpoint } = yield* start(Notes).pipe(Effect.provideService(ChangeBus.ChangeBus, service))
      for (let n = 0; n < 5; n++) yield* open(endpoint, "2025-11-25")
      assert.strictEqual(subscriptions.length, 1)
      subscriptions[0]!({ _tag: "Changed", sequence: 1, fact: { _tag: "ResourceUpdated", uri: "note://one" } })
      const extension = { _tag: "ExtensionChanged", extension: "a/b", key: "k", value: null } as const
      subscriptions[0]!({ _tag: "Changed", sequence: 1, fact: extension })
    }))
})
