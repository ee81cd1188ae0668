/** The client's side of era negotiation: which question follows upon which answer, on each kind of transport. */
import * as McpClientError from "@effect-mcp/core/McpClientError"
import * as McpError from "@effect-mcp/core/McpError"
import * as Revision from "@effect-mcp/core/Revision"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as EraCache from "../../src/EraCache.ts"
import type * as McpClient from "../../src/McpClient.ts"
import * as Negotiation from "../../src/Negotiation.ts"
import * as Scripted from "../support/scripted.ts"

const status = (status: number, body = "") => McpClientError.make(new McpClientError.UnexpectedStatus({ status, body }))
const closed = McpClientError.make(new McpClientError.TransportClosed({ detail: "it has ended" }))
const refused = McpClientError.make(new McpClientError.ConnectFailed({ message: "nobody there" }))
const invalid = McpClientError.make(
  new McpClientError.InvalidAnswer({ method: "server/discover", problem: "it is HTML", raw: "<html>" })
)
const unsupported = (supported: ReadonlyArray<string>) =>
  new McpError.UnsupportedProtocolVersion({ message: "no", supported, requested: "2026-07-28" })

/** What a server answers to the probe, and to what it is offered. */
interface Peer {
  readonly discover: Scripted.Reply
  readonly initialize?: ((offered: string) => Scripted.Reply) | undefined
}

const script = ({ discover, initialize }: Peer): Scripted.Script => (request, params) => {
  switch (request.message.method) {
    case "server/discover":
      return discover
    case "initialize":
      return initialize === undefined
        ? Scripted.initialized(params.protocolVersion)
        : initialize(String(params.protocolVersion))
    default:
      return { tools: [] }
  }
}

/** Connects, while the clock goes on for those who wait. */
const negotiate = <const O extends McpClient.Options<unknown>>(
  transport: Scripted.Scripted,
  options?: O,
  eras?: EraCache.Store
) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.exit(Scripted.connect(transport, options, eras)))
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(fiber)
  })

const said = (exit: Exit.Exit<unknown, { readonly message: string }>): string =>
  Exit.isFailure(exit)
    ? exit.cause.reasons.map((reason) => reason._tag === "Fail" ? reason.error.message : reason._tag).join()
    : "connected"

const handshake = ["opened 2025-11-25", "notifications/initialized", "initialized"]
const fallback = ["server/discover", "initialize", ...handshake]

