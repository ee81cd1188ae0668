/**
 * What outlives a connection over Streamable HTTP in the legacy era: sessions and their streams, between our packages
 * and both versions of the official SDK.
 */
import { McpClientError } from "@effect-mcp/core/McpClientError"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as contract from "./fixtures/contract.ts"
import { heard } from "./support/check.ts"
import * as officialClient from "./support/officialClient.ts"
import * as ourClient from "./support/ourClient.ts"
import { Peer } from "./support/peer.ts"
import { type Library, serve } from "./support/process.ts"
import * as Proxy from "./support/proxy.ts"
import * as v1Client from "./support/v1Client.ts"

type Client = Peer["Service"]

const connectOurs = (url: string, options: Parameters<typeof ourClient.layerOver>[1]) =>
  Effect.map(Layer.build(ourClient.layerOver(McpHttp.layerClient({ url }), options)), Context.get(Peer))

const clients: Readonly<Record<Library, (url: string) => Effect.Effect<Client, never, Scope.Scope>>> = {
  ours: (url) => connectOurs(url, { prefer: "legacy" }),
  official: (url) => officialClient.connect(url, "legacy"),
  v1: v1Client.connect
}

const modes: Readonly<Record<Library, string>> = { ours: "http", official: "both-http", v1: "http" }

/** The pairs that have something of ours. */
const pairs: ReadonlyArray<{ readonly client: Library; readonly server: Library }> = [
  { client: "v1", server: "ours" },
  { client: "official", server: "ours" },
  { client: "ours", server: "v1" },
  { client: "ours", server: "official" },
  { client: "ours", server: "ours" }
]

const test = <A, E>(effect: Effect.Effect<A, E, Scope.Scope | NodeServices.NodeServices>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const text = ({ content }: { readonly content?: unknown }) => (content as [{ readonly text: string }])[0].text

/** What the server makes of a request of somebody who knows the id of a session. */
const statusOf = (id: string, method: "POST" | "DELETE", url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": id,
        "mcp-protocol-version": "2025-11-25"
      },
      ...method === "POST" && { body: JSON.stringify({ jsonrpc: "2.0", id: "raw", method: "ping" }) }
    })
    await response.text()
    return response.status
  })

const isUpdate = ({ method }: { readonly method?: unknown }) => method === "notifications/resources/updated"

const isListChanged = ({ method }: { readonly method?: unknown }) => method === "notifications/tools/list_changed"

for (const { client, server } of pairs) {
  describe(`${client} client, ${server} server`, () => {
    it.live("gets an answer that was sent while its stream was broken (LHTTP-17)", () =>
      test(Effect.gen(function*() {
        const url = yield* serve(server, [modes[server]])
        const proxy = yield* Proxy.make(url)
        const peer = yield* clients[client](proxy.url)
        const other = yield* clients.ours(url)
        const reported = yield* Deferred.make<void>()
        const progress: Array<unknown> = []
        const call = yield* Effect.forkChild(peer.call("count", { to: 3, pause: 20_000 }, {
          onProgress: (report) => {
            if (progress.push(report.progress) === 3) Deferred.doneUnsafe(reported, Effect.void)
          }
        }))
        yield* Deferred.await(reported)
        proxy.cut()
        yield* other.call("proceed")
        yield* Effect.sleep(100)
        proxy.mend()
        assert.strictEqual(text(yield* Fiber.join(call)), "counted")
        assert.deepStrictEqual(progress, [1, 2, 3])
        peer.complaints()
      })))

    it.live("hears again what belongs to no request after its stream was broken (LHTTP-13, LHTTP-17)", () =>
      test(Effect.gen(function*() {
        const proxy = yield* Proxy.make(yield* serve(server, [modes[server]]))
        const peer = yield* clients[client](proxy.url)
        yield* peer.call("grow")
        assert.lengthOf(yield* Effect.provideService(heard(1, isListChanged), Peer, peer), 1)
        proxy.cut()
        yield* Effect.sleep(100)
        proxy.mend()
        yield* peer.call("shrink")
        assert.lengthOf(yield* Effect.provideService(heard(1, isListChanged), Peer, peer), 1)
        peer.complaints()
      })))

    it.live("ends its session when it closes (LHTTP-22, LHTTP-24)", () =>
      test(Effect.gen(function*() {
        const url = yield* serve(server, [modes[server]])
        const proxy = yield* Proxy.make(url)
        const [id = ""] = yield* Effect.scoped(Effect.gen(function*() {
          const peer = yield* clients[client](proxy.url)
          yield* peer.ping
          const ids = proxy.sessions()
          assert.lengthOf(ids, 1)
          assert.strictEqual(yield* statusOf(String(ids[0]), "POST", url), 200)
          return ids
        }))
        assert.strictEqual(yield* statusOf(id, "POST", url), 404)
      })))
  })
}

