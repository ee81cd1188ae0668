/** The end of a server: a real process that is told to stop, and a web-standard handler that is disposed. */
import { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as child_process from "node:child_process"
import * as http from "node:http"
import { fileURLToPath } from "node:url"
import * as Endpoint from "./support/endpoint.ts"
import { type Answer, errorOf, open, openPost } from "./support/http.ts"
import { call, Client, connect } from "./support/legacy.ts"
import * as Message from "./support/message.ts"
import { entries, type Entry } from "./support/serve.ts"

/** A process that serves, and has to have ended when the test does. */
const start = Effect.fnUntraced(function*(entry: Entry, grace: number) {
  const child = child_process.spawn(
    process.execPath,
    [fileURLToPath(new URL("./fixtures/server.ts", import.meta.url))],
    {
      env: { ...process.env, ENTRY: entry, GRACE: String(grace) },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const exited = yield* Deferred.make<number | null>()
  child.on("exit", (code) => Deferred.doneUnsafe(exited, Effect.succeed(code)))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (child.exitCode === null) child.kill("SIGKILL")
    })
  )
  let output = ""
  const port = yield* Effect.callback<number>((resume) =>
    void child.stdout.on("data", (data) => {
      output += String(data)
      const port = /^http:\/\/127\.0\.0\.1:(\d+)$/m.exec(output)?.[1]
      if (port !== undefined) resume(Effect.succeed(Number(port)))
    })
  )
  const count = (line: string) => output.split("\n").filter((other) => other === line).length
  return {
    port,
    /** Waits until a line was written so often. */
    wrote: (line: string, times: number) =>
      Effect.callback<void>((resume) => {
        const check = () => {
          if (count(line) < times) return
          child.stdout.off("data", check)
          resume(Effect.void)
        }
        child.stdout.on("data", check)
        check()
      }),
    stop: Effect.sync(() => child.kill("SIGTERM")),
    exit: Deferred.await(exited)
  }
})

