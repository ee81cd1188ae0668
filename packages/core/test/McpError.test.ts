import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { check, overTheWire } from "./support/check.ts"

const objects = Schema.Record(Schema.String, Schema.Json)

const common = { message: Schema.String, data: Schema.optionalKey(Schema.Json) }

const reserved = (code: number): boolean => code >= -32768 && code <= -32000

/** Each class with what its instances are made of. */
const classes: ReadonlyArray<readonly [tag: string, codes: string, errors: Arbitrary.Arbitrary<McpError.McpError>]> = [
  ["ParseError", "-32700", Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.ParseError(_))],
  [
    "InvalidRequest",
    "-32600",
    Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.InvalidRequest(_))
  ],
  [
    "MethodNotFound",
    "-32601",
    Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.MethodNotFound(_))
  ],
  [
    "InvalidParams",
    "-32602",
    Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.InvalidParams(_))
  ],
  [
    "InternalError",
    "-32603",
    Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.InternalError(_))
  ],
  [
    "HeaderMismatch",
    "-32020",
    Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.HeaderMismatch(_))
  ],
  [
    "MissingClientCapability",
    "-32021",
    Arbitrary.map(
      Arbitrary.schema(Schema.Struct({ message: Schema.String, requiredCapabilities: objects })),
      (_) => new McpError.MissingClientCapability(_)
    )
  ],
  [
    "UnsupportedProtocolVersion",
    "-32022",
    Arbitrary.map(
      Arbitrary.schema(
        Schema.Struct({ message: Schema.String, supported: Schema.Array(Schema.String), requested: Schema.String })
      ),
      (_) => new McpError.UnsupportedProtocolVersion(_)
    )
  ],
  [
    "ResourceNotFound",
    "-32002",
    Arbitrary.map(Arbitrary.schema(Schema.String), (uri) => new McpError.ResourceNotFound({ uri }))
  ],
  [
    "UrlElicitationRequired",
    "-32042",
    Arbitrary.map(
      Arbitrary.schema(Schema.Struct({ message: Schema.String, elicitations: Schema.Array(objects) })),
      (_) => new McpError.UrlElicitationRequired(_)
    )
  ],
  ["UserRejected", "-1", Arbitrary.map(Arbitrary.schema(Schema.Struct(common)), (_) => new McpError.UserRejected(_))],
  [
    "Application",
    "any other",
    Arbitrary.map(
      Arbitrary.schema(Schema.Struct({ ...common, code: McpError.ApplicationCode })),
      (_) => new McpError.Application(_)
    )
  ],
  [
    "Unrecognized",
    "reserved",
    Arbitrary.map(
      Arbitrary.schema(
        Schema.Struct({ ...common, code: Schema.Int.check(Schema.isBetween({ minimum: -32019, maximum: -32003 })) })
      ),
      (_) => new McpError.Unrecognized(_)
    )
  ]
]

const overWire = (error: McpError.McpError): McpError.ErrorObject =>
  overTheWire(McpError.toErrorObject(error, "legacy")) as McpError.ErrorObject