const cases: ReadonlyArray<{
  readonly name: string
  readonly kinds: ReadonlyArray<"stdio" | "http">
  readonly peer: Peer
  readonly log: ReadonlyArray<string>
  /** The revision, or what the error says. */
  readonly end: Revision.Revision | RegExp
}> = [
  {
    name: "ERA-8: a DiscoverResult with a common version stays modern",
    kinds: ["stdio", "http"],
    peer: { discover: Scripted.discovered },
    log: ["server/discover"],
    end: "2026-07-28"
  },
  {
    name: "ERA-22: a DiscoverResult whose only common version is a legacy one runs initialize with it",
    kinds: ["stdio", "http"],
    peer: { discover: { ...Scripted.discovered, supportedVersions: ["2031-01-01", "2025-06-18", "2024-11-05"] } },
    log: [
      "server/discover",
      "initialize",
      "opened 2025-06-18",
      "notifications/initialized",
      "initialized"
    ],
    end: "2025-06-18"
  },
  {
    name: "a DiscoverResult without a common version fails",
    kinds: ["stdio", "http"],
    peer: { discover: { ...Scripted.discovered, supportedVersions: ["2031-01-01"] } },
    log: ["server/discover"],
    end: /^No common protocol revision: .*, the server 2031-01-01$/
  },
  {
    name: "ERA-3, ERA-9: -32022 that names a legacy version only runs initialize with it",
    kinds: ["stdio", "http"],
    peer: { discover: unsupported(["2025-03-26", "2024-11-05"]) },
    log: [
      "server/discover",
      "initialize",
      "opened 2025-03-26",
      "notifications/initialized",
      "initialized"
    ],
    end: "2025-03-26"
  },
  {
    name: "ERA-9, trap 2: -32022 without a common version is no reason for initialize",
    kinds: ["stdio", "http"],
    peer: { discover: unsupported(["2031-01-01"]) },
    log: ["server/discover"],
    end: /^No common protocol revision: .*, the server 2031-01-01$/
  },
  {
    name: "ERA-9, trap 2: -32022 without usable data is no reason for initialize",
    kinds: ["stdio", "http"],
    peer: { discover: new McpError.Unrecognized({ code: -32022, message: "no", data: { supported: 1 } }) },
    log: ["server/discover"],
    end: /^no$/
  },
  {
    name: "-32022 is understood without `requested`",
    kinds: ["stdio"],
    peer: { discover: new McpError.Unrecognized({ code: -32022, message: "no", data: { supported: ["2025-11-25"] } }) },
    log: fallback,
    end: "2025-11-25"
  },
  {
    name: "ERA-13, trap 2: -32020 is an error of a modern server",
    kinds: ["stdio", "http"],
    peer: { discover: new McpError.HeaderMismatch({ message: "differs" }) },
    log: ["server/discover"],
    end: /^differs$/
  },
  {
    name: "ERA-13, trap 2: -32021 is an error of a modern server",
    kinds: ["stdio", "http"],
    peer: { discover: new McpError.MissingClientCapability({ message: "needs roots", requiredCapabilities: {} }) },
    log: ["server/discover"],
    end: /^needs roots$/
  },
  ...([
    ["-32601", new McpError.MethodNotFound({ message: "?" })],
    ["-32600", new McpError.InvalidRequest({ message: "not initialized" })],
    ["-32603", new McpError.InternalError({ message: "oops" })],
    ["-32000", new McpError.Unrecognized({ code: -32000, message: "Server not initialized" })],
    ["ERR-16: -32001 of drafts, trap 3", new McpError.Unrecognized({ code: -32001, message: "mismatch" })],
    ["ERR-16: -32004 of drafts, trap 3", new McpError.Unrecognized({ code: -32004, message: "unsupported" })],
    ["an application's code", new McpError.Application({ code: 7, message: "no" })],
    [
      "INIT-15, trap 4: -32602 with versions",
      new McpError.InvalidParams({ message: "Unsupported", data: { supported: ["2024-11-05"], requested: "x" } })
    ],
    ["a result that is none", {}],
    ["no answer of the protocol", invalid]
  ] as const).map(([what, discover]) => ({
    name: `ERA-10, ERA-11, trap 2: ${what} leads to initialize`,
    kinds: ["stdio", "http"] as const,
    peer: { discover },
    log: fallback,
    end: "2025-11-25" as const
  })),
  ...[400, 404, 405, 406, 415, 422].map((code) => ({
    name: `ERA-13, ERA-14, trap 2: HTTP ${code} without an error of the protocol leads to initialize`,
    kinds: ["http"] as const,
    peer: { discover: status(code, "<html>") },
    log: fallback,
    end: "2025-11-25" as const
  })),
  ...[401, 403, 408, 429, 500, 502, 503].map((code) => ({
    name: `trap 2: HTTP ${code} says nothing about the era`,
    kinds: ["http"] as const,
    peer: { discover: status(code) },
    log: ["server/discover"],
    end: new RegExp(`^Unexpected HTTP status ${code}$`)
  })),
  {
    name: "trap 2: a failure of the network says nothing about the era",
    kinds: ["http", "stdio"],
    peer: { discover: refused },
    log: ["server/discover"],
    end: /^nobody there$/
  },
  {
    name: "trap 2: a connection that closes over HTTP says nothing about the era",
    kinds: ["http"],
    peer: { discover: closed },
    log: ["server/discover"],
    end: /^The connection is closed/
  },
  {
    name: "ERA-10, F19: silence on stdio leads to initialize",
    kinds: ["stdio"],
    peer: { discover: Effect.never },
    log: fallback,
    end: "2025-11-25"
  },
  {
    name: "HTTP silence is an outage",
    kinds: ["http"],
    peer: { discover: Effect.never },
    log: ["server/discover"],
    end: /^No answer to server\/discover/
  },
  {
    name: "ERA-10, case 34: a process that ends is started again for initialize",
    kinds: ["stdio"],
    peer: { discover: closed },
    log: ["server/discover", "reconnect", "initialize", ...handshake],
    end: "2025-11-25"
  },
  {
    name: "ERA-3: a version the server names for initialize is offered once",
    kinds: ["stdio", "http"],
    peer: {
      discover: new McpError.MethodNotFound({ message: "?" }),
      initialize: (offered) =>
        offered === "2025-03-26"
          ? Scripted.initialized(offered)
          : new McpError.InvalidParams({ message: "no", data: { supported: ["2025-03-26"], requested: offered } })
    },
    log: [
      "server/discover",
      "initialize",
      "initialize",
      "opened 2025-03-26",
      "notifications/initialized",
      "initialized"
    ],
    end: "2025-03-26"
  },
  {
    name: "INIT-3: another allowed version than the one that was offered is taken",
    kinds: ["stdio", "http"],
    peer: {
      discover: new McpError.MethodNotFound({ message: "?" }),
      initialize: () => Scripted.initialized("2025-06-18")
    },
    log: ["server/discover", "initialize", "opened 2025-06-18", "notifications/initialized", "initialized"],
    end: "2025-06-18"
  },
  ...["2023-01-01", "2026-07-28", 7].map((version) => ({
    name: `INIT-4: the answer ${version} to initialize is no revision to go on with`,
    kinds: ["stdio", "http"] as const,
    peer: {
      discover: new McpError.MethodNotFound({ message: "?" }),
      initialize: () => Scripted.initialized(version)
    },
    log: ["server/discover", "initialize"],
    end: typeof version === "string"
      ? new RegExp(`^No common protocol revision: .*, the server ${version}`)
      : /^The answer to initialize is invalid/
  })),
  {
    name: "ERA-17: a server that understands nothing is one of no known revision, and the error says what was tried",
    kinds: ["stdio"],
    peer: {
      discover: new McpError.MethodNotFound({ message: "what?" }),
      initialize: () => new McpError.MethodNotFound({ message: "who?" })
    },
    log: ["server/discover", "initialize"],
    end: new RegExp(
      "^No common protocol revision: .*\\. " +
        "Tried: server/discover 2026-07-28: what\\? \\(-32601\\); initialize 2025-11-25: who\\? \\(-32601\\)$"
    )
  },
  {
    name: "an error of initialize that means something is passed on",
    kinds: ["stdio", "http"],
    peer: {
      discover: new McpError.MethodNotFound({ message: "?" }),
      initialize: () => new McpError.Application({ code: 4290, message: "Quota used up" })
    },
    log: ["server/discover", "initialize"],
    end: /^Quota used up$/
  },
  {
    name: "an outage during initialize is reported, with what was tried",
    kinds: ["http"],
    peer: { discover: status(400), initialize: () => status(503) },
    log: ["server/discover", "initialize"],
    end: /^Unexpected HTTP status 503\. Tried: server\/discover 2026-07-28: Unexpected HTTP status 400; initialize /
  }
]

