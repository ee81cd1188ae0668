/**
 * Questions between our client and our server, over every transport and under every revision: one handler asks in a
 * straight line, and nobody can tell how. What it has done before a question is not done again.
 */
import * as EraCache from "@effect-mcp/client/EraCache"
import * as Handlers from "@effect-mcp/client/Handlers"
import * as McpClient from "@effect-mcp/client/McpClient"
import { type ClientTransport, McpTransport } from "@effect-mcp/core/ClientTransport"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Meta from "@effect-mcp/core/Meta"
import * as Revision from "@effect-mcp/core/Revision"
import * as Elicitation from "@effect-mcp/server/Elicitation"
import * as Sampling from "@effect-mcp/server/Sampling"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Plan, question, Ran, somebody } from "./matrix/questions.ts"
import type * as servers from "./matrix/servers.ts"
import { address, ways } from "./matrix/ways.ts"

const isModern = (revision: Revision.Revision): boolean => Revision.era(revision) === "modern"

/** ELI-1. */
const hasForms = (revision: Revision.Revision): boolean => Revision.order(revision, "2025-06-18") >= 0

const folder = { uri: "file:///work", name: "Work" }

const entered = { guest: "Ada", room: "l", nights: 3 }

const declines = "nowhere"

const looksAway = "somewhere"

const written = (text: string) => ({ role: "assistant", content: { type: "text", text }, model: "matrix-1" } as const)

/** Handlers, and what they were shown, in order. */
const person = () => {
  const shown: Array<string> = []
  const show = <A>(text: string, answer: A): Effect.Effect<A> => Effect.sync(() => (shown.push(text), answer))
  const handlers: Handlers.Handlers = {
    elicitation: {
      form: ({ message, requestedSchema }) =>
        show(
          `${message} ${Object.keys(requestedSchema.properties).join()}`,
          message === question(declines)
            ? Handlers.decline
            : message === question(looksAway)
            ? Handlers.cancel
            : Handlers.accept(entered)
        )
    },
    sampling: {
      createMessage: ({ messages }) => {
        const text = messages.map(Sampling.textOf).join()
        return show(text, written(`(${text})`))
      }
    },
    roots: { list: show("roots", [folder]) }
  }
  return { shown, handlers }
}

const plan = (place: string, key: string) => McpClient.McpClient.use((client) => client.call(Plan, { key, place }))

const ran = (key: string) => McpClient.McpClient.use((client) => client.call(Ran, { key }))

let lastKey = 0

/** Of one plan alone, where several have one server. */
const newKey = Effect.sync(() => `plan ${process.pid} ${++lastKey}`)

/** What a plan comes to, what is asked for it, and what runs. */
const expected = (revision: Revision.Revision) => {
  const guest = hasForms(revision) ? entered : somebody
  const asked = [
    ...hasForms(revision) ? [`${question("the sea")} guest,room,nights`] : [],
    "roots",
    `Invite ${guest.guest}`,
    `Shorten: (Invite ${guest.guest})`
  ]
  return {
    result: {
      ...guest,
      number: 1,
      price: 2,
      folders: [folder.uri],
      invitation: `(Shorten: (Invite ${guest.guest}))`
    },
    asked,
    // A question ends a round, and the handler is run from the top.
    ran: { handler: isModern(revision) ? asked.length + 1 : 1, effects: ["number", "price", "sent"] }
  }
}

const connected = (connect: Layer.Layer<McpTransport, unknown>, options: McpClient.Options) =>
  McpClient.layer({ name: "matrix-client", version: "1.0.0" }, options).pipe(
    Layer.provide(connect),
    Layer.provide(EraCache.layerMemory)
  )

for (const { connect, name, revisions } of ways) {
  describe(name, () => {
    for (const revision of revisions) {
      it.live(`${revision}: a form, the roots and the model twice (MRTR-1, MRTR-6, MRTR-8, ELI-3, SAMP-2, ROOT-2)`, () => {
        const { handlers, shown } = person()
        return Effect.gen(function*() {
          const key = yield* newKey
          const wanted = expected(revision)
          assert.deepStrictEqual(yield* plan("the sea", key), wanted.result)
          assert.deepStrictEqual(shown, wanted.asked)
          assert.deepStrictEqual(yield* ran(key), wanted.ran)

          // MRTR-11: each has its own answers, and its own effects.
          const keys = [yield* newKey, yield* newKey, yield* newKey]
          const all = yield* Effect.forEach(keys, (key) => plan("the sea", key), { concurrency: "unbounded" })
          assert.deepStrictEqual(all, keys.map(() => wanted.result))
          for (const key of keys) assert.deepStrictEqual(yield* ran(key), wanted.ran)

          // ELI-11, ELI-25: who does not answer ends the plan, after its first effect.
          if (!hasForms(revision)) return
          const refusal = yield* newKey
          const declined = yield* Effect.flip(plan(declines, refusal))
          assert(declined instanceof Elicitation.Declined)
          assert.strictEqual(declined.question, question(declines))
          assert.instanceOf(yield* Effect.flip(plan(looksAway, refusal)), Elicitation.Cancelled)
          assert.deepStrictEqual((yield* ran(refusal)).effects, ["number", "number"])
        }).pipe(Effect.provide(connected(connect("questions"), { ...handlers, revisions: [revision] })))
      })
    }
  })
}

