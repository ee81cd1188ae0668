import * as HeaderValue from "@effect-mcp/core/HeaderValue"
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { anyJson, check } from "./support/check.ts"

const server = (revisions: ReadonlyArray<string>): Inbound.Classifier =>
  Inbound.make({ revisions: Result.getOrThrow(Revision.allowList(revisions)), methods: Method.core })

const servers = {
  dual: server(Revision.all),
  modern: server(["2026-07-28"]),
  legacy: server(["2025-11-25", "2025-06-18"])
}

type Server = keyof typeof servers

const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}
const futureVersion = { ...modern, "io.modelcontextprotocol/protocolVersion": "2099-01-01" }
const legacyVersion = { ...modern, "io.modelcontextprotocol/protocolVersion": "2025-11-25" }
const numericVersion = { ...modern, "io.modelcontextprotocol/protocolVersion": 1 }
const withoutCapabilities = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
const wrongLevel = { ...modern, "io.modelcontextprotocol/logLevel": "loud" }

const request = (method: string, meta?: object, params?: object, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(meta === undefined && params === undefined ? {} : { params: { ...params, ...(meta && { _meta: meta }) } })
})

interface Headers {
  readonly version?: string
  readonly method?: string
  readonly name?: string
}

const mirroredBy = ({ method, name, version }: Headers): Inbound.Mirrored => (field) =>
  field === "protocolVersion" ? version : field === "method" ? method : field === "name" ? name : undefined

/** An outcome in one line: what decides is the tag; a rejection has its code, status and id, or says that none is sent. */
const summary = (outcome: Inbound.Outcome): string => {
  switch (outcome._tag) {
    case "Request":
      return `Request ${outcome.definition.name} ${outcome.revision} ${JSON.stringify(outcome.id)}`
    case "Notification":
      return `Notification ${outcome.notification.method}`
    case "Cancel":
      return `Cancel ${JSON.stringify(outcome.requestId)}`
    case "Legacy":
      return `Legacy ${outcome.message._tag} ${outcome.mirroredVersion ?? "-"}`
    case "Rejected": {
      const { code } = McpError.toErrorObject(outcome.error)
      return `${code} ${Inbound.httpStatus(outcome)} ${
        outcome.answer ? JSON.stringify(outcome.id) ?? "no id" : "silent"
      }`
    }
  }
}

const classify = (name: Server, text: string, mirrored?: Inbound.Mirrored): string =>
  summary(servers[name](JsonRpc.parse(text), mirrored))

