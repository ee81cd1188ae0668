/** A way to a server that can be cut. */
import * as Effect from "effect/Effect"
import type { AddressInfo } from "node:net"
import * as net from "node:net"

export interface Proxy {
  readonly url: string
  /** Breaks all connections, and lets nobody through until `mend`. */
  readonly cut: () => void
  readonly mend: () => void
  /** The sessions that the server has told its clients of, in order. */
  readonly sessions: () => ReadonlyArray<string>
}

const sessionHeader = /^mcp-session-id: *(\S+)/gim

export const make = (target: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly proxy: Proxy; readonly close: () => void }>((resume) => {
      const { hostname, pathname, port } = new URL(target)
      const sockets = new Set<net.Socket>()
      const sessions = new Set<string>()
      let isCut = false
      const cut = () => {
        isCut = true
        for (const socket of sockets) socket.destroy()
      }
      const server = net.createServer((client) => {
        if (isCut) return client.destroy()
        const upstream = net.connect(Number(port), hostname)
        for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
          sockets.add(socket)
          socket.on("error", () => {})
          socket.on("close", () => {
            sockets.delete(socket)
            other.destroy()
          })
          socket.pipe(other)
        }
        upstream.on("data", (chunk: Buffer) => {
          for (const [, id] of chunk.toString("latin1").matchAll(sessionHeader)) if (id) sessions.add(id)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const proxy: Proxy = {
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
          cut,
          mend: () => {
            isCut = false
          },
          sessions: () => [...sessions]
        }
        const close = () => {
          cut()
          server.close()
        }
        resume(Effect.succeed({ proxy, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ proxy }) => proxy))
