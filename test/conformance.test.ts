import { assert, describe, it } from "@effect/vitest"
import * as http from "node:http"
import * as path from "node:path"
import {
  type Check,
  type Entry,
  type Excuse,
  excuses,
  excusedIds,
  judge,
  unknownIds
} from "../scripts/conformance/judge.ts"
import { negotiates } from "../scripts/conformance/negotiates.ts"
import { everything, pinnable, pinned, required } from "../scripts/conformance/plan.ts"
import { results, revisions, type Role, roles, suite } from "../scripts/conformance/suite.ts"
import { read, root } from "../scripts/lib/workspace.ts"
import { run, scratch, write } from "./support/run.ts"

const check = (id: string, status: Check["status"]): Check => ({ id, status })
const excused = (excuse: Excuse, ids: ReadonlyArray<string>) => new Map(ids.map((id) => [id, excuse]))
const statusOf = (checks: ReadonlyArray<Check> | undefined, later: ReadonlyArray<string> = [], exitCode?: number) =>
  judge({ scenario: "s", checks, ...(exitCode === undefined ? {} : { exitCode }) }, excused("later", later)).status

describe("a conformance scenario", () => {
  it("passes with a success and nothing wrong", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "SKIPPED"), check("c", "INFO")]), "passed")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], [], 0), "passed")
  })

  it("fails with a failure, a warning, no success, no result or a bad exit code", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "FAILURE")]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "WARNING")]), "failed")
    assert.strictEqual(statusOf([check("a", "SKIPPED"), check("b", "INFO")]), "failed")
    assert.strictEqual(statusOf([]), "failed")
    assert.strictEqual(statusOf(undefined), "failed")
    assert.strictEqual(statusOf(undefined, ["s#a"]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], [], 1), "failed")
  })

  it("that is for later may fail, but not pass", () => {
    assert.strictEqual(statusOf([check("a", "FAILURE")], ["s"]), "later")
    assert.strictEqual(statusOf(undefined, ["s"]), "later")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], ["s"]), "stale")
  })

  it("that is exempt may fail, but not pass", () => {
    const statusOf = (status: Check["status"]) =>
      judge({ scenario: "s", checks: [check("a", status)] }, excused("exempt", ["s"])).status
    assert.strictEqual(statusOf("FAILURE"), "exempt")
    assert.strictEqual(statusOf("INFO"), "exempt")
    assert.strictEqual(statusOf("SUCCESS"), "stale")
  })

  it("with a check for later and an exempt one is for later", () => {
    const checks = [check("a", "FAILURE"), check("b", "FAILURE"), check("c", "SUCCESS")]
    const ids = new Map([...excused("exempt", ["s#a"]), ...excused("later", ["s#b", "other"])])
    assert.deepStrictEqual(judge({ scenario: "s", checks }, ids), {
      scenario: "s",
      status: "later",
      details: ["exempt: a", "later: b"]
    })
    assert.strictEqual(judge({ scenario: "s", checks }, excused("exempt", ["s#a", "s#b"])).status, "exempt")
  })

  it("of which a check is for later is judged by its other checks", () => {
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "FAILURE")], ["s#b"], 1), "later")
    assert.strictEqual(statusOf([check("a", "FAILURE"), check("b", "FAILURE")], ["s#b"]), "failed")
    assert.strictEqual(statusOf([check("b", "FAILURE")], ["s#b"]), "failed")
    assert.strictEqual(statusOf([check("a", "SUCCESS"), check("b", "SUCCESS")], ["s#b"]), "stale")
    assert.strictEqual(statusOf([check("a", "SUCCESS")], ["s#b"]), "stale")
  })
})

