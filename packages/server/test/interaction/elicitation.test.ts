/** Forms and addresses, under every revision that has them. */
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Tool from "@effect-mcp/core/Tool"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Form from "@effect-mcp/server/Form"
import * as McpRequest from "@effect-mcp/server/McpRequest"
import * as McpServer from "@effect-mcp/server/McpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { open, until } from "../legacy/support.ts"
import { type Json, start } from "../support.ts"
import { asking, errorOf, everything, playTool, textOf, withForms } from "./support.ts"

const newer = ["2025-11-25", "2026-07-28"] as const

const json = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.map(effect, (value) => JSON.stringify(value))

const accept = (content: JsonRpc.JsonObject) => () => ({ action: "accept", content })

describe("Elicitation.form", () => {
  for (const revision of withForms) {
    it.effect(`ELI-3, ELI-4, ELI-11, ELI-12: asks, and decodes the answer, under ${revision}`, () =>
      Effect.gen(function*() {
        const form = Elicitation.form({
          message: "Which room?",
          schema: {
            room: Form.select({ s: "Small", l: "Large" }),
            from: Schema.DateFromString,
            extras: Form.multiSelect(["breakfast", "parking"]),
            note: Schema.optionalKey(Schema.String)
          }
        })
        const { endpoint } = yield* start(asking(Effect.map(form, (answer) =>
          answer._tag === "Accept"
            ? [
              answer.content.room,
              answer.content.from.getTime(),
              answer.content.extras.join("+"),
              answer.content.note
            ].join()
            : answer._tag)))
        const several = revision === "2025-06-18" ? "breakfast, parking" : ["breakfast", "parking"]
        const played = yield* playTool(endpoint, revision, "ask", {
          answer: accept({ room: "l", from: "1970-01-02", extras: several, unknown: 1 })
        })
        assert.strictEqual(textOf(played), "l,86400000,breakfast+parking,")
        const { method, params } = played.asked[0]!
        assert.strictEqual(method, "elicitation/create")
        assert.strictEqual(params.message, "Which room?")
        assert.strictEqual(params.mode, revision === "2025-06-18" ? undefined : "form")
        assert.deepStrictEqual(params.requestedSchema.required, ["room", "from", "extras"])
        for (const action of ["decline", "cancel"]) {
          const other = yield* playTool(endpoint, revision, "ask", { answer: () => ({ action }) })
          assert.strictEqual(textOf(other), action === "decline" ? "Decline" : "Cancel")
        }
      }))

    it.effect(`ELI-12, MRTR-19: an answer that does not fit is an error in the handler, under ${revision}`, () =>
      Effect.gen(function*() {
        const form = Elicitation.form({ message: "How many?", schema: { n: Schema.Int } })
        const caught = form.pipe(json, Effect.catchTag("InvalidParams", ({ message }) => Effect.succeed(message)))
        const { endpoint } = yield* start(asking(caught))
        for (const content of [{}, { n: "1" }, { n: 0.5 }, { n: [] }]) {
          const played = yield* playTool(endpoint, revision, "ask", { answer: accept(content) })
          assert.include(textOf(played), "\"n\"")
        }
        const unhandled = yield* start(asking(json(form)))
        const error = errorOf(yield* playTool(unhandled.endpoint, revision, "ask", { answer: accept({ n: "1" }) }))
        assert.strictEqual(error.code, -32602)
      }))

    it.effect(`ELI-11, ELI-25: formOrFail fails where the person does, and tools can declare it, under ${revision}`, () =>
      Effect.gen(function*() {
        const tool = Tool.make("ask", { failure: Schema.Union([Elicitation.Declined, Elicitation.Cancelled]) })
        const form = Elicitation.formOrFail({ message: "Who?", schema: { name: Schema.String } })
        const { endpoint } = yield* start(McpServer.tool(tool, () => Effect.map(form, ({ name }) => name)))
        const texts = yield* Effect.forEach(["accept", "decline", "cancel"], (action) =>
          Effect.map(
            playTool(endpoint, revision, "ask", { answer: () => ({ action, content: { name: "me" } }) }),
            textOf
          ))
        assert.deepStrictEqual(texts, ["me", "The person declined: Who?", "The person did not answer: Who?"])
      }))
  }

  it.effect("a form that cannot be asked for is a defect, before anything is sent", () =>
    Effect.gen(function*() {
      const union = Schema.Struct({ a: Schema.Union([Schema.String, Schema.Literal("x")]) })
      const { endpoint } = yield* start(
        asking(Effect.suspend(() => json(Elicitation.form({ message: "?", schema: union }))))
      )
      const played = yield* playTool(endpoint, "2026-07-28", "ask")
      assert.deepStrictEqual([errorOf(played).code, played.asked], [-32603, []])
    }))
})

