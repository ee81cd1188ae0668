import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as Projection from "@effect-mcp/core/Projection"
import type * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { check, overTheWire } from "./support/check.ts"
import * as complete from "./support/completeMessages.ts"
import { definitionOf, legacy, methodsOf, official, resultDefinitionOf } from "./support/officialRevisions.ts"

const object = (u: unknown): JsonRpc.JsonObject => {
  assert(JsonRpc.isJsonObject(u))
  return u
}

/** What a sender must not send under a revision, because there is no older form of it. */
const canBeSent = (revision: Revision.Revision, method: string, params: JsonRpc.JsonObject): boolean =>
  method === "elicitation/create"
    ? params.mode !== "url" || revision === "2025-11-25"
    : method !== "notifications/cancelled" || params.requestId !== undefined || revision === "2025-11-25"

const message = (kind: "request" | "notification", method: string, params: unknown) =>
  kind === "request" ? { jsonrpc: "2.0", id: 1, method, params } : { jsonrpc: "2.0", method, params }

const sent = (revision: Revision.Revision, method: string, params: JsonRpc.JsonObject) =>
  overTheWire(Projection.params(revision, method)(params))

const answered = (revision: Revision.Revision, method: string, result: JsonRpc.JsonObject) =>
  overTheWire(Projection.result(revision, method)(result))

const requirements = "TOOL-4, TOOL-13, TOOL-15, RES-2, RES-13, PROMPT-1, META-19, INIT-11..13, ICON-1, trap 14, trap 19"

/** Every message of a revision with every member, as it is sent, and the definition that it has to follow. */
const everyMessage = (revision: Revision.Revision) => {
  const { notifications, requests } = methodsOf(revision)
  const sending = [...requests, ...notifications].flatMap(({ kind, name }) => {
    const examples = kind === "request" ? complete.requests[name]?.params : complete.notifications[name]
    assert(examples !== undefined, `no params of ${name}`)
    const sendable = examples.filter((params) => canBeSent(revision, name, params))
    assert.isNotEmpty(sendable, `no params of ${name}`)
    return sendable.map((params) =>
      [definitionOf(revision, name), message(kind, name, sent(revision, name, params))] as const
    )
  })
  const answering = requests.flatMap(({ name }) => {
    const examples = complete.requests[name]?.results ?? []
    assert.isNotEmpty(examples, `no results of ${name}`)
    return examples.map((result) => [resultDefinitionOf(name), answered(revision, name, result)] as const)
  })
  const errors = complete.errors.flatMap((error) => {
    const projected = Projection.error(revision, error)
    const object = overTheWire({ jsonrpc: "2.0", id: 1, error: projected })
    const definition = revision === "2025-11-25" ? "JSONRPCErrorResponse" : "JSONRPCError"
    return projected.code === -32042
      ? [[definition, object], ["URLElicitationRequiredError", object]] as const
      : [[definition, object]] as const
  })
  return [...sending, ...answering, ...errors]
}

/** Members of the envelope, of definitions that only others are made of, and of the tasks of 2025-11-25. */
const elsewhere = new RegExp(
  [
    "^(Annotated|BaseMetadata|Icons|JSONRPC\\w+|Notification|Paginated\\w+|Request|ResourceContents|Result)/",
    "^(RelatedTask|Task(?!Metadata)|ResourceRequestParams|\\w*Tasks?(Payload)?(Request|Result)\\/)",
    "/(jsonrpc|id|method)$"
  ].join("|")
)

for (const revision of legacy) {
  describe(revision, () => {
    const { members, met, validate, validateClosed } = official(revision)
    const { notifications, requests } = methodsOf(revision)

    it(`every message is valid, and no member is there that the schema does not name (${requirements})`, () => {
      for (const [definition, value] of everyMessage(revision)) {
        assert.isUndefined(validate(definition, value), definition)
        assert.isUndefined(validateClosed(definition, value), definition)
      }
    })

    it(`no member is left out that the schema names (${requirements})`, () => {
      for (const [definition, value] of everyMessage(revision)) validateClosed(definition, value)
      assert.deepStrictEqual(members.filter((member) => !met.has(member) && !elsewhere.test(member)), [])
    })

    it("a message that is changed was not what the schema names", () => {
      for (const { kind, name } of [...requests, ...notifications]) {
        const examples = kind === "request" ? complete.requests[name]?.params : complete.notifications[name]
        for (const params of examples ?? []) {
          const { _meta: _, ...own } = params
          const projected = object(sent(revision, name, own))
          if (JSON.stringify(projected) === JSON.stringify(own)) continue
          assert.isString(validateClosed(definitionOf(revision, name), message(kind, name, own)), name)
        }
      }
    })

    for (const { kind, name, params } of [...requests, ...notifications]) {
      it.effect(`any params of ${name} are valid by the official schema`, () =>
        check(
          Arbitrary.schema(params),
          (value) => {
            const made = object(overTheWire(value))
            if (!canBeSent(revision, name, made)) return
            // It is for the server to make up an id.
            const params = made.mode === "url" ? { elicitationId: "e1", ...made } : made
            const sending = message(kind, name, sent(revision, name, params))
            assert.isUndefined(validate(definitionOf(revision, name), sending))
          },
          { runs: 40, size: 4 }
        ))
    }

    for (const { name, result } of requests) {
      it.effect(`any result of ${name} is valid by the official schema`, () =>
        check(
          Arbitrary.schema(result),
          (value) => {
            const answer = answered(revision, name, object(overTheWire(value)))
            assert.isUndefined(validate(resultDefinitionOf(name), answer))
          },
          { runs: 40, size: 4 }
        ))
    }
  })
}