describe("which question follows upon which answer", () => {
  for (const { end, kinds, log, name, peer } of cases) {
    for (const kind of kinds) {
      it.effect(`${name} (${kind})`, () =>
        Effect.gen(function*() {
          const transport = Scripted.make(script(peer), { kind })
          const exit = yield* negotiate(transport)
          assert.deepStrictEqual(transport.log, log)
          if (end instanceof RegExp) return assert.match(said(exit), end)
          assert.strictEqual(said(exit), "connected")
          if (!Exit.isSuccess(exit)) return
          const { negotiation, server } = exit.value
          assert.strictEqual(server.revision, end)
          assert.strictEqual(negotiation.revision, end)
          assert.strictEqual(negotiation.era, Revision.era(end))
        }))
    }
  }
})

describe("the handshake", () => {
  it.effect("INIT-1, INIT-2, INIT-6: offers the newest revision, says who it is, and confirms", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script({ discover: new McpError.MethodNotFound({ message: "?" }) }))
      const client = yield* Scripted.connect(transport, { sendClientInfo: false })
      const [, initialize] = transport.sent
      assert.deepStrictEqual(initialize?.message.params, {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1.2.3" }
      })
      assert.deepStrictEqual(initialize?.mirror, {
        protocolVersion: undefined,
        method: undefined,
        name: undefined,
        params: []
      })
      assert.deepStrictEqual(transport.notified.map(({ method }) => method), ["notifications/initialized"])
      assert.deepStrictEqual(client.server, {
        revision: "2025-11-25",
        supportedVersions: ["2025-11-25"],
        capabilities: { tools: {} },
        info: { name: "old", version: "0" },
        instructions: "Be patient"
      })
    }))

  it.effect("RPC-4, trap 22: the id of the probe is not used again", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script({ discover: Effect.never }))
      const exit = yield* negotiate(transport)
      if (Exit.isSuccess(exit)) yield* exit.value.listTools()
      assert.deepStrictEqual(transport.sent.map(({ message }) => message.id), [1, 2, 3])
      assert.deepStrictEqual(transport.cancelled, [1])
    }))

  it.effect("INIT-10, case 35: a client that gives up initialize sends nothing more", () =>
    Effect.gen(function*() {
      const silent = script({
        discover: new McpError.MethodNotFound({ message: "?" }),
        initialize: () => Effect.never
      })
      const late = Scripted.make(silent)
      assert.match(said(yield* negotiate(late)), /^No answer to initialize/)
      assert.deepStrictEqual(late.log, ["server/discover", "initialize"])

      const left = Scripted.make(silent)
      const fiber = yield* Effect.forkChild(Scripted.connect(left))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(left.log, ["server/discover", "initialize"])
    }))

  it.effect("case 34: a process that answers the probe and then ends is started again", () =>
    Effect.gen(function*() {
      let isUp = true
      const transport = Scripted.make(
        script({
          discover: Effect.suspend(() => {
            isUp = false
            return Effect.fail(new McpError.InvalidRequest({ message: "not initialized" }))
          }),
          initialize: (offered) => isUp ? Scripted.initialized(offered) : closed
        }),
        { kind: "stdio", reconnect: Effect.sync(() => void (isUp = true)) }
      )
      yield* Scripted.connect(transport)
      assert.deepStrictEqual(transport.log, [
        "server/discover",
        "initialize",
        "reconnect",
        "initialize",
        ...handshake
      ])
    }))

  it.effect("case 34: a process that always ends is started again once", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script({ discover: closed, initialize: () => closed }), { kind: "stdio" })
      assert.match(said(yield* negotiate(transport)), /^The connection is closed: it has ended\. Tried: /)
      assert.deepStrictEqual(transport.log, ["server/discover", "reconnect", "initialize"])
    }))

  it.effect("CAN-8: discoverTimeout bounds the probe, and then the handshake", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script({ discover: Effect.never, initialize: () => Effect.never }))
      const fiber = yield* Effect.forkChild(Effect.flip(Scripted.connect(transport)))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(transport.log, ["server/discover", "initialize"])
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("10 seconds")
      assert.match((yield* Fiber.join(fiber)).message, /^No answer to initialize and no progress for 10000 ms/)
    }))
})