interface Json {
  readonly [member: string]: any
}

/** Sends a message of the modern era, and gives the answer to it. */
type Send = (message: JsonRpc.Request) => Effect.Effect<JsonRpc.Response>

const answers: Readonly<Record<string, (params: Json) => JsonRpc.JsonObject>> = {
  "elicitation/create": () => ({ action: "accept", content: entered }),
  "roots/list": () => ({ roots: [folder] }),
  "sampling/createMessage": ({ messages }) => written(`(${messages[0].content.text})`)
}

const _meta = {
  [Meta.key.protocolVersion]: Revision.latest,
  [Meta.key.clientInfo]: { name: "matrix-client", version: "1.0.0" },
  [Meta.key.clientCapabilities]: { elicitation: { form: {} }, sampling: {}, roots: {} }
}

/** Makes a plan round by round, and sends each retry twice. Gives the answers to the second ones, and what has run. */
const replayed = Effect.fnUntraced(function*(send: Send) {
  const key = yield* newKey
  let id = 0
  const call = (name: string, args: JsonRpc.JsonObject, more?: JsonRpc.JsonObject) =>
    JsonRpc.request(++id, "tools/call", { name, arguments: args, ...more, _meta })
  const resultOf = (response: JsonRpc.Response): Json => {
    assert(response._tag === "Success", JSON.stringify(response))
    return JsonRpc.resultValue(response)
  }
  const seconds: Array<JsonRpc.Response> = []
  let result = resultOf(yield* send(call(Plan.name, { key, place: "the sea" })))
  while (result.resultType === "input_required") {
    const inputResponses = Object.fromEntries(
      Object.entries<Json>(result.inputRequests).map(([name, { method, params }]) => [name, answers[method]!(params)])
    )
    const retry = call(Plan.name, { key, place: "the sea" }, { inputResponses, requestState: result.requestState })
    result = resultOf(yield* send(retry))
    seconds.push(yield* send(retry))
  }
  assert.deepStrictEqual(result.structuredContent, expected(Revision.latest).result)
  const { structuredContent } = resultOf(yield* send(call(Ran.name, { key })))
  return { seconds, ran: structuredContent }
})

const overTransport = (transport: ClientTransport): Send => (message) =>
  Effect.orDie(transport.send({
    message,
    mirror: {
      protocolVersion: Revision.latest,
      method: message.method,
      name: String(message.params?.name),
      params: []
    },
    onMessage: () => Effect.void
  }))

/** Without any of our clients. */
const byFetch = (url: string): Send => (message) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": Revision.latest,
        "mcp-method": message.method,
        "mcp-name": String(message.params?.name)
      },
      body: Result.getOrThrow(JsonRpc.print(message))
    })
    const text = await response.text()
    // The answer alone, or as the last event.
    const answer = JsonRpc.parse(text.startsWith("{") ? text : text.slice(text.lastIndexOf("data: ") + 6))
    assert(JsonRpc.isResponse(answer), text)
    return answer
  })

/** The ways to send whatever one likes in the modern era. */
const sends: ReadonlyArray<
  readonly [name: string, send: (server: servers.Name) => Effect.Effect<Send, unknown, Scope.Scope>]
> = [
  ...ways.filter(({ revisions }) => revisions.includes(Revision.latest)).map(({ connect, name }) =>
    [
      name,
      (server: servers.Name) =>
        Effect.map(Layer.build(connect(server)), (context) => overTransport(Context.get(context, McpTransport)))
    ] as const
  ),
  ["Streamable HTTP, by fetch", (server) => Effect.map(address("portable", server), byFetch)],
  ["Streamable HTTP of Node, by fetch", (server) => Effect.map(address("ofNode", server), byFetch)]
]

describe("a round that is sent again", () => {
  const { asked } = expected(Revision.latest)

  for (const [name, make] of sends) {
    it.live(`over ${name}: is refused where each state is for one use (MRTR-17)`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { ran, seconds } = yield* replayed(yield* make("questionsOnce"))
        const codes = seconds.map((second) => second._tag === "Failure" ? second.error.code : second._tag)
        assert.deepStrictEqual(codes, asked.map(() => -32602))
        assert.deepStrictEqual(ran, { handler: asked.length + 1, effects: ["number", "price", "sent"] })
      })))

    it.live(`over ${name}: is answered where nobody remembers, and runs what the round before had not (MRTR-18)`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { ran, seconds } = yield* replayed(yield* make("questions"))
        assert.deepStrictEqual(seconds.map(({ _tag }) => _tag), asked.map(() => "Success"))
        assert.deepStrictEqual(ran, {
          handler: 2 * asked.length + 1,
          effects: ["number", "price", "price", "sent", "sent"]
        })
      })))
  }
})
