/**
 * Our client and our server over every transport and under every revision: one program, which knows of neither, gives
 * the same, or what the revision makes of it (see `matrix/expected.ts`).
 */
import * as EraCache from "@effect-mcp/client/EraCache"
import * as McpClient from "@effect-mcp/client/McpClient"
import type { McpTransport } from "@effect-mcp/core/ClientTransport"
import * as MemoryTransport from "@effect-mcp/core/MemoryTransport"
import * as Revision from "@effect-mcp/core/Revision"
import type { McpEndpoint } from "@effect-mcp/core/ServerEndpoint"
import * as McpHttp from "@effect-mcp/transport-http/McpHttp"
import * as NodeMcpHttp from "@effect-mcp/transport-http/NodeMcpHttp"
import * as McpStdio from "@effect-mcp/transport-stdio/McpStdio"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import * as path from "node:path"
import { changes, expected } from "./matrix/expected.ts"
import { server } from "./matrix/features.ts"
import * as program from "./matrix/program.ts"

type Revisions = ReadonlyArray<Revision.Revision> | undefined

/** A connection to a server of some revisions. */
type Connect = (revisions: Revisions) => Layer.Layer<McpTransport, unknown>

const memory = (serialize: boolean): Connect => (revisions) =>
  MemoryTransport.layer({ serialize }).pipe(Layer.provide(server(revisions)))

const stdio: Connect = (revisions = []) =>
  McpStdio.layerClient({
    command: process.execPath,
    args: [path.join(import.meta.dirname, "matrix/server.ts"), ...revisions]
  }).pipe(Layer.provide(NodeServices.layer))

const http =
  (routes: Layer.Layer<never, never, HttpRouter.HttpRouter | McpEndpoint>, path: string): Connect => (revisions) =>
    Layer.unwrap(
      Effect.map(
        HttpServer.HttpServer,
        ({ address }) => McpHttp.layerClient({ url: `${HttpServer.formatAddress(address)}${path}` })
      )
    ).pipe(
      Layer.provide([
        NodeHttpClient.layerUndici,
        HttpRouter.serve(routes.pipe(Layer.provide(server(revisions))), { disableLogger: true, disableListenLog: true })
          .pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))
      ])
    )

interface Way {
  readonly name: string
  readonly connect: Connect
  /** What can be spoken this way, in order. The last is settled on where nothing is said. */
  readonly revisions: ReadonlyArray<Revision.Revision>
}

const ways: ReadonlyArray<Way> = [
  { name: "memory", connect: memory(false), revisions: Revision.all },
  { name: "memory, in JSON", connect: memory(true), revisions: Revision.all },
  { name: "stdio", connect: stdio, revisions: Revision.all },
  {
    name: "Streamable HTTP",
    connect: http(McpHttp.layerServer({ path: "/mcp" }), "/mcp"),
    revisions: Revision.all
  },
  {
    name: "Streamable HTTP of Node",
    connect: http(NodeMcpHttp.layerServer({ path: "/mcp" }), "/mcp"),
    revisions: Revision.all
  },
  {
    name: "HTTP+SSE (ERA-15)",
    connect: http(McpHttp.layerServer({ path: "/mcp", httpSse: { path: "/sse" } }), "/sse"),
    revisions: ["2024-11-05"]
  },
  {
    name: "HTTP+SSE of Node (ERA-15)",
    connect: http(NodeMcpHttp.layerServer({ path: "/mcp", httpSse: { path: "/sse" } }), "/sse"),
    revisions: ["2024-11-05"]
  }
]

/** Runs the program, which has to give what it gives under that revision. */
const gives = (revision: Revision.Revision, connect: Connect, client: Revisions, server: Revisions) =>
  Effect.gen(function*() {
    const { negotiation } = yield* McpClient.McpClient
    assert.strictEqual(negotiation.revision, revision)
    const results = yield* program.run
    for (const part of program.names) assert.deepStrictEqual(results[part], expected(revision)[part], part)
  }).pipe(
    Effect.provide(
      McpClient.layer({ name: "matrix-client", version: "1.0.0" }, { revisions: client }).pipe(
        Layer.provide(connect(server)),
        // No server is met for the second time.
        Layer.provide(EraCache.layerMemory)
      )
    )
  )

for (const { connect, name, revisions } of ways) {
  describe(name, () => {
    const newest = revisions.at(-1) ?? Revision.latest
    it.live("settle on the newest revision", () => gives(newest, connect, undefined, undefined))

    for (const revision of revisions) {
      it.live(`${revision}: a client that speaks nothing else`, () => gives(revision, connect, [revision], undefined))

      it.live(`${revision}: a server that speaks nothing else`, () => gives(revision, connect, undefined, [revision]))
    }
  })
}

describe("the changes between revisions", () => {
  it("change something", () => {
    for (const { results, until } of changes) {
      const next = Revision.all[Revision.all.indexOf(until) + 1] ?? Revision.latest
      for (const [part, result] of Object.entries(results)) {
        assert.notDeepEqual(result, expected(next)[part as program.Part], part)
      }
    }
  })
})