describe("HTTP+SSE", () => {
  const older = (
    initialize: (offered: string) => Scripted.Reply,
    connected: Effect.Effect<void, McpClientError.McpClientError>
  ) => {
    let isOlder = false
    const transport = Scripted.make(
      script({
        discover: status(405),
        initialize: (offered) => isOlder ? Scripted.initialized(offered) : initialize(offered)
      }),
      { kind: "http", older: Effect.tap(connected, () => Effect.sync(() => void (isOlder = true))) }
    )
    return transport
  }
  const steps = ["server/discover", "initialize", "older", "initialize", "opened 2024-11-05"]

  for (const code of [400, 404, 405]) {
    it.effect(`ERA-15, LHTTP-30: after ${code} to initialize too, the older transport is tried`, () =>
      Effect.gen(function*() {
        const transport = older(() => status(code), Effect.void)
        const client = yield* Scripted.connect(transport)
        assert.deepStrictEqual(transport.log, [...steps, "notifications/initialized", "initialized"])
        assert.deepStrictEqual(client.negotiation.attempts.map(({ step }) => step), [
          "server/discover",
          "initialize",
          "HTTP+SSE",
          "initialize"
        ])
        assert.strictEqual(transport.sent.at(-1)?.message.params?.protocolVersion, "2024-11-05")
      }))
  }

  it.effect("ERA-15: an error without a status is told by its code", () =>
    Effect.gen(function*() {
      const some = older(() => new McpError.Unrecognized({ code: -32000, message: "Bad Request" }), Effect.void)
      yield* Scripted.connect(some)
      assert.deepStrictEqual(some.log.slice(0, 5), steps)
      const other = older(() => new McpError.InternalError({ message: "oops" }), Effect.void)
      assert.strictEqual((yield* Effect.flip(Scripted.connect(other))).message, "oops")
      assert.deepStrictEqual(other.steps, [])
    }))

  it.effect("ERA-15: where it is not there either, the error of initialize is reported", () =>
    Effect.gen(function*() {
      const transport = older(() => status(404), Effect.fail(status(404, "no stream")))
      assert.match(
        (yield* Effect.flip(Scripted.connect(transport))).message,
        /^Unexpected HTTP status 404\. Tried: .*HTTP\+SSE/
      )
      const down = older(() => status(404), Effect.fail(status(401)))
      assert.match((yield* Effect.flip(Scripted.connect(down))).message, /^Unexpected HTTP status 401/)
    }))

  it.effect("ERA-15: it is not tried where 2024-11-05 is not allowed", () =>
    Effect.gen(function*() {
      const transport = older(() => status(404), Effect.void)
      yield* Effect.flip(Scripted.connect(transport, { revisions: ["2026-07-28", "2025-11-25"] }))
      assert.deepStrictEqual(transport.log, ["server/discover", "initialize"])
    }))
})