describe("Elicitation.url", () => {
  const url = Elicitation.url({ message: "Link it", url: new URL("https://example.com/link?x=1") })

  for (const revision of newer) {
    it.effect(`ELI-15, ELI-16: sends to an address, under ${revision}`, () =>
      Effect.gen(function*() {
        const { endpoint } = yield* start(asking(json(url)))
        for (const [action, tag] of [["accept", "Accept"], ["decline", "Decline"], ["cancel", "Cancel"]] as const) {
          const played = yield* playTool(endpoint, revision, "ask", { answer: () => ({ action }) })
          assert.strictEqual(JSON.parse(textOf(played))._tag, tag)
          const { elicitationId, ...params } = played.asked[0]!.params
          assert.deepStrictEqual(params, { mode: "url", message: "Link it", url: "https://example.com/link?x=1" })
          if (revision === "2025-11-25") assert.match(elicitationId, /^[\w-]{16,}$/)
          else assert.isUndefined(elicitationId)
        }
        const failing = yield* start(asking(
          Elicitation.urlOrFail({ message: "Link it", url: "https://example.com/" }).pipe(
            Effect.as("went"),
            Effect.catchTags({
              Declined: ({ message }) => Effect.succeed(message),
              Cancelled: ({ message }) => Effect.succeed(message)
            })
          )
        ))
        const text = yield* playTool(failing.endpoint, revision, "ask", { answer: () => ({ action: "decline" }) })
        assert.strictEqual(textOf(text), "The person declined: Link it")
      }))

    it.effect(`ELI-15, ELI-20: an address that is none to visit is refused before it is sent, under ${revision}`, () =>
      Effect.gen(function*() {
        for (
          const url of ["not an address", "/path", "javascript:alert(1)", "JavaScript:alert(1)", "file:///etc/passwd"]
        ) {
          const { endpoint } = yield* start(asking(json(Elicitation.url({ message: "?", url }))))
          const played = yield* playTool(endpoint, revision, "ask")
          assert.deepStrictEqual([errorOf(played).code, played.asked], [-32602, []], url)
        }
      }))
  }

  it.effect("ELI-17: the client is told of the end, on the stream of the request or after it, in 2025-11-25 only", () =>
    Effect.gen(function*() {
      const link = { message: "Link it", url: "https://example.com/", elicitationId: "e-1" }
      const go = yield* Deferred.make<void>()
      const later = Effect.andThen(Deferred.await(go), Elicitation.complete("e-2"))
      const handler = Effect.gen(function*() {
        yield* Elicitation.url(link)
        yield* Elicitation.complete("e-1")
        yield* Effect.forkDetach(later)
        return (yield* McpRequest.McpRequest).revision
      })
      const { endpoint } = yield* start(asking(handler))
      const peer = yield* open(endpoint, "2025-11-25", { capabilities: everything })
      const onStream: Array<Json> = []
      yield* peer.call("ask", undefined, {
        onMessage: (message) => {
          if (message._tag === "Request") return peer.reply(JsonRpc.success(message.id, { action: "accept" }))
          onStream.push([message.method, message.params])
          return Effect.void
        }
      })
      assert.deepStrictEqual(onStream, [["notifications/elicitation/complete", { elicitationId: "e-1" }]])
      yield* Deferred.succeed(go, undefined)
      yield* until(() => peer.unasked.length > 0)
      assert.deepStrictEqual(peer.unasked.map(({ method, params }) => [method, params]), [
        ["notifications/elicitation/complete", { elicitationId: "e-2" }]
      ])
      const modern = yield* start(asking(Effect.as(Elicitation.complete("e-1"), "nothing")))
      assert.strictEqual(textOf(yield* playTool(modern.endpoint, "2026-07-28", "ask")), "nothing")
    }))

  it.effect("ERR-12, ELI-18: what has to be visited first is -32042 in 2025-11-25, and a question in 2026-07-28", () =>
    Effect.gen(function*() {
      let isLinked = false
      const handler = Effect.gen(function*() {
        if (isLinked) return "linked"
        yield* Elicitation.urlRequired({ message: "Link it", url: "https://example.com/", elicitationId: "e-1" })
        return isLinked ? "linked now" : "not linked"
      }).pipe(
        Effect.catchTags({
          Declined: () => Effect.succeed("declined"),
          Cancelled: () => Effect.succeed("cancelled")
        })
      )
      const { endpoint } = yield* start(asking(handler))
      const error = errorOf(yield* playTool(endpoint, "2025-11-25", "ask"))
      assert.deepStrictEqual(error, {
        code: -32042,
        message: "Link it",
        data: { elicitations: [{ mode: "url", message: "Link it", url: "https://example.com/", elicitationId: "e-1" }] }
      })
      const undeclared = yield* playTool(endpoint, "2025-11-25", "ask", { capabilities: { elicitation: {} } })
      assert.include(textOf(undeclared), "elicitation.url")
      const visit = () => {
        isLinked = true
        return { action: "accept" }
      }
      assert.strictEqual(textOf(yield* playTool(endpoint, "2026-07-28", "ask", { answer: visit })), "linked")
      isLinked = false
      const declined = yield* playTool(endpoint, "2026-07-28", "ask", { answer: () => ({ action: "decline" }) })
      assert.strictEqual(textOf(declined), "declined")
    }))
})
