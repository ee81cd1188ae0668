import * as Extension from "@effect-mcp/core/Extension"
import * as Inbound from "@effect-mcp/core/Inbound"
import * as JsonRpc from "@effect-mcp/core/JsonRpc"
import * as McpError from "@effect-mcp/core/McpError"
import * as Method from "@effect-mcp/core/Method"
import { SubscriptionsListenRequestParams } from "@effect-mcp/core/schema/Subscriptions"
import { decodeOpen } from "@effect-mcp/core/schema/Common"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { check, anyObject } from "./support/check.ts"

/** What the tasks extension will need, under another name. */
const jobsGet = Method.defineRequest({
  name: "com.example/jobs/get",
  sender: "client",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ jobId: Schema.String }),
  result: Schema.Struct({ jobId: Schema.String, status: Schema.Literals(["working", "done"]) }),
  mirroredName: "jobId"
})

const jobChanged = Method.defineNotification({
  name: "notifications/com.example/jobs",
  sender: "server",
  revisions: new Set(["2026-07-28"]),
  params: Schema.Struct({ jobId: Schema.String })
})

const Job = Schema.Struct({ resultType: Schema.Literal("com.example/job"), jobId: Schema.String })

const jobs = Extension.make("com.example/jobs", {
  methods: [jobsGet, jobChanged],
  resultTypes: { "tools/call": { "com.example/job": Job } },
  listenFilter: { jobIds: Schema.Array(Schema.String) },
  serverSettings: Schema.Struct({ maxJobs: Schema.Int }),
  clientSettings: Schema.Struct({ poll: Schema.Boolean })
})

const other = Extension.make("com.example/other", {
  listenFilter: { topics: Schema.Array(Schema.String), all: Schema.Boolean }
})

const onServer = [Extension.forServer(jobs, { maxJobs: 3 }), Extension.forServer(other, {})]

const declaring = (extensions: Record<string, JsonRpc.JsonObject>) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { extensions }
})

describe("make", () => {
  for (
    const id of [
      "jobs",
      "",
      "com.example/",
      "/jobs",
      "com..example/jobs",
      "com.example/jobs/x",
      "1com/jobs",
      "__proto__"
    ]
  ) {
    it(`EXT-2: ${JSON.stringify(id)} is no identifier`, () => {
      assert.throws(() => Extension.make(id, {}), /needs a prefix of your own/)
    })
  }

  for (const id of ["com.example/jobs", "io.modelcontextprotocol/tasks", "com.example/jobs-v2"]) {
    it(`EXT-2: ${id} is one`, () => assert.strictEqual(Extension.make(id, {}).id, id))
  }

  it("EXT-3: its methods are marked as its own, whatever their definitions say", () => {
    assert.deepStrictEqual(jobs.methods, [{ ...jobsGet, extension: "com.example/jobs" }, {
      ...jobChanged,
      extension: "com.example/jobs"
    }])
  })
})

describe("a method of an extension", () => {
  const methods = Method.extend(Method.core, jobs.methods)
  const withJobs = Inbound.make({ revisions: ["2026-07-28", "2025-11-25"], methods })
  const without = Inbound.make({ revisions: ["2026-07-28", "2025-11-25"], methods: Method.core })
  const request = JsonRpc.request(1, "com.example/jobs/get", {
    jobId: "a",
    _meta: declaring({ "com.example/jobs": {} })
  })
  const mirrored = (name: string | undefined): Inbound.Mirrored => (field) =>
    ({ protocolVersion: "2026-07-28", method: "com.example/jobs/get", name })[field as string]

  it("EXT-4: is unknown until the extension is on", () => {
    assert(without(request)._tag === "Rejected")
    const outcome = withJobs(request)
    assert(outcome._tag === "Request")
    assert.strictEqual(outcome.definition.extension, "com.example/jobs")
  })

  it("mirrors its own member as Mcp-Name", () => {
    assert.strictEqual(withJobs(request, mirrored("a"))._tag, "Request")
    for (const name of [undefined, "b"]) {
      const outcome = withJobs(request, mirrored(name))
      assert(outcome._tag === "Rejected")
      assert.strictEqual(outcome.error._tag, "HeaderMismatch")
    }
  })

  it("is not of the revisions it does not name, and not for the other side", () => {
    assert.isUndefined(Method.request(methods, jobsGet.name, "2025-11-25", "client"))
    assert.isUndefined(Method.request(methods, jobsGet.name, "2026-07-28", "server"))
  })

  it("a notification of the server", () => {
    assert.strictEqual(Method.notification(methods, jobChanged.name, "2026-07-28", "server")?.extension, jobs.id)
    assert.isUndefined(Method.notification(methods, jobChanged.name, "2026-07-28", "client"))
  })
})

describe("settings", () => {
  it("EXT-1: are advertised by both sides, each with its own", () => {
    assert.deepStrictEqual(Extension.capabilities(onServer, "modern"), {
      "com.example/jobs": { maxJobs: 3 },
      "com.example/other": {}
    })
    assert.deepStrictEqual(Extension.capabilities([Extension.forClient(jobs, { poll: true })], "modern"), {
      "com.example/jobs": { poll: true }
    })
  })

  it("EXT-6: the legacy era is told of what it can speak", () => {
    // Its methods are of 2026-07-28; the other one has none, and says so in its settings alone.
    assert.deepStrictEqual(Extension.capabilities(onServer, "legacy"), { "com.example/other": {} })
    assert.isUndefined(Extension.capabilities([Extension.forClient(jobs, { poll: true })], "legacy"))
  })

  it("EXT-4: without extensions there is no member at all", () =>
    assert.isUndefined(Extension.capabilities([], "modern")))

  it("EXT-7: settings that do not fit their schema are refused", () => {
    assert.throws(() => Extension.forServer(jobs, { maxJobs: 1.5 }))
  })
})