describe("stdio (3a)", () => {
  const lines: ReadonlyArray<readonly [title: string, Server, line: unknown, expected: string]> = [
    // 1. Parse
    ["ERR-1: unparseable", "dual", "{", "-32700 400 no id"],
    ["ERR-1: structurally wrong", "dual", {}, "-32600 400 no id"],
    ["ERR-1: structurally wrong, with its id", "dual", { id: 7, method: "ping" }, "-32600 400 7"],
    ["RPC-8: a malformed response is not answered", "dual", { jsonrpc: "2.0", id: 7, result: 1 }, "-32600 400 silent"],
    ["case 22: an id of null", "dual", request("ping", undefined, undefined, null), "-32600 400 no id"],

    // 2. The key makes it modern
    ["ERA-6: a modern request", "dual", request("tools/list", modern), "Request tools/list 2026-07-28 1"],
    [
      "RPC-5: the id keeps its type",
      "dual",
      request("tools/list", modern, {}, "1"),
      `Request tools/list 2026-07-28 "1"`
    ],
    ["RPC-5: the id 0", "dual", request("tools/list", modern, {}, 0), "Request tools/list 2026-07-28 0"],
    ["RPC-5: the empty id", "dual", request("tools/list", modern, {}, ""), `Request tools/list 2026-07-28 ""`],
    [
      "trap 1: initialize with the key is an unknown modern method",
      "dual",
      request("initialize", modern),
      "-32601 404 1"
    ],
    ["trap 1: ping with the key", "dual", request("ping", modern), "-32601 404 1"],
    ["RES-9: resources/subscribe with the key", "dual", request("resources/subscribe", modern), "-32601 404 1"],
    ["RPC-14: a request of the server", "dual", request("roots/list", modern), "-32601 404 1"],
    ["an unknown method", "dual", request("nope", modern), "-32601 404 1"],
    ["an unknown method like an inherited member", "dual", request("constructor", modern), "-32601 404 1"],
    ["a notification sent as a request", "dual", request("notifications/progress", modern), "-32601 404 1"],
    ["EXT-4: methods of extensions that are off", "dual", request("tasks/get", modern), "-32601 404 1"],

    // 3. Without the key
    [
      "ERA-6: initialize",
      "dual",
      request("initialize", undefined, { protocolVersion: "2025-11-25" }),
      "Legacy Request -"
    ],
    ["ERA-6: any other request", "dual", request("tools/list"), "Legacy Request -"],
    ["ERA-6: a request with other _meta", "dual", request("tools/list", { progressToken: 1 }), "Legacy Request -"],
    ["trap 1: server/discover does not make it modern", "dual", request("server/discover"), "Legacy Request -"],
    ["3a: a batch", "dual", [request("ping")], "Legacy Batch -"],
    ["RPC-15: a response", "dual", { jsonrpc: "2.0", id: 1, result: {} }, "Legacy Success -"],
    ["RPC-15: an error", "dual", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }, "Legacy Failure -"],
    ["ERA-18: initialize of a modern server names what it serves", "modern", request("initialize"), "-32022 400 1"],
    ["META-11: other requests of a modern server", "modern", request("tools/list"), "-32602 400 1"],
    ["META-11: params without _meta", "modern", request("tools/list", undefined, { cursor: "a" }), "-32602 400 1"],
    ["RPC-18: a batch for a modern server", "modern", [request("tools/list", modern)], "-32600 400 no id"],
    ["RPC-14: a response to a modern server", "modern", { jsonrpc: "2.0", id: 1, result: {} }, "-32600 400 silent"],

    // 4. The modern envelope
    ["META-11: no capabilities", "dual", request("tools/list", withoutCapabilities), "-32602 400 1"],
    [
      "META-11: a version that is a number is modern, and wrong",
      "dual",
      request("tools/list", numericVersion),
      "-32602 400 1"
    ],
    ["LOG-7: an unknown level", "dual", request("tools/list", wrongLevel), "-32602 400 1"],
    ["META-11: even for an unknown method", "dual", request("nope", withoutCapabilities), "-32602 400 1"],
    ["ERA-2: an unknown version", "dual", request("tools/list", futureVersion), "-32022 400 1"],
    ["ERA-2: server/discover too", "dual", request("server/discover", futureVersion), "-32022 400 1"],
    ["ERA-2: initialize too", "dual", request("initialize", futureVersion), "-32022 400 1"],
    ["ERA-22: a legacy version needs its handshake", "dual", request("tools/list", legacyVersion), "-32022 400 1"],
    ["ERA-2: a modern version that is switched off", "legacy", request("tools/list", modern), "-32022 400 1"],
    [
      "3a: the fields come before the version",
      "dual",
      request("tools/list", { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
      "-32602 400 1"
    ],

    // Notifications have no era
    [
      "a notification",
      "dual",
      { jsonrpc: "2.0", method: "notifications/initialized" },
      "Notification notifications/initialized"
    ],
    [
      "CAN-1: a cancellation",
      "dual",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } },
      `Cancel "a"`
    ],
    [
      "CAN-1: a cancellation of 0",
      "modern",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0, reason: 1 } },
      "Cancel 0"
    ],
    ...[{}, { requestId: null }, { requestId: 1.5 }, { requestId: {} }, { requestId: 2 ** 60 }].map((params) =>
      [
        `CAN-5: a cancellation of ${JSON.stringify(params)}, for nobody`,
        "dual",
        { jsonrpc: "2.0", method: "notifications/cancelled", params },
        "Notification notifications/cancelled"
      ] as const
    )
  ]

  for (const [title, name, line, expected] of lines) {
    it(`${title}: ${expected}`, () => {
      assert.strictEqual(classify(name, typeof line === "string" ? line : JSON.stringify(line)), expected)
    })
  }

  it("ERA-2: -32022 says what is served, newest first, and what was asked for", () => {
    const outcome = servers.dual(JsonRpc.fromUnknown(request("tools/list", futureVersion)))
    assert(outcome._tag === "Rejected" && outcome.error._tag === "UnsupportedProtocolVersion")
    assert.deepStrictEqual(outcome.error.supported, Revision.all.toReversed())
    assert.strictEqual(outcome.error.requested, "2099-01-01")
  })

  it("ERA-18: initialize is told what is served, and what it asked for", () => {
    const outcome = servers.modern(
      JsonRpc.fromUnknown(request("initialize", undefined, { protocolVersion: "2025-11-25" }))
    )
    assert(outcome._tag === "Rejected" && outcome.error._tag === "UnsupportedProtocolVersion")
    assert.deepStrictEqual(outcome.error.supported, ["2026-07-28"])
    assert.strictEqual(outcome.error.requested, "2025-11-25")
  })

  it("a request comes with what its _meta says, and a cancellation with its reason", () => {
    const outcome = servers.dual(
      JsonRpc.fromUnknown(request("tools/call", { ...modern, progressToken: 0 }, { name: "add" }))
    )
    assert(outcome._tag === "Request")
    assert.strictEqual(outcome.definition, Method.toolsCall)
    assert.strictEqual(outcome.meta.progressToken, 0)
    assert.strictEqual(outcome.params.name, "add")
    assert.deepStrictEqual(
      servers.dual(JsonRpc.notification("notifications/cancelled", { requestId: 1, reason: "r" })),
      { _tag: "Cancel", requestId: 1, reason: "r" }
    )
  })
})

