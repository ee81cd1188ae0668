import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { anyJson, anyObject, check, overTheWire } from "./support/check.ts"

const parsed = (text: string): unknown => {
  const message = JsonRpc.parse(text)
  return message._tag === "Malformed" ? malformed(message) : message
}

const malformed = ({ answer, error, id }: JsonRpc.Malformed) => ({
  code: error.code,
  ...(id === undefined ? undefined : { id }),
  ...(answer ? undefined : { answer })
})

const ping = (id: JsonRpc.Id) => JsonRpc.request(id, "ping")

/** Each text with what it is: a message, or the error that answers it. */
const envelopes: ReadonlyArray<readonly [title: string, text: string, expected: unknown]> = [
  // Requests and their ids
  ["RPC-2: a number is an id", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, ping(7)],
  ["RPC-5, case 20: a string id keeps its type", `{"jsonrpc":"2.0","id":"7","method":"ping"}`, ping("7")],
  ["case 19: 0 is an id", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, ping(0)],
  ["case 19: the empty string is an id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, ping("")],
  ["B4: __proto__ is an id", `{"jsonrpc":"2.0","id":"__proto__","method":"ping"}`, ping("__proto__")],
  ["a negative id", `{"jsonrpc":"2.0","id":-1,"method":"ping"}`, ping(-1)],
  ["an id written with a fraction of zero", `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, ping(1)],
  ["the largest id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, ping(9007199254740991)],
  ["B4, case 23: 2^53 is none", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, { code: -32600 }],
  ["B4, case 23: 2^53 + 1 is none", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, { code: -32600 }],
  ["B5, case 23: a fraction is no id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, { code: -32600 }],
  ["B5, case 22: null is no id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, { code: -32600 }],
  ["B5: an object is no id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, { code: -32600 }],
  ["an array is no id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, { code: -32600 }],
  ["a boolean is no id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, { code: -32600 }],
  ["an infinite number is no id", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, { code: -32600 }],
  ["B4: of two ids the last counts", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, ping(2)],
  ["B4: of two methods the last counts", `{"jsonrpc":"2.0","id":1,"method":"a","method":"ping"}`, ping(1)],

  // The version
  ["case 25: no version", `{"id":1,"method":"ping"}`, { code: -32600, id: 1 }],
  ["case 25: another version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, { code: -32600, id: "a" }],
  ["RPC-1: a version that is a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, { code: -32600, id: 1 }],
  ["B4: another case", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, { code: -32600, id: 1 }],
  ["no version and no id", `{"method":"ping"}`, { code: -32600 }],
  ["a response of another version", `{"jsonrpc":"1.0","id":1,"result":{}}`, { code: -32600, id: 1, answer: false }],

  // The method
  ["no method", `{"jsonrpc":"2.0","id":1}`, { code: -32600, id: 1 }],
  ["B4: a method in another case", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, { code: -32600, id: 1 }],
  ["a method that is a number", `{"jsonrpc":"2.0","id":1,"method":1}`, { code: -32600, id: 1 }],
  ["a method that is null", `{"jsonrpc":"2.0","id":1,"method":null}`, { code: -32600, id: 1 }],
  ["an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, JsonRpc.request(1, "")],
  [
    "a method like an inherited member",
    `{"jsonrpc":"2.0","id":1,"method":"__proto__"}`,
    JsonRpc.request(1, "__proto__")
  ],
  [
    "B4: a method that is only inherited",
    `{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}`,
    { code: -32600, id: 1 }
  ],

  // The params
  [
    "RPC-1: params are an object",
    `{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":1}}`,
    JsonRpc.request(1, "a", { b: 1 })
  ],
  ["case 28: params that are null are none", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, ping(1)],
  ["RPC-1: params that are an array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, { code: -32600, id: 1 }],
  ["params that are text", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"{}"}`, { code: -32600, id: 1 }],

  // Notifications
  ["RPC-8: without an id it is a notification", `{"jsonrpc":"2.0","method":"a"}`, JsonRpc.notification("a")],
  ["a notification with params", `{"jsonrpc":"2.0","method":"a","params":{}}`, JsonRpc.notification("a", {})],
  ["a notification with an array", `{"jsonrpc":"2.0","method":"a","params":[1]}`, { code: -32600, answer: false }],

  // Responses
  ["RPC-6: a result", `{"jsonrpc":"2.0","id":1,"result":{"a":null}}`, JsonRpc.success(1, { a: null })],
  [
    "RPC-7: an error",
    `{"jsonrpc":"2.0","id":"1","error":{"code":-1,"message":"m"}}`,
    JsonRpc.failure("1", { code: -1, message: "m" })
  ],
  [
    "RPC-7: the data of an error may be null",
    `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":null}}`,
    JsonRpc.failure(1, { code: 1, message: "m", data: null })
  ],
  [
    "RPC-5: an error may lack its id",
    `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`,
    JsonRpc.failure(undefined, { code: 1, message: "m" })
  ],
  [
    "RPC-5: or have null for it",
    `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
    JsonRpc.failure(undefined, { code: 1, message: "m" })
  ],
  ["an error with a fraction for an id", `{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}`, {
    code: -32600,
    answer: false
  }],
  ["a result without an id", `{"jsonrpc":"2.0","result":{}}`, { code: -32600, answer: false }],
  ["a result with null for an id", `{"jsonrpc":"2.0","id":null,"result":{}}`, { code: -32600, answer: false }],
  [
    "B5, RPC-6: both result and error",
    `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`,
    { code: -32600, id: 1, answer: false }
  ],
  ["RPC-6: an error of null is an error", `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, {
    code: -32600,
    id: 1,
    answer: false
  }],
  ["a result that is null", `{"jsonrpc":"2.0","id":1,"result":null}`, { code: -32600, id: 1, answer: false }],
  ["a result that is an array", `{"jsonrpc":"2.0","id":1,"result":[]}`, { code: -32600, id: 1, answer: false }],
  ["RPC-7: a code with a fraction", `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`, {
    code: -32600,
    id: 1,
    answer: false
  }],
  ["RPC-7: a code beyond 2^53", `{"jsonrpc":"2.0","id":1,"error":{"code":1e300,"message":"m"}}`, {
    code: -32600,
    id: 1,
    answer: false
  }],
  ["RPC-7: no message", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, { code: -32600, id: 1, answer: false }],
  ["an error that is text", `{"jsonrpc":"2.0","id":1,"error":"m"}`, { code: -32600, id: 1, answer: false }],

  // No message at all
  ["case 29: 42", "42", { code: -32600 }],
  ["case 29: text", `"x"`, { code: -32600 }],
  ["case 29: an empty object", "{}", { code: -32600 }],
  ["null", "null", { code: -32600 }],
  ["ERR-1: nothing", "", { code: -32700 }],
  ["ERR-1: half an object", `{"jsonrpc":"2.0"`, { code: -32700 }],
  ["B4: NaN", `{"jsonrpc":"2.0","id":NaN,"method":"ping"}`, { code: -32700 }],
  ["B4: a byte order mark", `\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}`, { code: -32700 }],
  ["two messages without an array", `{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"a"}`, { code: -32700 }],
  ["B5: an empty batch", "[]", { code: -32600 }]
]

describe("parse", () => {
  for (const [title, text, expected] of envelopes) {
    it(title, () => assert.deepStrictEqual(parsed(text), expected))
  }

  it("case 23: a long id is kept whole", () => {
    const id = "x".repeat(10_240)
    assert.deepStrictEqual(JsonRpc.parse(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`), ping(id))
  })

  it("B5: a batch has each of its messages, and each of its faults", () => {
    const batch = JsonRpc.parse(`[{"jsonrpc":"2.0","id":1,"method":"ping"},42,[],{"jsonrpc":"2.0","method":"a"}]`)
    assert(batch._tag === "Batch")
    assert.deepStrictEqual(
      batch.items.map(JsonRpc.fromItem).map((message) => message._tag === "Malformed" ? malformed(message) : message),
      [ping(1), { code: -32600 }, { code: -32600 }, JsonRpc.notification("a")]
    )
  })

  it("B5: a batch of 10,000", () => {
    const batch = JsonRpc.fromUnknown(
      Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
    )
    assert(batch._tag === "Batch")
    assert.lengthOf(batch.items, 10_000)
  })

  it("B5: what is in a batch is not looked at before somebody wants it", () => {
    const items = "1,".repeat(1_000_000) + "1"
    const batch = JsonRpc.parse(`[${items}]`)
    assert(batch._tag === "Batch")
    // The very values of the text: nothing was made of them.
    assert.strictEqual(batch.items[999_999], 1)
  })

  it("RPC-8: a notification is not answered, though its params be wrong", () => {
    for (const members of [`"params":[1]`, `"params":"x"`]) {
      const message = JsonRpc.parse(`{"jsonrpc":"2.0","method":"notifications/a",${members}}`)
      assert(message._tag === "Malformed", members)
      assert.isFalse(message.answer, members)
    }
  })

  it("no member outside of the protocol is read", () => {
    const extra = { _tag: "Success", tag: "x", payload: 1, headers: { a: "b" }, sessionId: "s", traceId: "t" }
    const cases: ReadonlyArray<readonly [object, JsonRpc.Message]> = [
      [{ id: 1, method: "ping", result: {}, error: {} }, ping(1)],
      [{ method: "a", error: {} }, JsonRpc.notification("a")],
      [{ id: 1, result: {}, params: {} }, JsonRpc.success(1, {})],
      [{ id: 1, error: { code: 1, message: "m", stack: "s" } }, JsonRpc.failure(1, { code: 1, message: "m" })]
    ]
    for (const [members, expected] of cases) {
      assert.deepStrictEqual(JsonRpc.fromUnknown({ ...extra, jsonrpc: "2.0", ...members }), expected)
    }
  })

  it.effect("E: any JSON value and any text is one message, batch or fault", () =>
    check(Arbitrary.all([anyJson, Arbitrary.schema(Schema.String)]), ([json, text]) => {
      for (const parsed of [JsonRpc.fromUnknown(json), JsonRpc.parse(text), JsonRpc.parse(JSON.stringify(json))]) {
        assert.include(["Request", "Notification", "Success", "Failure", "Batch", "Malformed"], parsed._tag)
      }
    }))
})

const id = Schema.Union([Schema.String, Schema.Int])
const object = Schema.Record(Schema.String, Schema.Json)
const error = Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Json) })

const messages = Arbitrary.map(
  Arbitrary.all({
    kind: Arbitrary.schema(Schema.Literals(["Request", "Notification", "Success", "Failure"])),
    id: Arbitrary.schema(id),
    method: Arbitrary.schema(Schema.String),
    params: Arbitrary.schema(Schema.UndefinedOr(object)),
    result: anyObject,
    error: Arbitrary.schema(error)
  }),
  ({ error, id, kind, method, params, result }): JsonRpc.Message => {
    switch (kind) {
      case "Request":
        return JsonRpc.request(id, method, params)
      case "Notification":
        return JsonRpc.notification(method, params)
      case "Success":
        return JsonRpc.success(id, result)
      case "Failure":
        return JsonRpc.failure(id, error)
    }
  }
)

const printed = (message: JsonRpc.Message): string => Result.getOrThrow(JsonRpc.print(message))

const cyclic = () => {
  const result: Record<string, unknown> = {}
  result["self"] = result
  return result
}

const unprintable: ReadonlyArray<readonly [string, JsonRpc.JsonObject | JsonRpc.Prepared]> = [
  ["a cycle", cyclic()],
  ["a bigint", { size: 1n }],
  ["a toJSON that leaves nothing", { toJSON: () => undefined }],
  ["a toJSON that throws", {
    toJSON: () => {
      throw new Error("no")
    }
  }],
  ["a prepared cycle", new JsonRpc.Prepared(cyclic())]
]

describe("print", () => {
  it.effect("RPC-5, E: what is printed is parsed as the same message, on one line", () =>
    check(messages, (message) => {
      const text = printed(message)
      assert.notInclude(text, "\n")
      // Of -0 JSON keeps 0.
      assert.equal(JSON.stringify(JsonRpc.parse(text)), JSON.stringify(message))
      assert.deepInclude(overTheWire(JSON.parse(text)) as object, { jsonrpc: "2.0" })
    }, { runs: 300 }))

  it("members that are not there are not printed", () => {
    assert.strictEqual(printed(ping(0)), `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
    assert.strictEqual(printed(JsonRpc.notification("a")), `{"jsonrpc":"2.0","method":"a"}`)
    assert.strictEqual(printed(JsonRpc.success("", {})), `{"jsonrpc":"2.0","id":"","result":{}}`)
    assert.strictEqual(
      printed(JsonRpc.failure(undefined, { code: 1, message: "m" })),
      `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`
    )
  })

  it("B4, RPC-9: half of a surrogate pair survives, and the text is valid UTF-8", () => {
    const text = printed(JsonRpc.success("\ud800", { "\udc00": "\ud83d" }))
    assert.match(text, /^[\x20-\x7e]*$/)
    assert.deepStrictEqual(JsonRpc.parse(text), JsonRpc.success("\ud800", { "\udc00": "\ud83d" }))
  })

  for (const [title, result] of unprintable) {
    it(`case 62: ${title} is a failure`, () => {
      const message = JsonRpc.success(1, result)
      const printed = JsonRpc.print(message)
      assert(Result.isFailure(printed))
      assert.strictEqual(printed.failure.message, message)
    })

    it(`case 62: ${title} is answered with -32603, and reported`, () => {
      const reported: Array<JsonRpc.Unprintable> = []
      const text = JsonRpc.printResponse(JsonRpc.success("a", result), (unprintable) => reported.push(unprintable))
      assert.deepStrictEqual(JSON.parse(text), {
        jsonrpc: "2.0",
        id: "a",
        error: { code: -32603, message: "The result could not be written" }
      })
      assert.lengthOf(reported, 1)
      assert.isDefined(reported[0]?.cause)
    })
  }

  it("an error whose data has no text is answered with -32603 too", () => {
    const reported: Array<JsonRpc.Unprintable> = []
    const response = JsonRpc.failure(1, { code: 4290, message: "m", data: 1n })
    const text = JsonRpc.printResponse(response, (unprintable) => reported.push(unprintable))
    assert.strictEqual(JSON.parse(text).error.code, -32603)
    assert.lengthOf(reported, 1)
  })

  it("what can be printed is not reported", () => {
    const text = JsonRpc.printResponse(JsonRpc.success(1, { a: 1 }), () => assert.fail("reported"))
    assert.strictEqual(text, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
  })

  it("a prepared result is printed once, and its value is at hand", () => {
    let times = 0
    const prepared = new JsonRpc.Prepared({ list: { toJSON: () => ++times } })
    assert.strictEqual(times, 0)
    assert.strictEqual(printed(JsonRpc.success(1, prepared)), `{"jsonrpc":"2.0","id":1,"result":{"list":1}}`)
    assert.strictEqual(printed(JsonRpc.success("b", prepared)), `{"jsonrpc":"2.0","id":"b","result":{"list":1}}`)
    assert.strictEqual(prepared.text, `{"list":1}`)
    assert.strictEqual(times, 1)
    assert.strictEqual(JsonRpc.resultValue(JsonRpc.success(1, prepared)), prepared.value)
    assert.deepStrictEqual(JsonRpc.resultValue(JsonRpc.success(1, { a: 1 })), { a: 1 })
  })

  it("isResponse tells answers from everything else", () => {
    assert.isTrue(JsonRpc.isResponse(JsonRpc.success(1, {})))
    assert.isTrue(JsonRpc.isResponse(JsonRpc.failure(1, { code: 1, message: "m" })))
    for (const text of [`{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":"a"}`, "[]", "42"]) {
      assert.isFalse(JsonRpc.isResponse(JsonRpc.parse(text)))
    }
  })
})
