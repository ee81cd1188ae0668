/**
 * Our client against servers that were published to show and test the protocol: everything they have is listed and
 * used.
 */
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as contract from "./fixtures/contract.ts"
import type { Check } from "./support/check.ts"
import * as everything from "./support/everything.ts"
import * as filesystem from "./support/filesystem.ts"
import { layerOver } from "./support/ourClient.ts"
import { Peer } from "./support/peer.ts"

const env = { INTEROP: String(contract.languages[2]) }

/** A port that nobody listens to. The servers cannot be told to find one. */
const freePort = Effect.callback<number>((resume) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Starts `server-everything`, and waits until it says that it listens. */
const serve = Effect.fnUntraced(function*(mode: string, path: string) {
  const port = yield* freePort
  const child = yield* ChildProcess.make(process.execPath, [everything.program, mode], {
    env: { ...env, PORT: String(port) },
    extendEnv: true,
    forceKillAfter: "2 seconds"
  })
  yield* child.stdout.pipe(Stream.runDrain, Effect.ignore, Effect.forkScoped)
  const listening = yield* Deferred.make<void>()
  // It goes on to write there, and is read to the end.
  yield* child.stderr.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => line.includes(`port ${port}`) ? Deferred.succeed(listening, undefined) : Effect.void),
    Effect.andThen(Deferred.die(listening, new Error("The server did not start"))),
    Effect.ignore,
    Effect.forkScoped
  )
  yield* Deferred.await(listening)
  return `http://127.0.0.1:${port}${path}`
})

const over = (mode: string, path: string) =>
  Layer.unwrap(Effect.map(serve(mode, path), (url) => McpHttp.layerClient({ url })))

const stdio = (program: string, args: ReadonlyArray<string>) =>
  McpStdio.layerClient({ command: process.execPath, args: [program, ...args], env })

const test = (checks: ReadonlyArray<Check>, revision: string, connected: Layer.Layer<Peer>) =>
  layer(connected, { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    it.effect("settle on a revision", () =>
      Effect.map(Peer, ({ discovered }) => assert.strictEqual(discovered.revision, revision)))

    for (const check of checks) {
      if (check.from !== undefined && revision < check.from) continue
      it.effect(check.title, () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* check.run, check.expected)
          assert.deepStrictEqual((yield* Peer).complaints(), [])
        }))
    }
  })

describe("server-everything over stdio", () => {
  test(everything.checks, "2025-11-25", layerOver(stdio(everything.program, ["stdio"]), {}))
})

describe("server-everything over Streamable HTTP", () => {
  test(everything.checks, "2025-11-25", layerOver(over("streamableHttp", "/mcp"), {}))
})

describe("server-everything over HTTP+SSE (ERA-15)", () => {
  test(everything.checks, "2024-11-05", layerOver(over("sse", "/sse"), {}))
})

describe("server-everything", () => {
  it("has no tool that is not called", () => {
    assert.deepStrictEqual(everything.allTools.filter((name) => !everything.called.includes(name)), [])
  })
})

describe("server-filesystem over stdio", () => {
  // It is told of the directory by the roots of the client.
  const directory = path.join(fs.realpathSync(os.tmpdir()), `interop-${randomUUID()}`)
  const roots = [{ uri: pathToFileURL(directory).href }]
  const filled = Layer.effectDiscard(Effect.acquireRelease(
    Effect.sync(() => {
      fs.mkdirSync(directory)
      filesystem.fill(directory)
    }),
    () => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
  ))
  const checks = filesystem.checks(directory)
  test(checks, "2025-11-25", layerOver(stdio(filesystem.program, []), { roots }).pipe(Layer.provideMerge(filled)))

  it("has no tool that is not called", () => {
    const called = checks.map(({ title }) => title.split(/[:,]/)[0])
    assert.deepStrictEqual(filesystem.tools.filter((name) => !called.includes(name)), [])
  })
})