describe("the lists of exceptions", () => {
  const entries: Readonly<Record<Excuse, ReadonlyArray<Entry>>> = {
    later: JSON.parse(read("conformance.later.json")),
    exempt: JSON.parse(read("conformance.exempt.json"))
  }

  it.each(excuses)("conformance.%s.json names revisions and roles that are run, and gives reasons", (excuse) => {
    for (const { reason, revision, role } of entries[excuse]) {
      // A frozen set asks nothing that its revision does not.
      assert.include(excuse === "exempt" ? pinnable : [...revisions(), ...pinnable], revision)
      assert.include([...roles], role as Role)
      assert.isNotEmpty(reason)
    }
  })

  it.each(everything().map((leg) => [leg.title, leg] as const))("name scenarios of: %s", (_, leg) => {
    const { revision, role, scenarios } = leg
    assert.deepStrictEqual(unknownIds(excusedIds(entries, revision, role), scenarios), [])
    const ids = excuses.flatMap((excuse) => entries[excuse]).flatMap((entry) =>
      entry.revision === revision && entry.role === role ? entry.ids : []
    )
    assert.strictEqual(new Set(ids).size, ids.length, "a scenario is excused twice")
  })

  it("would be noticed naming others", () => {
    assert.deepStrictEqual(unknownIds(excused("later", ["a", "b#c", "d#e"]), ["a", "b"]), ["d#e"])
  })

  it("are told apart by revision, role and excuse", () => {
    const entry = (revision: string, role: string, id: string): Entry => ({ revision, role, reason: "so", ids: [id] })
    const lists = {
      later: [entry("r", "server", "a"), entry("other", "server", "b"), entry("r", "client", "c")],
      exempt: [entry("r", "server", "d")]
    }
    assert.deepStrictEqual([...excusedIds(lists, "r", "server")], [["a", "later"], ["d", "exempt"]])
  })
})

describe("the runs", () => {
  it("of a frozen set are told its revision, and have more scenarios than the suite scores", () => {
    const [server, client] = required("2025-11-25")
    assert.deepInclude(server, { title: "server 2025-11-25", specVersion: "2025-11-25", pinned: false })
    assert.include(server!.scenarios, "tools-list")
    assert.include(server!.scenarios, "server-session-lifecycle")
    assert.include(server!.scenarios, "server-sse-polling")
    assert.include(client!.scenarios, "auth/basic-cimd")
  })

  it("of a pinned program have the scenarios of 2025-11-25 but for authorization", () => {
    const [server, client] = pinned("2025-06-18")
    assert.deepInclude(server, { title: "server pinned to 2025-06-18", specVersion: "2025-06-18", pinned: true })
    assert.deepStrictEqual(server!.scenarios, required("2025-11-25")[0]!.scenarios)
    assert.deepStrictEqual(
      client!.scenarios,
      required("2025-11-25")[1]!.scenarios.filter((scenario) => !scenario.startsWith("auth/"))
    )
  })

  it("of a server pinned to 2024-11-05 tell the suite the oldest revision it knows", () => {
    const legs = pinned("2024-11-05")
    assert.deepStrictEqual(legs.map(({ role }) => role), ["server"])
    assert.deepInclude(legs[0], { revision: "2024-11-05", specVersion: "2025-03-26" })
  })

  it("are all run when none is named", () => {
    assert.deepStrictEqual(
      everything().map(({ title }) => title),
      [
        "server 2025-11-25",
        "client 2025-11-25",
        "server 2026-07-28",
        "client 2026-07-28",
        "server pinned to 2025-06-18",
        "client pinned to 2025-06-18",
        "server pinned to 2025-03-26",
        "client pinned to 2025-03-26",
        "server pinned to 2024-11-05"
      ]
    )
  })

  it("are not guessed when one is named that does not exist", () => {
    const script = path.join(root, "scripts/conformance.ts")
    const { status, stderr } = run(process.execPath, [script, "--pinned", "2025-11-25", "--requirements", "2024-11-05"])
    assert.strictEqual(status, 1)
    assert.include(stderr, "no requirements for 2024-11-05, only for 2025-11-25, 2026-07-28")
    assert.include(stderr, "nothing is pinned to 2025-11-25, only to 2025-06-18, 2025-03-26, 2024-11-05")
  })

  it("give the suite flags and options", () => {
    assert.deepStrictEqual(
      suite("server", { url: "u", force: true, verbose: false }).slice(4),
      ["server", "--url", "u", "--force"]
    )
  })
})

