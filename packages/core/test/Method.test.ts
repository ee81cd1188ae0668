import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

/**
 * Who sends each method in 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28: the client, the server, both,
 * or nobody. Values inside of `inputRequests` are no messages of their own.
 */
const requests: Readonly<Record<string, string>> = {
  "initialize": "client client client client -",
  "ping": "both both both both -",
  "server/discover": "- - - - client",
  "subscriptions/listen": "- - - - client",
  "tools/list": "client client client client client",
  "tools/call": "client client client client client",
  "resources/list": "client client client client client",
  "resources/templates/list": "client client client client client",
  "resources/read": "client client client client client",
  "resources/subscribe": "client client client client -",
  "resources/unsubscribe": "client client client client -",
  "prompts/list": "client client client client client",
  "prompts/get": "client client client client client",
  "completion/complete": "client client client client client",
  "logging/setLevel": "client client client client -",
  "roots/list": "server server server server -",
  "sampling/createMessage": "server server server server -",
  "elicitation/create": "- - server server -"
}

const notifications: Readonly<Record<string, string>> = {
  "notifications/initialized": "client client client client -",
  "notifications/subscriptions/acknowledged": "- - - - server",
  "notifications/tools/list_changed": "server server server server server",
  "notifications/resources/list_changed": "server server server server server",
  "notifications/resources/updated": "server server server server server",
  "notifications/prompts/list_changed": "server server server server server",
  "notifications/message": "server server server server server",
  "notifications/progress": "both both both both server",
  "notifications/cancelled": "both both both both both",
  "notifications/roots/list_changed": "client client client client -",
  "notifications/elicitation/complete": "- - - server -"
}

/** The experimental tasks of 2025-11-25, and the extension that took their place: not of the core. */
const elsewhere = {
  requests: ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"],
  notifications: ["notifications/tasks/status", "notifications/tasks"]
}

/** Requirements that name one of the cells. */
const because: Readonly<Record<string, string>> = {
  "resources/subscribe": "RES-9",
  "resources/unsubscribe": "RES-9",
  "roots/list": "RPC-14",
  "sampling/createMessage": "RPC-14",
  "elicitation/create": "RPC-14",
  "notifications/progress": "PROG-6"
}

const title = (name: string) => because[name] === undefined ? name : `${because[name]}: ${name}`

const sendersOf = (find: (revision: Revision.Revision, sender: Method.Side) => Method.Definition | undefined): string =>
  Revision.all.map((revision) => {
    const client = find(revision, "client") !== undefined
    const server = find(revision, "server") !== undefined
    return client && server ? "both" : client ? "client" : server ? "server" : "-"
  }).join(" ")

describe("the matrix of methods, directions and revisions", () => {
  it("has every method, and no other", () => {
    assert.sameMembers([...Method.core.requests.keys()], Object.keys(requests))
    assert.sameMembers([...Method.core.notifications.keys()], Object.keys(notifications))
  })

  for (const [name, expected] of Object.entries(requests)) {
    it(`${title(name)}: ${expected}`, () => {
      assert.strictEqual(sendersOf((revision, side) => Method.request(Method.core, name, revision, side)), expected)
      assert.strictEqual(
        sendersOf((revision, side) => Method.notification(Method.core, name, revision, side)),
        "- - - - -"
      )
    })
  }

  for (const [name, expected] of Object.entries(notifications)) {
    it(`${title(name)}: ${expected}`, () => {
      assert.strictEqual(
        sendersOf((revision, side) => Method.notification(Method.core, name, revision, side)),
        expected
      )
      assert.strictEqual(sendersOf((revision, side) => Method.request(Method.core, name, revision, side)), "- - - - -")
    })
  }

  for (
    const name of [...elsewhere.requests, ...elsewhere.notifications, "__proto__", "constructor", "", "TOOLS/LIST"]
  ) {
    it(`${JSON.stringify(name)} is not of the core`, () => {
      const find = (revision: Revision.Revision, side: Method.Side) =>
        Method.request(Method.core, name, revision, side) ?? Method.notification(Method.core, name, revision, side)
      assert.strictEqual(sendersOf(find), "- - - - -")
    })
  }

  it("sender and revisions are those of the matrix, taken together", () => {
    for (const definition of [...Method.core.requests.values(), ...Method.core.notifications.values()]) {
      const cells = (requests[definition.name] ?? notifications[definition.name] ?? "").split(" ")
      assert.deepStrictEqual([...definition.revisions], Revision.all.filter((_, index) => cells[index] !== "-"))
      const senders = cells.flatMap((cell) => cell === "both" ? ["client", "server"] : cell === "-" ? [] : [cell])
      assert.sameMembers([...definition.sender], [...new Set(senders)])
    }
  })
})