describe("our client", () => {
  for (const server of ["v1", "official", "ours"] as const) {
    it.live(`opens another session when the ${server} server has forgotten the one it has (LHTTP-23, case 49, F18)`, () =>
      test(Effect.gen(function*() {
        const url = yield* serve(server, [modes[server]])
        const proxy = yield* Proxy.make(url)
        const peer = yield* clients.ours(proxy.url)
        const forget = Effect.suspend(() => statusOf(String(proxy.sessions().at(-1)), "DELETE", url))
        assert.include([200, 202, 204], yield* forget)
        assert.isAbove((yield* peer.all("tools")).length, 10)
        assert.lengthOf(proxy.sessions(), 2)
        // A call may have had an effect, and is not repeated.
        assert.include([200, 202, 204], yield* forget)
        const lost = yield* Effect.flip(Effect.sandbox(peer.call("echo", { value: "once" })))
        const defect = Cause.squash(lost)
        assert.isTrue(defect instanceof McpClientError && defect.reason._tag === "SessionExpired")
        assert.strictEqual(text(yield* peer.call("echo", { value: "again" })), "again")
      })))
  }
})

describe("our server", () => {
  for (const client of ["v1", "official", "ours"] as const) {
    it.live(
      `sends a ${client} client away that waits for long, and answers it later (LHTTP-10)`,
      () =>
        test(Effect.gen(function*() {
          const peer = yield* clients[client](yield* serve("ours", ["http-polling"]))
          assert.strictEqual(text(yield* peer.call("later", { value: "came back", delay: 600 })), "came back")
          assert.deepStrictEqual(peer.complaints(), [])
        })),
      15_000
    )
  }

  it.live("answers each request of a batch of 2025-03-26 (RPC-16)", () =>
    test(Effect.gen(function*() {
      const url = yield* serve("ours", ["http", "2025-03-26"])
      const answers = yield* Effect.promise(() =>
        v1Client.batch(url, [
          { jsonrpc: "2.0", id: "a", method: "ping" },
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "never" } },
          { jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "fail", arguments: {} } },
          { jsonrpc: "2.0", id: "c", method: "no/such" }
        ])
      )
      const told = answers.map((answer) =>
        "result" in answer ? [answer.id, answer.result] : [answer.id, answer.error.code]
      )
      assert.deepStrictEqual(told.toSorted(([a], [b]) => String(a).localeCompare(String(b))), [
        ["a", {}],
        ["b", { content: [{ type: "text", text: contract.failure }], isError: true }],
        ["c", -32601]
      ])
    })))

  it.live("serves many clients of both eras at once, each by itself (ERA-5, ERA-21, LHTTP-15)", () =>
    test(Effect.gen(function*() {
      const url = yield* serve("ours", ["http"])
      const legacy = yield* Effect.all([
        v1Client.connect(url),
        officialClient.connect(url, "legacy"),
        clients.ours(url),
        v1Client.connect(url),
        officialClient.connect(url, "legacy"),
        clients.ours(url)
      ], { concurrency: "unbounded" })
      const modern = yield* Effect.all([officialClient.connect(url, "auto"), connectOurs(url, {})])
      const all = [...legacy, ...modern]
      assert.deepStrictEqual(
        all.map(({ discovered }) => discovered.revision),
        [...legacy.map(() => "2025-11-25"), ...modern.map(() => "2026-07-28")]
      )

      // The ids of their requests are the same.
      const echoed = yield* Effect.forEach(
        all,
        (peer, n) =>
          Effect.forEach(
            Array.from({ length: 20 }, (_, m) => `${n}.${m}`),
            (value) => Effect.map(peer.call("echo", { value }), (result) => text(result) === value),
            { concurrency: "unbounded" }
          ),
        {
          concurrency: "unbounded"
        }
      )
      assert.isTrue(echoed.flat().every((same) => same))

      // The first three want to know of a resource, and of errors only.
      const { uri } = contract.notes.today
      for (const peer of legacy.slice(0, 3)) {
        yield* peer.subscribe(uri)
        yield* peer.setLevel("error")
      }
      for (const peer of all) peer.heard()
      yield* modern[1].call("touch")
      const subscribers = legacy.slice(0, 3)
      for (const peer of subscribers) {
        assert.lengthOf(yield* Effect.provideService(heard(1, isUpdate), Peer, peer), 1)
      }
      yield* Effect.sleep(200)
      assert.deepStrictEqual(all.flatMap((peer) => peer.heard()), [])
      const logs = yield* Effect.forEach(legacy, (peer) =>
        Effect.suspend(() => {
          const levels: Array<unknown> = []
          return Effect.as(peer.call("chat", {}, { onLog: ({ level }) => levels.push(level) }), levels)
        }))
      assert.deepStrictEqual([logs[0], logs[1]], [["error"], ["error"]])
      assert.deepStrictEqual(all.flatMap((peer) => peer.complaints()), [])
    })))
})