describe("McpError", () => {
  for (const [tag, codes, errors] of classes) {
    it.effect(`ERR-1..4: ${tag} (${codes}) is the same after the wire`, () =>
      check(errors, (error) => {
        assert.strictEqual(error._tag, tag)
        const object = overWire(error)
        assert.strictEqual(object.code, error.code)
        assert.strictEqual(object.message, error.message)
        const back = McpError.fromErrorObject(object)
        assert.strictEqual(back._tag, error._tag)
        assert.deepStrictEqual(overWire(back), object)
        assert.isTrue(McpError.isMcpError(back))
        // It is an error like any other, and has a JSON-RPC form the parser takes.
        assert.instanceOf(back, Error)
        const text = Result.getOrThrow(JsonRpc.print(JsonRpc.failure(1, object)))
        assert.deepStrictEqual(JsonRpc.parse(text), JsonRpc.failure(1, object))
      }))
  }

  it("the classes are all there are", () => {
    assert.sameMembers(
      classes.map(([tag]) => tag),
      McpError.McpError.members.map((member) => member.fields._tag.schema.literal)
    )
  })

  for (
    const code of [-32768, -32700, -32602, -32099, -32020, -32019, -32002, -32000, -1, 1.5, NaN, Infinity, 2 ** 60]
  ) {
    it(`ERR-9: an application error cannot have the code ${code}`, () => {
      assert.throws(() => new McpError.Application({ code, message: "m" }))
      assert.throws(() => McpError.application(code, Schema.String).make("m", "data"))
    })
  }

  for (const code of [-32769, -31999, -2, 0, 1, 4290, Number.MAX_SAFE_INTEGER]) {
    it(`ERR-9: an application error can have the code ${code}`, () => {
      assert.strictEqual(new McpError.Application({ code, message: "m" }).code, code)
      assert.strictEqual(McpError.fromErrorObject({ code, message: "m" })._tag, "Application")
    })
  }

  it.effect("ERR-6: whatever code a peer sends, nothing of it is lost", () =>
    check(Arbitrary.schema(Schema.Struct({ ...common, code: Schema.Int })), (object) => {
      const error = McpError.fromErrorObject(object)
      assert.deepStrictEqual(overWire(error), overTheWire(object))
      if (reserved(object.code)) assert.notStrictEqual(error._tag, "Application")
    }))

  for (const code of [-32768, -32099, -32050, -32023, -32019, -32004, -32003, -32001, -32000]) {
    it(`ERR-6: ${code} means nothing and is kept verbatim`, () => {
      const object = { code, message: "m", data: { a: [null] } }
      const error = McpError.fromErrorObject(object)
      assert.strictEqual(error._tag, "Unrecognized")
      assert.deepStrictEqual(McpError.toErrorObject(error, "legacy"), object)
    })
  }

  const badData: ReadonlyArray<readonly [code: number, data: unknown]> = [
    [-32021, undefined],
    [-32021, { requiredCapabilities: ["elicitation"] }],
    [-32021, { requiredCapabilities: "elicitation" }],
    [-32022, undefined],
    [-32022, { supported: "2026-07-28", requested: "x" }],
    [-32022, { supported: ["2026-07-28"] }],
    [-32022, { supported: [1], requested: "x" }],
    [-32002, undefined],
    [-32002, { uri: 1 }],
    [-32042, { elicitations: {} }],
    [-32042, null]
  ]
  for (const [code, data] of badData) {
    it(`ERR-3, ERR-4: ${code} with the data ${JSON.stringify(data)} is not understood, and kept`, () => {
      const object = { code, message: "m", ...(data === undefined ? undefined : { data }) }
      const error = McpError.fromErrorObject(object)
      assert.strictEqual(error._tag, "Unrecognized")
      assert.deepStrictEqual(McpError.toErrorObject(error, "legacy"), object)
    })
  }

  it("ERR-3, ERR-4: further data of a known code does not make it unknown", () => {
    const data = { supported: ["2026-07-28"], requested: "x", hint: 1 }
    assert.strictEqual(
      McpError.fromErrorObject({ code: -32022, message: "m", data })._tag,
      "UnsupportedProtocolVersion"
    )
  })

  it("trap 4: the data of -32022 under -32602 does not make it one", () => {
    const data = { supported: ["2024-11-05"], requested: "x" }
    assert.strictEqual(McpError.fromErrorObject({ code: -32602, message: "m", data })._tag, "InvalidParams")
  })

  it("RES-5, ERR-7, ERR-8, ERR-11: an unknown resource has one form in each era", () => {
    const error = new McpError.ResourceNotFound({ uri: "a:b" })
    const message = "Resource not found: a:b"
    assert.deepStrictEqual(McpError.toErrorObject(error), { code: -32602, message, data: { uri: "a:b" } })
    assert.deepStrictEqual(McpError.toErrorObject(error, "legacy"), { code: -32002, message, data: { uri: "a:b" } })
    assert.deepStrictEqual(McpError.fromErrorObject(McpError.toErrorObject(error, "legacy")), error)
  })

  it.effect("ERR-5, ERR-7: whatever is answered, the modern era emits no code it must not", () =>
    check(
      Arbitrary.schema(
        Schema.Struct({
          code: Schema.Int.check(Schema.isBetween({ minimum: -32110, maximum: -31990 })),
          message: Schema.String,
          data: Schema.optionalKey(Schema.Json)
        })
      ),
      (object) => {
        const { code, message } = McpError.toErrorObject(McpError.fromErrorObject(object))
        assert.isFalse(code === -32002 || code === -32042)
        if (code <= -32020 && code >= -32099) assert.include([-32020, -32021, -32022], code)
        if (code !== object.code && code !== -32602) {
          assert.deepStrictEqual({ code, message }, {
            code: -32603,
            message: object.message
          })
        }
      },
      { runs: 500 }
    ))

  it("ERR-7: a legacy error that is passed on keeps its words", () => {
    const error = new McpError.UrlElicitationRequired({ message: "Visit", elicitations: [{ url: "https://a" }] })
    assert.deepStrictEqual(McpError.toErrorObject(error), {
      code: -32603,
      message: "Visit",
      data: { elicitations: [{ url: "https://a" }] }
    })
  })

  it("messageOf finds words for anything", () => {
    assert.strictEqual(McpError.messageOf(new Error("why")), "why")
    assert.strictEqual(McpError.messageOf({ _tag: "Quota" }), "Quota")
    assert.strictEqual(McpError.messageOf({ _tag: "Quota", message: "" }), "Quota")
    assert.strictEqual(McpError.messageOf("text"), "text")
    assert.strictEqual(McpError.messageOf(undefined), "undefined")
  })
})