const those = (predicate: (definition: Method.RequestDefinition) => unknown): Array<string> =>
  [...Method.core.requests.values()].filter(predicate).map(({ name }) => name)

describe("what the table says of requests", () => {
  it("HDR-2: three of them mirror a member of their params", () => {
    assert.deepStrictEqual(
      [...Method.core.requests.values()].flatMap(({ mirroredName, name }) =>
        mirroredName === undefined ? [] : [[name, mirroredName]]
      ),
      [["tools/call", "name"], ["resources/read", "uri"], ["prompts/get", "name"]]
    )
  })

  it("MRTR-2: three of them may be answered with a question", () => {
    assert.deepStrictEqual(those(({ multiRound }) => multiRound), ["tools/call", "resources/read", "prompts/get"])
  })

  it("CACHE-1, trap 17: six of them have cache hints in their answers", () => {
    assert.sameMembers(those(({ cacheable }) => cacheable), [
      "server/discover",
      "tools/list",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "prompts/list"
    ])
  })

  it("all have schemas, of params that take _meta and of results", () => {
    for (const { extension, params, result } of Method.core.requests.values()) {
      assert.isTrue(Schema.isSchema(params))
      assert.isTrue(Schema.isSchema(result))
      assert.isUndefined(extension)
    }
    for (const { extension, params } of Method.core.notifications.values()) {
      assert.isTrue(Schema.isSchema(params))
      assert.isUndefined(extension)
    }
  })

  it("the schemas are those of the method", () => {
    const callTool = Schema.is(Method.toolsCall.params)
    assert.isTrue(callTool({ name: "add" }))
    assert.isFalse(callTool({ uri: "a:b" }))
    assert.isTrue(Schema.is(Method.toolsCall.result)({ content: [] }))
    assert.isFalse(Schema.is(Method.toolsCall.result)({ contents: [] }))
    assert.isTrue(Schema.is(Method.resourceUpdated.params)({ uri: "a:b" }))
    assert.isFalse(Schema.is(Method.resourceUpdated.params)({}))
  })
})

describe("extend", () => {
  const now = Method.defineRequest({
    name: "com.example/now",
    sender: "both",
    revisions: new Set(["2026-07-28"]),
    params: Schema.Struct({}),
    result: Schema.Struct({})
  })

  it("adds methods and leaves the table it was given alone", () => {
    const table = Method.extend(Method.core, [now])
    assert.strictEqual(Method.request(table, now.name, "2026-07-28", "server"), now)
    assert.isUndefined(Method.request(table, now.name, "2025-11-25", "server"))
    assert.strictEqual(table.requests.size, Method.core.requests.size + 1)
    assert.strictEqual(table.notifications.size, Method.core.notifications.size)
    assert.isFalse(Method.core.requests.has(now.name))
  })

  it("a later definition replaces an earlier one", () => {
    const later = { ...now, multiRound: true }
    assert.strictEqual(Method.request(Method.make([now, later]), now.name, "2026-07-28", "client"), later)
  })

  it("a request and a notification of one name are two methods", () => {
    const notification = Method.defineNotification({
      name: now.name,
      sender: "server",
      revisions: new Set(["2026-07-28"]),
      params: Schema.Struct({})
    })
    const table = Method.make([now, notification])
    assert.strictEqual(Method.request(table, now.name, "2026-07-28", "server"), now)
    assert.strictEqual(Method.notification(table, now.name, "2026-07-28", "server"), notification)
    assert.isUndefined(Method.notification(table, now.name, "2026-07-28", "client"))
  })
})