describe("HTTP (3a)", () => {
  const call = request("tools/call", modern, { name: "add" })
  const headers = { version: "2026-07-28", method: "tools/call", name: "add" }
  const encoded = (name: string) => HeaderValue.encode(name)

  const rows: ReadonlyArray<
    readonly [title: string, Server, body: unknown, Headers | Record<string, never>, expected: string]
  > = [
    // The key is there
    ["equal: the modern path", "dual", call, headers, "Request tools/call 2026-07-28 1"],
    ["HTTP-17: another version in the header", "dual", call, { ...headers, version: "2025-11-25" }, "-32020 400 1"],
    ["HDR-8: no version in the header", "dual", call, { method: "tools/call", name: "add" }, "-32020 400 1"],
    ["HDR-8: an empty version in the header", "dual", call, { ...headers, version: "" }, "-32020 400 1"],
    ["META-11: no capabilities", "dual", request("tools/list", withoutCapabilities), {
      ...headers,
      method: "tools/list"
    }, "-32602 400 1"],
    ["META-11: no capabilities and no other header", "dual", request("tools/list", withoutCapabilities), {
      version: "2026-07-28"
    }, "-32602 400 1"],
    [
      "trap 1: a version that is a number, any header",
      "dual",
      request("tools/list", numericVersion),
      { version: "1" },
      "-32602 400 1"
    ],
    [
      "trap 1: a version that is a number, a modern header",
      "dual",
      request("tools/list", numericVersion),
      headers,
      "-32602 400 1"
    ],
    [
      "trap 1: a version that is a number, no header",
      "dual",
      request("tools/list", numericVersion),
      {},
      "-32602 400 1"
    ],

    // It is not
    ["trap 5: a modern header, no _meta", "dual", request("tools/list"), {
      version: "2026-07-28",
      method: "tools/list"
    }, "-32602 400 1"],
    ["trap 1: a modern header, initialize", "dual", request("initialize"), { version: "2026-07-28" }, "-32602 400 1"],
    [
      "trap 1: a modern header, _meta without the key",
      "dual",
      request("tools/list", { progressToken: 1 }),
      headers,
      "-32602 400 1"
    ],
    ["ERA-6: no header, initialize", "dual", request("initialize"), {}, "Legacy Request -"],
    [
      "ERA-6: a legacy header, initialize",
      "dual",
      request("initialize"),
      { version: "2025-11-25" },
      "Legacy Request 2025-11-25"
    ],
    ["3a: no header, another method", "dual", request("tools/list"), {}, "Legacy Request -"],
    [
      "3a: a legacy header, another method",
      "dual",
      request("tools/list"),
      { version: "2025-03-26" },
      "Legacy Request 2025-03-26"
    ],
    ["3a: an unknown header is for the legacy side to refuse", "dual", request("tools/list"), {
      version: "2099-01-01"
    }, "Legacy Request 2099-01-01"],
    [
      "3a: a batch, with its version",
      "dual",
      [request("ping")],
      { version: "2025-03-26" },
      "Legacy Batch 2025-03-26"
    ],
    [
      "3a: a response, with its version",
      "dual",
      { jsonrpc: "2.0", id: 1, result: {} },
      { version: "2025-06-18" },
      "Legacy Success 2025-06-18"
    ],

    // Nothing older is served
    ["ERA-18, ERA-19: initialize, no header", "modern", request("initialize"), {}, "-32022 400 1"],
    ["ERA-20: no header, another method", "modern", request("tools/list"), {}, "-32020 400 1"],
    ["ERA-2: a legacy header", "modern", request("tools/list"), { version: "2025-11-25" }, "-32022 400 1"],
    ["ERA-2: an unknown header", "modern", request("tools/list"), { version: "2099-01-01" }, "-32022 400 1"],
    ["META-11: a modern header", "modern", request("tools/list"), { version: "2026-07-28" }, "-32602 400 1"],
    ["RPC-18: a batch", "modern", [call], headers, "-32600 400 no id"],
    ["RPC-14: a response", "modern", { jsonrpc: "2.0", id: 1, result: {} }, headers, "-32600 400 silent"],

    // The order of the modern path
    ["trap 5: header and body differ, and the body is not served", "dual", request("tools/list", futureVersion), {
      version: "2026-07-28"
    }, "-32020 400 1"],
    ["trap 5: header and body agree, and are not served", "dual", request("tools/list", futureVersion), {
      version: "2099-01-01"
    }, "-32022 400 1"],
    [
      "3a: the version comes before the other fields",
      "dual",
      request("tools/list", { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
      { version: "2099-01-01" },
      "-32022 400 1"
    ],
    [
      "ERA-22: both say a legacy version",
      "dual",
      request("tools/list", legacyVersion),
      { version: "2025-11-25" },
      "-32022 400 1"
    ],
    ["3a: the fields come before the method header", "dual", request("tools/list", wrongLevel), {
      version: "2026-07-28"
    }, "-32602 400 1"],
    ["HDR-1, HDR-8: no method header", "dual", call, { version: "2026-07-28", name: "add" }, "-32020 400 1"],
    ["HDR-8: another method", "dual", call, { ...headers, method: "tools/list" }, "-32020 400 1"],
    ["HDR-7: a method in another case", "dual", call, { ...headers, method: "Tools/Call" }, "-32020 400 1"],
    ["HDR-2, HDR-8: no name header", "dual", call, { version: "2026-07-28", method: "tools/call" }, "-32020 400 1"],
    ["HDR-8: another name", "dual", call, { ...headers, name: "sub" }, "-32020 400 1"],
    ["HDR-7: a name in another case", "dual", call, { ...headers, name: "ADD" }, "-32020 400 1"],
    ["3a: headers come before an unknown method", "dual", request("nope", modern), {
      version: "2026-07-28",
      method: "nope2"
    }, "-32020 400 1"],
    [
      "HTTP-19, trap 5: an unknown method",
      "dual",
      request("nope", modern),
      { version: "2026-07-28", method: "nope" },
      "-32601 404 1"
    ],
    ["trap 1: initialize with the key", "dual", request("initialize", modern), {
      version: "2026-07-28",
      method: "initialize"
    }, "-32601 404 1"],
    ["HDR-2: no other method has a name", "dual", request("tools/list", modern), {
      version: "2026-07-28",
      method: "tools/list"
    }, "Request tools/list 2026-07-28 1"],
    [
      "3a: params come after the headers, and are not looked at here",
      "dual",
      request("tools/call", modern, { name: 1 }),
      { version: "2026-07-28", method: "tools/call" },
      "Request tools/call 2026-07-28 1"
    ],

    // Encoded names
    ["HDR-2: prompts/get", "dual", request("prompts/get", modern, { name: "p" }), {
      version: "2026-07-28",
      method: "prompts/get",
      name: "q"
    }, "-32020 400 1"],
    ["HDR-2: resources/read has its uri", "dual", request("resources/read", modern, { uri: "a:b" }), {
      version: "2026-07-28",
      method: "resources/read",
      name: "a:b"
    }, "Request resources/read 2026-07-28 1"],
    ["HDR-6, case 52: an encoded name is decoded first", "dual", request("resources/read", modern, { uri: "a:ü" }), {
      version: "2026-07-28",
      method: "resources/read",
      name: encoded("a:ü")
    }, "Request resources/read 2026-07-28 1"],
    [
      "HDR-6: a plain name may be encoded",
      "dual",
      call,
      { ...headers, name: "=?base64?YWRk?=" },
      "Request tools/call 2026-07-28 1"
    ],
    ["HDR-6: an encoded name that differs", "dual", call, { ...headers, name: "=?base64?c3Vi?=" }, "-32020 400 1"],
    ["HDR-6: bad base64", "dual", call, { ...headers, name: "=?base64?YWRk=?=" }, "-32020 400 1"],
    ["HDR-5, case 52: a name like the sentinel", "dual", request("tools/call", modern, { name: "=?base64?YWRk?=" }), {
      ...headers,
      name: encoded("=?base64?YWRk?=")
    }, "Request tools/call 2026-07-28 1"],
    ["B7: encoded twice", "dual", call, { ...headers, name: encoded(encoded("=?base64?YWRk?=")) }, "-32020 400 1"],
    ["HDR-8: a control character", "dual", call, { ...headers, name: "a\u0001dd" }, "-32020 400 1"],

    // The body comes first
    ["ERR-1: no JSON, whatever the headers", "dual", "{", headers, "-32700 400 no id"],
    ["case 29: 42", "modern", 42, headers, "-32600 400 no id"],
    ["a notification, whatever the headers", "modern", { jsonrpc: "2.0", method: "a" }, {}, "Notification a"]
  ]

  for (const [title, name, body, mirrored, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      const text = typeof body === "string" ? body : JSON.stringify(body)
      assert.strictEqual(classify(name, text, mirroredBy(mirrored)), expected)
    })
  }

  it("trap 5: every rejection of a request carries its id, of its own type", () => {
    for (const id of [0, "", "7", -1]) {
      for (const [, name, body, mirrored, expected] of rows) {
        if (!JsonRpc.isJsonObject(body) || !("method" in body) || !("id" in body) || !/^-32\d/.test(expected)) continue
        const outcome = servers[name](JsonRpc.fromUnknown({ ...body, id }), mirroredBy(mirrored))
        assert(outcome._tag === "Rejected")
        assert.strictEqual(outcome.id, id)
      }
    }
  })
})

describe("totality", () => {
  const names = Schema.Literals(["dual", "modern", "legacy"])
  const text = Schema.String
  const version = Schema.Union([Schema.Literals([...Revision.all, "2099-01-01", ""]), text])
  const header = Schema.UndefinedOr(Schema.Union([version, Schema.Literals(["tools/call", "add"]), text]))

  /** Messages that are nearly right. */
  const plausible = Arbitrary.schema(Schema.Struct({
    jsonrpc: Schema.optionalKey(Schema.Union([Schema.Literal("2.0"), Schema.Json])),
    id: Schema.optionalKey(Schema.Union([Schema.Int, text, Schema.Json])),
    method: Schema.optionalKey(
      Schema.Union([Schema.Literals([...Method.core.requests.keys(), "notifications/cancelled", "nope"]), Schema.Json])
    ),
    params: Schema.optionalKey(Schema.Union([
      Schema.Struct({
        name: Schema.optionalKey(Schema.Json),
        uri: Schema.optionalKey(Schema.Json),
        requestId: Schema.optionalKey(Schema.Json),
        protocolVersion: Schema.optionalKey(Schema.Json),
        _meta: Schema.optionalKey(Schema.Union([
          Schema.Struct({
            "io.modelcontextprotocol/protocolVersion": Schema.optionalKey(Schema.Union([version, Schema.Json])),
            "io.modelcontextprotocol/clientCapabilities": Schema.optionalKey(
              Schema.Union([Schema.Struct({}), Schema.Json])
            ),
            "io.modelcontextprotocol/logLevel": Schema.optionalKey(Schema.Json),
            progressToken: Schema.optionalKey(Schema.Json)
          }),
          Schema.Json
        ]))
      }),
      Schema.Json
    ])),
    result: Schema.optionalKey(Schema.Json),
    error: Schema.optionalKey(Schema.Json)
  }))

  const mirrors = Arbitrary.map(
    Arbitrary.schema(Schema.UndefinedOr(Schema.Struct({ protocolVersion: header, method: header, name: header }))),
    (values): Inbound.Mirrored | undefined =>
      values && ((field) => field === "protocolVersion" || field === "method" || field === "name" ? values[field] : "x")
  )

  const verify = (message: JsonRpc.Parsed, name: Server, mirrored: Inbound.Mirrored | undefined) => {
    const outcome = servers[name](message, mirrored)
    switch (outcome._tag) {
      case "Request":
        // META-9, ERA-2: what passes has all that the modern era asks for.
        assert(message._tag === "Request")
        assert.strictEqual(outcome.revision, outcome.meta.protocolVersion)
        assert.strictEqual(Revision.era(outcome.revision), "modern")
        assert.notStrictEqual(name, "legacy")
        assert.isTrue(outcome.definition.sentBy.client.has(outcome.revision))
        assert.strictEqual(outcome.id, message.id)
        if (mirrored !== undefined) assert.strictEqual(mirrored("protocolVersion"), outcome.revision)
        return
      case "Legacy":
        return assert.notStrictEqual(name, "modern")
      case "Notification":
      case "Cancel":
        return assert.strictEqual(message._tag, "Notification")
      case "Rejected": {
        const status = Inbound.httpStatus(outcome)
        assert.include([400, 404], status)
        const { code } = McpError.toErrorObject(outcome.error)
        assert.include([-32700, -32600, -32601, -32602, -32020, -32022], code)
        assert.strictEqual(status === 404, code === -32601)
        if (message._tag === "Request") assert.deepStrictEqual([outcome.id, outcome.answer], [message.id, true])
        if (message._tag === "Success" || message._tag === "Failure") assert.isFalse(outcome.answer)
        // ERR-2: only where something is mirrored.
        if (mirrored === undefined) assert.notStrictEqual(code, -32020)
        return
      }
    }
  }

  it.effect("any JSON value has one outcome", () =>
    check(
      Arbitrary.all([anyJson, mirrors, Arbitrary.schema(names)]),
      ([json, mirrored, name]) => verify(JsonRpc.fromUnknown(json), name, mirrored),
      { runs: 300 }
    ))

  it.effect("any text has one outcome", () =>
    check(
      Arbitrary.all([Arbitrary.schema(text), mirrors, Arbitrary.schema(names)]),
      ([line, mirrored, name]) => verify(JsonRpc.parse(line), name, mirrored)
    ))

  it.effect("any message that is nearly right has one outcome", () =>
    check(
      Arbitrary.all([plausible, mirrors, Arbitrary.schema(names)]),
      ([message, mirrored, name]) => verify(JsonRpc.fromUnknown(message), name, mirrored),
      { runs: 1_000 }
    ))

  it.effect("trap 1: on stdio the body alone decides the era of a request", () =>
    check(plausible, (value) => {
      const message = JsonRpc.fromUnknown(value)
      if (message._tag !== "Request") return
      const meta = message.params?._meta
      const isModern = JsonRpc.isJsonObject(meta) && Object.hasOwn(meta, "io.modelcontextprotocol/protocolVersion")
      assert.strictEqual(servers.dual(message)._tag !== "Legacy", isModern)
    }, { runs: 500 }))
})