describe("requireDeclared", () => {
  it("EXT-3: a client that declared the extension passes, with any settings", () => {
    for (const settings of [{}, { poll: true }]) {
      const declared = { extensions: { "com.example/jobs": settings } }
      assert.isTrue(Result.isSuccess(Extension.requireDeclared(jobs.id, declared)))
    }
  })

  const others: ReadonlyArray<object> = [
    {},
    { extensions: {} },
    { extensions: { "com.example/other": {} } },
    { extensions: { "com.example/Jobs": {} } },
    { extensions: { "com.example/jobs": null } },
    { extensions: { "com.example/jobs": false } },
    { tasks: {} },
    { experimental: { "com.example/jobs": {} } },
    { extensions: JSON.parse(`{"__proto__":{"com.example/jobs":{}}}`) }
  ]
  for (const declared of others) {
    it(`META-13: ${JSON.stringify(declared)} does not declare it`, () => {
      const result = Extension.requireDeclared(jobs.id, declared)
      assert(Result.isFailure(result))
      assert.deepStrictEqual(McpError.toErrorObject(result.failure), {
        code: -32021,
        message: "The extension com.example/jobs is not declared in the client capabilities of this request",
        data: { requiredCapabilities: { extensions: { "com.example/jobs": {} } } }
      })
    })
  }

  it("nothing that objects inherit counts", () => {
    for (const id of ["constructor", "__proto__", "toString"]) {
      assert.isTrue(Result.isFailure(Extension.requireDeclared(id, { extensions: {} })))
    }
  })
})

describe("resultSchema", () => {
  it("RPC-11, RPC-13: finds the result of an extension that is on, for its method alone", () => {
    assert.strictEqual(Extension.resultSchema([other, jobs], "tools/call", "com.example/job"), Job)
    assert.isUndefined(Extension.resultSchema([jobs], "prompts/get", "com.example/job"))
    assert.isUndefined(Extension.resultSchema([jobs], "tools/call", "task"))
    assert.isUndefined(Extension.resultSchema([other], "tools/call", "com.example/job"))
    assert.isUndefined(Extension.resultSchema([], "tools/call", "com.example/job"))
  })

  it("RPC-13: names that every object has are none", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      assert.isUndefined(Extension.resultSchema([jobs], "tools/call", name))
      assert.isUndefined(Extension.resultSchema([jobs], name, "name"))
    }
  })

  it("reads the result", () => {
    const schema = Extension.resultSchema([jobs], "tools/call", "com.example/job")
    assert(schema !== undefined)
    const decode = decodeOpen(schema)
    const result = { resultType: "com.example/job", jobId: "a", later: 1 }
    assert.deepStrictEqual(decode(result), Result.succeed(result))
    assert.isTrue(Result.isFailure(decode({ resultType: "com.example/job" })))
  })
})

describe("decodeListenFilter", () => {
  const decoded = (filter: JsonRpc.JsonObject) => Extension.decodeListenFilter(onServer, filter)

  it("SUB-1: gives each extension its members", () => {
    assert.deepStrictEqual(
      decoded({ toolsListChanged: true, jobIds: ["a", "b"], topics: [], all: false }),
      Result.succeed({ "com.example/jobs": { jobIds: ["a", "b"] }, "com.example/other": { topics: [], all: false } })
    )
  })

  it("SUB-2: an extension whose members do not occur is not there", () => {
    assert.deepStrictEqual(decoded({ jobIds: [] }), Result.succeed({ "com.example/jobs": { jobIds: [] } }))
    assert.deepStrictEqual(decoded({ toolsListChanged: true, unknown: 1 }), Result.succeed({}))
    assert.deepStrictEqual(Extension.decodeListenFilter([], { jobIds: ["a"] }), Result.succeed({}))
  })

  it("RPC-21: unknown members inside of a member survive", () => {
    const nested = Extension.make("com.example/nested", { listenFilter: { of: Schema.Struct({ a: Schema.String }) } })
    assert.deepStrictEqual(
      Extension.decodeListenFilter([Extension.forServer(nested, {})], { of: { a: "x", b: 1 } }),
      Result.succeed({ "com.example/nested": { of: { a: "x", b: 1 } } })
    )
  })

  for (const value of [null, "a", ["a", 1], {}]) {
    it(`EXT-7: jobIds of ${JSON.stringify(value)} is -32602, and says whose member it is`, () => {
      const result = decoded({ jobIds: value })
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure.code, -32602)
      assert.match(result.failure.message, /^notifications\.jobIds is not what com\.example\/jobs says: /)
    })
  }

  it.effect("EXT-7: any filter is decoded or refused", () =>
    check(anyObject, (filter) => {
      assert.isTrue(Result.isResult(decoded(filter)))
    }))

  it("the way of a filter from the wire to the gate", () => {
    const read = decodeOpen(SubscriptionsListenRequestParams)({
      notifications: { toolsListChanged: true, jobIds: ["a"] },
      _meta: declaring({})
    })
    assert(Result.isSuccess(read))
    // The protocol's schema does not know the member, and lets it through.
    const filter: JsonRpc.JsonObject = { ...read.success.notifications }
    const members = Result.getOrThrow(decoded(filter))
    const refused = Object.keys(members).filter((id) => Result.isFailure(Extension.requireDeclared(id, {})))
    assert.deepStrictEqual(refused, ["com.example/jobs"])
  })
})