describe("a pinned server", () => {
  const answering = async (
    answer: (request: http.IncomingMessage, response: http.ServerResponse) => void,
    revision: string
  ) => {
    const methods: Array<string> = []
    const server = http.createServer((request, response) => {
      methods.push(request.method!)
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { readonly port: number }
    try {
      const outcome = await negotiates(`http://127.0.0.1:${port}/mcp`, revision)
      return { methods, ...judge(outcome, new Map()) }
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  const message = (revision: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, result: { protocolVersion: revision } })

  it("answers initialize with its revision, as JSON or as a stream", async () => {
    const json = await answering((_, response) => response.end(message("2024-11-05")), "2024-11-05")
    assert.deepStrictEqual([json.status, json.methods], ["passed", ["POST"]])

    const stream = await answering((request, response) => {
      response.setHeader("mcp-session-id", "s1")
      assert.strictEqual(request.headers["mcp-session-id"], request.method === "DELETE" ? "s1" : undefined)
      response.end(request.method === "POST" ? `event: message\ndata: ${message("2025-06-18")}\n\n` : "")
    }, "2025-06-18")
    assert.deepStrictEqual([stream.status, stream.methods], ["passed", ["POST", "DELETE"]])
  })

  it("that answers with another, with none or not at all fails", async () => {
    const other = await answering((_, response) => response.end(message("2025-11-25")), "2025-06-18")
    assert.deepStrictEqual([other.status, other.details], ["failed", [
      "FAILURE negotiates: initialize was answered with 2025-11-25",
      "no check succeeded"
    ]])
    const none = await answering((_, response) => response.writeHead(404).end("nothing here"), "2025-06-18")
    assert.include(none.details[0], "initialize got HTTP 404 without a revision: nothing here")
    const silent = await answering((request) => request.destroy(), "2025-06-18")
    assert.strictEqual(silent.status, "failed")
  })
})

describe("the server that the suite tests", () => {
  it("does not start when MCP_PROTOCOLS is wrong, and says what is", () => {
    const start = (protocols: string) =>
      run("env", [`MCP_PROTOCOLS=${protocols}`, process.execPath, "examples/conformance/server.ts"], {
        timeout: 20_000
      })
    const unknown = start("2025-06-18,2025-06-17")
    assert.strictEqual(unknown.status, 1)
    assert.include(unknown.stdout + unknown.stderr, `at ["MCP_PROTOCOLS"][1]`)
    assert.include(unknown.stdout + unknown.stderr, `"2025-03-26" | "2025-06-18"`)
    const twice = start("2026-07-28,2026-07-28")
    assert.strictEqual(twice.status, 1)
    assert.include(twice.stdout + twice.stderr, "named twice")
  })
})

describe("the suite's files", () => {
  it("are found by scenario, with and without a slash in its name", () => {
    const folder = scratch("conformance")
    write(path.join(folder, "server-tools-list-2026-07-28T10-11-12-013Z/checks.json"), "[1]")
    write(path.join(folder, "server-server-stateless-2026-07-28T10-11-12-013Z/checks.json"), "[2]")
    write(path.join(folder, "auth/basic-cimd-2026-07-28T10-11-12-013Z/checks.json"), "[3]")
    assert.deepStrictEqual(
      new Map<string, unknown>(results(folder)),
      new Map([["tools-list", [1]], ["server-stateless", [2]], ["auth/basic-cimd", [3]]])
    )
  })
})

describe("the suite's mock servers", () => {
  it("listen on 127.0.0.1, and know their port at once", () => {
    const program =
      `const s = require("node:http").createServer().listen(0); console.log(s.address().address); s.close()`
    const preload = path.join(root, "scripts/conformance/listenOnLoopback.ts")
    assert.strictEqual(run(process.execPath, ["--import", preload, "-e", program]).stdout, "127.0.0.1\n")
  })
})