describe("preferences", () => {
  const both: Peer = { discover: Scripted.discovered }

  it.effect("`legacy` skips the probe", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script(both))
      const client = yield* Scripted.connect(transport, { prefer: "legacy" })
      assert.deepStrictEqual(transport.log, ["initialize", ...handshake])
      assert.strictEqual(client.server.revision, "2025-11-25")
    }))

  it.effect("a revision is what is offered", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script(both))
      const client = yield* Scripted.connect(transport, { prefer: "2025-03-26" })
      assert.strictEqual(client.server.revision, "2025-03-26")
      const modern = yield* Scripted.connect(Scripted.make(script(both)), { prefer: "2026-07-28" })
      assert.strictEqual(modern.server.revision, "2026-07-28")
    }))

  it.effect("`legacy` goes on to a server of the modern era alone", () =>
    Effect.gen(function*() {
      for (
        const refusal of [
          unsupported(["2026-07-28"]),
          new McpError.MethodNotFound({ message: "?" }),
          status(400)
        ]
      ) {
        const transport = Scripted.make(script({ ...both, initialize: () => refusal }), { kind: "http" })
        const client = yield* Scripted.connect(transport, { prefer: "legacy" })
        assert.deepStrictEqual(transport.log, ["initialize", "server/discover"])
        assert.strictEqual(client.server.revision, "2026-07-28")
      }
      const down = Scripted.make(script({ ...both, initialize: () => status(503) }), { kind: "http" })
      yield* Effect.flip(Scripted.connect(down, { prefer: "legacy" }))
      assert.deepStrictEqual(down.log, ["initialize"])
    }))

  it.effect("ERA-18: a client of the legacy era alone tells what a modern server speaks", () =>
    Effect.gen(function*() {
      const transport = Scripted.make(script({ ...both, initialize: () => unsupported(["2026-07-28"]) }))
      const error = yield* Effect.flip(Scripted.connect(transport, { revisions: ["2025-11-25", "2025-06-18"] }))
      assert.strictEqual(
        error.message,
        "No common protocol revision: this client speaks 2025-11-25, 2025-06-18, the server 2026-07-28"
      )
      assert.deepStrictEqual(transport.log, ["initialize"])
    }))

  it.effect("ERA-4, ERA-22: without discovery, a server that names legacy versions is met with initialize once", () =>
    Effect.gen(function*() {
      const transport = Scripted.make((request, params) =>
        request.message.method === "initialize"
          ? Effect.delay(Effect.succeed(Scripted.initialized(params.protocolVersion)), "1 second")
          : Scripted.metaOf(request)["io.modelcontextprotocol/protocolVersion"] === undefined
          ? { tools: [] }
          : unsupported(["2025-06-18"])
      )
      const client = yield* Scripted.connect(transport, { discover: false })
      assert.deepStrictEqual(transport.log, [])
      const fiber = yield* Effect.forkChild(
        Effect.all([client.listTools(), client.listTools()], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      const sent = transport.sent.map(({ message }) => message.method)
      assert.deepStrictEqual(sent.filter((method) => method === "initialize"), ["initialize"])
      assert.strictEqual(sent.length, 5)
      assert.strictEqual(client.server.revision, "2025-06-18")
      assert.strictEqual(client.negotiation.era, "legacy")
    }))
})