describe("application", () => {
  const Quota = McpError.application(4290, Schema.Struct({ until: Schema.String }))

  it("ERR-9: both sides share the type of the data", () => {
    const error = Quota.make("Used up", { until: "tomorrow" })
    assert.deepStrictEqual(McpError.toErrorObject(error), {
      code: 4290,
      message: "Used up",
      data: { until: "tomorrow" }
    })
    const back = McpError.fromErrorObject(overWire(error))
    assert.deepStrictEqual(Quota.data(back), Option.some({ until: "tomorrow" }))
  })

  it("another code, another class or other data is none of it", () => {
    const others = [
      new McpError.Application({ code: 4291, message: "m", data: { until: "tomorrow" } }),
      new McpError.Application({ code: 4290, message: "m", data: { until: 1 } }),
      new McpError.Application({ code: 4290, message: "m" }),
      new McpError.InvalidParams({ message: "m", data: { until: "tomorrow" } })
    ]
    for (const other of others) assert.deepStrictEqual(Quota.data(other), Option.none())
  })

  it("data is encoded", () => {
    const Late = McpError.application(1, Schema.toCodecJson(Schema.Struct({ by: Schema.BigInt })))
    const error = Late.make("m", { by: 5n })
    assert.deepStrictEqual(error.data, { by: "5" })
    assert.deepStrictEqual(Late.data(error), Option.some({ by: 5n }))
  })
})

describe("httpStatus", () => {
  const table: ReadonlyArray<readonly [requirements: string, code: number, rejected: number, answered: number]> = [
    ["trap 7", -32700, 400, 200],
    ["trap 7", -32600, 400, 200],
    ["HTTP-19, trap 7", -32601, 404, 404],
    ["META-11, HTTP-20, ERR-17", -32602, 400, 200],
    ["ERR-17", -32603, 500, 200],
    ["ERR-2", -32020, 400, 400],
    ["ERR-3, META-13", -32021, 400, 400],
    ["ERR-4, ERA-2", -32022, 400, 400],
    ["ERR-17", -32001, 400, 200],
    ["ERR-17", 4290, 400, 200]
  ]
  for (const [requirements, code, rejected, answered] of table) {
    it(`${requirements}: ${code} is ${rejected} before a handler, ${answered} from one`, () => {
      assert.strictEqual(McpError.httpStatus({ code, message: "m" }, "rejected"), rejected)
      assert.strictEqual(McpError.httpStatus({ code, message: "m" }, "answered"), answered)
    })
  }
})

