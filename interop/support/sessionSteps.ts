/** The steps that only the legacy era has, because it has sessions: the server speaks unasked. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as contract from "../fixtures/contract.ts"
import type { Json } from "./peer.ts"
import { call, refusal, result, type Step, text, use } from "./step.ts"

const until = "2025-11-25"

/** Waits for what is told outside of any request: so many notifications, and none more for a while after. */
const told = (count: number, settle: Duration.Input = 100) =>
  use((peer) =>
    Effect.gen(function*() {
      const all: Array<Json> = []
      for (let tries = 0; all.length < count && tries < 500; tries++) {
        all.push(...peer.heard())
        if (all.length < count) yield* Effect.sleep(10)
      }
      yield* Effect.sleep(settle)
      // Params that are empty may as well be missing.
      return [...all, ...peer.heard()].map(({ method, params }) =>
        Object.keys((params ?? {}) as Json).length === 0 ? { method } : { method, params }
      )
    })
  )

const forget = use((peer) => Effect.sync(() => void peer.heard()))

const { uri } = contract.notes.today
const listChanged = { method: "notifications/tools/list_changed" }
const updated = { method: "notifications/resources/updated", params: { uri } }

const logged = (logs: ReadonlyArray<readonly [level: string, data: string]>) =>
  logs.map(([level, data]) => ({ method: "notifications/message", params: { level, data } }))

export const sessionSteps: ReadonlyArray<Step> = [
  { title: "pings the server (PING-1)", until, shows: true, run: result(use((peer) => peer.ping)), expected: {} },
  {
    title: "sets the level of logs (LOG-3)",
    until,
    shows: true,
    remembers: true,
    run: result(use((peer) => peer.setLevel("error"))),
    expected: {}
  },
  {
    title: "is told logs of that level on, outside of any request (LOG-3)",
    until,
    server: "notOurs",
    run: Effect.andThen(forget, Effect.andThen(call("gossip"), told(1))),
    expected: logged([["error", contract.mixed]])
  },
  {
    title: "is told more logs after another level (LOG-3)",
    until,
    server: "notOurs",
    run: use((peer) => peer.setLevel("info")).pipe(Effect.andThen(call("gossip")), Effect.andThen(told(3))),
    expected: logged([["info", "i"], ["warning", "w"], ["error", contract.mixed]])
  },
  {
    title: "is told that a list has changed, and reads it again (TOOL-23)",
    until,
    run: Effect.gen(function*() {
      yield* forget
      const sprouts = Effect.map(
        use((peer) => peer.all("tools")),
        (tools) => tools.some(({ name }) => name === contract.sprout)
      )
      yield* call("grow")
      const grown = { told: yield* told(1), sprouts: yield* sprouts, called: yield* result(call(contract.sprout)) }
      yield* call("shrink")
      return { grown, shrunk: { told: yield* told(1), sprouts: yield* sprouts } }
    }),
    expected: {
      grown: { told: [listChanged], sprouts: true, called: text("sprouted") },
      shrunk: { told: [listChanged], sprouts: false }
    }
  },
  {
    title: "hears nothing of a resource it has not subscribed to (RES-8)",
    until,
    run: Effect.andThen(forget, Effect.andThen(call("touch"), told(0, 200))),
    expected: []
  },
  {
    title: "subscribes to a resource, and is told that it was updated (RES-8)",
    until,
    run: Effect.gen(function*() {
      const subscribed = yield* result(use((peer) => peer.subscribe(uri)))
      yield* call("touch")
      return { subscribed, told: yield* told(1) }
    }),
    expected: { subscribed: {}, told: [updated] }
  },
  {
    title: "hears nothing more after it has unsubscribed (RES-8)",
    until,
    run: Effect.gen(function*() {
      const unsubscribed = yield* result(use((peer) => peer.unsubscribe(uri)))
      yield* call("touch")
      return { unsubscribed, told: yield* told(0, 200) }
    }),
    expected: { unsubscribed: {}, told: [] }
  },
  {
    title: "answers a ping (PING-1)",
    until,
    client: "ours",
    server: "notOurs",
    run: result(call("askPing")),
    expected: text("{}")
  },
  {
    title: "comes back when the server hangs up before the answer (LHTTP-10, LHTTP-11)",
    until,
    only: "http",
    client: "ours",
    server: "notOurs",
    run: use((peer) =>
      Effect.suspend(() => {
        const progress: Array<unknown> = []
        return Effect.map(
          peer.call("hangUp", {}, { onProgress: (report) => progress.push(report.progress) }),
          ({ content }) => ({ content, progress })
        )
      })
    ),
    expected: { ...text("still here"), progress: [1, 2] }
  },
  {
    title: "refuses a subscription to what is no resource (RES-5)",
    until,
    server: "ours",
    run: refusal(use((peer) => peer.subscribe("notes://nope"))),
    expected: { code: -32002, data: { uri: "notes://nope" } }
  }
]
