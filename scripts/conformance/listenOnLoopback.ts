/**
 * Preloaded (`node --import`) into the official suite, whose mock servers would listen on all interfaces: here a server
 * that names no host listens on 127.0.0.1. `listen(port, host)` would look the host up, and `address()` would no longer
 * be known at once; the hook below `listen` keeps that.
 */
import * as net from "node:net"

type Listen = (
  this: net.Server,
  address: string | null,
  port: number | null,
  type: number,
  ...rest: Array<unknown>
) => void

const prototype: { _listen2?: Listen } = net.Server.prototype as object
const listen = prototype._listen2
if (listen === undefined) throw new Error("this version of Node has no net.Server#_listen2")

prototype._listen2 = function(address, port, type, ...rest) {
  const anywhere = (address === null || address === undefined) && typeof port === "number" && port >= 0
  return anywhere ? listen.call(this, "127.0.0.1", port, 4, ...rest) : listen.call(this, address, port, type, ...rest)
}