describe("what is remembered", () => {
  const peer = "https://example.com"
  const store = () => {
    const eras = EraCache.make()
    return {
      eras,
      connect: (transport: Scripted.Scripted, options?: McpClient.Options) => negotiate(transport, options, eras)
    }
  }
  const old = () => script({ discover: new McpError.MethodNotFound({ message: "?" }) })

  it.effect("ERA-16: a server of the legacy era is not asked in vain again", () =>
    Effect.gen(function*() {
      const { connect, eras } = store()
      yield* connect(Scripted.make(old(), { peer }))
      assert.strictEqual(yield* eras.get(peer), "legacy")
      const again = Scripted.make(old(), { peer })
      const exit = yield* connect(again)
      assert.deepStrictEqual(again.log, ["initialize", ...handshake])
      if (!Exit.isSuccess(exit)) return assert.fail(said(exit))
      assert.strictEqual(
        Negotiation.render(exit.value.negotiation),
        "2025-11-25 (initialize 2025-11-25: agreed; the era was known)"
      )
      assert.isTrue(exit.value.negotiation.cached)
    }))

  it.effect("F19: a server that was silent is asked once, and its era is kept", () =>
    Effect.gen(function*() {
      const { connect } = store()
      const silent = script({ discover: Effect.never })
      const first = Scripted.make(silent, { peer, kind: "stdio" })
      yield* connect(first)
      assert.deepStrictEqual(first.log, fallback)
      const second = Scripted.make(silent, { peer, kind: "stdio" })
      yield* connect(second)
      assert.deepStrictEqual(second.log, ["initialize", ...handshake])
    }))

  it.effect("ERA-16: a belief that fails is dropped, and the server asked again", () =>
    Effect.gen(function*() {
      const { connect, eras } = store()
      yield* eras.set(peer, "legacy")
      const modern = Scripted.make(
        script({ discover: Scripted.discovered, initialize: () => new McpError.MethodNotFound({ message: "gone" }) }),
        { peer }
      )
      const exit = yield* connect(modern)
      assert.strictEqual(said(exit), "connected")
      assert.deepStrictEqual(modern.log, ["initialize", "server/discover"])
      assert.strictEqual(yield* eras.get(peer), "modern")
      // And back again.
      const exit2 = yield* connect(Scripted.make(old(), { peer }))
      assert.strictEqual(said(exit2), "connected")
      assert.strictEqual(yield* eras.get(peer), "legacy")
    }))

  it.effect("ERA-16: a belief that leads nowhere is forgotten; an outage proves nothing", () =>
    Effect.gen(function*() {
      const { connect, eras } = store()
      yield* eras.set(peer, "legacy")
      yield* connect(
        Scripted.make(script({ discover: status(503), initialize: () => status(503) }), { kind: "http", peer })
      )
      assert.strictEqual(yield* eras.get(peer), "legacy")
      yield* connect(
        Scripted.make(script({ discover: status(404), initialize: () => status(404) }), { kind: "http", peer })
      )
      assert.strictEqual(yield* eras.get(peer), undefined)
    }))

  it.effect("trap 2: what was not settled is not remembered", () =>
    Effect.gen(function*() {
      const { connect, eras } = store()
      for (const code of [401, 403, 500]) {
        yield* connect(Scripted.make(script({ discover: status(code) }), { kind: "http", peer }))
      }
      yield* connect(Scripted.make(old(), { peer }), { discover: false })
      yield* connect(Scripted.make(old(), { peer }), { prefer: "legacy" })
      yield* connect(Scripted.make(old(), { peer }), { revisions: ["2025-11-25"] })
      assert.strictEqual(yield* eras.get(peer), undefined)
    }))

  it.effect("ERA-16: a server that no transport names is not remembered", () =>
    Effect.gen(function*() {
      const { connect } = store()
      const transport = Scripted.make(old())
      yield* connect(transport)
      const again = Scripted.make(old())
      yield* connect(again)
      assert.deepStrictEqual(again.log, fallback)
    }))

  it.effect("ERA-16: a client that may speak one era only is not misled", () =>
    Effect.gen(function*() {
      const { connect, eras } = store()
      yield* eras.set(peer, "legacy")
      const transport = Scripted.make(script({ discover: Scripted.discovered }), { peer })
      assert.strictEqual(said(yield* connect(transport, { revisions: ["2026-07-28"] })), "connected")
      assert.deepStrictEqual(transport.log, ["server/discover"])
    }))
})

it("an account of a negotiation reads as one line", () => {
  assert.strictEqual(
    Negotiation.render({
      era: "legacy",
      revision: "2024-11-05",
      cached: false,
      attempts: [
        {
          step: "server/discover",
          revision: "2026-07-28",
          outcome: { _tag: "Failed", error: new McpError.MethodNotFound({ message: "no" }) }
        },
        { step: "initialize", revision: "2025-11-25", outcome: { _tag: "Told", versions: ["2024-11-05"] } },
        { step: "HTTP+SSE", revision: "2024-11-05", outcome: { _tag: "Done" } },
        { step: "initialize", revision: "2025-11-25", outcome: { _tag: "Settled", revision: "2024-11-05" } }
      ]
    }),
    "2024-11-05 (server/discover 2026-07-28: no (-32601); initialize 2025-11-25: the server speaks 2024-11-05; " +
      "HTTP+SSE 2024-11-05: connected; initialize 2025-11-25: the server chose 2024-11-05)"
  )
  assert.strictEqual(
    Negotiation.render({ era: "modern", revision: "2026-07-28", cached: false, attempts: [] }),
    "2026-07-28 (taken for granted)"
  )
})