/** One request over a connection that is kept. */
const over = (agent: http.Agent, port: number, message: Message.Json) =>
  Effect.callback<Answer, Error>((resume) => {
    const request = http.request(
      { port, host: "127.0.0.1", path: "/mcp", method: "POST", agent, headers: Message.headers(message) },
      (response) => {
        let body = ""
        response.on("data", (data) => (body += data))
        response.on("error", (error) => resume(Effect.fail(error)))
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode!, headers: response.headers, body })))
      }
    )
    request.on("error", (error) =>
      resume(Effect.fail(error)))
    request.end(JSON.stringify(message))
  })

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: F16`, () => {
    it.live(
      "SIGTERM under load: what is in flight is answered, streams end, new requests are refused, the process ends",
      () =>
        Effect.gen(function*() {
          const server = yield* start(entry, 10_000)
          const { port } = server
          const client = yield* connect(port)
          // A stream that would never end, in both eras slow calls with a stream and without, and load.
          const get = yield* client.get()
          const modern = Message.call("slow", {}, 2)
          const slow = [
            yield* Effect.forkChild(client.post(call("slow", 1), { accept: "application/json" })),
            yield* Effect.forkChild(
              new Client(port).post(modern, Message.headers(modern, { accept: "application/json" }))
            )
          ]
          const params = { name: "slow", arguments: {}, _meta: { progressToken: "t" } }
          const streams = [
            yield* client.openPost({ jsonrpc: "2.0", id: 3, method: "tools/call", params }),
            yield* openPost(
              port,
              Message.request("tools/call", { ...params, _meta: { ...Message.meta, progressToken: "t" } }, 4)
            )
          ]
          const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
          yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
          const statuses = new Set<number | string>()
          const load = yield* Effect.forkChild(
            Effect.forever(Effect.andThen(
              Effect.match(over(agent, port, Message.call("quick")), {
                onFailure: ({ code }: Error & { readonly code?: string }) => statuses.add(code ?? "error"),
                onSuccess: ({ status }) => statuses.add(status)
              }),
              Effect.sleep(1)
            ))
          )
          while (!statuses.has(200)) yield* Effect.sleep(1)
          yield* server.wrote("slow has begun", 4)
          yield* server.stop
          yield* get.end
          assert.strictEqual(get.ended, "complete")
          for (const fiber of slow) {
            const { body, status } = yield* Fiber.join(fiber)
            assert.strictEqual(status, 200)
            assert.strictEqual(JSON.parse(body).result.content[0].text, "slow")
          }
          for (const stream of streams) {
            yield* stream.end
            assert.strictEqual(stream.ended, "complete")
            assert.deepNestedInclude(stream.events.at(-1), { "result.content": [{ type: "text", text: "slow" }] })
          }
          // Long before Effect's own twenty seconds, and before the grace period is over.
          yield* Effect.timeout(server.exit, "9 seconds")
          yield* Fiber.interrupt(load)
          // Whoever came too late was told so, or found nobody.
          for (const status of statuses) assert.include([200, 503, "ECONNREFUSED", "ECONNRESET"], status)
          assert.isTrue(statuses.has("ECONNREFUSED") || statuses.has(503))
          const late = yield* Effect.exit(open(port, { method: "GET" }))
          assert.strictEqual(late._tag, "Failure")
        }),
      30_000
    )

    it.live(
      "SIGTERM: a question that nobody can answer any more fails, and its call is answered at once",
      () =>
        Effect.gen(function*() {
          const server = yield* start(entry, 20_000)
          const client = yield* connect(server.port, "2025-11-25", {}, { roots: {} })
          const stream = yield* client.openPost(call("ask", 1))
          yield* stream.until(({ events }) => events.some((event) => event.method === "roots/list"))
          yield* server.stop
          yield* stream.end
          assert.strictEqual(stream.ended, "complete")
          assert.deepInclude(stream.events.at(-1), { id: 1 })
          assert.include(
            JSON.stringify(stream.events.at(-1)),
            "The server is closing, and the client can answer no more"
          )
          // Long before the grace period is over.
          yield* Effect.timeout(server.exit, "8 seconds")
        }),
      30_000
    )

    it.live("SIGTERM: what does not end in time is interrupted and told so", () =>
      Effect.gen(function*() {
        const server = yield* start(entry, 1_000)
        const { port } = server
        const client = yield* connect(port)
        const hanging = Message.call("hang", {}, 2)
        const calls = [
          yield* Effect.forkChild(client.post(call("hang", 1)), { startImmediately: true }),
          yield* Effect.forkChild(new Client(port).post(hanging, Message.headers(hanging)), { startImmediately: true })
        ]
        // Nobody waits for the answer of this one any more.
        const gone = yield* Effect.forkChild(client.post(call("hang", 3)), { startImmediately: true })
        yield* server.wrote("hang has begun", 3)
        yield* Fiber.interrupt(gone)
        yield* server.stop
        for (const fiber of calls) {
          const answer = yield* Fiber.join(fiber)
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(errorOf(answer).message, "The server gave up this request")
        }
        yield* server.wrote("hang was interrupted", 3)
        yield* Effect.timeout(server.exit, "8 seconds")
      }), 30_000)
  })
}

for (const entry of Object.keys(entries) as ReadonlyArray<Entry>) {
  describe(`${entry}: F16`, () => {
    it.live("a call whose stream was resumed is answered on it", () =>
      Effect.gen(function*() {
        const server = yield* start(entry, 10_000)
        const client = yield* connect(server.port)
        const params = { name: "slow", arguments: {}, _meta: { progressToken: "t" } }
        const stream = yield* client.openPost({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
        yield* stream.until(({ events }) => events.length === 1)
        stream.close()
        const resumed = yield* client.get({ "last-event-id": stream.lastId })
        yield* server.stop
        yield* resumed.end
        assert.strictEqual(resumed.ended, "complete")
        assert.deepInclude(resumed.events.at(-1), { id: 1 })
        yield* server.exit
      }), 20_000)
  })
}

describe("F16: McpHttp.toWebHandler", () => {
  it.live("dispose waits for what is in flight, refuses the rest, and ends streams", () =>
    Effect.gen(function*() {
      const release = yield* Deferred.make<void>()
      const started = yield* Deferred.make<void>()
      const endpoint = Endpoint.make({
        handlers: {
          tool: () =>
            Deferred.succeed(started, undefined).pipe(
              Effect.andThen(Deferred.await(release)),
              Effect.as({ done: true })
            )
        }
      })
      const { dispose, handler } = McpHttp.toWebHandler(Layer.succeed(McpEndpoint, endpoint))
      const request = (message: Message.Json) =>
        Effect.promise(() =>
          handler(
            new Request("http://localhost/mcp", {
              method: "POST",
              headers: Message.headers(message),
              body: JSON.stringify(message)
            })
          )
        )
      const inFlight = yield* Effect.forkChild(request(Message.call("tool")))
      yield* Deferred.await(started)
      // The handler is still on the stack of whoever was waiting for it.
      yield* Effect.yieldNow
      const disposed = yield* Effect.forkChild(Effect.promise(dispose), { startImmediately: true })
      const late = yield* request(Message.call("echo"))
      assert.deepStrictEqual([late.status, late.headers.get("connection")], [503, "close"])
      // It may be the cancellation of what is in flight.
      assert.strictEqual((yield* request({ jsonrpc: "2.0", method: "notifications/other" })).status, 202)
      assert.isUndefined(disposed.pollUnsafe())
      yield* Deferred.succeed(release, undefined)
      assert.strictEqual((yield* Fiber.join(inFlight)).status, 200)
      yield* Fiber.join(disposed)
    }))
})