describe("McpClientError", () => {
  const reasons: ReadonlyArray<readonly [McpClientError.Reason, message: string]> = [
    [
      new McpClientError.DeadlineExceeded({ method: "tools/call", deadline: 60_000, kind: "idle" }),
      "No answer to tools/call and no progress for 60000 ms"
    ],
    [
      new McpClientError.DeadlineExceeded({ method: "tools/call", deadline: 300_000, kind: "absolute" }),
      "No answer to tools/call within 300000 ms in all"
    ],
    [new McpClientError.ConnectFailed({ message: "spawn npx ENOENT" }), "spawn npx ENOENT"],
    [new McpClientError.TransportClosed({ detail: "exit code 1" }), "The connection is closed: exit code 1"],
    [new McpClientError.StreamEnded({ method: "tools/call" }), "The stream of tools/call ended without an answer"],
    [new McpClientError.UnexpectedStatus({ status: 502, body: "" }), "Unexpected HTTP status 502"],
    [new McpClientError.UnexpectedStatus({ status: 502, body: "Bad" }), "Unexpected HTTP status 502: Bad"],
    [
      new McpClientError.InvalidAnswer({ method: "tools/list", problem: "no tools", raw: {} }),
      "The answer to tools/list is invalid: no tools"
    ],
    [
      new McpClientError.InvalidCall({ method: "tools/call", problem: "a is missing" }),
      "tools/call was not sent: a is missing"
    ],
    [
      new McpClientError.NoCommonRevision({ client: ["2026-07-28"], server: ["2024-11-05", "2025-03-26"] }),
      "No common protocol revision: this client speaks 2026-07-28, the server 2024-11-05, 2025-03-26"
    ],
    [
      new McpClientError.NoCommonRevision({ client: ["2026-07-28"], server: [] }),
      "No common protocol revision: this client speaks 2026-07-28, the server an older one"
    ],
    [
      new McpClientError.NotInRevision({ what: "ping", revision: "2026-07-28" }),
      "ping does not exist in revision 2026-07-28, which the server and this client have settled on"
    ],
    [
      new McpClientError.SessionExpired({ method: "tools/call" }),
      "The server does not know the session of this client any more; tools/call was not repeated"
    ],
    [
      new McpClientError.InputNotGiven({
        method: "tools/call",
        key: "who",
        request: "sampling/createMessage",
        problem: "Not today",
        cause: new McpError.UserRejected({ message: "Not today" })
      }),
      "tools/call was given up, because the server asked for sampling/createMessage (\"who\"), which was not answered: Not today"
    ],
    [
      new McpClientError.LimitExceeded({ limit: "messageBytes", max: 10 }),
      "more than 10 bytes (the limit messageBytes: One JSON-RPC message: an HTTP body or a line on stdio). Limits.layer({ messageBytes: ... }) raises it"
    ]
  ]

  for (const [reason, message] of reasons) {
    it(`${reason._tag}: ${message}`, () => {
      assert.strictEqual(reason.message, message)
      const error = McpClientError.make(reason)
      assert.strictEqual(error.message, message)
      assert.strictEqual(error.reason, reason)
    })
  }

  it("every reason is in the table", () => {
    assert.sameMembers(
      [...new Set(reasons.map(([{ _tag }]) => _tag))],
      McpClientError.Reason.members.map((member) => member.fields._tag.schema.literal)
    )
  })

  it("ERR-10: it has no code, and is no error of the protocol", () => {
    for (const [reason] of reasons) {
      const error = McpClientError.make(reason)
      assert.notProperty(error, "code")
      assert.notProperty(reason, "code")
      assert.isFalse(McpError.isMcpError(error))
    }
  })

  it.effect("a single reason can be caught, and the others go on", () =>
    Effect.gen(function*() {
      const call = (reason: McpClientError.Reason) =>
        Effect.fail(McpClientError.make(reason)).pipe(
          Effect.catchReason("McpClientError", "StreamEnded", ({ method }) => Effect.succeed(`again: ${method}`))
        )
      assert.strictEqual(yield* call(new McpClientError.StreamEnded({ method: "tools/call" })), "again: tools/call")
      const other = yield* Effect.flip(call(new McpClientError.TransportClosed({ detail: "gone" })))
      assert.strictEqual(other.reason._tag, "TransportClosed")
    }))
})
